#!/bin/sh
# Checks that no line of `dapbridge explain` has more than 99 characters: of layouts of all kinds with long words, in
# both orders and in types that ScaLAPACK and PETSc have or do not have.
#
#   sh width.sh <dapbridge>
set -eu
dapbridge=$1
lines=$(mktemp)
trap 'rm -f "$lines"' EXIT
cd "$(dirname "$0")/documents"

explain() { # explain <layout>: with unknown buffers, and with buffers
  "$dapbridge" explain "$1"
  "$dapbridge" explain --for pdsyevd "$1"
  for type in float32 complex128 int64 uint8; do
    for order in '' --fortran; do
      # shellcheck disable=SC2086 # no word, or one
      "$dapbridge" layout --type "$type" $order "$1" | "$dapbridge" explain -
      "$dapbridge" layout --type "$type" $order "$1" | "$dapbridge" explain --for trsm -
    done
  done
}

{
  "$dapbridge" explain matrices.jsonl vector.json exports.json scalar.json
  explain '2400x2400 on 2x2: c(64), c(64)'
  explain '2400x2400 on 4x1'
  explain '2401x2401 on 1x4'
  explain '2400x2400 on 4x2: b(halo 1), r'
  explain '240x240x240 on 2x2x2: b(halo 2), b(halo 2), b(halo 1, boundary 1 1)'
  explain '240x240x240 on 1x1x4: n, n, b(halo 12, periodic)'
  explain '240x240x240x240 on 2x2x2x1: b(halo 2), b(halo 1, periodic), c(8), n'
  explain '1000000000x1000000000x2 on 2x4x1: c(100000000), c(100000000, first 3), n'
  explain '100000000x100000x100000 on 2x1x1: b, n, n'
  explain '1000000000000000000 on 20: b(halo 1)'
  explain '200: b[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,64]'
  explain '10x1000000000 on 2x4: u[0,2,4,6,8][1,3,5,7,9], c(1000000, first 2)'
  "$dapbridge" explain '2400x2400 on 4x2: p, b(halo 1)'
} >"$lines"
awk '
  length > 99 { print "too long: " $0; failed = 1 }
  /^  ScaLAPACK.*shared/ { seen["matrix shared"]++ }
  /^  ScaLAPACK.*moved, / { seen["matrix moved"]++ }
  /^  ScaLAPACK.*moved for speed/ { seen["moved for speed"]++ }
  /^  PETSc, global vector: shared/ { seen["global shared"]++ }
  /^  PETSc, global vector: moved/ { seen["global moved"]++ }
  /^  PETSc, local vector: shared/ { seen["local shared"]++ }
  /^  PETSc, local vector: moved/ { seen["local moved"]++ }
  /^  [0-9]+ .* over / { seen["heading in two lines"]++ }
  /^      / { seen["verdict in two lines"]++ }
  END {
    for (kind in seen) kinds++
    if (kinds != 9) { print "only " kinds + 0 " of 9 kinds of lines:"; failed = 1 }
    for (kind in seen) print seen[kind], kind
    exit failed
  }' "$lines"
