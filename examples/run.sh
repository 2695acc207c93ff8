#!/bin/sh
# The main job: installs what is missing, builds the release, and runs the three programs on 4 ranks: a dense
# solve, a PDE on a padded grid, and a migration from PETSc to ScaLAPACK. Prints their reports.
set -eu
cd "$(dirname "$0")/.."

examples="04_dense_solve 05_poisson 06_migrate"

sh cmake/bootstrap.sh
echo "== build"
cmake --preset release
# shellcheck disable=SC2086 # a list
cmake --build --preset release --parallel "$(nproc)" --target $examples

for example in $examples; do
  echo
  echo "== $example, 4 ranks"
  sh cmake/mpirun.sh 4 "build/release/bin/$example"
done
