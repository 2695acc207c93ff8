#!/bin/sh
# Builds and tests on another release of Debian, in a folder of this machine. Needs root, Linux and debootstrap.
# Otherwise it prints the reason and exits with status 77.
#
#   sh tests/debian.sh <suite> [command [argument...]]
#   sh tests/debian.sh trixie                                              # sh tests/run.sh
#   sh tests/debian.sh trixie ctest --preset dev -L quick --parallel 8     # something in the same place
#
# The release is installed once into build/debian/<suite>/root, and its builds are in build/debian/<suite>/build.
# Nothing else on this machine changes. The command runs in this project's folder, with /proc, /sys, /dev and an empty
# /dev/shm. A git worktree does not see its repository there. Environment:
#
#   DEBIAN_MIRROR           default: apt's mirror of Debian on this machine, or http://deb.debian.org/debian
#   DEBIAN_ROOT             a folder that contains the release, or will receive it
set -eu
[ $# -gt 0 ] || { sed -n 's/^#   \(sh .*\)/usage: \1/p' "$0" | head -n 1 >&2; exit 2; }
source=$(cd "$(dirname "$0")/.." && pwd)
suite=$1
shift
[ $# -gt 0 ] || set -- sh tests/run.sh
root=${DEBIAN_ROOT:-$source/build/debian/$suite/root}
builds=$source/build/debian/$suite/build

skip() {
  echo "debian.sh: skipped: $*"
  exit 77
}
[ "$(id -u)" -eq 0 ] || skip "not root"
unshare --mount true 2>/dev/null || skip "no namespaces can be made here"

if ! [ -e "$root/etc/debian_version" ]; then
  command -v debootstrap >/dev/null || skip "no debootstrap"
  mkdir -p "$root"
  apts=$(apt-get indextargets --format '$(REPO_URI)' 'Origin: Debian' 'Label: Debian' 2>/dev/null | head -n 1 || true)
  mirror=${DEBIAN_MIRROR:-${apts:-http://deb.debian.org/debian}}
  debootstrap --variant=minbase --include=ca-certificates,git "$suite" "$root.part" "$mirror" >"$root.log" ||
    skip "debootstrap failed, see $root.log"
  echo force-unsafe-io >"$root.part/etc/dpkg/dpkg.cfg.d/unsafe" # the folder can be made again
  rmdir "$root"
  mv "$root.part" "$root"
fi
mkdir -p "$builds" "$root$source"
cp /etc/resolv.conf "$root/etc/resolv.conf"

# The command has its own mounts, which end with it.
enter='
  root=$1 source=$2 builds=$3
  shift 3
  mount --bind "$root" "$root"
  mount -t proc proc "$root/proc"
  mount --rbind /sys "$root/sys"
  mount --rbind /dev "$root/dev"
  mount -t tmpfs tmpfs "$root/dev/shm"
  mount --bind "$source" "$root$source"
  mount --bind "$builds" "$root$source/build"
  cd "$root"
  pivot_root . mnt # after chroot without pivot_root, tests could not make namespaces
  chroot . umount -l /mnt
  exec chroot . env -i HOME=/root LC_ALL=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb \
    DAP_TEST_SCALE="${DAP_TEST_SCALE:-7}" sh -c '\''cd "$1" && shift && "$@"'\'' sh "$source" "$@"'
exec unshare --mount --propagation private sh -euc "$enter" sh "$root" "$source" "$builds" "$@"
