#!/bin/sh
# Random tests, over and over, each time with another seed; each program in turn on each number of ranks, 1 to 6.
#
#   sh hours.sh <cmake/mpirun.sh> <minutes> "<program> [argument]..."...
#
# No path may have a space, which separates a program from its arguments.
# DAP_TEST_MINUTES, if it is set, says how many minutes instead. Ends with the first that fails, and how to repeat it.
set -eu
mpirun=$1
end=$(($(date +%s) + 60 * ${DAP_TEST_MINUTES:-$2}))
shift 2
out=$(mktemp)
trap 'rm -f "$out"' EXIT
export DAP_TEST_SEED DAP_TEST_SCALE=7 DAP_TIMEOUT=1800
runs=0
while true; do
  place=0
  for program in "$@"; do
    [ "$(date +%s)" -lt "$end" ] || { echo "$runs runs" && exit 0; }
    DAP_TEST_SEED=$(date +%s%N)
    ranks=$(((runs / $# + place) % 6 + 1)) # in each round one more than before
    # shellcheck disable=SC2086 # the arguments
    if ! sh "$mpirun" $ranks $program >"$out" 2>&1; then
      cat "$out"
      echo "DAP_TEST_SEED=$DAP_TEST_SEED DAP_TEST_SCALE=7 sh cmake/mpirun.sh $ranks $program"
      exit 1
    fi
    place=$((place + 1))
    runs=$((runs + 1))
  done
done
