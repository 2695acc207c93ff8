#!/bin/sh
# Installs what is missing, builds the release, measures redistribution and planning, and draws the plots if there
# is gnuplot:
#
#   sh tests/bench/run.sh [N [ranks]]     N x N elements, default 4096, on 2 ranks
#
# Tables go to standard output; objects and pictures to tests/bench/plots/. BENCH_OPTIONS: more options of
# bench_redistribute, such as "--reps 31".
set -eu
cd "$(dirname "$0")/../.."
n=${1:-4096}
ranks=${2:-2}
plots=tests/bench/plots

sh cmake/bootstrap.sh
echo "== build"
cmake --preset release
cmake --build --preset release --parallel "$(nproc)" --target bench_redistribute bench_plan bench_field bench_ghosts

bin=build/release/bin
mkdir -p "$plots"
rm -f "$plots/redistribute.json" "$plots/plan.json"
echo
echo "== redistribution, $ranks ranks"
# shellcheck disable=SC2086 # a list
DAP_TIMEOUT=${DAP_TIMEOUT:-3600} sh cmake/mpirun.sh "$ranks" "$bin/bench_redistribute" --n "$n" \
  "--json=$plots/redistribute.json" ${BENCH_OPTIONS:-}
echo
echo "== fields, $ranks ranks"
DAP_TIMEOUT=${DAP_TIMEOUT:-3600} sh cmake/mpirun.sh "$ranks" "$bin/bench_field"
echo
echo "== ghosts, $ranks ranks"
DAP_TIMEOUT=${DAP_TIMEOUT:-3600} sh cmake/mpirun.sh "$ranks" "$bin/bench_ghosts"
echo
echo "== planning"
"$bin/bench_plan" --json >"$plots/plan.json"
cat "$plots/plan.json"
echo
if command -v gnuplot >/dev/null; then
  sh tests/bench/plot.sh "$plots"
  echo "Drawn: $plots/redistribute.svg $plots/plan.svg"
else
  echo "Not drawn: no gnuplot (Debian: gnuplot-nox); then: sh tests/bench/plot.sh $plots"
fi
