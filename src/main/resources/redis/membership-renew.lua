-- Renews number and process together, if they are a member; whether the lease has ended does not matter until somebody
-- declared it.
-- KEYS  1 epoch (hash: id, since, run, masters)
--       2 leases (sorted set: number, when its lease ends)
--       3 members (hash: number, four lines: process, lease in ms, start, what is published)
-- ARGV  1 number   2 process   3 lease in ms
-- Returns 1 if they are no member, the epoch's id (empty if there is none), since, now,
--         1 if this server is not the one the epoch began on
local function run()
    local info = redis.pcall('INFO', 'server')
    return type(info) == 'string' and string.match(info, 'run_id:(%w+)') or ''
end

local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local refused = 1
local process, started, published = string.match(
    redis.call('HGET', KEYS[3], ARGV[1]) or '', '^([^\n]*)\n%d+\n(%d+)\n(.*)$')
if process == ARGV[2] then
    refused = 0
    redis.call('ZADD', KEYS[2], string.format('%.0f', now + ARGV[3]), ARGV[1])
    redis.call('HSET', KEYS[3], ARGV[1], table.concat({process, ARGV[3], started, published}, '\n'))
end
local epoch = redis.call('HMGET', KEYS[1], 'id', 'since', 'run')
return {refused, epoch[1] or '', epoch[2] or '0', string.format('%.0f', now), epoch[3] == run() and 0 or 1}
