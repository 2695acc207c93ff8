#!/bin/sh
# Builds the release, measures dense linear algebra on 2 and 4 ranks, and puts the tables into
# bridge/docs/notes/performance.md, where they replace the old ones:
#
#   sh tests/bench/linalg.sh [option of bench linalg]...      hours, on an idle machine
#   sh tests/bench/linalg.sh --n 250,1000,2000 --reps 3 --seconds 1 --most 20          less than an hour
#   sh tests/bench/linalg.sh table FILE...                    does not measure: uses an earlier output of bench linalg
#
# Environment: LINALG_RANKS (default "2 4"), DAP_TIMEOUT (seconds for each, default 36000). If a run fails, the page does
# not change.
set -eu
cd "$(dirname "$0")/../.."
page=bridge/docs/notes/performance.md
begin='<!-- tables of tests/bench/linalg.sh -->'
end='<!-- end of the tables -->'
export DAP_TIMEOUT="${DAP_TIMEOUT:-36000}"
tables=$(mktemp)
trap 'rm -f "$tables" "$tables.page" "$tables.failed"' EXIT

if [ "${1:-}" = table ]; then
  shift
  for file in "$@"; do
    echo
    cat "$file"
  done >"$tables"
else
  cmake --preset release
  cmake --build --preset release --parallel "$(nproc)" --target bench
  [ $# -gt 0 ] || set -- --n 250,500,1000,2000,4000 --reps 5 --seconds 5
  for ranks in ${LINALG_RANKS:-2 4}; do
    echo | tee -a "$tables"
    # The status of the pipe is that of tee.
    { sh cmake/mpirun.sh "$ranks" build/release/bin/bench linalg "$@" || touch "$tables.failed"; } | tee -a "$tables"
    [ ! -e "$tables.failed" ] || { echo "$page stays as it is: bench linalg failed on $ranks ranks" >&2; exit 1; }
  done
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
