#!/bin/sh
# Compares the shared libraries with those of the last tag (or of a commit): builds both, and prints what has changed in what
# public headers show. Fails if a function is gone or a type has changed. Needs abidiff (abigail-tools).
#
#   sh cmake/abi.sh [commit]
set -eu
cd "$(dirname "$0")/.."
before=${1:-$(git describe --tags --abbrev=0 2>/dev/null || true)}
[ -n "$before" ] || { echo "abi.sh: there is no tag: name a commit" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/before" "$work/now"
git archive "$before" | tar x -C "$work/before"
git archive HEAD | tar x -C "$work/now"
for side in before now; do
  cmake -S "$work/$side" -B "$work/$side/build" -DCMAKE_BUILD_TYPE=Debug -DDAPBRIDGE_TESTS=OFF -DDAPBRIDGE_EXAMPLES=OFF \
    -DDAPBRIDGE_PYTHON=OFF -DDAPBRIDGE_FORTRAN=OFF >"$work/log" && cmake --build "$work/$side/build" --parallel 2 >"$work/log" || {
    cat "$work/log"
    exit 2
  }
done
code=0
for library in "$work"/before/build/lib/libdapbridge*.so; do
  name=$(basename "$library")
  echo "$name:"
  abidiff --headers-dir1 "$work/before/include" --headers-dir2 "$work/now/include" --drop-private-types --no-added-syms \
    "$library" "$work/now/build/lib/$name" || code=1
done
exit $code
