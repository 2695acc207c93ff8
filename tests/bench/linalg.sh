#!/bin/sh
# Builds the release, measures dense linear algebra on 2 and 4 ranks, and puts the tables into
# bridge/docs/performance.md, in place of those that are there:
#
#   sh tests/bench/linalg.sh [option of bench_linalg]...      an hour or two, on a machine that does nothing else
#   sh tests/bench/linalg.sh table FILE...                    no measurement: what bench_linalg printed before
set -eu
cd "$(dirname "$0")/../.."
page=bridge/docs/performance.md
begin='<!-- tables of tests/bench/linalg.sh -->'
end='<!-- end of the tables -->'
export DAP_TIMEOUT="${DAP_TIMEOUT:-36000}"
tables=$(mktemp)
trap 'rm -f "$tables" "$tables.page"' EXIT

if [ "${1:-}" = table ]; then
  shift
  for file in "$@"; do
    echo
    cat "$file"
  done >"$tables"
else
  cmake --preset release
  cmake --build --preset release --parallel "$(nproc)" --target bench_linalg
  [ $# -gt 0 ] || set -- --n 256,512,1024,2000,4000 --reps 5 --seconds 5
  for ranks in 2 4; do
    echo
    sh cmake/mpirun.sh "$ranks" build/release/bin/bench_linalg "$@"
  done | tee "$tables"
fi

for line in "$begin" "$end"; do
  grep -qxF "$line" "$page" || { echo "$page: no line '$line'" >&2; exit 1; }
done
if ! grep -q '^| `' "$tables" || grep -q DIFFER "$tables"; then
  echo "$page stays as it is: no table was made, or one with wrong results" >&2
  exit 1
fi
awk -v begin="$begin" -v end="$end" -v tables="$tables" '
  $0 == end { inside = 0 }
  !inside { print }
  $0 == begin { inside = 1; while ((getline line < tables) > 0) print line; print "" }' "$page" >"$tables.page"
cat "$tables.page" >"$page"
