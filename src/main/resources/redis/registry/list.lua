-- Records of the shard, or of one node in it, in the order of the bytes of their client ids.
-- KEYS[1] the shard's records. ARGV[1] node, empty for all. ARGV[2] the client id after which to go on, empty at first.
-- ARGV[3] how many to look at, fewer if they are large. ARGV[4] '1' for active ones only.
-- Answers {client id that was looked at last or nothing, {client id, record, …}, the shard's epoch or nothing}; nothing at
-- the end of the shard. Records that cannot be read are left out.
-- include registry/shard
local of = ARGV[1] == '' and IDS or indexOf(ARGV[1])
local from = ARGV[2] == '' and '-' or '(' .. ARGV[2]
local ids = redis.call('ZRANGEBYLEX', of, from, '+', 'LIMIT', 0, ARGV[3])
local after = #ids == tonumber(ARGV[3]) and ids[#ids]
local found, bytes = {}, 0
for _, id in ipairs(ids) do
  local text, fields = stored(id)
  if fields and (ARGV[1] == '' or fields[NODE] == ARGV[1]) and (ARGV[4] ~= '1' or fields[STATE] == 'A') then
    found[#found + 1] = id
    found[#found + 1] = text
  end
  bytes = bytes + string.len(text or '')
  if bytes >= STEP_BYTES then
    after = id
    break
  end
end
return { after, found, epochHere() }
