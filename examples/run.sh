#!/bin/sh
# The main job: installs what is missing (on a terminal it asks first), builds the release, and runs four programs on 4 ranks: a dense
# solve, a PDE on a padded grid, a migration from PETSc to ScaLAPACK, and a dense solve in Python. Prints their reports.
set -eu
cd "$(dirname "$0")/.."

examples="04_dense_solve 05_poisson 06_migrate"

sh cmake/bootstrap.sh --ask
echo "== build"
cmake --preset release
# shellcheck disable=SC2086 # a list
cmake --build --preset release --parallel "$(nproc)" --target $examples
python=/usr/bin/python3 # as CMake has it: the system's, whose mpi4py belongs to the system's MPI
[ -x "$python" ] || python=python3
modules="dapbridge_python_core dapbridge_python_scalapack"
has_python=no
targets=$(cmake --build build/release --target help) # CMake prints an error if a reader stops early
case $targets in
  *dapbridge_python_scalapack*)
    has_python=yes
    # shellcheck disable=SC2086 # a list
    cmake --build --preset release --parallel "$(nproc)" --target $modules
    ;;
esac

for example in $examples; do
  echo
  echo "== $example, 4 ranks"
  sh cmake/mpirun.sh 4 "build/release/bin/$example"
done

[ "$has_python" = yes ] || exit 0
echo
echo "== dense_solve.py, 4 ranks"
PYTHONPATH=build/release/python sh cmake/mpirun.sh 4 "$python" examples/python/dense_solve.py
