-- Records of the shard, or of one node in it, in the order of the bytes of their client ids, as they are stored: whoever asks
-- looks into them, since that takes ten times as long as fetching them, and Redis has one thread for everybody.
-- KEYS[1] the shard's records. ARGV[1] node, empty for all. ARGV[2] the client id after which to go on, empty at first.
-- ARGV[3] how many to look at, fewer if they are large.
-- Answers {client id that was looked at last or nothing, {client id, record, …}, the shard's epoch or nothing}; nothing at
-- the end of the shard. A node's index may name a record that is another node's by now.
-- include registry/shard
local of = ARGV[1] == '' and IDS or indexOf(ARGV[1])
local from = ARGV[2] == '' and '-' or '(' .. ARGV[2]
local ids = redis.call('ZRANGEBYLEX', of, from, '+', 'LIMIT', 0, ARGV[3])
local after = #ids == tonumber(ARGV[3]) and ids[#ids]
local found, bytes = {}, 0
for _, id in ipairs(ids) do
  local text = redis.call('HGET', CLIENTS, id)
  if text then
    found[#found + 1] = id
    found[#found + 1] = text
    bytes = bytes + string.len(text)
  end
  if bytes >= STEP_BYTES then
    after = id
    break
  end
end
return { after, found, epochHere() }
