#!/bin/sh
# Installs what is missing, builds, and runs the tests. Prints the tests' own count at the end. The exit status is 0 iff
# everything was built and no test failed.
#
#   sh tests/run.sh            the default tier, for each change: gcc, one PETSc, a quarter with sanitizers; minutes
#   sh tests/run.sh all        adds ranks, a PETSc, clang, fuzzers, hosts, MPICH, ARM, simulated ranks; sanitizers: a third
#   sh tests/run.sh nightly    adds everything that takes longer: all tests, cases, ranks, builds of PETSc, compilers; hours
#
# The shortest run, in a build, is ctest --preset dev -L quick. DAPBRIDGE_VECTORS can name a folder with more arrays to
# test with (tests/vectors/README.md).
set -eu
cd "$(dirname "$0")/.."

tier=${1:-default}
case $tier in
  default) packages=tests which='-LE more|nightly' petscs=-DDAPBRIDGE_PETSC_DIRS= ;;
  # The second build of PETSc is the one that differs most from the usual one, in numbers and in indices.
  all) packages=all which='-LE nightly' petscs='-DDAPBRIDGE_PETSC_DIRS=/usr/lib/petscdir/petsc64*/*-complex' ;;
  nightly) packages=nightly petscs=-UDAPBRIDGE_PETSC_DIRS ;;
  *) echo "usage: sh tests/run.sh [all | nightly]" >&2; exit 2 ;;
esac
scale=${DAP_TEST_SCALE:-} # tests with thousands of cases run one in `scale`; a given value applies in all tiers
[ "$tier" = nightly ] || export DAP_TEST_SCALE="${scale:-7}"
sh cmake/bootstrap.sh "$packages"
jobs=$(nproc)
passed=0
failed=0
skipped=0

# Reads the counts of one run from the end of ctest's output. Earlier lines can be counts of another ctest that a failed
# test shows.
count() {
  total=$(sed -n 's/.* tests failed out of \([0-9]*\)$/\1/p' "$1" | tail -n 1)
  f=$(sed -n 's/.* tests passed, \([0-9]*\) tests failed out of .*/\1/p' "$1" | tail -n 1)
  s=$(grep -c '\*\*\*Skipped' "$1" || true)
  [ -n "$total" ] && [ -n "$f" ] || { echo "tests/run.sh: ctest printed no count" >&2; exit 1; }
  passed=$((passed + total - f - s))
  failed=$((failed + f))
  skipped=$((skipped + s))
}

began=$(date +%s)
part() { echo "== $1, after $((($(date +%s) - began) / 60)) minutes"; }

# GNU gold links a program in a fifth of the time. Libraries are linked as users link them.
link=-UCMAKE_EXE_LINKER_FLAGS
if command -v ld.gold >/dev/null; then link=-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=gold; fi

build() { # build <preset> [option of cmake]...
  part "$1"
  cmake --preset "$@" "$link" && cmake --build --preset "$1" --parallel "$jobs"
}

built() { # built <preset> [option of cmake]...: builds a part that no later one needs; a failed build is one failure
  build "$@" && return
  echo "tests/run.sh: $1 was not built" >&2
  failed=$((failed + 1))
  return 1
}

run() { # run <preset> [option of ctest]...
  log=build/$1/ctest.log
  # Tests mostly start and wait, so more ranks than cores run at once. But two tests of 4 ranks do not run at once on
  # two cores, because each message of one would wait for the other's turns.
  { ctest --preset "$@" --parallel $((3 * jobs)) || touch "$log.failed"; } 2>&1 | tee "$log"
  count "$log"
  if [ -e "$log.failed" ]; then # a failure that ctest could not count
    rm "$log.failed"
    [ "$failed" -gt 0 ] || failed=1
  fi
}

check() { # check <name> <command> [argument]...: counts as one test; exit status 77 means skipped
  part "$1"
  shift
  code=0
  "$@" || code=$?
  case $code in
    0) passed=$((passed + 1)) ;;
    77) skipped=$((skipped + 1)) ;;
    *) failed=$((failed + 1)) ;;
  esac
}

all=ON
[ "$tier" != default ] || all=OFF
build dev "$petscs" "-DDAPBRIDGE_BENCHMARKS=$all" "-DDAPBRIDGE_ALL_TESTS=$all"
if [ "$tier" = nightly ]; then
  check compilers sh cmake/compilers.sh bridge/all # other parts of this script build the tests, with gcc and clang
  check analyzers sh cmake/analyze.sh build/dev
  check coverage env DAP_TEST_SCALE="${scale:-1}" sh cmake/coverage.sh # it runs the default tier
else
  check clang-tidy sh cmake/tidy.sh build/dev "$tier"
fi

