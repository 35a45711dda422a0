-- How many shards this registry has: said by the first who asks, and kept while somebody asks once a day.
-- KEYS[1] where it is kept. ARGV[1] what the asking node would say.
-- Answers {how many there are, now in ms}.
redis.call('SET', KEYS[1], ARGV[1], 'NX')
redis.call('EXPIRE', KEYS[1], 86400)
local clock = redis.call('TIME')
return { redis.call('GET', KEYS[1]), clock[1] * 1000 + math.floor(clock[2] / 1000) }
