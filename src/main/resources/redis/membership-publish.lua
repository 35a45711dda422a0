-- Replaces what is published of a member; brings nobody back.
-- KEYS  1 members (hash: number, four lines: process, lease in ms, start, what is published)
-- ARGV  1 number   2 process   3 what is published
-- Returns 1 if they are a member
local process, lease, started = string.match(
    redis.call('HGET', KEYS[1], ARGV[1]) or '', '^([^\n]*)\n(%d+)\n(%d+)\n')
if process ~= ARGV[2] then
    return {0}
end
redis.call('HSET', KEYS[1], ARGV[1], table.concat({process, lease, started, ARGV[3]}, '\n'))
return {1}
