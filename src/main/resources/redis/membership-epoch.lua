-- Begins an epoch in place of the known one: always, or only if a server is not the one on which that began. Then every
-- lease runs anew, for this server may not know the last renewals.
-- KEYS  1 epoch (hash: id, since, run, masters)
--       2 leases (sorted set: number, when its lease ends)
--       3 members (hash: number, four lines: process, lease in ms, start, what is published)
-- ARGV  1 the known epoch's id, empty if there was none   2 id for the new one   3 1 to begin it always
--       4 the run ids of all masters, in order, each followed by a comma; empty if they were not asked for
-- Returns the current epoch's id afterwards, since, now
local function run()
    local info = redis.pcall('INFO', 'server')
    return type(info) == 'string' and string.match(info, 'run_id:(%w+)') or ''
end

-- A master that came to the others holds nothing that was lost; one that went may have.
local function isWithout(before, masters)
    for one in string.gmatch(before, '%w+') do
        if not string.find(masters, one .. ',', 1, true) then
            return true
        end
    end
    return false
end

local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local epoch = redis.call('HMGET', KEYS[1], 'id', 'since', 'run', 'masters')
local id = epoch[1] or ''
local since = epoch[2] or '0'
if id == ARGV[1] then
    local masters = ARGV[4]
    local lost = epoch[3] ~= run() or (masters ~= '' and isWithout(epoch[4] or '', masters))
    if ARGV[3] == '1' or lost then
        id = ARGV[2]
        since = string.format('%.0f', now)
        redis.call('HSET', KEYS[1], 'id', id, 'since', since, 'run', run(), 'masters', masters)
        local leases = redis.call('ZRANGE', KEYS[2], 0, -1, 'WITHSCORES')
        for i = 1, #leases, 2 do
            local lease = string.match(redis.call('HGET', KEYS[3], leases[i]) or '', '^[^\n]*\n(%d+)\n') or '0'
            local ends = math.max(tonumber(leases[i + 1]), now + lease)
            redis.call('ZADD', KEYS[2], string.format('%.0f', ends), leases[i])
        end
    elseif masters ~= '' and masters ~= epoch[4] then
        redis.call('HSET', KEYS[1], 'masters', masters)
    end
end
return {id, since, string.format('%.0f', now)}
