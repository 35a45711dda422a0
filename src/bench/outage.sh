# A node with 1,000 clients (BENCH_CLIENTS), half of them participants, is killed; then Redis is stopped for 30 s, restarted empty,
# and emptied while clients reconnect. Fails where a bound is missed. See io.huddle.soak.Outage.
drill io.huddle.soak.Outage "${BENCH_CLIENTS:-1000}"
echo "load:    $(cut -d' ' -f1-3 /proc/loadavg) after the run"
