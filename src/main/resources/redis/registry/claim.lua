-- Claims a client id: a private intention, which leaves the record as it is.
-- KEYS[1] the shard's records. ARGV[1..5] the warrant.
-- ARGV[6] client id. ARGV[7] how long the claim stays open, in ms. ARGV[8] '1' to supersede. ARGV[9] the mark of a record
-- that is proven to be gone, or empty. ARGV[10] a number that is proven to be dead, or 0.
-- ARGV[11] connection id. ARGV[12] 'A' or 'P'. ARGV[13] order, 0 for any. ARGV[14] connected-at, 0 for then. ARGV[15] weight.
-- ARGV[16] session, generation and teams. ARGV[17] metadata.
-- Answers {status, claim's id or nothing, order, the record found or nothing, the claimant in the way or 0}.
-- include registry/shard
local client, given = ARGV[6], ARGV[13]
local besides = pack({ ARGV[8], ARGV[9], ARGV[10] })

local function answer(status, previous)
  return { status, false, '0', previous or false, '0' }
end
local function busy(claim)
  return { 'BUSY', false, '0', false, claim[C_NODE] }
end
local function claimed(claim)
  return { 'CLAIMED', claim[C_OPERATION], claim[C_ORDER], claim[C_PREVIOUS] ~= '' and claim[C_PREVIOUS], '0' }
end

local refused = refusal(client)
if refused then
  return answer(refused)
end
if ARGV[10] ~= '0' then
  declareDead(ARGV[10])
end
local open = openClaim(client)
local same = open and open[C_OPERATION] == ARGV[4]
if not same and isDone('claim', client) then
  return answer('TOO_LATE')
end
local text, existing = stored(client)
if text and not existing then
  return answer('CORRUPT')
end
if same then
  local equal = isClaimant(open) and open[C_BESIDES] == besides
  for i = 0, C_METADATA - C_CONNECTION do
    equal = equal and open[C_CONNECTION + i] == ARGV[11 + i]
  end
  return equal and claimed(open) or busy(open)
end
local order = given
if given == '0' then
  order = digits(existing and math.max(now, existing[ORDER] + 1) or now)
end
if existing and isGreater(existing[ORDER], order) then
  return answer('NEWER_EXISTS', text)
end
if open and given ~= '0' and isGreater(open[C_ORDER], order) then
  return answer('NEWER_EXISTS', text)
end
if open and (given == '0' or open[C_ORDER] == order) then
  return busy(open)
end
local settled = not existing
  or isOwn(existing, ARGV[11])
  or (given ~= '0' and isGreater(order, existing[ORDER]))
  or ARGV[8] == '1'
  or existing[MARK] == ARGV[9]
  or isDead(existing[NODE])
if not settled then
  return answer('CONFLICT', text)
end
local untilMs = digits(now + ARGV[7])
local made = {
  ARGV[4],
  ARGV[2],
  ARGV[3],
  ARGV[5],
  untilMs,
  order,
  ARGV[11],
  ARGV[12],
  given,
  ARGV[14],
  ARGV[15],
  ARGV[16],
  ARGV[17],
  besides,
  text or '',
}
redis.call('SET', claimKey(client), pack(made), 'PXAT', untilMs)
remember('claim', client)
return claimed(made)
