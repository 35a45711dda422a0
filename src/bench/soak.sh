# Three nodes under faults for some minutes: src/bench/run soak [MINUTES]. See io.huddle.soak, which runs on the tests' own
# servers: PostgreSQL without fsync, Redis, nodes with the shipped JVM options.
minutes=${2:-10}
[ -n "${BENCH_BUILT:-}" ] || mvn -q -B -DskipTests -DskipITs verify
mvn -q -B dependency:build-classpath -Dmdep.outputFile="$data/classpath" -Dmdep.includeScope=test
java -Xmx512m ${BENCH_SEED:+-Dhuddle.seed=$BENCH_SEED} -Dhuddle.wlp=target/packaged/wlp -Dhuddle.nodes=target/soak/nodes \
  -cp "target/test-classes:target/classes:$(sed 's/:[^:]*slf4j-jdk14[^:]*//' "$data/classpath")" \
  io.huddle.soak.Soak "$minutes" "${BENCH_CLIENTS:-100}" "${BENCH_PARTICIPANTS:-50}" "${BENCH_RATE:-60}"
echo "load:    $(cut -d' ' -f1-3 /proc/loadavg) after the run"
