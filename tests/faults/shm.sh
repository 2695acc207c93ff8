#!/bin/sh
# Runs a program where /dev/shm is another: each process starts in a mount namespace of its own launcher.
#
#   sh shm.sh <cmake/mpirun.sh> <ranks> full|tiny|readonly|noexec|users <program> [argument...]
#
# users: /dev/shm as it is, but each process in a user namespace of its own. Exit status 77 where the system does not
# let us make namespaces.
set -eu
mpirun=$1
ranks=$2
what=$3
shift 3

# Open MPI has files of its own there.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export OMPI_MCA_btl_vader_backing_directory="$scratch" OMPI_MCA_btl_vader_single_copy_mechanism=none
# The same of Open MPI 5.
export OMPI_MCA_btl_sm_backing_directory="$scratch" OMPI_MCA_osc_sm_backing_directory="$scratch" OMPI_MCA_smsc=^cma,knem,xpmem

if [ "$what" = users ]; then
  unshare --user --map-root-user true 2>/dev/null || exit 77
  sh "$mpirun" "$ranks" unshare --user --map-root-user "$@"
  exit 0
fi

case $what in
  full | tiny) options=size=64k ;;
  readonly) options=ro ;;
  noexec) options=noexec ;;
  *) exit 2 ;;
esac
unshare --mount sh -c 'mount -t tmpfs tmpfs /dev/shm' 2>/dev/null || exit 77
export what options mpirun ranks
unshare --mount sh -c '
  set -eu
  mount -t tmpfs -o "$options" tmpfs /dev/shm
  if [ "$what" = full ]; then dd if=/dev/zero of=/dev/shm/all bs=4k count=1000 2>/dev/null || true; fi
  sh "$mpirun" "$ranks" "$@"' sh "$@"
