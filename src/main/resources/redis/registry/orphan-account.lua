-- What the shard's orphan queue holds.
-- KEYS[1] the shard's records.
-- Answers {chunks that wait or are claimed, their bytes, since when the oldest of them waits or 0, chunks set aside,
-- redeliveries, now}.
-- include registry/shard
-- include registry/queue
mendIfBroken()
local first = redis.call('ZRANGE', WAITING, 0, 0)[1]
return {
  account('items'),
  account('bytes'),
  first and chunk(first).since or '0',
  account('aside'),
  account('redeliveries'),
  digits(now),
}
