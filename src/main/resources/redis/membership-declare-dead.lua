-- Moves members whose lease has ended to the dead, for good. None on another server than the epoch began on.
-- KEYS  1 epoch (hash: id, since, run, masters)
--       2 leases (sorted set: number, when its lease ends)
--       3 members (hash: number, four lines: process, lease in ms, start, what is published)
--       4 dead (sorted set: number, from when on its remains can be claimed)
-- ARGV  1 how many at most
-- Returns the numbers that are dead now
local function run()
    local info = redis.pcall('INFO', 'server')
    return type(info) == 'string' and string.match(info, 'run_id:(%w+)') or ''
end

if redis.call('HGET', KEYS[1], 'run') ~= run() then
    return {}
end
local clock = redis.call('TIME')
local now = string.format('%.0f', clock[1] * 1000 + math.floor(clock[2] / 1000))
local ended = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, ARGV[1])
for _, number in ipairs(ended) do
    redis.call('ZREM', KEYS[2], number)
    redis.call('HDEL', KEYS[3], number)
    redis.call('ZADD', KEYS[4], now, number)
end
return ended
