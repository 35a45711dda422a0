-- Moves the first part of what a dead number left in this shard into the orphan queue: a chunk's active clients, with the
-- pending ones among them, which vanish, up to a step's bytes of these. Without room for the chunk nothing is moved.
-- KEYS[1] the shard's records. ARGV[1] the number. ARGV[2] records at most. ARGV[3] the shard.
-- ARGV[4] bytes and ARGV[5] clients at which a chunk is cut. ARGV[6] chunks and ARGV[7] bytes that the shard's queue holds.
-- Answers {'OK' or 'FULL', records removed, active ones of them, records left}.
-- include registry/shard
-- include registry/queue
local of = indexOf(ARGV[1])
local most, cutBytes, cutClients = tonumber(ARGV[2]), tonumber(ARGV[4]), tonumber(ARGV[5])
declareDead(ARGV[1])
local part, clients, bytes, actives, idle = {}, {}, 0, 0, 0
local full = false
local at = 0
while not full and #part < most do
  local ids = redis.call('ZRANGE', of, at, at + 63)
  if #ids == 0 then
    break
  end
  at = at + #ids
  for _, id in ipairs(ids) do
    local text, fields = stored(id)
    if not fields or fields[NODE] ~= ARGV[1] then
      -- A record that cannot be read is nobody's and stays.
      redis.call('ZREM', of, id)
      at = at - 1
    else
      local isActive = fields[STATE] == 'A'
      local more = 128
        + string.len(id)
        + string.len(fields[PROCESS])
        + string.len(fields[CONNECTION])
        + string.len(fields[MARK])
        + string.len(fields[METADATA])
        + tonumber(fields[WEIGHT])
      local isCut = isActive and actives > 0 and (bytes + more > cutBytes or actives >= cutClients)
      if #part >= most or idle >= STEP_BYTES or isCut then
        full = true
        break
      end
      part[#part + 1] = id
      if isActive then
        bytes = bytes + more
        actives = actives + 1
        clients[2 * actives - 1] = id
        clients[2 * actives] = text
      else
        idle = idle + more
      end
    end
  end
end
if actives > 0 then
  if not hasRoomFor(bytes, tonumber(ARGV[6]), tonumber(ARGV[7])) then
    mendIfBroken()
  end
  if not hasRoomFor(bytes, tonumber(ARGV[6]), tonumber(ARGV[7])) then
    -- Nobody refreshes it for the dead one, and without it nothing would find what is left here.
    last(of)
    return { 'FULL', 0, 0, redis.call('ZCARD', of) }
  end
  local seq = redis.call('HINCRBY', ACCOUNT, 'made', 1) - 1
  local id = ARGV[3] .. '-' .. ARGV[1] .. '-' .. digits(seq)
  local one = { id = id, seq = seq, bytes = bytes, token = false }
  redis.call(
    'HSET', chunkKey(id),
    'node', ARGV[1], 'since', digits(now), 'bytes', digits(bytes), 'seq', digits(seq), 'tries', '0', 'delivered', '0',
    'clients', pack(clients)
  )
  last(chunkKey(id))
  redis.call('ZADD', WAITING, seq, id)
  last(WAITING)
  enter(one, 1)
  free(one, digits(now))
end
for _, id in ipairs(part) do
  remove(id, ARGV[1])
end
return { 'OK', #part, actives, redis.call('ZCARD', of) }
