-- Goes on holding a claimed chunk.
-- KEYS[1] the shard's records. ARGV[1..5] the warrant. ARGV[6] chunk id. ARGV[7] token. ARGV[8] for how long, in ms.
-- ARGV[9] how long after its claim it ends in any case.
-- Answers {1} if it is held, {0} if not.
-- include registry/shard
-- include registry/queue
local one = not refusal('') and held(ARGV[6], ARGV[7]) or nil
if not one or now >= one.claimedAt + tonumber(ARGV[9]) then
  return { 0 }
end
redis.call(
  'ZADD', DUE, digits(math.min(now + ARGV[8], one.claimedAt + ARGV[9])), dueMember(one.seq, one.id)
)
return { 1 }
