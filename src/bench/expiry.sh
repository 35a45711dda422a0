# How long after a lease's end its expiry is committed, with 10,000 live sessions and an idle sweep.
build
start_postgres
start_node
await_node
echo "node:    $(grep -v '^#' "$wlp/usr/servers/huddle/jvm.options" | tr '\n' ' ')10,000 live sessions in 200 rooms; 300 leases end at random instants within 30 s"
sql >/dev/null <<'S'
INSERT INTO room SELECT 'r-bench' || i, 'bench', 'o' || i, 'o' || i, NULL, FALSE, TRUE, 30, 120, 900, 200, 'open', 'bench',
  now(), NULL, NULL, NULL, 1, 'k', 'f' FROM generate_series(1, 200) i;
INSERT INTO room_session (id, room_id, participant, generation, state, lease_until, proven_at, joined_at, counter,
  room_open, heartbeat_seconds, lease_seconds, suspended_lease_seconds)
SELECT 's-bench' || i, 'r-bench' || (i % 200 + 1), 'p' || i, 1, 'present',
  CASE WHEN i <= 300 THEN now() + interval '2 s' + random() * interval '30 s' ELSE now() + interval '1 h' END,
  now() + interval '1 h', now(), -1, TRUE, 30, 120, 900 FROM generate_series(1, 10000) i;
S
for _ in $(seq 120); do [ "$(sql -c "SELECT count(*) FROM room_session WHERE state = 'absent'")" = 300 ] && break; sleep 0.5; done
# The event's time is the sweep's clock before the commit; what the commit took is in the node's own histogram.
line=$(sql -F ' ' -c "SELECT count(*), round(1000 * percentile_cont(0.5) WITHIN GROUP (ORDER BY lag)), round(1000 * percentile_cont(0.99) WITHIN GROUP (ORDER BY lag)), round(1000 * max(lag)) FROM (SELECT extract(epoch FROM e.at - s.lease_until) AS lag FROM room_event e JOIN room_session s ON s.id = e.session_id WHERE e.type = 'participant.expired') x")
cpu=$(ps -o cputimes= -p "$(pgrep -f 'ws-server.jar huddle' -n)")
set -- $line
printf '%8s | %8s | %8s | %8s\n' expired 'p50 ms' 'p99 ms' 'max ms'
printf '%8s | %8s | %8s | %8s\n' "$@"
curl -s "http://localhost:$port/metrics?scope=application" | grep -E '^huddle_expiry_lag_seconds_(max|count)'
echo "{\"benchmark\":\"expiry\",\"live\":10000,\"expired\":$1,\"p50Ms\":$2,\"p99Ms\":$3,\"maxMs\":$4}"
