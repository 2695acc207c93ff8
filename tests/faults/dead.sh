#!/bin/sh
# A process is killed while the others may live on: each of them is told, and says so. No name of ours is left in
# /dev/shm.
#
#   sh dead.sh <cmake/mpirun.sh> <ranks> <program> <rows> <times>
set -eu
mpirun=$1
ranks=$2
program=$3
rows=$4
times=$5

# All ranks print. The launcher does not end the others: Open MPI 4's has the first setting, Open MPI 5's the second.
export DAP_TEST_LOUD=1 DAP_TIMEOUT=90 OMPI_MCA_orte_enable_recovery=1 PRTE_MCA_state_base_recoverable=1
names() { find /dev/shm -maxdepth 1 -name 'dap-*' 2>/dev/null | sort; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Names that are there now and were not before, and stay: those of programs that run meanwhile go by themselves.
left() {
  names >"$scratch/now"
  comm -13 "$scratch/before" "$scratch/now" >"$scratch/left"
  for _ in 1 2 3 4 5 6; do
    [ -s "$scratch/left" ] || return 1
    sleep 0.5
    names | comm -12 "$scratch/left" - >"$scratch/still"
    mv "$scratch/still" "$scratch/left"
  done
  [ -s "$scratch/left" ]
}

failed=0
for time in $(seq "$times"); do
  for row in $(seq 0 $((rows - 1))) alloc; do
    for when in between within; do
      names >"$scratch/before"
      sh "$mpirun" "$ranks" "$program" "$when" "$row" >"$scratch/out" 2>&1 || :
      told=$(grep '^rank [0-9]*: told after' "$scratch/out" | cut -d: -f1 | sort -u | wc -l)
      echo "$when, row $row: $(grep -m 1 ': told after' "$scratch/out" || :)"
      if [ "$told" -ne $((ranks - 1)) ] || ! grep -q '^dies' "$scratch/out"; then
        echo "$when, row $row, time $time: $told of $((ranks - 1)) were told, or none was killed:"
        cat "$scratch/out"
        failed=1
      fi
      if left; then
        echo "$when, row $row, time $time: left in /dev/shm: $(cat "$scratch/left")"
        failed=1
      fi
    done
  done
done
exit $failed
