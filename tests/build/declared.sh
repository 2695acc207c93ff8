#!/bin/sh
# Each test's source is declared in its folder's CMakeLists.txt, by its name, by that without test_, or in a loop as
# test_a_${name} with its last word: one that a merge has lost would pass by not being there.
#
#   sh declared.sh <tests>      prints those that are not
set -eu
lost=0
for source in "$1"/*/test_*; do
  name=$(basename "$source")
  stem=${name%.*}
  lists=$(dirname "$source")/CMakeLists.txt
  case $name in
    *.c | *.py | *.f90 | *.F90) ;;
    *) continue ;;
  esac
  if grep -qF "$name" "$lists" || grep -qw "${stem#test_}" "$lists"; then continue; fi
  # shellcheck disable=SC2016 # CMake's
  if grep -qF "${stem%_*}"'_${name}' "$lists" && grep -qw "${stem##*_}" "$lists"; then continue; fi
  echo "$source is not in $lists"
  lost=1
done
exit $lost
