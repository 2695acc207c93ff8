#!/bin/sh
# Runs a program with another /dev/shm. The launcher starts its processes in a mount namespace.
#
#   sh shm.sh <cmake/mpirun.sh> <ranks> full|tiny|readonly|noexec|missing|users <program> [argument...]
#
# With "missing" there is no /dev/shm. With "users" each process has its own user namespace, and the usual /dev/shm. The exit
# status is 77 if the system does not allow namespaces.
set -eu
mpirun=$1
ranks=$2
what=$3
shift 3

# Open MPI gets another folder for its own files. MPICH cannot use another one, so it is only tried with noexec.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export OMPI_MCA_btl_vader_backing_directory="$scratch" OMPI_MCA_btl_vader_single_copy_mechanism=none
# Open MPI 5 needs these settings.
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
# shellcheck disable=SC2016 # the inner shell expands them
unshare --mount sh -c '
  set -eu
  if [ "$what" = missing ]; then # a new /dev with links to all other entries of the old one
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
