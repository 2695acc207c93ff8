#!/bin/sh
# Checks that each function dap_...() of C or Fortran that a page or the README names exists, and that each rule has its
# section in tests/RULES.md.
#
#   sh names.sh <project>      prints the missing functions and sections
set -eu
cd "$1"
pages=$(find README.md bridge/docs -name '*.md' ! -name changes.md)
lost=0
# shellcheck disable=SC2086 # splits the list
for name in $(grep -ohE '\bdap_[a-z0-9_]*[a-z0-9]\(' $pages | sort -u); do
  name=${name%(}
  if grep -rqwE "$name" include/dapbridge bridge --include=*.[ch] --include=*.f90 --include=*.F90; then continue; fi
  if grep -rqwF "$name" cmake bridge/README.md examples; then continue; fi # belongs to CMake, or to an example
  # shellcheck disable=SC2086
  echo "$name: $(grep -lw "$name" $pages | tr '\n' ' ')"
  lost=1
done
rules=$(sed -n 's/.* DAP_RULES = \([0-9]*\).*/\1/p' include/dapbridge/rules.h)
for rule in $(seq "$rules"); do
  grep -q "^## Rule $rule: ." tests/RULES.md || { echo "tests/RULES.md: no section of rule $rule"; lost=1; }
done
exit $lost
