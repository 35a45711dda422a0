-- A chunk was not delivered: it can be claimed again later.
-- KEYS[1] the shard's records. ARGV[1..5] the warrant. ARGV[6] chunk id. ARGV[7] token. ARGV[8] after how many ms.
-- ARGV[9] '1' if the try counts.
-- Answers {1} if it was given back, now or by this operation before, {0} if the claim is another's.
-- include registry/shard
-- include registry/queue
if refusal('') then
  return { 0 }
end
if isDone('nack', ARGV[6]) then
  return { 1 }
end
local one = held(ARGV[6], ARGV[7])
if not one then
  return { 0 }
end
if ARGV[9] ~= '1' then
  redis.call('HINCRBY', chunkKey(one.id), 'tries', -1)
end
free(one, digits(now + ARGV[8]))
remember('nack', ARGV[6])
return { 1 }
