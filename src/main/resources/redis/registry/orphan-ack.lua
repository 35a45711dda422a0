-- A chunk was delivered: it goes.
-- KEYS[1] the shard's records. ARGV[1..5] the warrant. ARGV[6] chunk id. ARGV[7] token.
-- Answers {1} if it went, now or by this operation before, {0} if the claim is another's.
-- include registry/shard
-- include registry/queue
if refusal('') then
  return { 0 }
end
if isDone('ack', ARGV[6]) then
  return { 1 }
end
local one = held(ARGV[6], ARGV[7])
if not one then
  return { 0 }
end
redis.call('HDEL', TOKENS, ARGV[7])
redis.call('DEL', chunkKey(one.id))
redis.call('ZREM', WAITING, one.id)
redis.call('ZREM', DUE, dueMember(one.seq, one.id))
enter(one, -1)
remember('ack', ARGV[6])
return { 1 }
