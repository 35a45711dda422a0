-- Everything about one client id at one instant.
-- KEYS[1] the shard's records. ARGV[6] client id; ARGV[1..5] are not looked at.
-- Answers {record or nothing, claim's id or nothing, claimant's number or 0}. The record may be one that cannot be read.
-- include registry/shard
local text = redis.call('HGET', CLIENTS, ARGV[6])
local claim = openClaim(ARGV[6])
return { text, claim and claim[C_OPERATION] or false, claim and claim[C_NODE] or '0' }
