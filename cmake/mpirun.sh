#!/bin/sh
# Runs a program on several ranks of this machine, however few cores it has, as the tests and examples do.
#
#   sh cmake/mpirun.sh <ranks> <program> [argument...]
#
# Environment: MPIEXEC (default mpiexec), DAP_LAUNCHER (openmpi or other: what that is; default: it is asked),
# DAP_TIMEOUT (seconds, default 300).
set -eu
case $0 in
  /*) here=${0%/*} ;;
  *) here=$(cd "$(dirname "$0")" && pwd) ;;
esac
ranks=$1
shift

# Open MPI: start as root, more ranks than cores, give the core away while waiting, do not bind.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_hwloc_base_binding_policy=none
# The same for Open MPI 5, whose launcher is PRRTE: its mpiexec asks the OMPI pair, prte asks its own.
export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
export PRTE_MCA_rmaps_default_mapping_policy="${PRTE_MCA_rmaps_default_mapping_policy:-:oversubscribe}"
export PRTE_MCA_hwloc_default_binding_policy="${PRTE_MCA_hwloc_default_binding_policy:-none}"

# Open MPI 4 otherwise loads the libraries of networks first, to find that there is none: half of a short run. Of these
# lists, which leave out, unknown names are no error.
export OMPI_MCA_pml="${OMPI_MCA_pml:-^cm,ucx}" OMPI_MCA_mtl="${OMPI_MCA_mtl:-^ofi,psm,psm2}"
export OMPI_MCA_btl="${OMPI_MCA_btl:-^ofi,openib,uct}" OMPI_MCA_osc="${OMPI_MCA_osc:-^ucx}"
# Open MPI 5 asks the kernel by which interface a process reaches another one: on the same machine by lo, which it has
# excluded, and then it says that it finds none. Without that it takes the addresses.
export OMPI_MCA_reachable="${OMPI_MCA_reachable:-^netlink}"

# A BLAS with threads has one for each core in each rank otherwise.
export OPENBLAS_NUM_THREADS="${OPENBLAS_NUM_THREADS:-1}" BLIS_NUM_THREADS="${BLIS_NUM_THREADS:-1}"

# Sanitizers. To tell our leaks from MPI's, which lsan.supp names, takes whole stacks through libraries without frame
# pointers at every malloc, and most of the time. DAP_LEAKS=fast is for programs that see to MPI's leaks themselves
# (tests/support/leaks.c); of others leaks are looked for on few ranks only, or where DAP_LEAKS is all.
case ${DAP_LEAKS:-$ranks} in
  fast) leaks=detect_leaks=1 ;;
  1 | 2 | all) leaks=fast_unwind_on_malloc=0 ;;
  *) leaks=detect_leaks=0 ;;
esac
# Freed memory is kept back, to see who still uses it: 16 MB of it, as with the usual 256 each allocation of a short run is
# of new pages, and eight of PETSc's tests took twice as long.
export ASAN_OPTIONS="${ASAN_OPTIONS:-$leaks:allocator_may_return_null=1:quarantine_size_mb=16}"
export LSAN_OPTIONS="${LSAN_OPTIONS:-suppressions='$here/lsan.supp':print_suppressions=0}"
export UBSAN_OPTIONS="${UBSAN_OPTIONS:-print_stacktrace=1}"

# A launcher that ends removes the folder that launchers share, under one that starts: each gets its own.
# The files in which Open MPI 5's processes share memory are in /dev/shm, whose names two launchers may both choose: a
# folder each, too. (Names: docs.open-mpi.org, "The sm BTL"; that of windows: github.com/open-mpi/ompi/pull/5230.)
scratch=$(mktemp -d)
shared=$(mktemp -d /dev/shm/mpirun.XXXXXX 2>/dev/null) || shared=$scratch # where there is no /dev/shm
export OMPI_MCA_orte_tmpdir_base="$scratch" PRTE_MCA_prte_tmpdir_base="$scratch" # of Open MPI 4, and of 5
export OMPI_MCA_btl_sm_backing_directory="${OMPI_MCA_btl_sm_backing_directory:-$shared}"
export OMPI_MCA_osc_sm_backing_directory="${OMPI_MCA_osc_sm_backing_directory:-$shared}"
trap 'rm -rf "$scratch" "$shared"' EXIT

# Nor does hwloc look for GPUs, through the libraries of X11 and OpenCL: a folder without plugins; nor ask each device on the
# bus, which takes a fifth of a launch's processor time on a virtual machine.
export HWLOC_PLUGINS_PATH="${HWLOC_PLUGINS_PATH:-$scratch}" HWLOC_COMPONENTS="${HWLOC_COMPONENTS:--linuxio}"

launcher=${MPIEXEC:-mpiexec}
is_open_mpi() {
  case ${DAP_LAUNCHER:-} in
    '') "$launcher" --version 2>/dev/null | grep -q -e 'Open MPI' -e OpenRTE ;;
    *) [ "$DAP_LAUNCHER" = openmpi ] ;;
  esac
}
if is_open_mpi; then
  set -- --timeout "${DAP_TIMEOUT:-300}" -n "$ranks" "$@"
else
  export MPIEXEC_TIMEOUT="${DAP_TIMEOUT:-300}" # MPICH's launcher and those derived from it
  set -- -n "$ranks" "$@"
fi

# Runs the program; its standard error is kept as well, to be looked at afterwards.
launch() {
  {
    { code=0; "$launcher" "$@" </dev/null 3>&- || code=$?; echo "$code" >"$scratch/code"; } 2>&1 1>&3 |
      tee "$scratch/errors" >&2
  } 3>&1
  read -r code <"$scratch/code"
}

launch "$@"
# Open MPI 4 at times misses that a process has ended its MPI (github.com/open-mpi/ompi/issues/7833) and then says that
# it left without. A program that does so says it the second time as well.
if [ "$code" -ne 0 ] && grep -q 'with PID 0 on' "$scratch/errors" && grep -q 'exiting improperly' "$scratch/errors"; then
  echo "mpirun.sh: the launcher missed the end of a process; once more" >&2
  launch "$@"
fi
exit "$code"
