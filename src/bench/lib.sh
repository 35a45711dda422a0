# What the benchmarks share: the machine's description, a PostgreSQL on its defaults, a node of the packaged server.
out=target/bench
port=${BENCH_PORT:-9380}
pgport=${BENCH_PGPORT:-54329}
data=$(mktemp -d /tmp/huddle-bench.XXXXXX)
node_pid=
node_pids=()
redis_pid=
trap 'stop_all' EXIT

machine() {
  echo "machine: $(nproc) cores, $(awk '/MemTotal/{printf "%.0f GiB", $2/1048576}' /proc/meminfo), $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1)"
  echo "system:  $(uname -sr), $(java -version 2>&1 | sed -n 2p)"
  echo "load:    $(cut -d' ' -f1-3 /proc/loadavg) before the run"
  echo "commit:  $(git rev-parse --short HEAD 2>/dev/null || echo unknown)$(git diff --quiet 2>/dev/null || echo ' with changes')"
}

build() {
  [ -n "${BENCH_BUILT:-}" ] || mvn -q -B -P bench -Dhuddle.build=$out -Dmaven.test.skip -DskipITs verify
  wlp=$PWD/$out/packaged/wlp
}

as_postgres() {
  if [ "$(id -u)" = 0 ]; then su postgres -s /bin/sh -c "$*"; else sh -c "$*"; fi
}

start_postgres() {
  bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1)
  [ -n "$bin" ] || { echo "no PostgreSQL: apt-get install postgresql" >&2; exit 1; }
  chmod 755 "$data"; mkdir "$data/pg"
  [ "$(id -u)" != 0 ] || chown postgres "$data/pg"
  as_postgres "$bin/initdb -A trust -U huddle -D $data/pg" >"$data/initdb.log"
  as_postgres "$bin/pg_ctl -w -D $data/pg -o '-p $pgport -c listen_addresses=127.0.0.1 -c unix_socket_directories=$data/pg' -l $data/pg/log start" >/dev/null
  as_postgres "$bin/createdb -h 127.0.0.1 -p $pgport -U huddle huddle"
  echo "database: PostgreSQL $("$bin/psql" -h 127.0.0.1 -p "$pgport" -U huddle -Atc 'show server_version' huddle), its defaults (fsync $("$bin/psql" -h 127.0.0.1 -p "$pgport" -U huddle -Atc 'show fsync' huddle), synchronous_commit $("$bin/psql" -h 127.0.0.1 -p "$pgport" -U huddle -Atc 'show synchronous_commit' huddle))"
}

sql() { "$bin/psql" -h 127.0.0.1 -p "$pgport" -U huddle -qAt huddle "$@"; }

