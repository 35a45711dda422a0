-- The members: one of them, whether or not its lease has ended, or all whose lease has not.
-- KEYS  1 leases (sorted set: number, when its lease ends)
--       2 members (hash: number, four lines: process, lease in ms, start, what is published)
-- ARGV  1 number, 0 for all
-- Returns for each, by number: number, when its lease ends, its four lines
if ARGV[1] ~= '0' then
    local ends = redis.call('ZSCORE', KEYS[1], ARGV[1])
    local lines = redis.call('HGET', KEYS[2], ARGV[1])
    return ends and lines and {ARGV[1], ends, lines} or {}
end
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local live = redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. string.format('%.0f', now), '+inf', 'WITHSCORES')
local found = {}
for i = 1, #live, 2 do
    local lines = redis.call('HGET', KEYS[2], live[i])
    if lines then
        found[#found + 1] = {live[i], live[i + 1], lines}
    end
end
table.sort(found, function(a, b) return tonumber(a[1]) < tonumber(b[1]) end)
local flat = {}
for _, one in ipairs(found) do
    for _, item in ipairs(one) do
        flat[#flat + 1] = item
    end
end
return flat
