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

# Ended with the one that was killed: the launcher says that a process died of signal 9, and not that time is up, in
# the words of Open MPI or of MPICH.
export DAP_TIMEOUT=60
is_over() { grep -q 'signal 9' "$scratch/out" && ! grep -q -i -e 'time limit' -e 'timed out' "$scratch/out"; }

failed=0
complain() {
  echo "$what, time $time: $*"
  cat "$scratch/out"
  failed=1
}

for time in $(seq "$times"); do
  for what in run alloc first; do
    moment=$((20000 + 7919 * time % 50000))
    [ "$what" != first ] || moment=$((1 + 7919 * time % 20000))
    names >"$scratch/before"
    : >"$scratch/left"
    code=0
    sh "$mpirun" "$ranks" "$program" "$what" "$moment" >"$scratch/out" 2>&1 || code=$?
    if [ "$code" -eq 0 ] || ! is_over; then
      complain "the others did not end with the one that was killed (exit status $code)"
    fi
    [ "$what" = first ] || grep -q '^working' "$scratch/out" || complain "it did not work before"
    if grep -q '^failed' "$scratch/out"; then complain "the library failed"; fi
    if left; then complain "left in /dev/shm: $(cat "$scratch/left")"; fi
  done
done
exit $failed
