#!/bin/sh
# Finds out whether the tests see bugs: makes a copy of the sources, compiles the mutants of mutants.txt into it, and runs for each
# the tests that it makes a difference to, until one fails.
#
#   sh tests/mutants/run.sh [FOLDER [OPTION OF CTEST]...]     FOLDER: the copy and its build (build/mutants)
#
# Without options of ctest the default tier is run. Prints "caught NAME by TEST", "SURVIVED NAME" or "NOT REACHED NAME" for each,
# and how many were caught. A run that was stopped goes on where it was, unless the sources have changed.
#
# Environment, all optional:
#   MUTANTS="NAME..."  only these mutants
#   MINUTES=N          tests are started for so many minutes after the build
#   JOBS=N             tests at a time (default: the number of cores)
#   TARGETS="NAME..."  only these targets are built
set -eu
cd "$(dirname "$0")/../.."
folder=${1:-build/mutants}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- -LE 'more|nightly|build|install|bench|hosts'
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
copy=$folder/source
build=$copy/build/dev # as deep as the build of preset dev, so that a compiler's cache finds what has no mutant

# ---- the copy: only files that have changed are written, so that a build need not start anew ----
fresh=$folder/fresh
rm -rf "$fresh"
mkdir -p "$fresh" "$copy"
git ls-files -z --cached --others --exclude-standard | tar --null -T - -cf - | (cd "$fresh" && tar -xf -)
python3 tests/mutants/apply.py "$fresh" >"$folder/list"
# A test sets its own DAP_TIMEOUT, but the seconds of score.py come first.
# shellcheck disable=SC2016 # the copy expands it
sed -i 's/${DAP_TIMEOUT:-300}/${MUTANT_SECONDS:-${DAP_TIMEOUT:-300}}/' "$fresh/cmake/mpirun.sh"
(cd "$fresh" && find . -type f) | while read -r file; do
  cmp -s "$fresh/$file" "$copy/$file" && continue
  mkdir -p "$copy/${file%/*}"
  cp -p "$fresh/$file" "$copy/$file"
  touch "$copy/$file"
done
(cd "$copy" && find . -path ./build -prune -o -type f -print) | while read -r file; do
  [ -e "$fresh/$file" ] || rm "$copy/$file"
done
(cd "$fresh" && find . -type f | sort | xargs -d '\n' cksum) >"$folder/stamp"
rm -rf "$fresh"

# ---- its build ----
cmake -S "$copy" -B "$build" -G Ninja -D CMAKE_C_COMPILER="${CC:-gcc}" -D CMAKE_BUILD_TYPE=Debug -D DAPBRIDGE_SCALAPACK=ON \
  -D DAPBRIDGE_PETSC=ON -D DAPBRIDGE_PETSC_DIRS= -D DAPBRIDGE_TESTS_APART=ON >"$folder/configure.log" 2>&1 || { tail -n 40 "$folder/configure.log"; exit 1; }
# shellcheck disable=SC2086 # several names
cmake --build "$build" --parallel "$(nproc)" ${TARGETS:+--target $TARGETS} >"$folder/build.log" 2>&1 ||
  { tail -n 40 "$folder/build.log"; exit 1; }

exec python3 tests/mutants/score.py "$folder" "$build" "$@"
