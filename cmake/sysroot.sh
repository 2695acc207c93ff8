#!/bin/sh
# Unpacks what dapbridge's core and its tests need of another Debian architecture into a folder, to compile
# against and to run by qemu: nothing is installed, and apt's own state is not touched, so that packages which
# could not be installed beside this machine's (another MPI's) do not matter. Does nothing if the folder is
# there.
#
#   sh cmake/sysroot.sh <architecture, as arm64> <folder>
#
# Exit status 77: such packages cannot be had here.
set -eu
architecture=$1
folder=$2
whole="libc6-dev libmpich12 libcmocka-dev libjansson-dev" # with all that they depend on
alone="libmpich-dev"                                      # which depends on compilers

[ -e "$folder/complete" ] && exit 0
for program in apt-get dpkg-deb; do
  command -v "$program" >/dev/null || { echo "sysroot: there is no $program"; exit 77; }
done

# An apt of its own, in which nothing is installed yet.
rm -rf "$folder"
mkdir -p "$folder/apt/lists/partial" "$folder/apt/archives/partial"
folder=$(cd "$folder" && pwd)
: >"$folder/apt/status"
apt() {
  apt-get -q -o APT::Architecture="$architecture" -o APT::Architectures="$architecture" \
    -o Dir::State="$folder/apt" -o Dir::State::status="$folder/apt/status" -o Dir::Cache="$folder/apt" \
    -o Debug::NoLocking=1 -o APT::Sandbox::User="$(id -un)" -o Acquire::Languages=none \
    -o Acquire::Retries=3 "$@"
}
# shellcheck disable=SC2086 # lists
fetch() {
  apt update && apt install -y --no-install-recommends --download-only $whole &&
    (cd "$folder/apt/archives" && apt download $alone)
}
if ! fetch >"$folder/apt/log" 2>&1; then
  tail -n 5 "$folder/apt/log"
  echo "sysroot: no packages of $architecture to be had"
  exit 77
fi
for package in "$folder"/apt/archives/*.deb; do dpkg-deb -x "$package" "$folder"; done
# Links to absolute paths lead into this machine: without libm.so linkers take libm.a, which wants symbols of glibc's own.
find "$folder" -type l -lname '/*' | while read -r link; do
  ln -sfnr "$folder$(readlink "$link")" "$link"
done
rm -rf "$folder/apt"
touch "$folder/complete"
