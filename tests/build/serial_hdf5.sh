#!/bin/sh
# Checks that CMake refuses a serial HDF5, in its summary and where the component is required.
# Environment: CMAKE, CMAKE_GENERATOR, CC, MPICC, SOURCE, WORK (a folder of this test's own).
set -eu
rm -rf "$WORK"
mkdir -p "$WORK/include"
echo '#define H5_VERS_INFO "HDF5 library version: 1.10.8"' >"$WORK/include/H5public.h"
printf 'Name: serial\nDescription: HDF5 without MPI\nVersion: 1.10.8\nCflags: -I%s/include\n' "$WORK" >"$WORK/serial.pc"
export PKG_CONFIG_PATH="$WORK"
configure() { # configure <DAPBRIDGE_HDF5>
  "$CMAKE" -S "$SOURCE" -B "$WORK/build" -D CMAKE_C_COMPILER="$CC" ${MPICC:+-D MPI_C_COMPILER="$MPICC"} \
    -D DAPBRIDGE_HDF5="$1" -D DAPBRIDGE_HDF5_MODULE=serial -D DAPBRIDGE_SCALAPACK=OFF -D DAPBRIDGE_PETSC=OFF \
    -D DAPBRIDGE_PYTHON=OFF -D DAPBRIDGE_FORTRAN=OFF -D DAPBRIDGE_TESTS=OFF -D DAPBRIDGE_EXAMPLES=OFF 2>&1 |
    tr -s ' \n' ' '
}
configure AUTO | grep -o 'HDF5 off (serial: it is a serial HDF5, and a parallel one is needed[^)]*)'
configure ON | grep -o 'DAPBRIDGE_HDF5=ON, but ParallelHDF5 was not found: serial: it is a serial HDF5'
