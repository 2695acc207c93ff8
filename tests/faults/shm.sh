#!/bin/sh
# Runs a program where /dev/shm is another: each process starts in a mount namespace of its own launcher.
#
#   sh shm.sh <cmake/mpirun.sh> <ranks> full|tiny|readonly|noexec|missing|users <program> [argument...]
#
# missing: there is none. users: /dev/shm as it is, but each process in a user namespace of its own. Exit status 77 where
# the system does not let us make namespaces.
set -eu
mpirun=$1
ranks=$2
what=$3
shift 3

# Open MPI has files of its own there, which go elsewhere. MPICH's cannot, so of these it is only tried with noexec.
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
  missing) options= ;;
  *) exit 2 ;;
esac
unshare --mount sh -c 'mount -t tmpfs tmpfs /dev/shm' 2>/dev/null || exit 77
export what options mpirun ranks scratch
# shellcheck disable=SC2016 # the inner shell's
unshare --mount sh -c '
  set -eu
  if [ "$what" = missing ]; then # another /dev, of the devices that programs need
    mkdir "$scratch/dev"
    mount --rbind /dev "$scratch/dev"
    mount -t tmpfs -o mode=755 tmpfs /dev
    ln -s "$scratch"/dev/* /dev
    rm /dev/shm
  else
    mount -t tmpfs -o "$options" tmpfs /dev/shm
  fi
  if [ "$what" = full ]; then dd if=/dev/zero of=/dev/shm/all bs=4k count=1000 2>/dev/null || true; fi
  sh "$mpirun" "$ranks" "$@"' sh "$@"
