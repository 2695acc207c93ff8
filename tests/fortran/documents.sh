#!/bin/sh
# Checks that the command reads the documents that a program in Fortran leaves.
#
#   sh documents.sh <dapbridge> <command of 3 processes> [argument...]
set -eu
dapbridge=$1
shift
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
"$@" "$work/kept.json"
cat >"$work/wanted" <<EOF
$work/kept.json:1: conforming: 7 x 6 over 3 x 1: block, block
$work/kept.json:4: conforming: 9 over 3: cyclic(2, first 1)
EOF
"$dapbridge" check "$work/kept.json" | diff "$work/wanted" -