# The Redis server that the tests use, without persistence, as the registry needs none.
start_redis() {
  local jar
  redis_port=${BENCH_REDISPORT:-54379}
  jar=$(ls ~/.m2/repository/com/github/codemonstur/embedded-redis/*/embedded-redis-*.jar 2>/dev/null | tail -1)
  [ -n "$jar" ] || { echo "no Redis: mvn dependency:resolve brings embedded-redis" >&2; exit 1; }
  mkdir "$data/redis"
  unzip -qjo "$jar" "redis-server-*linux-$(uname -m | sed 's/x86_64/amd64/;s/aarch64/arm64/')" -d "$data/redis"
  mv "$data"/redis/redis-server-* "$data/redis/redis-server"; chmod +x "$data/redis/redis-server"
  "$data/redis/redis-server" --port "$redis_port" --bind 127.0.0.1 --save "" --appendonly no --dir "$data/redis" >"$data/redis/log" &
  redis_pid=$!
  # Its log of slow commands goes by the wall clock: without a processor of its own it would tell when others had theirs.
  local nice=0
  renice -n -10 -p "$redis_pid" >/dev/null 2>&1 && nice=-10
  echo "redis:    $("$data/redis/redis-server" --version | cut -d' ' -f3 | tr -d v=), no persistence, one thread for commands, nice $nice"
}

# start_node [NAME=VALUE ...]: a node on the benchmark's PostgreSQL with the shipped JVM options. Of several nodes each has
# its name in $node and its port in $port.
start_node() {
  env DB_DRIVER='postgresql-*.jar' DB_USER=huddle DB_PASSWORD=huddle \
    DB_URL="jdbc:postgresql://127.0.0.1:$pgport/huddle?tcpKeepAlive=true&socketTimeout=5&connectTimeout=2" \
    DB_ON_CONNECT="SET idle_in_transaction_session_timeout = '1s'; SET lock_timeout = '500ms'; SET statement_timeout = '800ms'; SET plan_cache_mode = force_generic_plan" \
    HUDDLE_DEMO=true KEYSTORE_PASSWORD=benchmark HTTP_PORT="$port" WLP_OUTPUT_DIR="$data/${node:-node}" "$@" \
    "$wlp/bin/server" run huddle >"$data/${node:-node}.log" 2>&1 &
  node_pid=$!
  node_pids+=("$node_pid")
}

await_node() {
  for _ in $(seq 1200); do
    [ "$(curl -s -o /dev/null -w '%{http_code}' "http://localhost:$port/api/v1/rooms")" = 401 ] && return
    kill -0 "$node_pid" 2>/dev/null || break
    sleep 0.05
  done
  tail -30 "$data/${node:-node}.log" >&2
  exit 1
}

# The node's Java process.
node_java() {
  local pid
  for pid in $(pgrep -f 'ws-server.jar huddle'); do
    if grep -qz "^WLP_OUTPUT_DIR=$data/${node:-node}$" "/proc/$pid/environ" && [ "$(cat "/proc/$pid/comm")" = java ]; then echo "$pid"; return; fi
  done
  return 1
}

# drill CLASS [ARGUMENT ...]: a class of the tests that breaks three nodes of the packaged server. BENCH_MVN is for options of
# Maven, for instance -o; BENCH_JVM_ARGS for the JVMs of the nodes, instead of the shipped ones.
drill() {
  [ -n "${BENCH_BUILT:-}" ] || mvn -q -B ${BENCH_MVN:-} -DskipTests -DskipITs verify
  mvn -q -B ${BENCH_MVN:-} dependency:build-classpath -Dmdep.outputFile="$data/classpath" -Dmdep.includeScope=test
  java -Xmx512m -Xss512k ${BENCH_SEED:+-Dhuddle.seed=$BENCH_SEED} -Dhuddle.jvm="${BENCH_JVM_ARGS:-}" -Dhuddle.wlp=target/packaged/wlp -Dhuddle.nodes=target/soak/nodes \
    -cp "target/test-classes:target/classes:$(sed 's/:[^:]*slf4j-jdk14[^:]*//' "$data/classpath")" "$@"
}

# Two full collections, and a moment for what they hand back.
collect() { jcmd "$1" GC.run >/dev/null; sleep 1; jcmd "$1" GC.run >/dev/null; sleep 1; }
heap_kib() { jcmd "$1" GC.heap_info | awk '!/Metaspace|class space|region/ && match($0, /used [0-9]+K/) {kib += substr($0, RSTART + 5)} END {print kib}'; }
rss_kib() { awk '/VmRSS/{print $2}' "/proc/$1/status"; }
# KiB a piece of what $count of them added.
each() { awk -v a="$1" -v b="$2" -v n="$count" 'BEGIN{printf "%.1f", (a - b) / n}'; }
# A number out of a line of JSON in which its name stands once.
field() { sed "s/.*\"$2\":\([-0-9.]*\).*/\1/" <<<"$1"; }
# The members of an object in a line of JSON.
part() { sed "s/.*\"$2\":{\([^}]*\)}.*/\1/" <<<"$1"; }

stop_node() { [ -z "$node_pid" ] || { kill "$node_pid" 2>/dev/null || true; wait "$node_pid" 2>/dev/null || true; node_pid=; }; }

# Whatever fails here, the rest is stopped all the same.
stop_all() {
  set +e
  [ -z "${BENCH_KEEP:-}" ] || { mkdir -p "$BENCH_KEEP" && cp "$data"/node*.log "$BENCH_KEEP"; }
  local pid
  stop_node
  for pid in "${node_pids[@]}" $redis_pid; do kill "$pid" 2>/dev/null || true; done
  for pid in "${node_pids[@]}" $redis_pid; do wait "$pid" 2>/dev/null || true; done
  [ ! -f "$data/pg/postmaster.pid" ] || as_postgres "$bin/pg_ctl -m immediate -D $data/pg stop" >/dev/null 2>&1 || true
  rm -rf "$data"
}
