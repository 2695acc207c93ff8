#!/bin/sh
# Builds one output of recipe.yaml: build.sh [python]. Of what the second one installs conda packs only the Python package:
# the rest was there before, from the first.
set -eux
python=OFF folder=
if [ "${1:-}" = python ]; then python=ON folder=${SP_DIR#"$PREFIX"/}; fi
# shellcheck disable=SC2086 # conda's options
cmake -S . -B build -G Ninja $CMAKE_ARGS -D CMAKE_BUILD_TYPE=Release -D CMAKE_INSTALL_LIBDIR=lib \
  -D DAPBRIDGE_SCALAPACK=ON -D DAPBRIDGE_ELPA=ON -D DAPBRIDGE_HDF5=ON -D DAPBRIDGE_PETSC=ON -D DAPBRIDGE_PETSC_DIRS= -D DAPBRIDGE_FORTRAN=ON \
  -D DAPBRIDGE_PYTHON="$python" -D DAPBRIDGE_PYTHON_EXECUTABLE="${PYTHON:-}" -D DAPBRIDGE_PYTHON_DIR="$folder" \
  -D DAPBRIDGE_TESTS=OFF -D DAPBRIDGE_EXAMPLES=OFF
cmake --build build --parallel "$CPU_COUNT"
cmake --install build --prefix "$PREFIX"
