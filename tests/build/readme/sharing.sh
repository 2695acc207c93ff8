#!/bin/sh
# Runs the program of bridge/docs/sharing.md on four processes and compares its lines with those of the page:
# sharing.sh <sources> <program>.
set -eu
expected=$(grep -A 2 '^moved: axis 0' "$1/bridge/docs/sharing.md" | head -n 3)
found=$(sh "$1/cmake/mpirun.sh" 4 "$2")
[ "$found" = "$expected" ] || { printf 'sharing.sh: the program prints\n%s\nnot\n%s\n' "$found" "$expected" >&2; exit 1; }
