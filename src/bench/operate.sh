# What operating it costs: the judgement of drift, of 10,000 sessions in 2,000 rooms, one room in fifty drifting.
windows=${BENCH_WINDOWS:-100}
build
start_postgres
start_node ${BENCH_NODE_ENV:-}
await_node
echo "node:    $(grep -v '^#' "$wlp/usr/servers/huddle/jvm.options" | tr '\n' ' ')$windows windows after as many to warm up; target: under 2 % of one core"
j=$(curl -m 600 -sS --fail "http://localhost:$port/bench/judgement?windows=$windows")
printf '%10s | %9s | %9s | %9s | %7s | %7s | %13s\n' sessions drifting 'node ms' 'database' 'p50 ms' 'max ms' '% of a core'
printf '%10s | %9s | %9s | %9s | %7s | %7s | %13s\n' "$(field "$j" sessions)" "$(field "$j" drifting)" "$(field "$j" threadMs)" \
  "$(field "$j" databaseMs)" "$(field "$j" p50Ms)" "$(field "$j" maxMs)" "$(field "$j" percentOfACore)"
echo "{\"benchmark\":\"operate\",\"judgement\":$j}"
