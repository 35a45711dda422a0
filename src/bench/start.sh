# From `server run` to the first answered request, and the memory of an idle node after a collection.
runs=${BENCH_RUNS:-3}
build
start_postgres
echo "node:    $(grep -v '^#' "$wlp/usr/servers/huddle/jvm.options" | tr '\n' ' ')"
first_answer() {
  local began token
  began=$(date +%s%N)
  start_node
  for _ in $(seq 2400); do
    token=$(curl -s -H 'Content-Type: application/json' -d '{"subject":"bench","groups":["participant"],"teams":["t"]}' \
      "http://localhost:$port/api/v1/demo/token" | sed -n 's/.*"token":"\([^"]*\)".*/\1/p' || true)
    if [ -n "$token" ] && [ "$(curl -s -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $token" "http://localhost:$port/api/v1/rooms?team=t")" = 200 ]; then
      awk -v n=$(($(date +%s%N) - began)) 'BEGIN{printf "%.1f", n/1e9}'
      return
    fi
    sleep 0.05
  done
  return 1
}
# Seconds from the first line of the log to the line with this id.
since_launch() {
  awk -v id="$1" 'match($0, /[0-9]+:[0-9]+:[0-9]+:[0-9]+/) {
      split(substr($0, RSTART, RLENGTH), t, ":"); s = t[1]*3600 + t[2]*60 + t[3] + t[4]/1000
      if (!from) from = s
      if (index($0, id)) { printf "%.1f", s - from; exit } }' "$data"/node/huddle/logs/messages.log
}
printf '%-34s | %14s | %10s | %11s | %9s\n' start 'first answer s' 'app starts' 'app started' 'RSS MiB'
rows=
for run in $(seq 0 "$runs"); do
  # The first start of a machine also makes the self-signed key; the others find it.
  label=$([ "$run" = 0 ] && echo 'first, with an empty folder' || echo "again, $run")
  first_answer >"$data/answer"; seconds=$(cat "$data/answer")
  java=$(pgrep -f "ws-server.jar huddle" -n)
  sleep 12   # the census, the sweep and the pool have settled
  jcmd "$java" GC.run >/dev/null; sleep 1; jcmd "$java" GC.run >/dev/null; sleep 1
  rss=$(awk '/VmRSS/{printf "%.0f", $2/1024}' "/proc/$java/status")
  printf '%-34s | %14s | %10s | %11s | %9s\n' "$label" "$seconds" "$(since_launch CWWKZ0018I)" "$(since_launch CWWKZ0001I)" "$rss"
  rows="$rows${rows:+,}{\"run\":$run,\"firstAnswerSeconds\":$seconds,\"rssMiB\":$rss}"
  stop_node
done
echo "{\"benchmark\":\"start\",\"rows\":[$rows]}"
