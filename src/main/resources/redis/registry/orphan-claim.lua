-- Claims the chunk that has been due for longest; sets aside those whose tries are used up.
-- KEYS[1] the shard's records. ARGV[1..5] the warrant. ARGV[6] tries at most. ARGV[7] how long the claim lasts, in ms.
-- ARGV[8] how many may be set aside.
-- Answers {} if there is nothing to claim, or the chunk: {id, node, token, tries, since, bytes, set aside, clients}.
-- include registry/shard
-- include registry/queue
if refusal('') then
  return {}
end
local mine = redis.call('HGET', TOKENS, ARGV[4])
if mine then
  local one = chunk(mine)
  if one then
    return shown(one, ARGV[4], false)
  end
end
for _, member in ipairs(redis.call('ZRANGEBYSCORE', DUE, '-inf', digits(now))) do
  local id = string.sub(member, 17)
  local one = chunk(id)
  if not one then
    mendIfBroken()
    redis.call('ZREM', DUE, member)
  elseif one.tries >= tonumber(ARGV[6]) and account('aside') < tonumber(ARGV[8]) then
    free(one, digits(now))
    redis.call('ZREM', DUE, member)
    redis.call('ZREM', WAITING, id)
    redis.call('ZADD', ASIDE, one.seq, id)
    last(ASIDE)
    redis.call('HINCRBY', ACCOUNT, 'aside', 1)
    enter(one, -1)
  else
    if one.delivered then
      redis.call('HINCRBY', ACCOUNT, 'redeliveries', 1)
    end
    if one.token then
      redis.call('HDEL', TOKENS, one.token)
    end
    one.tries = one.tries + 1
    redis.call(
      'HSET', chunkKey(id),
      'delivered', '1', 'tries', digits(one.tries), 'token', ARGV[4], 'claimedAt', digits(now)
    )
    redis.call('HSET', TOKENS, ARGV[4], id)
    last(TOKENS)
    redis.call('ZADD', DUE, digits(now + ARGV[7]), member)
    return shown(one, ARGV[4], false)
  end
end
return {}
