#!/usr/bin/env bash
# BenchBase's SmallBank with Gauss's driver, under each routing.mode in turn. See docs/benchbase.md.
# usage: routing.sh BENCHBASE_DIRECTORY PORTS [MODES [ROUNDS [WARMUP_SECONDS [SECONDS]]]]
set -euo pipefail

benchbase=$(cd "$1" && pwd)
IFS=, read -ra ports <<<"$2"
IFS=, read -ra modes <<<"${3:-random,sticky,table,model}"
rounds=${4:-3}
warmup=${5:-15}
seconds=${6:-15}
here=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
gauss=$here/../../gauss
results=$(mktemp -d)
classes="$benchbase/benchbase.jar:$here/../../gauss-server/target/dist/*"
hosts=$(printf ',127.0.0.1:%s' "${ports[@]}")

# Transactions, transfers and sampled ones of all nodes, a number a line.
counts() {
  local port
  for port in "${ports[@]}"; do
    "$gauss" sql --port "$port" -c "SELECT sum(transactions) AS transactions, sum(transfers) AS
      transfers, sum(sampled_pages) AS pages, sum(sampled_transfers) AS away FROM gauss.routing
      WHERE routing = '$1'" | grep -E '^ *[0-9]+ *\|' || echo '0|0|0|0'
  done | awk -F'|' '{ for (i = 1; i <= 4; i++) sum[i] += $i } END { print sum[1], sum[2], sum[3], sum[4] }'
}

# mode, warm-up, seconds, what to do
run() {
  local directory=$results/$1-$RANDOM
  mkdir -p "$directory"
  sed -e "s#<driver>.*</driver>#<driver>io.gauss.jdbc.GaussDriver</driver>#" \
    -e "s#<url>.*</url>#<url>jdbc:gauss://${hosts#,}/gauss?routing.mode=$1\&amp;reWriteBatchedInserts=true</url>#" \
    -e "s#<warmup>.*</warmup>#<warmup>$2</warmup>#" -e "s#<time>.*</time>#<time>$3</time>#" \
    "$here/smallbank.xml" >"$directory/config.xml"
  (cd "$benchbase" && java -Xmx512m -cp "$classes" com.oltpbenchmark.DBWorkload \
    -b smallbank -c "$directory/config.xml" -d "$directory" "${@:4}" >"$directory/log" 2>&1) ||
    { tail -n 20 "$directory/log" >&2; return 1; }
  last=$directory
}

figure() { sed -n "s/.*\"$1\": *\([0-9.]*\).*/\1/p" "$last"/*.summary.json | head -n 1; }

run off 0 1 --create=true --load=true
echo "loaded; learning from transactions on any node"
run random 0 "${LEARN_SECONDS:-40}" --execute=true
echo "| round | mode | transfers per transaction | pages already owned, % | requests/s | p95, ms |"
echo "|---|---|---|---|---|---|"
for ((round = 1; round <= rounds; round++)); do
  for mode in "${modes[@]}"; do
    run "$mode" 0 "$warmup" --execute=true # pages come to where this mode has them
    before=$(counts "$mode")
    run "$mode" 0 "$seconds" --execute=true
    after=$(counts "$mode")
    awk -v a="$before" -v b="$after" -v round="$round" -v mode="$mode" \
      -v rate="$(figure 'Throughput (requests\/second)')" \
      -v p95="$(figure '95th Percentile Latency (microseconds)')" 'BEGIN {
        split(a, x, " "); split(b, y, " ")
        printf "| %d | %s | %.3f | %.1f | %.0f | %.1f |\n", round, mode,
          (y[2] - x[2]) / (y[1] - x[1]), 100 * (1 - (y[4] - x[4]) / (y[3] - x[3])), rate, p95 / 1000 }'
  done
done
echo "results of BenchBase: $results"
