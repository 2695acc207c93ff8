#!/bin/sh
# Makes and uses the DEB packages in clean roots that debootstrap makes, with only this Debian release's packages.
# Runs one step, which needs those before it:
#   build  makes the packages, from a copy of the sources
#   lint   checks them with lintian; lintian.txt lists the accepted tags with reasons
#   use    installs them, first the library by itself, then all, and runs the consumers: C, C++ and Fortran by CMake and
#          pkg-config, Python with each PETSc, the command
#   pip    installs the Python package by pip besides them, from the sources and from an archive of them
# Needs root, debootstrap and namespaces, and exits with status 77 (skipped) without them. Environment: WORK, a folder for
# the roots and a cache of Debian's packages (about 8 GB), which may be kept; MIRROR, if not debootstrap's default.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
packages=$WORK/packages

skip() {
  echo "packages.sh: skipped: $*" >&2
  exit 77
}
[ "$(id -u)" -eq 0 ] || skip "not root"
command -v debootstrap >/dev/null || skip "no debootstrap"
# shellcheck source=/dev/null
release=$(. /etc/os-release && [ "$ID" = debian ] && echo "$VERSION_CODENAME") || skip "this is not Debian"
unshare --mount --pid --fork true 2>/dev/null || skip "no namespaces may be made here"

# in_root <root> <command> [argument]...: runs in a root of ours, in which /proc and /dev exist during the command.
in_root() {
  # shellcheck disable=SC2016 # for the inner shell
  unshare --mount --pid --fork --kill-child sh -ec '
    cd "$0"
    root=$1
    shift
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    mount --rbind /sys "$root/sys"
    mount --bind debs "$root/var/cache/apt/archives"
    cp /etc/resolv.conf "$root/etc/resolv.conf"
    exec chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
      DEBIAN_FRONTEND=noninteractive PYTHONDONTWRITEBYTECODE=1 "$@"' "$WORK" "$@"
}

apt() { # apt <root> <package>...
  root=$1
  shift
  in_root "$root" apt-get -q -o Acquire::Retries=3 -o Binary::apt-get::APT::Keep-Downloaded-Packages=true \
    -o Dpkg::Options::=--force-unsafe-io install -y --no-install-recommends "$@"
}

new_root() { # new_root <root>
  mkdir -p "$WORK/debs"
  if [ ! -e "$WORK/base/done" ]; then
    rm -rf "$WORK/base"
    debootstrap --variant=minbase --cache-dir="$WORK/debs" "$release" "$WORK/base" ${MIRROR:+"$MIRROR"}
    touch "$WORK/base/done"
  fi
  rm -rf "${WORK:?}/$1"
  cp -a "$WORK/base" "$WORK/$1"
  in_root "$1" apt-get -q -o Acquire::Retries=3 update
}

copy_sources() { # copy_sources <root>: copies to its /source
  mkdir -p "$WORK/$1/source"
  tar -C "$source" --exclude=./build --exclude=./.git -cf - . | tar -C "$WORK/$1/source" -xf -
}

# consume <step> [adapters]: runs consume.sh in the root `use`. By default it uses all adapters except those of several
# PETScs.
consume() {
  # shellcheck disable=SC2016 # for the inner shell
  in_root use sh -ec '
    cd /
    export CMAKE=cmake CMAKE_GENERATOR=Ninja CC=gcc CXX=g++ FC=gfortran CFLAGS= MPICC=mpicc MPIFC=mpifort MPIEXEC=mpiexec \
      BUILD=/consume PREFIX=/usr LIBDIR=lib/$(gcc -print-multiarch) PYTHON=/usr/bin/python3 \
      PYTHON_DIR=lib/python3/dist-packages COMPONENTS="$2" PETSC=petsc_real OTHER_PETSC=petsc64_complex \
      FORTRAN_PETSC=fortran_petsc_real OTHER_MPIFC=
    mkdir -p /consume/tests/install/scratch
    sh /source/tests/install/consume.sh "$1"' sh "$1" "${2-scalapack gemr2d elpa hdf5 petsc petsc64_complex}"
}

case $1 in
build)
  new_root build
  apt build gcc gfortran cmake ninja-build pkg-config dpkg-dev file libopenmpi-dev libscalapack-openmpi-dev libelpa-dev \
    libhdf5-openmpi-dev libpetsc-real-dev libpetsc-complex-dev libpetsc64-real-dev libpetsc64-complex-dev libjansson-dev python3-dev
  copy_sources build
  in_root build sh -exc 'cd /source; cmake --preset deb; cmake --build --preset deb; cpack --preset deb'
  rm -rf "$packages"
  mkdir "$packages"
  cp "$WORK"/build/source/build/deb/packages/*.deb "$packages"
  in_root build sh -c 'cd /source/build/deb/packages && dpkg-scanpackages .' >"$packages/Packages"
  ls -l "$packages"
  ;;

lint) # has its own root, because lint needs many packages that users do not need
  new_root lint
  apt lint lintian
  cp -a "$packages" "$WORK/lint/packages"
  in_root lint sh -c 'lintian --allow-root --fail-on none --display-info --tag-display-limit 0 /packages/*.deb' \
    >"$WORK/lintian.log"
  sed 's/^\([A-Z]\): [^:]*: \([a-z-]*\).*/\1 \2/' "$WORK/lintian.log" | sort | uniq -c
  sed -n 's/^[EWI]: [^:]*: \([a-z-]*\).*/\1/p' "$WORK/lintian.log" | sort -u >"$WORK/lintian.tags"
  sed -n 's/^\([a-z-]*\): .*/\1/p' "$here/lintian.txt" | sort -u >"$WORK/lintian.known"
  if comm -23 "$WORK/lintian.tags" "$WORK/lintian.known" | grep .; then
    echo "lintian.txt does not explain the tags above" >&2
    exit 1
  fi
  ;;

