-- Removes records of a number that may not write here any more; to be repeated until nothing is left.
-- KEYS[1] the shard's records. ARGV[1] the number. ARGV[2] how many at most, fewer if they are large.
-- Answers {how many are left, {client id, record, …}} with the active ones that were removed. A record that cannot be read
-- is nobody's and stays.
-- include registry/shard
local of = indexOf(ARGV[1])
local active, bytes = {}, 0
for _, id in ipairs(redis.call('ZRANGE', of, 0, ARGV[2] - 1)) do
  local text, fields = stored(id)
  if fields and fields[NODE] == ARGV[1] then
    remove(id, ARGV[1])
    if fields[STATE] == 'A' then
      active[#active + 1] = id
      active[#active + 1] = text
    end
  else
    redis.call('ZREM', of, id)
  end
  bytes = bytes + string.len(text or '')
  if bytes >= STEP_BYTES then
    break
  end
end
return { redis.call('ZCARD', of), active }
