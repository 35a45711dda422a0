-- Removes the record of exactly this connection, and this connection's own claim.
-- KEYS[1] the shard's records. ARGV[1..5] the warrant.
-- ARGV[6] client id. ARGV[7] connection id. ARGV[8] '1' if a record that cannot be read is this node's to remove.
-- Answers {status, nothing}.
-- include registry/shard
local client, connection = ARGV[6], ARGV[7]
local refused = refusal(client)
if refused then
  return { refused, false }
end
if isDone('unregister', client) then
  return { 'OK', false }
end
local text, existing = stored(client)
local corrupt = text and not existing
if corrupt and ARGV[8] ~= '1' then
  return { 'CORRUPT', false }
end
local claim = openClaim(client)
if claim and isClaimant(claim) and claim[C_CONNECTION] == connection then
  dropClaim(client)
end
if not corrupt and not isOwn(existing, connection) then
  return { 'NOT_OWNER', false }
end
remove(client, ARGV[2])
remember('unregister', client)
return { 'OK', false }
