-- Takes a fresh number: the greater of the last one + 1 and the time.
-- KEYS  1 epoch (hash: id, since, run, masters)
--       2 last number
--       3 leases (sorted set: number, when its lease ends)
--       4 members (hash: number, four lines: process, lease in ms, start, what is published)
-- ARGV  1 process   2 lease in ms   3 start, 0 for now   4 what is published
-- Returns number, the epoch's id (empty if there is none), since, now, 1 if this server is not the one the epoch began on
local function run()
    local info = redis.pcall('INFO', 'server')
    return type(info) == 'string' and string.match(info, 'run_id:(%w+)') or ''
end

local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local number = string.format('%.0f', math.max((tonumber(redis.call('GET', KEYS[2])) or 0) + 1, now))
local started = ARGV[3] == '0' and string.format('%.0f', now) or ARGV[3]
redis.call('SET', KEYS[2], number)
redis.call('ZADD', KEYS[3], string.format('%.0f', now + ARGV[2]), number)
redis.call('HSET', KEYS[4], number, table.concat({ARGV[1], ARGV[2], started, ARGV[4]}, '\n'))
local epoch = redis.call('HMGET', KEYS[1], 'id', 'since', 'run')
return {number, epoch[1] or '', epoch[2] or '0', string.format('%.0f', now), epoch[3] == run() and 0 or 1}
