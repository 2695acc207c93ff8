#!/bin/sh
# Checks the warning if a launcher started several processes, but each is alone in MPI_COMM_WORLD: one process prints it
# once.
#
#   sh launch.sh <program> <mpirun.sh> <whether processes can be spawned> [launcher of another MPI]
set -eu
program=$1 mpirun=$2 can_spawn=$3 other=${4:-}
failed=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# Open MPI's processes that end remove a folder in which others begin: none is shared with other tests.
export OMPI_MCA_orte_tmpdir_base="$folder" OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# expect <lines> <why> <command...>: standard error must contain this number of dapbridge's lines.
expect() {
  wanted=$1 why=$2 code=0
  shift 2
  "$@" >"$folder/out" 2>"$folder/err" </dev/null || code=$?
  found=$(grep -c '^dapbridge: ' "$folder/err" || true)
  [ "$code" -eq 0 ] && [ "$found" -eq "$wanted" ] && return
  failed=1
  echo "FAILED: $why: $found lines, not $wanted, exit code $code"
  cat "$folder/out" "$folder/err"
}
# has <file> <text>...: looks in an output of the last command
has() {
  file=$folder/$1
  shift
  for text; do
    grep -q -e "$text" "$file" || { failed=1; echo "FAILED: $why: no '$text' in"; cat "$file"; }
  done
}

# alone <lines> <why> <variables> [argument of the program]: runs one process, with only these variables of a launcher
for name in OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_RANK PMI_SIZE PMI_RANK SLURM_STEP_NUM_TASKS SLURM_PROCID SLURM_NTASKS \
  DAPBRIDGE_LOG; do unset "$name"; done
alone() {
  # shellcheck disable=SC2086 # contains several words
  expect "$1" "$2" env $3 "$program" "${4:-work}"
}
alone 1 "MPICH's launcher" "PMI_SIZE=3 PMI_RANK=0"
has err 'PMI_SIZE is 3' 'only 1 process' "MPICH's" 'mpiexec of \(Open MPI v\|MPICH Version\)' 'DAPBRIDGE_LOG=off'
alone 1 "Open MPI's launcher" "OMPI_COMM_WORLD_SIZE=12 OMPI_COMM_WORLD_RANK=0"
has err 'OMPI_COMM_WORLD_SIZE is 12' "Open MPI's"
alone 1 "a step of Slurm's" "SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=0 SLURM_NTASKS=4"
has err 'SLURM_STEP_NUM_TASKS is 4' "srun"
alone 1 "another level of the log than off" "PMI_SIZE=3 PMI_RANK=0 DAPBRIDGE_LOG=info"
alone 2 "a word that is no level of the log" "PMI_SIZE=3 PMI_RANK=0 DAPBRIDGE_LOG=loud"
has err "DAPBRIDGE_LOG is 'loud', not one of off, info, progress"
alone 0 "no launcher" ""
alone 0 "not the first process of the job" "PMI_SIZE=3 PMI_RANK=2"
alone 0 "a job of one process" "PMI_SIZE=1 PMI_RANK=0"
alone 0 "a launcher of one process in a job of several" "OMPI_COMM_WORLD_SIZE=1 OMPI_COMM_WORLD_RANK=0 PMI_SIZE=3 PMI_RANK=0"
alone 0 "a size without a rank" "PMI_SIZE=3"
alone 0 "a size that is not a number" "PMI_SIZE=3x PMI_RANK=0"
alone 0 "salloc and sbatch, which start no step" "SLURM_NTASKS=4 SLURM_PROCID=0"
alone 0 "it is not wanted" "PMI_SIZE=3 PMI_RANK=0 DAPBRIDGE_LOG=off"
alone 0 "the program has a log, and it gets the line" "PMI_SIZE=3 PMI_RANK=0" log
has out '^logged: dapbridge: PMI_SIZE is 3'

for level in info progress; do
  expect 1 "one process of three prints the log: $level" env DAPBRIDGE_LOG=$level sh "$mpirun" 3 "$program" plan
  has err '^dapbridge: plan: sends'
done
expect 1 "one process of three reports a word that is no level" env DAPBRIDGE_LOG=loud sh "$mpirun" 3 "$program" plan
has err "DAPBRIDGE_LOG is 'loud'"
expect 1 "the same, asked before MPI runs" env DAPBRIDGE_LOG=loud sh "$mpirun" 3 "$program" early
expect 0 "a log that is off" env DAPBRIDGE_LOG=off sh "$mpirun" 3 "$program" plan
expect 0 "no level of the log" sh "$mpirun" 3 "$program" plan

inherited="env -i PATH='$PATH' HOME='${HOME:-/}' OMPI_MCA_orte_tmpdir_base='$folder' PMI_SIZE=3 PMI_RANK=0 '$program' work"
expect 1 "a shell of the launcher's starts the program" env PMI_SIZE=3 PMI_RANK=0 sh -c "'$program' work; exit \$?"
if [ -r /proc/self/environ ]; then
  expect 0 "an MPI process of the job starts the program" env PMI_SIZE=3 PMI_RANK=0 "$program" start "$inherited"
fi
expect 1 "an MPI process of no job starts the program" "$program" start "$inherited"

expect 0 "its own launcher" sh "$mpirun" 3 "$program" work
[ "$can_spawn" != ON ] || expect 0 "MPI starts one process" sh "$mpirun" 1 "$program" spawn
if [ -n "$other" ]; then
  # shellcheck disable=SC2016 # each process expands it
  expect 1 "the launcher of another MPI" env OMPI_MCA_rmaps_base_oversubscribe=1 \
    "$other" -n 3 sh -c 'OMPI_MCA_orte_tmpdir_base=$(mktemp -d -p "$0") exec "$1" work' "$folder" "$program"
  has err ' is 3, but'
fi
exit "$failed"
