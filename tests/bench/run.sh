#!/bin/sh
# Installs what is missing, builds the release, measures, reports which targets are met, and draws the plots if gnuplot
# is installed:
#
#   sh tests/bench/run.sh                 cases of targets.txt on 2, 3 and 4 ranks; takes a quarter of an hour
#   sh tests/bench/run.sh N [ranks]       N x N elements in all cases, on 2 ranks
#   sh tests/bench/run.sh table           does not measure: the table of earlier measurements, and the plots
#
# Tables go to standard output; objects and pictures to tests/bench/plots/. BENCH_OPTIONS contains more options of
# bench redistribute, such as "--reps 31". BENCH_ADD=1 adds to the existing objects: the table then has the medians of
# all measurements of a row, for example from several hours.
set -eu
cd "$(dirname "$0")/../.."
plots=tests/bench/plots
objects=$plots/redistribute.json.gz
bin=build/release/bin/bench
export DAP_TIMEOUT="${DAP_TIMEOUT:-3600}"
mkdir -p "$plots"

report() {
  echo
  echo "== targets"
  sh tests/bench/table.sh "$objects"
  if command -v gnuplot >/dev/null; then
    sh tests/bench/plot.sh "$plots"
    echo "Drawn: $plots/redistribute.svg $plots/plan.svg"
  else
    echo "Not drawn: no gnuplot (Debian: gnuplot-nox); then: sh tests/bench/plot.sh $plots"
  fi
}

if [ "${1:-}" = table ]; then
  report
  exit
fi

sh cmake/bootstrap.sh
echo "== build"
cmake --preset release
cmake --build --preset release --parallel "$(nproc)" --target bench

bench() { # bench <ranks> <name> [option]...
  ranks=$1
  shift
  echo
  echo "== $1, $ranks ranks"
  sh cmake/mpirun.sh "$ranks" "$bin" "$@"
}

redistribute() { # redistribute <ranks> [option]...
  ranks=$1
  shift
  # shellcheck disable=SC2086 # a list
  bench "$ranks" redistribute "--json=$work/objects" "$@" ${BENCH_OPTIONS:-}
  gzip -9n <"$work/objects" >>"$objects" # several compressed pieces also make a valid file
  rm "$work/objects"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ -n "${BENCH_ADD:-}" ] || rm -f "$objects"
if [ -n "${1:-}" ]; then
  redistribute "${2:-2}" --n "$1"
  bench "${2:-2}" field
  bench "${2:-2}" ghosts
  bench "${2:-2}" patterns
else
  redistribute 2
  redistribute 2 --n 6016 --case B,C,D
  redistribute 3 --n 4098 --case C
  redistribute 4 --case A,B,C,D,E,Z,T,H
  for ranks in 2 4; do
    redistribute "$ranks" --alone --case A,B,C --n 64,128,256,384,512,1024
  done
  for ranks in 2 4; do
    bench "$ranks" field
    bench "$ranks" ghosts
    bench "$ranks" patterns
  done
fi
echo
echo "== planning"
"$bin" plan --json >"$plots/plan.json"
cat "$plots/plan.json"
report
