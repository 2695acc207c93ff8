#!/bin/sh
# Random tests, over and over, each time with another seed; each program in turn on each number of ranks, 1 to 6.
#
#   sh hours.sh <cmake/mpirun.sh> <minutes> "<program> [argument]..."...
#
# No path may have a space, which separates a program from its arguments.
# DAP_TEST_MINUTES, if it is set, says how many minutes instead. Ends with the first that fails, and how to repeat it.
set -eu
mpirun=$1
minutes=${DAP_TEST_MINUTES:-$2}
shift 2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
end=$(($(date +%s) + 60 * minutes))
export DAP_TEST_SCALE=7 DAP_TIMEOUT=1800
runs=0
round=0

# one <ranks> <program with its arguments>
one() {
  DAP_TEST_SEED=$(date +%s%N)
  export DAP_TEST_SEED
  # shellcheck disable=SC2086 # the arguments
  if ! sh "$mpirun" "$1" $2 >"$scratch/out" 2>&1; then
    cat "$scratch/out"
    echo "DAP_TEST_SEED=$DAP_TEST_SEED DAP_TEST_SCALE=7 sh cmake/mpirun.sh $1 $2"
    exit 1
  fi
  runs=$((runs + 1))
}

# In a round the programs have one number of ranks after the other, and in the next each has one more than before: after
# six rounds each had all, however many programs there are.
while [ "$(date +%s)" -lt "$end" ]; do
  place=0
  for program in "$@"; do
    [ "$(date +%s)" -lt "$end" ] || break
    one $((1 + (round + place) % 6)) "$program"
    place=$((place + 1))
  done
  round=$((round + 1))
done
echo "$runs runs, $round rounds"
