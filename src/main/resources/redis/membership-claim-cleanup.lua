-- Claims the remains of the dead number that has been free for the longest.
-- KEYS  1 dead (sorted set: number, from when on its remains can be claimed)
--       2 claims (hash: number, who claimed last)
-- ARGV  1 by whom   2 for how many ms
-- Returns the number, or nothing
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local free = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now), 'LIMIT', 0, 1)
if free[1] then
    redis.call('ZADD', KEYS[1], string.format('%.0f', now + ARGV[2]), free[1])
    redis.call('HSET', KEYS[2], free[1], ARGV[1])
end
return free
