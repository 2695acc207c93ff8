#!/bin/sh
# Runs random tests again and again, each time with another seed, and each program on 1 to 6 ranks in turn.
#
#   sh random.sh <cmake/mpirun.sh> <minutes> "<program> [argument]..."...
#
# A path must not contain a space, because a space separates a program from its arguments. DAP_TEST_MINUTES replaces the
# minutes. The script ends when a test fails, and says how to repeat it.
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
    ranks=$(((runs / $# + place) % 6 + 1)) # one more in each round
    # shellcheck disable=SC2086 # these are the arguments
    if ! sh "$mpirun" $ranks $program >"$out" 2>&1; then
      cat "$out"
      echo "DAP_TEST_SEED=$DAP_TEST_SEED DAP_TEST_SCALE=7 sh cmake/mpirun.sh $ranks $program"
      exit 1
    fi
    place=$((place + 1))
    runs=$((runs + 1))
  done
done
