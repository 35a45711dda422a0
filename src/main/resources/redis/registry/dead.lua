-- Refuses all writes of a number in this shard from now on.
-- KEYS[1] the shard's records. ARGV[1] the number.
-- Answers {how many records it has here}.
-- include registry/shard
declareDead(ARGV[1])
return { redis.call('ZCARD', indexOf(ARGV[1])) }
