#!/bin/sh
# cmake/mpirun.sh must start a program once more if the launcher says that a process left without ending its MPI. It must
# do so only then, and only once. The launcher is a stand-in that says so a given number of times.
#
#   sh test_missed_end.sh <cmake/mpirun.sh>
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cat >"$scratch/mpiexec" <<'END'
#!/bin/sh
[ "$1" != --version ] || { echo "mpiexec (OpenRTE) 4"; exit 0; }
echo run >>"$SCRATCH/runs"
if [ "$(wc -l <"$SCRATCH/runs")" -le "$MISSES" ]; then
  echo "$WORDS" >&2
  exit 1
fi
END
chmod +x "$scratch/mpiexec"

expect() { # expect <reason> <misses> <words> <exit code> <runs>
  rm -f "$scratch/runs"
  code=0
  SCRATCH=$scratch MISSES=$2 WORDS=$3 MPIEXEC=$scratch/mpiexec sh "$mpirun" 2 program >/dev/null 2>&1 || code=$?
  runs=$(wc -l <"$scratch/runs")
  if [ "$code" -ne "$4" ] || [ "$runs" -ne "$5" ]; then
    echo "$1: exit code $code after $runs runs, expected $4 after $5"
    exit 1
  fi
}

mpirun=$1
missed="process rank 1 with PID 0 on node a exiting improperly"
expect "a success" 0 "$missed" 0 1
expect "an end that the launcher missed" 1 "$missed" 0 2
expect "a program that leaves without MPI_Finalize" 9 "$missed" 1 2
expect "any other failure" 9 "process rank 1 with PID 4711 on node a exited with code 1" 1 1
