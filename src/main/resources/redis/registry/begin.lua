-- Begins an epoch in this shard, unless it is there already or was left before.
-- An epoch that ended with its server does not begin again: it takes another.
-- KEYS[1] the shard's records. ARGV[1] the epoch.
-- Answers {the epoch that is there now}.
-- include registry/shard
local epoch, left = BASE .. 'epoch', BASE .. 'epochs-left'
local current = redis.call('HGET', epoch, 'id')
if current ~= ARGV[1] and not redis.call('ZSCORE', left, ARGV[1]) then
  if current then
    redis.call('ZADD', left, digits(now), current)
    redis.call('EXPIRE', left, SAFETY_SECONDS)
  end
  redis.call('HSET', epoch, 'id', ARGV[1], 'since', digits(now), 'server', server())
  redis.call('EXPIRE', epoch, SAFETY_SECONDS)
end
return { redis.call('HGET', epoch, 'id') }
