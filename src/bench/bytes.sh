# Bulk and calls on one stream: uEchoBytes there and back, while uEcho is called at a fixed rate.
mebibytes=${BENCH_MEBIBYTES:-1024}
rate=${BENCH_RATE:-200}
runs=${BENCH_RUNS:-3}
build
start_postgres
start_node HUDDLE_KEYS_SECRET="$(openssl rand -base64 32)" ${BENCH_NODE_ENV:-}
await_node
server=$(node_java)
echo "node:    $(grep -v '^#' "$wlp/usr/servers/huddle/jvm.options" | tr '\n' ' '); the client is one thread of another process, -Xmx64m, its socket's buffers 256 KiB"
echo "bytes:   $mebibytes MiB there and $mebibytes MiB back, each byte compared; $rate calls a second on the same stream, alone for 5 s and then beside, timed from the instant each was due"
client() { java -Xmx64m -XX:+UseSerialGC -cp "$PWD/$out/huddle/WEB-INF/classes:$PWD/$out/huddle/WEB-INF/lib/*" io.huddle.bench.BytesBench "$port" "$@"; }
client 128 "$rate" >/dev/null
printf '%4s | %11s | %25s | %25s | %12s | %14s\n' run 'MiB/s each' 'calls alone p50 p99 max ms' 'beside p50 p99 max ms' 'peak RSS MiB' 'heap after MiB'
rows=
for run in $(seq "$runs"); do
  line=$(client "$mebibytes" "$rate")
  peak=$(awk '/VmHWM/{printf "%.0f", $2/1024}' "/proc/$server/status")
  collect "$server"; heap=$(($(heap_kib "$server") / 1024))
  alone=$(part "$line" alone); beside=$(part "$line" beside)
  printf '%4d | %11s | %9s %7s %8s | %9s %7s %7s | %12s | %14s\n' "$run" "$(field "$line" mebibytesPerSecond)" \
    "$(field "$alone" p50Ms)" "$(field "$alone" p99Ms)" "$(field "$alone" maxMs)" \
    "$(field "$beside" p50Ms)" "$(field "$beside" p99Ms)" "$(field "$beside" maxMs)" "$peak" "$heap"
  rows="$rows${rows:+,}{\"run\":$run,\"result\":$line,\"peakRssMiB\":$peak,\"heapAfterMiB\":$heap}"
done
echo "load:    $(cut -d' ' -f1-3 /proc/loadavg) after the run; with other work on the machine the figures say little"
echo "{\"benchmark\":\"bytes\",\"rows\":[$rows]}"
