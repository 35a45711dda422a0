# A release of three nodes under 500 clients (BENCH_CLIENTS), half of them participants: each node is ended by SIGTERM and started
# again. Fails if anybody is absent or reconnects more than twice. See io.huddle.soak.Rolling.
drill io.huddle.soak.Rolling "${BENCH_CLIENTS:-500}"
echo "load:    $(cut -d' ' -f1-3 /proc/loadavg) after the run"
