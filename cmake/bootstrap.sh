#!/bin/sh
# Installs what building and testing dapbridge need and is not there yet: on Debian and Ubuntu with apt, as
# root or through sudo; elsewhere it lists what is missing and stops. Does nothing, quickly, when all is there.
#
#   sh cmake/bootstrap.sh [--ask] [tests | all | nightly]     also what only tests/run.sh needs, run so
#
# --ask: asks before it installs, if somebody is there to answer: standard input and error are a terminal. In CI nothing
# waits.
set -eu

asks=no
if [ "${1:-}" = --ask ]; then
  asks=yes
  shift
fi

cmake_needed=3.25
# program:package that has it.
programs="gcc:gcc cmake:cmake ninja:ninja-build pkg-config:pkg-config mpicc:libopenmpi-dev mpiexec:openmpi-bin
  awk:mawk gfortran:gfortran"
# libraries to build against, as packages and as the pkg-config modules in them
packages="libc6-dev libopenmpi-dev libscalapack-openmpi-dev liblapack-dev libblas-dev libpetsc-real-dev
  libcmocka-dev libjansson-dev python3-dev python3-numpy python3-mpi4py"
# What users need besides: make, which CMake takes where no generator is named, and for pip in a virtual environment
# without a network python3-venv, python3-setuptools (Debian 13) and python3-wheel (Debian 12).
packages="$packages make python3-venv python3-setuptools python3-wheel"
case ${1:-} in
  tests | all | nightly) # python3-petsc4py and python3-h5py find a build, and alone bring any of them
    packages="$packages yamllint python3-jsonschema clang-format clang-tidy python3-scipy python3-petsc4py python3-petsc4py-real python3-mpi4py-fft
      python3-pytest mypy libhdf5-openmpi-dev python3-h5py python3-h5py-mpi python3-nbclient python3-nbformat python3-ipykernel"
    ;;
esac
# clang, which has the fuzzers, ELPA, SLEPc, the other builds of PETSc, and what compares ABIs,
# counts which lines are run, makes networks and simulated ranks, is another MPI, compiles for ARM, is in OSS-Fuzz's images,
# and makes the site
if [ "${1:-}" = all ] || [ "${1:-}" = nightly ]; then
  packages="$packages clang libclang-rt-dev libelpa-dev libslepc-real-dev libslepc-complex-dev
    libpetsc-complex-dev libpetsc64-real-dev libpetsc64-complex-dev iproute2
    python3-petsc4py-complex python3-petsc4py-64-real python3-petsc4py-64-complex
    abigail-tools gcovr zip unzip file libsimgrid-dev mpich libmpich-dev libscalapack-mpich-dev libhdf5-mpich-dev
    gcc-aarch64-linux-gnu qemu-user
    doxygen python3-sphinx python3-myst-parser python3-breathe python3-sphinx-copybutton furo mandoc"
fi
if [ "${1:-}" = nightly ]; then # other compilers, as this release of Debian has them, an analyzer, and what makes clean roots
  packages="$packages cppcheck debootstrap"
  for compiler in gcc-11 gcc-12 gcc-13 gcc-14 clang-14 clang-15 clang-16 clang-17 clang-18 clang-19 flang-22; do
    if apt-cache show "$compiler" >/dev/null 2>&1; then packages="$packages $compiler"; fi
  done
fi
modules="scalapack-openmpi|scalapack-mpich|scalapack PETSc|petsc cmocka jansson"

has_package() { dpkg-query -W -f '${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed; }

has_module() { # any of a|b|c
  for module in $(echo "$1" | tr '|' ' '); do
    if pkg-config --exists "$module" 2>/dev/null; then return 0; fi
  done
  return 1
}

missing=""
want() { # once each
  case "$missing " in
    *" $1 "*) ;;
    *) missing="$missing $1" ;;
  esac
}

may_install() {
  if [ "$asks" = no ] || [ -n "${CI:-}" ] || ! [ -t 0 ] || ! [ -t 2 ]; then return 0; fi
  printf 'bootstrap: these packages are missing:%s\nInstall them with apt-get, as root? [Y/n] ' "$missing" >&2
  read -r answer || answer=no
  case $answer in
    '' | [Yy] | [Yy][Ee][Ss]) return 0 ;;
  esac
  return 1
}

install_missing() {
  [ -n "$missing" ] || return 0
  may_install || { echo "bootstrap: nothing was installed. Missing:$missing" >&2; exit 1; }
  echo "bootstrap: installing$missing"
  sudo=""
  if [ "$(id -u)" -ne 0 ]; then
    sudo=sudo
    command -v sudo >/dev/null || { echo "bootstrap: not root, and no sudo. Install:$missing" >&2; exit 1; }
  fi
  $sudo apt-get -q -o Acquire::Retries=3 update
  # shellcheck disable=SC2086 # a list
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get -q -o Acquire::Retries=3 install -y --no-install-recommends $missing
}

for pair in $programs; do
  command -v "${pair%%:*}" >/dev/null || want "${pair#*:}"
done

# ScaLAPACK's dependencies bring the reference BLAS, several times slower than others. Where nothing better is chosen BLIS is
# installed, and becomes what programs are linked with by its priority (bridge/docs/building.md, "Which BLAS").
fast_blas=libblis4-serial
chosen_blas() { update-alternatives --get-selections 2>/dev/null | awk '$1 ~ /^libblas\.so\.3-/ { print $3; exit }'; }
has_fast_blas() {
  case $(chosen_blas) in
    '' | */blas/libblas.so.3) return 1 ;;
  esac
}

if command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; then
  for package in $packages; do
    has_package "$package" || want "$package"
  done
  has_fast_blas || has_package "$fast_blas" || want "$fast_blas"
  install_missing
  if [ -n "${1:-}" ]; then # PETSc's debug build, which checks what it is given, in the version that is there
    release=$(dpkg-query -W -f '${Package}\n' 'libpetsc-real[0-9]*-dev' 2>/dev/null | tail -n 1)
    if [ -n "$release" ] && ! has_package "${release%-dev}-dbg"; then
      missing=" ${release%-dev}-dbg"
      install_missing || echo "bootstrap: no debug build of PETSc; the sanitizers take the optimised one" >&2
    fi
  fi
else
  for module in $modules; do
    has_module "$module" || want "$module"
  done
  if [ -n "$missing" ]; then
    echo "bootstrap: this is not Debian or Ubuntu; please install:" >&2
    echo "  a C17 compiler, CMake >= $cmake_needed, Ninja, pkg-config, an MPI, ScaLAPACK, PETSc, cmocka, jansson" >&2
    echo "  for the Python package also Python >= 3.11 with its headers, numpy and mpi4py" >&2
    echo "bootstrap: not found (Debian's names):$missing" >&2
    exit 1
  fi
fi

cmake_found=$(cmake --version | sed -n 's/^cmake version \([0-9.]*\).*/\1/p')
oldest=$(printf '%s\n%s\n' "$cmake_needed" "$cmake_found" | sort -V | head -n 1)
if [ "$oldest" != "$cmake_needed" ]; then
  echo "bootstrap: CMake $cmake_found is too old, $cmake_needed or newer is needed (https://cmake.org/download)" >&2
  exit 1
fi
