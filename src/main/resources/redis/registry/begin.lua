-- Begins an epoch in this shard, unless it is there already or was left before.
-- KEYS[1] the shard's records. ARGV[1] the epoch.
-- Answers {the epoch that is there now}.
-- include registry/shard
local epoch, left = BASE .. 'epoch', BASE .. 'epochs-left'
local current = redis.call('HGET', epoch, 'id')
if current ~= ARGV[1] and redis.call('SISMEMBER', left, ARGV[1]) == 0 then
  if current then
    redis.call('SADD', left, current)
    redis.call('EXPIRE', left, SAFETY_SECONDS)
  end
  redis.call('HSET', epoch, 'id', ARGV[1], 'since', digits(now))
  redis.call('EXPIRE', epoch, SAFETY_SECONDS)
end
return { redis.call('HGET', epoch, 'id') }
