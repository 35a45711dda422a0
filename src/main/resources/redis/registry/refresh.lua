-- Keeps the shard from going by itself for another day, and drops what was kept for a day.
-- KEYS[1] the shard's records. ARGV[1..5] the warrant.
-- Answers {status}.
-- include registry/shard
-- include registry/queue
local refused = refusal('')
if refused then
  return { refused }
end
for _, name in ipairs({ 'clients', 'ids', 'dead', 'epoch', 'epochs-left', 'orphans', 'waiting', 'aside', 'due', 'tokens' }) do
  last(BASE .. name)
end
-- What was declared or left before that is refused by its time alone.
for _, name in ipairs({ 'dead', 'epochs-left' }) do
  redis.call('ZREMRANGEBYSCORE', BASE .. name, '-inf', '(' .. digits(now - SAFETY_MS))
end
-- At most as many as the queue holds; nothing in it goes by age.
for _, of in ipairs({ WAITING, ASIDE }) do
  for _, id in ipairs(redis.call('ZRANGE', of, 0, -1)) do
    last(chunkKey(id))
  end
end
last(indexOf(ARGV[2]))
return { 'OK' }
