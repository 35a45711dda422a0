-- Everything about one client id at one instant.
-- KEYS[1] the shard's records. ARGV[6] client id; ARGV[1..5] are not looked at.
-- Answers {record or nothing, claim's id or nothing, claimant's number or 0, the shard's epoch or nothing}. The record may
-- be one that cannot be read. Of an active record the epoch is not told: it proves itself.
-- include registry/shard
local text, fields = stored(ARGV[6])
local isActive = fields and fields[STATE] == 'A'
local claim = openClaim(ARGV[6])
return {
  text,
  claim and claim[C_OPERATION] or false,
  claim and claim[C_NODE] or '0',
  not isActive and epochHere(),
}
