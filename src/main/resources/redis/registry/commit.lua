-- Puts the claimed record in place if the record that was found is exactly as it was, or gone.
-- KEYS[1] the shard's records. ARGV[1..5] the warrant. ARGV[6] client id. ARGV[7] the claim's id.
-- Answers {status, record or nothing}: the new one, or the changed one in its way.
-- include registry/shard
local client, id = ARGV[6], ARGV[7]
local refused = refusal(client)
if refused then
  return { refused, false }
end
local text, existing = stored(client)
if existing and existing[MARK] == id and isOwner(existing) then
  return { 'COMMITTED', text }
end
local claim = openClaimOf(client, id)
if not claim or not isClaimant(claim) or (text and not existing) then
  return { 'LOST', false }
end
if text and text ~= claim[C_PREVIOUS] then
  local previous = record(claim[C_PREVIOUS])
  if previous and previous[MARK] == existing[MARK] then
    return { 'PREVIOUS_CHANGED', text }
  end
  return { 'LOST', false }
end
dropClaim(client)
return {
  'COMMITTED',
  put(client, {
    VERSION,
    ARGV[2],
    ARGV[3],
    claim[C_CONNECTION],
    claim[C_STATE],
    claim[C_ORDER],
    claim[C_CONNECTED_AT] == '0' and digits(now) or claim[C_CONNECTED_AT],
    id,
    '1',
    claim[C_WEIGHT],
    claim[C_REST],
    claim[C_METADATA],
  }, existing),
}
