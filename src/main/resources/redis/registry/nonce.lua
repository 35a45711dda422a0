-- Uses a nonce once.
-- KEYS[1] the shard's records. ARGV[1] epoch. ARGV[2] client id. ARGV[3] nonce. ARGV[4] the time beside it, in ms.
-- ARGV[5] how far that may be from now. ARGV[6] for how long the nonce is remembered.
-- Answers {status}.
-- include registry/shard
local epoch = redis.call('HMGET', BASE .. 'epoch', 'id', 'since')
if epoch[1] ~= ARGV[1] then
  return { 'OTHER_EPOCH' }
end
local at = tonumber(ARGV[4])
if math.abs(at - now) > tonumber(ARGV[5]) then
  return { 'OUT_OF_TIME' }
end
if at < tonumber(epoch[2]) then
  return { 'BEFORE_EPOCH' }
end
local key = BASE .. 'nonce:' .. string.len(ARGV[3]) .. ':' .. ARGV[3] .. ARGV[2]
if redis.call('SET', key, '', 'NX', 'PX', ARGV[6]) then
  return { 'FRESH' }
end
return { 'REPLAYED' }
