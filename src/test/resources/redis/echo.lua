-- Gives back what it was given, for a test.
-- KEYS[1]: a key. ARGV: anything.
-- Answers {key, clock in ms, {ARGV...}, nothing}.
local now = redis.call('TIME')
redis.call('SET', KEYS[1], ARGV[1], 'PX', 60000)
return {KEYS[1], now[1] * 1000 + math.floor(now[2] / 1000), ARGV, redis.call('GET', KEYS[1]), false}
