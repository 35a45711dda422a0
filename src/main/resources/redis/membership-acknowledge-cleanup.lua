-- Forgets the obligation of a dead number whose remains are removed, if the claim is still the same.
-- KEYS  1 dead (sorted set: number, from when on its remains can be claimed)
--       2 claims (hash: number, who claimed last)
-- ARGV  1 number   2 by whom
-- Returns 1 if it is forgotten now
if redis.call('HGET', KEYS[2], ARGV[1]) ~= ARGV[2] then
    return {0}
end
redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[1], ARGV[1])
return {1}
