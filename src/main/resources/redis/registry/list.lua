-- Records of the shard, or of one node in it, in the order of the bytes of their client ids, as they are stored: whoever asks
-- looks into them, since that takes ten times as long as fetching them, and Redis has one thread for everybody.
-- KEYS[1] the shard's records. ARGV[1] node, empty for all. ARGV[2] the client id after which to go on, empty at first.
-- ARGV[3] how many to look at, fewer if they are large.
-- Answers {client id that was looked at last or nothing, client id and record in turn as one packed text, the shard's epoch
-- or nothing}; nothing at the end of the shard. One text costs whoever asks half of what so many costs. A node's index may
-- name a record that is another node's by now.
-- include registry/shard
local of = ARGV[1] == '' and IDS or indexOf(ARGV[1])
local from = ARGV[2] == '' and '-' or '(' .. ARGV[2]
local ids = redis.call('ZRANGEBYLEX', of, from, '+', 'LIMIT', 0, ARGV[3])
local after = #ids == tonumber(ARGV[3]) and ids[#ids]
local found, bytes = {}, 0
local at, size = 1, 1
while at <= #ids do
  local last = math.min(at + size - 1, #ids)
  local texts = redis.call('HMGET', CLIENTS, unpack(ids, at, last))
  for i = 1, #texts do
    local id, text = ids[at + i - 1], texts[i]
    if text then
      found[#found + 1] = #id .. ':' .. id .. #text .. ':' .. text
      bytes = bytes + #text
    end
  end
  if bytes >= STEP_BYTES then
    after = ids[last]
    break
  end
  -- As many at once as are likely to fit, by what those before took, and so few that unlike ones do no harm: one by one takes
  -- several times as long.
  size = math.max(1, math.min(8, math.floor((STEP_BYTES - bytes) * last / math.max(1, bytes))))
  at = last + 1
end
return { after, table.concat(found), epochHere() }
