-- Drops a claim, and revokes the operation that made it.
-- KEYS[1] the shard's records. ARGV[1..5] the warrant. ARGV[6] client id. ARGV[7] the claim's id.
-- Answers {status, nothing}.
-- include registry/shard
local refused = refusal(ARGV[6])
if refused then
  return { refused, false }
end
local claim = openClaimOf(ARGV[6], ARGV[7])
if claim and not isClaimant(claim) then
  return { 'NOT_OWNER', false }
end
revokeClaim(ARGV[6], ARGV[7], claim)
return { 'OK', false }
