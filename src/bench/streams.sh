# Client streams: what one costs while idle, connecting, uEcho against a bare endpoint, uRenew against one by REST.
count=${BENCH_STREAMS:-5000}
seconds=${BENCH_SECONDS:-5}
rounds=${BENCH_ROUNDS:-4}
build
start_postgres
start_node DB_POOL=32 HUDDLE_KEYS_SECRET="$(openssl rand -base64 32)" HUDDLE_ROOM_MAX_PARTICIPANTS=100 \
  HUDDLE_LIMITS_RENEWALS_PER_SECOND=1000 HUDDLE_LIMITS_RENEWAL_BURST=10000 \
  HUDDLE_LIMITS_REQUESTS_PER_SECOND=100000 HUDDLE_LIMITS_REQUEST_BURST=1000000 ${BENCH_NODE_ENV:-}
await_node
server=$(node_java)
echo "node:    $(grep -v '^#' "$wlp/usr/servers/huddle/jvm.options" | tr '\n' ' ')pool 32, rate limits out of the way; the client is one thread of another process on the same machine"
client() { java -Xmx256m -XX:+UseSerialGC -cp "$PWD/$out/huddle/WEB-INF/classes:$PWD/$out/huddle/WEB-INF/lib/*" io.huddle.bench.StreamsBench "$1" "$port" "${@:2}"; }
# Opens streams, holds them for what is given as a command, and closes them.
with_idle() {
  coproc idle { client idle "$1"; }
  read -r opened <&"${idle[0]}"
  "${@:2}"
  echo end >&"${idle[1]}"
  wait "$idle_PID"
}
measure() { collect "$server"; heap=$(heap_kib "$server"); rss=$(rss_kib "$server"); }

# What is loaded and compiled by the first streams is no cost of the others.
with_idle $((count < 1000 ? count : 1000)) true
sleep 3
measure; heap0=$heap; rss0=$rss
with_idle "$count" measure
idle="{\"streams\":$count,\"heapKiBEach\":$(each "$heap" "$heap0"),\"rssKiBEach\":$(each "$rss" "$rss0")}"
printf '%s\n' "idle:    $count streams, protobuf, protocol 4, after two full collections before and after"
printf '%14s | %14s | %14s | %14s | %14s | %14s\n' 'heap KiB each' 'RSS KiB each' 'heap0 MiB' 'heap MiB' 'RSS0 MiB' 'RSS MiB'
printf '%14s | %14s | %14s | %14s | %14s | %14s\n' "$(field "$idle" heapKiBEach)" "$(field "$idle" rssKiBEach)" \
  $((heap0 / 1024)) $((heap / 1024)) $((rss0 / 1024)) $((rss / 1024))
echo "connect: $count streams by signature, 64 at a time, each until the second ping"
printf '%14s | %14s | %14s\n' 'connected /s' 'p50 ms' 'p99 ms'
printf '%14s | %14s | %14s\n' "$(field "$opened" perSecond)" "$(field "$opened" p50Ms)" "$(field "$opened" p99Ms)"

# $1 title, $2 and $3 the two sides, $4 the line of JSON
table() {
  local one other
  one=$(part "$4" "$2"); other=$(part "$4" "$3")
  echo "$1: 64 connections, one request under way each, $rounds rounds of $seconds s of each side in turns after two for warming up"
  printf '%30s | %30s | %6s | %s\n' "$2 /s p50 p99 ms" "$3 /s p50 p99 ms" ratio 'of each round'
  printf '%12s %8s %8s | %12s %8s %8s | %6s | %s\n' "$(field "$one" perSecond)" "$(field "$one" p50Ms)" "$(field "$one" p99Ms)" \
    "$(field "$other" perSecond)" "$(field "$other" p50Ms)" "$(field "$other" p99Ms)" "$(field "$4" ratio)" \
    "$(sed 's/.*"ratios":\[\([^]]*\).*/\1/' <<<"$4")"
}
echo=$(client echo "$seconds" "$rounds")
table 'uEcho against a bare endpoint of the same node, the same frames' stream bare "$echo"
renew=$(client renew "$seconds" "$rounds")
table 'uRenew against a renewal by REST on keep-alive connections, the same 64 sessions' stream rest "$renew"
echo "load:    $(cut -d' ' -f1-3 /proc/loadavg) after the run; with other work on the machine only the ratios mean something"
echo "{\"benchmark\":\"streams\",\"idle\":$idle,\"connect\":$opened,\"echo\":$echo,\"renew\":$renew}"
