# Three nodes on one Redis and one PostgreSQL: calls from node to node, takeovers, connections, listing, a link cut one way.
# Node 1 is called from outside. Its client service is measured by an endpoint of the benchmark on that node, and beside it
# by uCall over the streams of clients that are connected to it; the clients are one thread of another process.
seconds=${BENCH_SECONDS:-60}
clients=${BENCH_CLIENTS:-10000}
settle=${BENCH_SETTLE:-65}
parts=${BENCH_PARTS:-calls,connections,failures}
base=$port
relay=$((base + 10))
build
start_postgres
start_redis
secret=$(openssl rand -base64 32)
mesh_secret=$(openssl rand -base64 48 | tr -d '\n')
member() {
  node=node$1 port=$((base + $1))
  start_node DB_POOL=32 HUDDLE_KEYS_SECRET="$secret" HUDDLE_REDIS_URL="redis://127.0.0.1:$redis_port" \
    HUDDLE_MESH_SECRET="$mesh_secret" HUDDLE_MESH_URL="ws://localhost:$2/mesh" HUDDLE_LIMITS_PAGE_SIZE=1000 \
    HUDDLE_LIMITS_REQUESTS_PER_SECOND=100000 HUDDLE_LIMITS_REQUEST_BURST=1000000 ${BENCH_NODE_ENV:-}
}
# One after the other: the first makes the tables, and three starts at once take longer than three in turn.
for n in 1 2 3; do
  member $n "$([ $n = 3 ] && echo $relay || echo $((base + n)))"
  await_node
done
node=node1 server=$(node=node1 node_java)
echo "nodes:    3 of $(grep -v '^#' "$wlp/usr/servers/huddle/jvm.options" | tr '\n' ' ')pool 32, rate limits out of the way, pages up to 1,000; warm, by ten rounds of all connections, five of takeovers and eighty listings before each is measured; the clients are one thread of another process on the same machine"
client() { java -Xmx512m -XX:+UseSerialGC -cp "$PWD/$out/huddle/WEB-INF/classes:$PWD/$out/huddle/WEB-INF/lib/*" io.huddle.bench.MeshBench "$@"; }
client $((base + 1)) $((base + 2)) $((base + 3)) "$server" "$redis_port" "$relay" "$seconds" "$clients" "$settle" "$parts" | tee "$data/said" | grep --line-buffered -v '^\[{'
echo "load:    $(cut -d' ' -f1-3 /proc/loadavg) after the run; with other work on the machine only the ratios mean something"
echo "{\"benchmark\":\"mesh\",\"findings\":$(tail -1 "$data/said")}"
