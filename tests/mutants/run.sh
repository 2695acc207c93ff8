#!/bin/sh
# Finds out whether the tests see bugs: makes a copy of the sources, compiles the mutants of mutants.txt into it, and runs for each
# the tests that it makes a difference to, until one fails.
#
#   sh tests/mutants/run.sh [FOLDER [OPTION OF CTEST]...]     FOLDER: the copy and its build (build/mutants)
#
# Without options of ctest the default tier is run. Prints "caught NAME by TEST", "SURVIVED NAME" or "NOT REACHED NAME" for each,
# and how many were caught. Names of mutants in MUTANTS, separated by blanks: only these.
set -eu
cd "$(dirname "$0")/../.."
folder=${1:-build/mutants}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- -LE 'more|nightly|build|install|bench|hosts'
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
copy=$folder/source
build=$folder/build
notes=$folder/notes
jobs=$(nproc)

# ---- the copy, and its build ----
mkdir -p "$copy"
git ls-files -z --cached --others --exclude-standard | tar --null -T - -cf - | (cd "$copy" && tar -xf -)
python3 tests/mutants/apply.py "$copy" >"$folder/list"
cmake -S "$copy" -B "$build" -G Ninja -D CMAKE_BUILD_TYPE=Debug -D DAPBRIDGE_PETSC_DIRS= -D DAPBRIDGE_BENCHMARKS=OFF \
  -D CMAKE_C_FLAGS="-include $copy/tests/mutants/mutant.h" >"$folder/configure.log"
cmake --build "$build" --parallel "$jobs" >"$folder/build.log" || { tail -n 40 "$folder/build.log"; exit 1; }

# ---- which tests each mutant makes a difference to ----
one() { # one <number of a test>: runs it with what the environment says of mutants
  ctest --test-dir "$build" -I "$1,$1" --timeout "${MUTANT_SECONDS:-300}" >/dev/null 2>&1
}
ctest --test-dir "$build" -N "$@" | sed -n 's/^ *Test *#\([0-9]*\): \(.*\)$/\1 \2/p' >"$folder/tests"
if [ ! -e "$notes/complete" ] || [ "$folder/list" -nt "$notes/complete" ]; then
  rm -rf "$notes"
  mkdir "$notes"
  cut -d ' ' -f 1 "$folder/tests" | xargs -P $((2 * jobs)) -I '{}' sh -c '
    DAP_TEST_SCALE=${DAP_TEST_SCALE:-7} DAP_MUTANT_NOTES=$1/{} ctest --test-dir "$2" -I {},{} >"$1/{}.log" 2>&1 ||
      grep -q "No tests were found" "$1/{}.log" || echo "{}" >>"$1/failed"
    grep -h " sec$" "$1/{}.log" | sed -n "s/^.* \([0-9.]*\) sec$/\1 {}/p" | head -n 1 >>"$1/times"
  ' sh "$notes" "$build"
  if [ -s "$notes/failed" ]; then
    echo "Without a mutant these fail, and are left out: $(grep -wFf "$notes/failed" "$folder/tests" | cut -d ' ' -f 2 | tr '\n' ' ')"
  fi
  touch "$notes/complete" "$notes/failed"
fi

# ---- each mutant ----
caught=0
all=0
while read -r number name file; do
  case " ${MUTANTS:-$name} " in *" $name "*) ;; *) continue ;; esac
  all=$((all + 1))
  by=
  reached=0
  for test in $(sort -n "$notes/times" | cut -d ' ' -f 2); do # the shortest first
    [ -e "$notes/$test-$number" ] && ! grep -qx "$test" "$notes/failed" || continue
    reached=$((reached + 1))
    if ! DAP_TEST_SCALE=${DAP_TEST_SCALE:-7} DAP_MUTANT=$number one "$test" </dev/null; then
      by=$(sed -n "s/^$test //p" "$folder/tests")
      break
    fi
  done
  if [ -n "$by" ]; then
    caught=$((caught + 1))
    echo "caught       $name by $by, the ${reached}th that reaches it"
  elif [ "$reached" -gt 0 ]; then
    echo "SURVIVED     $name ($file): $reached tests reach it"
  else
    echo "NOT REACHED  $name ($file)"
  fi
done <"$folder/list"
echo "$caught of $all mutants were caught"
[ "$caught" -eq "$all" ]
