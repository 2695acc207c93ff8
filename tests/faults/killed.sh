#!/bin/sh
# Kills a process in the middle of its work. MPI must end the other processes. If the launcher lets them live, each must be
# told, and must say so. No name of the library may be left in /dev/shm.
#
#   sh killed.sh <cmake/mpirun.sh> <ranks> <program> <times> [live]
set -eu
mpirun=$1 ranks=$2 program=$3 times=$4 live=${5:-}
export DAP_TEST_LOUD=1 DAP_TIMEOUT=90 # all ranks print
# These settings of Open MPI 4 and Open MPI 5 tell the launcher not to end the other processes.
[ -z "$live" ] || export OMPI_MCA_orte_enable_recovery=1 PRTE_MCA_state_base_recoverable=1
names() { find /dev/shm -maxdepth 1 -name 'dap-*' 2>/dev/null | sort; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Finds names that are new and stay. Names of other programs go away by themselves, and this script cannot know when.
left() {
  names | comm -13 "$scratch/before" - >"$scratch/left"
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    [ -s "$scratch/left" ] || return 1
    sleep 0.5
    names | comm -12 "$scratch/left" - >"$scratch/still"
    mv "$scratch/still" "$scratch/left"
  done
  [ -s "$scratch/left" ]
}

failed=0
complain() {
  echo "$when, row $row, after $moment us: $*"
  cat "$scratch/out"
  failed=1
}

# Each of the other processes must say "told".
check_told() {
  told=$(grep '^rank [0-9]*: told after' "$scratch/out" | cut -d: -f1 | sort -u | wc -l)
  echo "$when, row $row: $(grep -m 1 ': told after' "$scratch/out" || :)"
  [ "$told" -eq $((ranks - 1)) ] || complain "$told of $((ranks - 1)) were told"
}

# The launcher must say that a process died of signal 9, and not that time is up. These are the words of Open MPI and MPICH.
check_over() {
  if [ "$code" -eq 0 ] || ! grep -q 'signal 9' "$scratch/out" || grep -q -i -e 'time limit' -e 'timed out' "$scratch/out"; then
    complain "the others did not end with the one that was killed (exit status $code)"
  fi
}

# trial <when> <row> <microseconds>
trial() {
  when=$1 row=$2 moment=$3 code=0
  names >"$scratch/before"
  sh "$mpirun" "$ranks" "$program" "$when" "$row" "$moment" $live >"$scratch/out" 2>&1 || code=$?
  grep -q '^dies' "$scratch/out" || complain "none was killed"
  if [ -n "$live" ]; then check_told; else check_over; fi
  if left; then complain "left in /dev/shm: $(cat "$scratch/left")"; fi
}

for time in $(seq "$times"); do
  moment=$((20000 + 7919 * time % 50000))
  if [ -z "$live" ]; then
    trial within $((time % 2)) "$moment"
    trial within alloc "$moment"
    trial first alloc $((1 + 7919 * time % 20000))
  else
    for row in 0 1 2 3 4 5 alloc; do
      for when in between within; do
        case $times$row$when in 1[024]within | 1[135]between) continue ;; esac # by day each row is tried once
        trial "$when" "$row" 20000
      done
    done
  fi
done
exit $failed
