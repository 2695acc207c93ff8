#!/bin/sh
# Random tests, over and over, each time with another seed and on another number of ranks.
#
#   sh hours.sh <cmake/mpirun.sh> <seconds> <program>...
set -eu
mpirun=$1
seconds=$2
shift 2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
end=$(($(date +%s) + seconds))
turns=0
while [ "$(date +%s)" -lt "$end" ]; do
  for program in "$@"; do
    turns=$((turns + 1))
    ranks=$((1 + turns % 6))
    DAP_TEST_SEED=$(date +%s%N)
    export DAP_TEST_SEED DAP_TEST_SCALE=7 DAP_TIMEOUT=1800
    if ! sh "$mpirun" "$ranks" "$program" >"$scratch/out" 2>&1; then
      cat "$scratch/out"
      echo "DAP_TEST_SEED=$DAP_TEST_SEED DAP_TEST_SCALE=7 sh cmake/mpirun.sh $ranks $program"
      exit 1
    fi
  done
done
echo "$turns runs"
