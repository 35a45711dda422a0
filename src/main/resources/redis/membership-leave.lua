-- Removes a member, without an obligation.
-- KEYS  1 leases (sorted set: number, when its lease ends)
--       2 members (hash: number, four lines: process, lease in ms, start, what is published)
-- ARGV  1 number   2 process
-- Returns 1 if they were a member
local process = string.match(redis.call('HGET', KEYS[2], ARGV[1]) or '', '^([^\n]*)\n')
if process ~= ARGV[2] then
    return {0}
end
redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('HDEL', KEYS[2], ARGV[1])
return {1}
