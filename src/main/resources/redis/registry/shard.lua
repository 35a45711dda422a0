-- What the scripts of one shard of the registry share; it stands at the head of each of them.
--
-- KEYS[1]   the shard's records: a hash of client id to record. The shard's other keys are named from it and have its tag,
--           so that every script stays on one server of a cluster:
--             ids           sorted set of the client ids that have a record, for listings
--             n:<node>      the same of one node
--             claim:<id>    an open claim, for as long as it is open
--             done:…        an operation that had its effect, until its notAfter
--             revoked:…     an operation that shall have none, until its notAfter
--             nonce:…       a nonce that was used
--             dead          sorted set of numbers whose writes are refused, by when they were declared dead last; each is
--                           kept for a day, which no warrant outlives
--             epoch         id, since, server; epochs-left: those that may not come back, by when they were left
--             orphans       made, items, bytes, aside, redeliveries; with waiting, aside, due, tokens and chunk:<id>
-- ARGV[1..5] the warrant, where a script has one: epoch, node, process, operation, notAfter
--
-- Records and claims are packed: each field as its length in bytes, a colon and its bytes. Texts of others, metadata before
-- all, are fields that nothing here looks into. Whole numbers that are compared are compared as digits, which is exact.
local CLIENTS = KEYS[1]
local BASE = string.sub(CLIENTS, 1, -1 - string.len('clients'))
local IDS = BASE .. 'ids'
local DEAD = BASE .. 'dead'
-- A registry that nobody refreshes for so long goes by itself.
local SAFETY_SECONDS = 86400
local SAFETY_MS = 86400000
-- Bytes of records after which a step of many ends: what a script takes of Redis' only thread, and an answer of a node's
-- memory.
local STEP_BYTES = 262144

local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)

local function digits(number)
  return string.format('%.0f', number)
end

local function pack(fields)
  local parts = {}
  for i = 1, #fields do
    parts[2 * i - 1] = string.len(fields[i]) .. ':'
    parts[2 * i] = fields[i]
  end
  return table.concat(parts)
end

-- The fields, or nil unless there are exactly so many.
local function unpacked(text, count)
  local fields = {}
  local at = 1
  for i = 1, count do
    local _, colon, length = string.find(text, '^(%d+):', at)
    if not colon then
      return nil
    end
    local last = colon + tonumber(length)
    if last > string.len(text) then
      return nil
    end
    fields[i] = string.sub(text, colon + 1, last)
    at = last + 1
  end
  if at ~= string.len(text) + 1 then
    return nil
  end
  return fields
end

local function isNumber(text)
  return string.find(text, '^%d+$') ~= nil
end

-- By bytes; the comparison of the language depends on the server's locale.
local function isAfter(one, other)
  for i = 1, math.min(string.len(one), string.len(other)) do
    local a, b = string.byte(one, i), string.byte(other, i)
    if a ~= b then
      return a > b
    end
  end
  return string.len(one) > string.len(other)
end

local function isGreater(one, other)
  if string.len(one) ~= string.len(other) then
    return string.len(one) > string.len(other)
  end
  return isAfter(one, other)
end

-- Fields of a record, and the number of them.
local NODE, PROCESS, CONNECTION, STATE, ORDER, CONNECTED_AT, MARK, REVISION, WEIGHT, REST, METADATA =
  2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
local VERSION = 'h1'

-- Nil if it cannot be read.
local function record(text)
  local fields = unpacked(text, 12)
  if
    fields
    and fields[1] == VERSION
    and isNumber(fields[NODE])
    and isNumber(fields[ORDER])
    and isNumber(fields[CONNECTED_AT])
    and isNumber(fields[REVISION])
    and isNumber(fields[WEIGHT])
    and (fields[STATE] == 'A' or fields[STATE] == 'P')
  then
    return fields
  end
  return nil
end

-- The record of a client as it is stored, and its fields; false and nil if there is none, the text and nil if it cannot be read.
local function stored(client)
  local text = redis.call('HGET', CLIENTS, client)
  if not text then
    return false, nil
  end
  return text, record(text)
end

local function indexOf(node)
  return BASE .. 'n:' .. node
end

-- A key that came to be just now gets its end; what is refreshed has one already.
local function index(key, client)
  if redis.call('ZADD', key, 0, client) == 1 and redis.call('ZCARD', key) == 1 then
    redis.call('EXPIRE', key, SAFETY_SECONDS)
  end
end