# Sanitizers run with the build of PETSc that checks its input: locks, sizes, collective arguments.
debug=$(find /usr/lib/petscdir -path '*-real-debug/lib/pkgconfig/PETSc.pc' 2>/dev/null | sort -V | tail -n 1)
(
  if [ -n "$debug" ]; then
    PKG_CONFIG_PATH=$(dirname "$debug")${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
    export PKG_CONFIG_PATH
  fi
  all=ON more='-DDAPBRIDGE_EXAMPLES=ON -UDAPBRIDGE_FORTRAN -UDAPBRIDGE_PYTHON'
  [ "$tier" = nightly ] || { petscs=-DDAPBRIDGE_PETSC_DIRS= all=OFF; }
  [ "$tier" != default ] || more='-DDAPBRIDGE_EXAMPLES=OFF -DDAPBRIDGE_FORTRAN=OFF -DDAPBRIDGE_PYTHON=OFF'
  # shellcheck disable=SC2086 # several options
  build asan "$petscs" "-DDAPBRIDGE_BENCHMARKS=$all" "-DDAPBRIDGE_ALL_TESTS=$all" $more
)

commands() { # commands <preset>: the tests of a build, each a line, with their commands
  find "build/$1" -name CTestTestfile.cmake -exec grep -h '^add_test(' {} + | sed "s|/build/$1/|/build/|g" | sort
}

any_of() { # any_of: a regular expression of the names on standard input, a line each
  printf '^(%sno other)$' "$(sed 's/[.+]/[&]/g' | tr '\n' '|')"
}

# The default tier runs a test without sanitizers only if the same command has not passed with them. Tests of calls and of
# ScaLAPACK run twice, because they try less with sanitizers, and those of PETSc, because sanitizers use another build of it.
# With sanitizers tier all runs those of Fortran, and a third of the others, which the default tier runs for each change.
# Tier nightly has run the default tier's tests in the build that counts lines.
# shellcheck disable=SC2086 # several options
case $tier in
  default)
    run asan -LE 'more|nightly|words'
    commands asan >build/asan/commands
    sed -n '/\*\*\*/d; s/^ *[0-9]*\/[0-9]* *Test *#[0-9]*: \([^ ]*\) .*/\1/p' build/asan/ctest.log | sort >build/asan/passed
    once=$(commands dev | comm -12 - build/asan/commands | sed 's/^add_test(\[=\[\(.*\)\]=\] .*/\1/' | sort |
      comm -12 - build/asan/passed | grep -v -e '^calls' -e '^scalapack' -e petsc -e dmda | any_of)
    run dev $which -E "$once"
    ;;
  all)
    run dev $which
    run asan -L fortran -LE 'more|nightly'
    run asan -LE 'more|nightly|fortran' -I 1,,3
    ;;
  nightly)
    once=$(ctest --preset coverage -N -LE 'more|nightly' | sed -n 's/^ *Test *#[0-9]*: //p' | any_of)
    run dev -E "$once"
    ;;
esac

# What the two longer tiers add.
# shellcheck disable=SC2086 # several options
if [ "$tier" != default ]; then
  case $tier in
    # everywhere.md explains what ARM lacks.
    all) seconds=20 mpich='-L quick -I 1,,3' arm='-E ^transfer_failed_runs -I 1,,3' smpi='-LE nightly' ;;
    nightly) seconds=120 mpich='-LE nightly|bench' arm='' smpi='-L nightly' ;;
  esac
  fuzzers=yes
  built fuzz -DDAPBRIDGE_FUZZ_SECONDS=$seconds || fuzzers=
  # Runs each test once with another MPI and another compiler. The fuzzers need one core only.
  build mpich -DCMAKE_C_COMPILER=clang -DDAPBRIDGE_BENCHMARKS=OFF >build/mpich.log 2>&1 &
  pid=$!
  [ -z "$fuzzers" ] || run fuzz
  if wait "$pid"; then
    part "mpich's tests"
    run mpich $mpich -E '^(model|cli|build|fuzz)'
  else
    tail -n 50 build/mpich.log >&2
    failed=$((failed + 1))
  fi

  # Tests the core on another, emulated processor, on few ranks.
  if sh cmake/sysroot.sh arm64 build/sysroot-arm64; then
    ! built aarch64 || DAP_TEST_SCALE="${scale:-49}" run aarch64 -L quick $arm
  else
    skipped=$((skipped + 1))
  fi

  # Simulates many ranks.
  ! built smpi || run smpi $smpi
fi

if [ "$tier" = nightly ]; then
  DAP_TEST_SCALE="${scale:-7}" DAP_TEST_MINUTES="${DAP_TEST_MINUTES:-3}" run asan
  # Tests another release of Debian, in its own root. All its quick tests count as one test here.
  check "Debian 13" sh tests/debian.sh trixie sh -c 'sh cmake/bootstrap.sh tests &&
    cmake --preset dev -DDAPBRIDGE_PETSC_DIRS= -DDAPBRIDGE_BENCHMARKS=OFF -DDAPBRIDGE_ALL_TESTS=OFF &&
    cmake --build --preset dev && ctest --preset dev -L quick --parallel 4'
fi

echo
if [ "$skipped" -gt 0 ]; then
  echo "$passed passed, $failed failed, $skipped skipped"
else
  echo "$passed passed, $failed failed"
fi
[ "$failed" -eq 0 ]
