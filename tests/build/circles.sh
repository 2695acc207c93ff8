#!/bin/sh
# Checks that calls between the sources of a folder go one way: no source needs another that needs it in turn, directly
# or indirectly. Tables of functions that make up types of Python do not count as calls.
#
#   sh circles.sh <bridge> <folder of its object files> <nm> <objdump>      prints the circles of each folder
set -eu
sources=$1
root=$2
nm=$3
objdump=$4
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Object files of sources that were deleted stay in a build folder, so only those with a source are read.
find "$root" -name '*.c.o' | while read -r object; do
  at=$sources/${object#"$root"/}
  source=${object##*/}
  [ ! -e "${at%%CMakeFiles/*}${source%.o}" ] || echo "$object"
done >"$scratch/objects"

# Writes one line for each symbol that a source of a folder defines (T) or needs (U): folder source T|U symbol. Of the
# types of Python, only symbols that code calls count as needed.
symbols() {
  xargs "$nm" --format=posix -A <"$scratch/objects" | awk '
    { sub(/:$/, "", $1); at = $1; source = at; sub(/.*\//, "", source); sub("/[^/]*$", "", at) }
    $3 ~ /^[TDRB]$/ { print at, source, "T", $2 }
    $3 == "U" && at !~ "/python/" { print at, source, "U", $2 }'
  grep /python/ "$scratch/objects" | xargs -r "$objdump" -r -j .text | awk '
    / file format / { sub(/:$/, "", $1); at = $1; source = at; sub(/.*\//, "", source); sub("/[^/]*$", "", at) }
    $2 ~ /^R_/ { sub(/[-+]0x.*/, "", $3); print at, source, "U", $3 }'
}

symbols >"$scratch/symbols"
[ -s "$scratch/symbols" ] || { echo "circles: no object files in $root"; exit 1; }
cut -d ' ' -f 1 "$scratch/symbols" | sort -u >"$scratch/folders"
circles=0
while read -r folder; do
  grep "^$folder " "$scratch/symbols" | awk '
    $3 == "T" { at[$4] = $2 }
    $3 == "U" { need[NR] = $4; from[NR] = $2 }
    END { for (i in need) if (need[i] in at && at[need[i]] != from[i]) print from[i], at[need[i]] }' |
    sort -u >"$scratch/edges"
  if ! tsort <"$scratch/edges" >/dev/null 2>"$scratch/loop"; then
    circles=$((circles + 1))
    echo "$folder:"
    sed 's/^tsort: -: /  /; s/^tsort: /  /' "$scratch/loop"
  fi
done <"$scratch/folders"
[ "$circles" -eq 0 ] || exit 1
