#!/bin/sh
# Calls between the sources of a folder go one way: no source needs another that, in the end, needs it. The tables of
# functions that types of Python are made of are no calls.
#
#   sh circles.sh <bridge> <folder of its object files> <nm> <objdump>      prints the circles of each folder
set -eu
sources=$1
root=$2
nm=$3
objdump=$4
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# One line for each symbol that a source of a folder defines (T) or needs (U): folder source T|U symbol.
symbols() {
  find "$root" -name '*.c.o' | while read -r object; do
    # Objects of sources that are gone stay in a build folder.
    at=$sources/${object#"$root"/}
    [ -e "${at%%CMakeFiles/*}$(basename "${object%.o}")" ] || continue
    {
      "$nm" --format=posix "$object"
      case $object in
        */python/*) "$objdump" -r -j .text "$object" | awk '$2 ~ /^R_/ { sub(/[-+]0x.*/, "", $3); print $3, "called" }' ;;
      esac
    } | awk -v at="$object" '
      BEGIN { n = split(at, part, "/"); source = part[n]; folder = at; sub("/[^/]*$", "", folder) }
      $2 ~ /^[TDRB]$/ { print folder, source, "T", $1 }
      $2 == (at ~ "/python/" ? "called" : "U") { print folder, source, "U", $1 }'
  done
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
