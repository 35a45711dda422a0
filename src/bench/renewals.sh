# Group commit against one transaction each, in process at the service that REST and streams call.
seconds=${BENCH_SECONDS:-10}
build
start_postgres
start_node DB_POOL=64 ${BENCH_NODE_ENV:-}
await_node
echo "node:    $(grep -v '^#' "$wlp/usr/servers/huddle/jvm.options" | tr '\n' ' ')pool 64, $seconds s a row after a warm-up; 10,000 live sessions in the table"
measure() { curl -sS --fail "http://localhost:$port/bench/renewals?mode=$1&callers=$2&seconds=$3"; }
measure group 256 5 >/dev/null; measure single 16 3 >/dev/null
printf '%8s | %28s | %28s | %6s\n' callers 'group commit /s p50 p99 ms' 'one each /s p50 p99 ms' ratio
rows=
for callers in 1 16 256; do
  g=$(measure group $callers "$seconds"); s=$(measure single $callers "$seconds")
  ratio=$(awk -v a="$(field "$g" perSecond)" -v b="$(field "$s" perSecond)" 'BEGIN{printf "%.2f", a/b}')
  printf '%8d | %12s %7s %7s | %12s %7s %7s | %6s\n' $callers \
    "$(field "$g" perSecond)" "$(field "$g" p50Ms)" "$(field "$g" p99Ms)" \
    "$(field "$s" perSecond)" "$(field "$s" p50Ms)" "$(field "$s" p99Ms)" "$ratio"
  rows="$rows${rows:+,}{\"callers\":$callers,\"group\":$g,\"single\":$s,\"ratio\":$ratio}"
done
echo "{\"benchmark\":\"renewals\",\"rows\":[$rows]}"
