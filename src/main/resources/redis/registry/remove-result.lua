-- Removes the record that a claim put in place, and the claim, and revokes the operation that made it.
-- KEYS[1] the shard's records. ARGV[1..5] the warrant. ARGV[6] client id. ARGV[7] the claim's id.
-- Answers {status, nothing}.
-- include registry/shard
local client, id = ARGV[6], ARGV[7]
local refused = refusal(client)
if refused then
  return { refused, false }
end
local text, existing = stored(client)
if text and not existing then
  return { 'CORRUPT', false }
end
local claim = openClaimOf(client, id)
local result = existing and existing[MARK] == id
if (claim and not isClaimant(claim)) or (result and not isOwner(existing)) then
  return { 'NOT_OWNER', false }
end
revokeClaim(client, id, claim)
if result then
  remove(client, existing[NODE])
end
return { 'OK', false }
