-- Replaces the metadata of exactly this connection's record, and makes it active if asked to.
-- KEYS[1] the shard's records. ARGV[1..5] the warrant.
-- ARGV[6] 'activate' or 'update'. ARGV[7] client id. ARGV[8] connection id. ARGV[9] metadata.
-- Answers {status, record or nothing}.
-- include registry/shard
local client, connection = ARGV[7], ARGV[8]
local refused = refusal(client)
if refused then
  return { refused, false }
end
local text, existing = stored(client)
if text and not existing then
  return { 'CORRUPT', false }
end
if not isOwn(existing, connection) or isDone(ARGV[6], client) then
  return again(text, existing, connection)
end
remember(ARGV[6], client)
existing[REVISION] = digits(existing[REVISION] + 1)
existing[METADATA] = ARGV[9]
if ARGV[6] == 'activate' then
  existing[STATE] = 'A'
end
return { 'OK', put(client, existing, existing) }
