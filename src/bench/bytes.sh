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
echo "bytes:   $mebibytes MiB there and $mebibytes MiB back, each byte compared; meanwhile $rate calls a second on the same stream, timed from the instant each was due"
client() { java -Xmx64m -XX:+UseSerialGC -cp "$PWD/$out/huddle/WEB-INF/classes:$PWD/$out/huddle/WEB-INF/lib/*" io.huddle.bench.BytesBench "$port" "$@"; }
client 128 "$rate" >/dev/null
printf '%4s | %12s | %8s | %8s | %8s | %8s | %14s | %14s\n' run 'MiB/s each' calls 'p50 ms' 'p99 ms' 'max ms' 'peak RSS MiB' 'heap after MiB'
rows=
for run in $(seq "$runs"); do
  line=$(client "$mebibytes" "$rate")
  peak=$(awk '/VmHWM/{printf "%.0f", $2/1024}' "/proc/$server/status")
  collect "$server"; heap=$(($(heap_kib "$server") / 1024))
  printf '%4d | %12s | %8s | %8s | %8s | %8s | %14s | %14s\n' "$run" "$(field "$line" mebibytesPerSecond)" "$(field "$line" count)" \
    "$(field "$line" p50Ms)" "$(field "$line" p99Ms)" "$(field "$line" maxMs)" "$peak" "$heap"
  rows="$rows${rows:+,}{\"run\":$run,\"result\":$line,\"peakRssMiB\":$peak,\"heapAfterMiB\":$heap}"
done
echo "load:    $(cut -d' ' -f1-3 /proc/loadavg) after the run; with other work on the machine the figures say little"
echo "{\"benchmark\":\"bytes\",\"rows\":[$rows]}"
