#!/bin/sh
# Kills a process while it saves. The program must end, and the old file must not change.
#
#   sh killed.sh <mpirun.sh> <ranks> <program>
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
echo "an array of another time" >"$folder/old"
cp "$folder/old" "$folder/array"
if sh "$1" "$2" "$3" "$folder/array" >"$folder/said" 2>&1; then
  echo "the program ended as if nothing had happened"
  exit 1
fi
grep -q 'signal 9' "$folder/said" || { cat "$folder/said"; exit 1; }
cmp "$folder/old" "$folder/array"
