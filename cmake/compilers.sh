#!/bin/sh
# Builds everything with each compiler that is there, optimised: then compilers also warn of what they see in the flow of
# values, and the presets dev and dev-clang have no optimisation. Warnings are errors. One PETSc, as its builds differ in
# headers only.
#
#   sh cmake/compilers.sh [target of the build]     default: all; bridge/all: the libraries, the command and
#   the modules
#
# DAPBRIDGE_COMPILERS: which, default gcc-11 to gcc-14 and clang-14 to clang-19. Exit status 77: none of them
# is there.
set -eu
cd "$(dirname "$0")/.."
gccs="gcc-11 gcc-12 gcc-13 gcc-14"
clangs="clang-14 clang-15 clang-16 clang-17 clang-18 clang-19"
compilers=${DAPBRIDGE_COMPILERS:-"$gccs $clangs"}
target=${1:-all}
tried=0
failed=0
for compiler in $compilers; do
  if ! command -v "$compiler" >/dev/null; then
    echo "compilers: $compiler: not there"
    continue
  fi
  tried=$((tried + 1))
  folder=build/compilers/$compiler
  mkdir -p "$folder"
  if cmake -S . -B "$folder" -G Ninja -DCMAKE_C_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_COMPILE_WARNING_AS_ERROR=ON -DDAPBRIDGE_PETSC_DIRS= >"$folder/log" 2>&1 &&
    cmake --build "$folder" --parallel "$(nproc)" --target "$target" -- -k 0 >>"$folder/log" 2>&1; then
    echo "compilers: $compiler: $("$compiler" --version | head -n 1)"
  else
    failed=$((failed + 1))
    grep -E -m 20 'error|warning' "$folder/log" || tail -n 20 "$folder/log"
    echo "compilers: $compiler: FAILED, $folder/log"
  fi
done
[ "$tried" -gt 0 ] || exit 77
[ "$failed" -eq 0 ]
