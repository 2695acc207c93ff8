#!/bin/sh
# Builds dapbridge with the modules of LLVM's flang, and runs tests in Fortran on 3 and 1 ranks.
#
#   sh run.sh <sources> <folder for the build> <cmake> <mpicc>      exits with 77 without flang 22 or later, or Open MPI
set -eu
source=$1 build=$2 cmake=$3 mpicc=$4
tests=$source/tests/fortran
# <test>[:<another source>]; descriptors and part_views call ScaLAPACK and BLACS themselves
tests_here="layouts.f90 moves.F90 memory.f90 words.f90 assembled.f90 errors.f90 texts.f90 files.f90 parts.f90"
tests_scalapack="linalg.f90:matrices.f90 eigen.f90:matrices.f90 part_views.f90 descriptors.f90"
# shellcheck disable=SC2046,SC2086 # lists; fails if a file is gone, even without flang
(cd "$tests" && ls $(printf 'test_%s ' $tests_here $tests_scalapack | tr : ' ')) >/dev/null
flang=$(command -v flang-22 || command -v flang || true)
[ -n "$flang" ] || exit 77
"$mpicc" --showme:incdirs >/dev/null 2>&1 || exit 77
include=$("$mpicc" --showme:incdirs | sed 's/[^ ][^ ]*/-I&/g')
folders=$("$mpicc" --showme:libdirs | sed 's/[^ ][^ ]*/-L&/g')

"$cmake" -S "$source" -B "$build" -G Ninja -D CMAKE_BUILD_TYPE=Release -D CMAKE_Fortran_COMPILER="$flang" \
  -D MPI_C_COMPILER="$mpicc" -D DAPBRIDGE_FORTRAN=ON -D DAPBRIDGE_PETSC=OFF -D DAPBRIDGE_ELPA=OFF -D DAPBRIDGE_PYTHON=OFF \
  -D DAPBRIDGE_TESTS=OFF -D DAPBRIDGE_EXAMPLES=OFF
"$cmake" --build "$build" --parallel 2

scalapack=
if [ -e "$build/lib/libdapbridge_scalapack.so" ]; then
  scalapack="-ldapbridge_scalapack $(ldd "$build/lib/libdapbridge_scalapack.so" | awk '$1 ~ /^libscalapack/ { print $3 }')"
  tests_here="$tests_here $tests_scalapack"
fi
mkdir -p "$build/programs"
cd "$build/programs"
for test in $tests_here; do
  more=$tests/checks.f90
  case $test in *:*) more="$more $tests/${test#*:}" ;; esac
  test=${test%%:*}
  name=${test%.*}
  # shellcheck disable=SC2086 # lists of options
  "$flang" -cpp -w $include -I "$build/fortran" -I "$tests" "$tests/flang/mpi_f08.f90" $more \
    "$tests/test_$test" -o "$name" -L "$build/lib" -ldapbridge_fortran $scalapack -ldapbridge $folders -lmpi_mpifh -lmpi \
    "-Wl,-rpath,$build/lib"
  for ranks in 3 1; do
    echo "$name on $ranks"
    sh "$source/cmake/mpirun.sh" "$ranks" "./$name"
  done
done
