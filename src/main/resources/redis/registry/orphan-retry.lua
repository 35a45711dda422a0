-- Gives a chunk that was set aside its tries back, if there is room for it.
-- KEYS[1] the shard's records. ARGV[1..5] the warrant. ARGV[6] chunk id. ARGV[7] chunks and ARGV[8] bytes that the queue holds.
-- Answers {1} if it waits again, now or by this operation before, {0} if not.
-- include registry/shard
-- include registry/queue
if refusal('') then
  return { 0 }
end
if isDone('retry', ARGV[6]) then
  return { 1 }
end
local one = redis.call('ZSCORE', ASIDE, ARGV[6]) and chunk(ARGV[6])
if not one or not hasRoomFor(one.bytes, tonumber(ARGV[7]), tonumber(ARGV[8])) then
  return { 0 }
end
redis.call('HSET', chunkKey(one.id), 'tries', '0')
redis.call('ZREM', ASIDE, one.id)
redis.call('HINCRBY', ACCOUNT, 'aside', -1)
redis.call('ZADD', WAITING, one.seq, one.id)
enter(one, 1)
free(one, digits(now))
remember('retry', ARGV[6])
return { 1 }
