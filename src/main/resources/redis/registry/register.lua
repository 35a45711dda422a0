-- Records a connection of the warrant's node, active or pending, unless somebody else has the client id or claims it.
-- KEYS[1] the shard's records. ARGV[1..5] the warrant.
-- ARGV[6] 'register' or 'reserve'. ARGV[7] 'A' or 'P'. ARGV[8] client id. ARGV[9] connection id. ARGV[10] order, 0 for any.
-- ARGV[11] connected-at, 0 for now. ARGV[12] weight. ARGV[13] session, generation and teams. ARGV[14] metadata.
-- Answers {status, record or nothing}: the record as it is now, or the one in the way.
-- include registry/shard
local client, connection, order = ARGV[8], ARGV[9], ARGV[10]
local refused = refusal(client)
if refused then
  return { refused, false }
end
local text, existing = stored(client)
if text and not existing then
  return { 'CORRUPT', false }
end
if isDone(ARGV[6], client) then
  return again(text, existing, connection)
end
local claim = openClaim(client)
if not existing then
  if claim and not isGreater(order, claim[C_ORDER]) then
    local conflict = order == '0' or order == claim[C_ORDER]
    return { conflict and 'CONFLICT' or 'NEWER_EXISTS', false }
  end
elseif isOwn(existing, connection) then
  if order ~= '0' and isGreater(existing[ORDER], order) then
    return { 'NEWER_EXISTS', text }
  end
else
  local newer = order ~= '0'
    and (
      isGreater(existing[ORDER], order)
      or (existing[ORDER] == order and isAfter(existing[CONNECTION], connection))
    )
  return { newer and 'NEWER_EXISTS' or 'CONFLICT', text }
end
if claim and isGreater(order, claim[C_ORDER]) then
  dropClaim(client)
end
remember(ARGV[6], client)
if existing then
  return {
    'OK',
    put(client, {
      VERSION,
      existing[NODE],
      existing[PROCESS],
      existing[CONNECTION],
      ARGV[7],
      order == '0' and existing[ORDER] or order,
      existing[CONNECTED_AT],
      existing[MARK],
      digits(existing[REVISION] + 1),
      ARGV[12],
      ARGV[13],
      ARGV[14],
    }, existing),
  }
end
return {
  'OK',
  put(client, {
    VERSION,
    ARGV[2],
    ARGV[3],
    connection,
    ARGV[7],
    order == '0' and digits(now) or order,
    ARGV[11] == '0' and digits(now) or ARGV[11],
    ARGV[4],
    '1',
    ARGV[12],
    ARGV[13],
    ARGV[14],
  }),
}
