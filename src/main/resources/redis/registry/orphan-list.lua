-- The chunks of the shard, those set aside among them, in the order in which they came.
-- KEYS[1] the shard's records. ARGV[1] how many at most.
-- Answers {chunk, …}, each as orphan-claim tells it, without a token.
-- include registry/shard
-- include registry/queue
local found = {}
for _, from in ipairs({ WAITING, ASIDE }) do
  for _, id in ipairs(redis.call('ZRANGE', from, 0, ARGV[1] - 1)) do
    local one = chunk(id)
    if one then
      one.aside = from == ASIDE
      found[#found + 1] = one
    end
  end
end
table.sort(found, function(a, b)
  return a.seq < b.seq
end)
local answer = {}
for i = 1, math.min(#found, tonumber(ARGV[1])) do
  answer[i] = shown(found[i], false, found[i].aside)
end
return answer