use)
  new_root use
  cp -a "$packages" "$WORK/use/packages"
  echo 'deb [trusted=yes] file:/packages ./' >"$WORK/use/etc/apt/sources.list.d/dapbridge.list"
  in_root use apt-get -q update
  copy_sources use

  # Installs only the command, and only the library, which must report its missing parts.
  apt use dapbridge
  in_root use dapbridge --version
  in_root use sh -ec 'test -e /usr/share/man/man1/dapbridge.1.gz; ! ls /usr/lib/*/libdapbridge*'
  apt use bash-completion zsh fish # they find the completions by themselves
  # shellcheck disable=SC2016 # for the inner shells
  in_root use sh -ec '
    bash -c ". /usr/share/bash-completion/bash_completion; _completion_loader dapbridge; complete -p dapbridge"
    [ "$(zsh -f -c "autoload -Uz compinit; compinit -u -D; print \$_comps[dapbridge]")" = _dapbridge ]
    fish -c "complete -C \"dapbridge che\"" | grep "^check"'
  apt use libdapbridge-dev cmake ninja-build pkg-config gcc g++ openmpi-bin
  if message=$(consume find_package scalapack 2>&1); then
    echo "a component that is not installed was found" >&2
    exit 1
  fi
  echo "$message"
  echo "$message" | tr -s ' \n' ' ' | grep -q 'component scalapack: dapbridge_scalapack is not installed'
  consume find_package ""
  consume pkg_config ""

  # Tests Python without and with ScaLAPACK, and with each PETSc.
  apt use python3-dapbridge
  consume python
  apt use python3-dapbridge-scalapack python3-dapbridge-elpa python3-dapbridge-hdf5 python3-dapbridge-petsc-real \
    python3-dapbridge-petsc-complex python3-dapbridge-petsc64-real python3-dapbridge-petsc64-complex
  consume python
  # shellcheck disable=SC2016 # for the inner shell
  in_root use sh -ec '
    tried=0
    for folder in /usr/lib/petscdir/*/*/lib/python3/dist-packages/petsc4py; do
      export PETSC_DIR="${folder%/lib/python3/dist-packages/petsc4py}"
      sh /source/cmake/mpirun.sh 2 python3 /source/tests/install/consumer/hello_petsc.py
      tried=$((tried + 1))
    done
    [ "$tried" -eq 4 ]'

  # Tests everything that programs are built with.
  # shellcheck disable=SC2046 # splits a list
  apt use $(cd "$packages" && echo lib*-dev_*.deb | sed 's/_[^ ]*//g') gfortran dapbridge-doc
  for step in versions docs find_package pkg_config cplusplus fortran picks_petsc; do
    echo "== $step"
    consume "$step"
  done
  in_root use sh -ec 'apt-get -q remove -y dapbridge "libdapbridge*" "python3-dapbridge*"
    ! find /usr -name "*dapbridge*" -not -path "/usr/share/doc/*" | grep .'
  ;;

pip) # the package from pip comes first, and brings its own libraries
  apt use python3-dapbridge-scalapack libdapbridge-dev libscalapack-openmpi-dev python3-dev python3-pip \
    python3-setuptools python3-wheel python3-venv
  in_root use sh -exc '
    rm -rf /v /archive
    python3 -m venv --system-site-packages /v
    cd /source/bridge/python
    DAPBRIDGE_PIP_BUILD=/archive/build /v/bin/python3 -c \
      "import setuptools.build_meta; setuptools.build_meta.build_sdist(\"/archive\")" >/archive.log
    cd /archive
    CMAKE_ARGS="-DDAPBRIDGE_PETSC=OFF -DDAPBRIDGE_ELPA=OFF" /v/bin/pip --disable-pip-version-check install \
      --no-build-isolation --no-index --no-deps --ignore-installed ./dapbridge-*.tar.gz
    cd /
    sh /source/cmake/mpirun.sh 2 /v/bin/python3 /source/tests/install/consumer/hello.py /v
    sh /source/cmake/mpirun.sh 2 /usr/bin/python3 /source/tests/install/consumer/hello.py /usr'
  ;;

*)
  echo "packages.sh: build, lint, use or pip" >&2
  exit 2
  ;;
esac
