#!/bin/sh
# Builds the PETSc adapter against installations of PETSc elsewhere, and runs its tests and examples.
#
#   sh tests/petsc_versions.sh DIR...
#
# DIR contains lib/pkgconfig/PETSc.pc: it is a PETSC_DIR/PETSC_ARCH or the prefix of an installation. Each has its own
# build in build/petsc, and a line of the output: version, kind (real, complex, 64_real, 64_complex; 64 is the bits of
# indices), and the count of its tests. All tests have time limits. Warnings are errors, and so are deprecations. The
# exit status is 0 iff every installation was built and no test failed.
#
# Runs the tests of the default tier. PETSC_TESTS=all in the environment runs them on all numbers of ranks. The Python
# module is only compiled, because its tests need a petsc4py of the same PETSc.
set -eu
[ $# -gt 0 ] || { sed -n 's/^#   \(sh .*\)/usage: \1/p' "$0" >&2; exit 2; }
source=$(cd "$(dirname "$0")/.." && pwd)
tier='-LE more'
if [ "${PETSC_TESTS:-}" = all ]; then tier=; else export DAP_TEST_SCALE="${DAP_TEST_SCALE:-7}"; fi
jobs=$(nproc)
unset PETSC_ARCH

build() { # builds in $folder, for the PETSc in $dir
  export PETSC_DIR="$dir"
  cmake --preset dev -S "$source" -B "$folder" -DDAPBRIDGE_PETSC_DIRS= || return 1
  set -- tests/petsc/all examples/all
  [ ! -d "$folder/bridge/python/petsc" ] || set -- "$@" bridge/python/petsc/all
  cmake --build "$folder" --parallel "$jobs" --target "$@"
}

count() { # count <log of ctest>: prints the counts in words; fails if a test failed or none was found
  awk '/tests? failed out of/ { failed = $(NF - 5); total = $NF } /\*\*\*Skipped/ { skipped++ }
    END { printf "%d passed, %d failed, %d skipped\n", total - failed - skipped, failed, skipped
          exit failed > 0 || total == 0 }' "$1"
}

status=0
for given; do
  dir=$(cd "$given" && pwd) || { status=1; continue; }
  folder=$source/build/petsc/$(echo "$dir" | tr -c 'A-Za-z0-9.\n' -)
  if ! [ -f "$dir/lib/pkgconfig/PETSc.pc" ]; then
    echo "$given: no lib/pkgconfig/PETSc.pc"
    status=1
    continue
  fi
  mkdir -p "$folder"
  if ! build >"$folder/build.log" 2>&1; then
    echo "$given: not built, see $folder/build.log"
    status=1
  else
    # shellcheck disable=SC2086 # several options
    (cd "$source" && ctest --test-dir "$folder" -L '^petsc$' $tier --parallel "$jobs" --output-on-failure) \
      >"$folder/ctest.log" 2>&1 || status=1
    printf '%s: %s: ' "$given" "$(sed -n 's/^--   PETSc  *//p' "$folder/build.log")"
    count "$folder/ctest.log" || { status=1; echo "  see $folder/ctest.log"; }
  fi
done
exit $status
