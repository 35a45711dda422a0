-- The clock of the server that has this key.
-- KEYS[1] a key. Answers {now in ms}.
local clock = redis.call('TIME')
return { clock[1] * 1000 + math.floor(clock[2] / 1000) }