-- Stores the record, in place of the one with the other fields if they are given; answers its text.
local function put(client, fields, previous)
  local text = pack(fields)
  if redis.call('HSET', CLIENTS, client, text) == 1 and redis.call('HLEN', CLIENTS) == 1 then
    redis.call('EXPIRE', CLIENTS, SAFETY_SECONDS)
  end
  if not previous then
    index(IDS, client)
  end
  if not previous or previous[NODE] ~= fields[NODE] then
    index(indexOf(fields[NODE]), client)
    if previous then
      redis.call('ZREM', indexOf(previous[NODE]), client)
    end
  end
  return text
end

local function remove(client, node)
  redis.call('HDEL', CLIENTS, client)
  redis.call('ZREM', IDS, client)
  redis.call('ZREM', indexOf(node), client)
end

local function isDead(node)
  return redis.call('ZSCORE', DEAD, node) ~= false
end

local function declareDead(node)
  redis.call('ZADD', DEAD, digits(now), node)
  redis.call('EXPIRE', DEAD, SAFETY_SECONDS)
end

local function isOwner(fields)
  return fields[NODE] == ARGV[2] and fields[PROCESS] == ARGV[3]
end

local function isOwn(fields, connection)
  return fields ~= nil and isOwner(fields) and fields[CONNECTION] == connection
end

-- Operations.

local function doneKey(method, subject)
  return BASE .. 'done:' .. method .. ':' .. string.len(ARGV[4]) .. ':' .. ARGV[4] .. subject
end

local function isDone(method, subject)
  return redis.call('EXISTS', doneKey(method, subject)) == 1
end

local function remember(method, subject)
  redis.call('SET', doneKey(method, subject), '', 'PXAT', ARGV[5])
end

local function revokedKey(client, operation)
  return BASE .. 'revoked:' .. string.len(operation) .. ':' .. operation .. client
end

local function revoke(client, operation, untilMs)
  local key = revokedKey(client, operation)
  local already = redis.call('GET', key)
  if not already or isGreater(untilMs, already) then
    redis.call('SET', key, untilMs, 'PXAT', untilMs)
  end
end

-- This life of this server. A replica that took over, and a server that was started again, may lack what was written last:
-- with them the epoch is over, though its key is there.
local function server()
  local info = redis.call('INFO', 'server')
  local _, before = string.find(info, 'run_id:', 1, true)
  return string.sub(info, before + 1, before + 40)
end

-- The epoch that this shard is in; false without one, and where it ended with its server.
local function epochHere()
  local here = redis.call('HMGET', BASE .. 'epoch', 'id', 'server')
  return here[1] and here[2] == server() and here[1]
end

local function isIn(epoch)
  return epochHere() == epoch
end

-- Why nothing may be written under this warrant; nil if it may.
local function refusal(client)
  if not isIn(ARGV[1]) then
    return 'OTHER_EPOCH'
  end
  if isDead(ARGV[2]) then
    return 'WRITER_DEAD'
  end
  -- One that lasts longer than the dead are remembered could come when they are forgotten.
  local notAfter = tonumber(ARGV[5])
  if now > notAfter or notAfter > now + SAFETY_MS or redis.call('EXISTS', revokedKey(client, ARGV[4])) == 1 then
    return 'TOO_LATE'
  end
  return nil
end

-- The answer to an operation that had its effect before, or that has no object.
local function again(text, fields, connection)
  if isOwn(fields, connection) then
    return { 'OK', text }
  end
  return { 'NOT_OWNER', false }
end

-- Claims. Fields: what the claim is, then what the record is to be, then what was asked besides, then the record found.
local C_OPERATION, C_NODE, C_PROCESS, C_NOT_AFTER, C_UNTIL, C_ORDER = 1, 2, 3, 4, 5, 6
local C_CONNECTION, C_STATE, C_GIVEN_ORDER, C_CONNECTED_AT, C_WEIGHT, C_REST, C_METADATA, C_BESIDES = 7, 8, 9, 10, 11, 12, 13, 14
local C_PREVIOUS = 15
local C_FIELDS = 15

local function claimKey(client)
  return BASE .. 'claim:' .. client
end

-- The claim that is open on this client id, nil without.
local function openClaim(client)
  local text = redis.call('GET', claimKey(client))
  local claim = text and unpacked(text, C_FIELDS)
  if claim and now < tonumber(claim[C_UNTIL]) and not isDead(claim[C_NODE]) then
    return claim
  end
  return nil
end

local function openClaimOf(client, id)
  local claim = openClaim(client)
  return claim and claim[C_OPERATION] == id and claim or nil
end

local function isClaimant(claim)
  return claim[C_NODE] == ARGV[2] and claim[C_PROCESS] == ARGV[3]
end

local function dropClaim(client)
  redis.call('DEL', claimKey(client))
end

local function revokeClaim(client, id, claim)
  revoke(client, id, ARGV[5])
  if claim then
    revoke(client, id, claim[C_NOT_AFTER])
    dropClaim(client)
  end
end
