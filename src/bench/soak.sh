# Three nodes under faults for some minutes: src/bench/run soak [MINUTES]. See io.huddle.soak, which runs on the tests' own
# servers: PostgreSQL without fsync, Redis, nodes with the shipped JVM options.
minutes=${2:-10}
drill io.huddle.soak.Soak "$minutes" "${BENCH_CLIENTS:-200}" "${BENCH_PARTICIPANTS:-100}" "${BENCH_RATE:-60}"
echo "load:    $(cut -d' ' -f1-3 /proc/loadavg) after the run"
