#!/bin/sh
# A process is killed in the middle of its work: the others end with MPI, and no name of ours is left in /dev/shm.
#
#   sh killed.sh <cmake/mpirun.sh> <ranks> <program> <times>
set -eu
mpirun=$1
ranks=$2
program=$3
times=$4

names() { find /dev/shm -maxdepth 1 -name 'dap-*' 2>/dev/null | sort; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Names that are there now and were not before. Those of other programs that run meanwhile go by themselves.
left() {
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    names >"$scratch/now"
    comm -13 "$scratch/before" "$scratch/now" >"$scratch/new"
    if [ -s "$scratch/left" ]; then comm -12 "$scratch/left" "$scratch/new" >"$scratch/still"; else cp "$scratch/new" "$scratch/still"; fi
    cp "$scratch/still" "$scratch/left"
    [ -s "$scratch/left" ] || return 1
    sleep 0.5
  done
  return 0
}

failed=0
for time in $(seq "$times"); do
  for what in run alloc; do
    names >"$scratch/before"
    : >"$scratch/left"
    code=0
    sh "$mpirun" "$ranks" "$program" "$what" $((20000 + 7919 * time % 50000)) >"$scratch/out" 2>&1 || code=$?
    if [ "$code" -eq 0 ] || grep -q 'time limit' "$scratch/out"; then
      echo "$what, time $time: the others did not end with the process that was killed (exit status $code)"
      failed=1
    fi
    if left; then
      echo "$what, time $time: left in /dev/shm:"
      cat "$scratch/left"
      failed=1
    fi
  done
done
exit $failed
