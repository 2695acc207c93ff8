#!/bin/sh
# Runs two programs in one job, which find each other by a port whose name is in a file.
#
#   sh coupled.sh <mpirun.sh> <ranks> <program> <ranks> <other program>
#
# Which of the two a process is, it chooses by its rank, as the launcher tells it (Open MPI's, or MPICH's and others with PMI):
# Debian's mpiexec 5.0.7 crashes where a ":" is between two programs (github.com/open-mpi/ompi/issues/13303).
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# shellcheck disable=SC2016 # the inner shell's
sh "$1" $(($2 + $4)) sh -c '
  rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-${PMIX_RANK:?the launcher tells no rank}}}
  if [ "$rank" -lt "$2" ]; then exec "$3" accept "$1"; else exec "$4" connect "$1"; fi' \
  sh "$folder/port" "$2" "$3" "$5"
