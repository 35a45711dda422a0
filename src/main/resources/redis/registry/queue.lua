-- What the scripts of a shard's orphan queue share. Chunks are hashes chunk:<id> with node, since, bytes, seq, due, tries,
-- delivered, token, claimedAt, claimedUntil and clients, which are client ids and records, packed in turn.
-- waiting and aside are sorted by arrival, due by the moment from which on a chunk may be claimed; tokens leads from the
-- operation that holds a chunk to the chunk.
local ACCOUNT, WAITING, ASIDE = BASE .. 'orphans', BASE .. 'waiting', BASE .. 'aside'
local DUE, TOKENS = BASE .. 'due', BASE .. 'tokens'

local function last(key)
  redis.call('EXPIRE', key, SAFETY_SECONDS)
end

local function chunkKey(id)
  return BASE .. 'chunk:' .. id
end

-- Of those due at once, the one that came first.
local function dueMember(seq, id)
  return string.format('%015d', seq) .. ':' .. id
end

local function chunk(id)
  local values =
    redis.call('HMGET', chunkKey(id), 'node', 'since', 'bytes', 'seq', 'tries', 'delivered', 'token', 'claimedAt')
  if not values[1] then
    return nil
  end
  return {
    id = id,
    node = values[1],
    since = values[2],
    bytes = tonumber(values[3]),
    seq = tonumber(values[4]),
    tries = tonumber(values[5]),
    delivered = values[6] == '1',
    token = values[7],
    claimedAt = tonumber(values[8]),
  }
end

-- As it is told to a node: id, node, token or nothing, tries, since, bytes, whether set aside, clients.
local function shown(one, token, aside)
  return {
    one.id,
    one.node,
    token,
    digits(one.tries),
    one.since,
    digits(one.bytes),
    aside and '1' or '0',
    redis.call('HGET', chunkKey(one.id), 'clients'),
  }
end

local function account(field)
  return tonumber(redis.call('HGET', ACCOUNT, field) or 0)
end

local function hasRoomFor(bytes, items, most)
  return account('items') < items and account('bytes') + bytes <= most
end

-- Forgets chunks whose own key has gone, by eviction or a hand in the store, and counts anew what the queue holds: nobody
-- knows their bytes any more.
local function mend()
  local items, bytes, aside = 0, 0, 0
  for _, id in ipairs(redis.call('ZRANGE', WAITING, 0, -1)) do
    local one = chunk(id)
    if one then
      items = items + 1
      bytes = bytes + one.bytes
    else
      redis.call('ZREM', WAITING, id)
    end
  end
  for _, id in ipairs(redis.call('ZRANGE', ASIDE, 0, -1)) do
    if chunk(id) then
      aside = aside + 1
    else
      redis.call('ZREM', ASIDE, id)
    end
  end
  for _, member in ipairs(redis.call('ZRANGE', DUE, 0, -1)) do
    if not chunk(string.sub(member, 17)) then
      redis.call('ZREM', DUE, member)
    end
  end
  local tokens = redis.call('HGETALL', TOKENS)
  for i = 1, #tokens, 2 do
    if not chunk(tokens[i + 1]) then
      redis.call('HDEL', TOKENS, tokens[i])
    end
  end
  redis.call('HSET', ACCOUNT, 'items', digits(items), 'bytes', digits(bytes), 'aside', digits(aside))
  redis.call('EXPIRE', ACCOUNT, SAFETY_SECONDS)
end

-- The same if any chunk is missing.
local function mendIfBroken()
  for _, from in ipairs({ WAITING, ASIDE }) do
    for _, id in ipairs(redis.call('ZRANGE', from, 0, -1)) do
      if redis.call('EXISTS', chunkKey(id)) == 0 then
        mend()
        return
      end
    end
  end
end

local function enter(one, count)
  redis.call('HINCRBY', ACCOUNT, 'items', count)
  redis.call('HINCRBY', ACCOUNT, 'bytes', count * one.bytes)
  last(ACCOUNT)
end

local function free(one, due)
  if one.token then
    redis.call('HDEL', TOKENS, one.token)
  end
  redis.call('HDEL', chunkKey(one.id), 'token')
  one.token = false
  redis.call('ZADD', DUE, due, dueMember(one.seq, one.id))
  last(DUE)
end

-- The chunk, if this is still its claim; nil otherwise.
local function held(id, token)
  local one = chunk(id)
  return one and token ~= '' and one.token == token and one or nil
end
