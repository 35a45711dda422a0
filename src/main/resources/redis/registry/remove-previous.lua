-- Removes the generation that an open claim found, even if it has changed meanwhile; never another.
-- KEYS[1] the shard's records. ARGV[1..5] the warrant. ARGV[6] client id. ARGV[7] the claim's id.
-- Answers {status, nothing}.
-- include registry/shard
local client = ARGV[6]
local refused = refusal(client)
if refused then
  return { refused, false }
end
local text, existing = stored(client)
if text and not existing then
  return { 'CORRUPT', false }
end
local claim = openClaimOf(client, ARGV[7])
if not claim or not isClaimant(claim) then
  return { 'NOT_OWNER', false }
end
if existing then
  local previous = record(claim[C_PREVIOUS])
  if not previous or previous[MARK] ~= existing[MARK] then
    return { 'NOT_OWNER', false }
  end
  remove(client, existing[NODE])
end
return { 'OK', false }
