#!/bin/sh
# Installs what is missing, builds the presets dev, asan and fuzz, and runs every test of each. Ends with the
# tests' own count; exit status 0 iff everything was built and no test failed. DAPBRIDGE_VECTORS may name a
# folder with more arrays to test with (tests/vectors/README.md).
set -eu
cd "$(dirname "$0")/.."

sh cmake/bootstrap.sh tests
jobs=$(nproc)
passed=0
failed=0
skipped=0

# Takes the counts of one run from what ctest printed.
count() {
  total=$(sed -n 's/.* tests failed out of \([0-9]*\)$/\1/p' "$1")
  f=$(sed -n 's/.* tests passed, \([0-9]*\) tests failed out of .*/\1/p' "$1")
  s=$(grep -c '\*\*\*Skipped' "$1" || true)
  [ -n "$total" ] && [ -n "$f" ] || { echo "tests/run.sh: ctest printed no count" >&2; exit 1; }
  passed=$((passed + total - f - s))
  failed=$((failed + f))
  skipped=$((skipped + s))
}

# Of Debian's builds of PETSc the one that checks what it is given: locks, sizes, collective arguments.
debug=$(find /usr/lib/petscdir -path '*-real-debug/lib/pkgconfig/PETSc.pc' 2>/dev/null | sort -V | tail -n 1)

for preset in dev asan fuzz; do
  echo "== $preset"
  if [ "$preset" = asan ] && [ -n "$debug" ]; then
    PKG_CONFIG_PATH="$(dirname "$debug")${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}" cmake --preset "$preset"
  else
    cmake --preset "$preset"
  fi
  cmake --build --preset "$preset" --parallel "$jobs"
  log=build/$preset/ctest.log
  { ctest --preset "$preset" --parallel "$jobs" || touch "$log.failed"; } 2>&1 | tee "$log"
  count "$log"
  if [ -e "$log.failed" ]; then # whatever ctest could not count
    rm "$log.failed"
    [ "$failed" -gt 0 ] || failed=1
  fi
done

echo
if [ "$skipped" -gt 0 ]; then
  echo "$passed passed, $failed failed, $skipped skipped"
else
  echo "$passed passed, $failed failed"
fi
[ "$failed" -eq 0 ]
