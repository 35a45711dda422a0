-- Keeps the shard from going by itself for another day.
-- KEYS[1] the shard's records. ARGV[1..5] the warrant.
-- Answers {status}.
-- include registry/shard
local refused = refusal('')
if refused then
  return { refused }
end
for _, name in ipairs({ 'clients', 'ids', 'dead', 'epoch', 'epochs-left', 'orphans', 'waiting', 'aside', 'due', 'tokens' }) do
  redis.call('EXPIRE', BASE .. name, SAFETY_SECONDS)
end
redis.call('EXPIRE', indexOf(ARGV[2]), SAFETY_SECONDS)
return { 'OK' }
