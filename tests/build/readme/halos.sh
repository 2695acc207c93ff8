#!/bin/sh
# Runs the program of bridge/docs/halos.md and compares its lines with those of the page, which are for four processes:
# halos.sh <sources> <ranks> <program>. On other numbers of ranks, the processes are in one row or column.
set -eu
case $2 in
  1) expected="rank 0: above -1, below -1, left -1, right -1" ;;
  3) expected="rank 0: above -1, below 1, left -1, right -1
rank 1: above 0, below 2, left -1, right -1
rank 2: above 1, below -1, left -1, right -1" ;;
  *) expected=$(grep '^rank [0-9]: above ' "$1/bridge/docs/halos.md") ;;
esac
found=$(sh "$1/cmake/mpirun.sh" "$2" "$3")
found=$(printf '%s\n' "$found" | sort)
[ "$found" = "$expected" ] || { printf 'halos.sh: the program prints\n%s\nnot\n%s\n' "$found" "$expected" >&2; exit 1; }
