#!/bin/sh
# Runs one step of the tests of an installed dapbridge. Environment:
#   CMAKE, CMAKE_GENERATOR, CC, CFLAGS, MPICC and MPIEXEC (of its MPI), OTHER_MPICC (of another MPI)
#   BUILD           the build that is installed
#   LIBDIR          the folder of its libraries below the prefix
#   PREFIX          the prefix of dapbridge, unless the step prefix chose it
#   COMPONENTS      its adapters
#   OTHER_INTEGERS  32 or 64, the size that its ScaLAPACK does not have
#   PETSC           the adapter of its default PETSc; OTHER_PETSC: that of its last one, which differs if there are several
#   FC, MPIFC       the Fortran compiler and MPI's, if there are programs in Fortran; OTHER_MPIFC: that of another MPI
#   PYTHON          with the Python package: the interpreter; PYTHON_DIR: the package's folder below the prefix; LAUNCHER:
#                   the compiler's launcher
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$BUILD/tests/install/scratch
prefix=${PREFIX:-$work/prefix}
unset PETSC_DIR PETSC_ARCH # they would come before the search paths that the steps set

# Runs a program of the current folder on two ranks, and its static twin, which must not need our shared libraries.
run_both() {
  sh "$here/../../cmake/mpirun.sh" 2 "./$1"
  sh "$here/../../cmake/mpirun.sh" 2 "./$1_static"
  if ldd "./$1_static" | grep libdapbridge; then
    echo "$1_static is not static" >&2
    exit 1
  fi
}

# Prints the source of a component's program, which is an example of the project or in consumer/.
source_of() {
  case $1 in
    core) echo "$here/../../examples/02_redistribute.c" ;;
    scalapack) echo "$here/../../examples/00_start.c" ;;
    elpa) echo "$here/../../examples/22_elpa.c" ;;
    petsc*) echo "$here/../../examples/14_scatter.c" ;;
    *) echo "$here/consumer/$1.c" ;;
  esac
}

# shellcheck disable=SC2086 # several modules
# by_pkg_config <program> <modules> <compiler and options> <source>: builds it with our libraries and archives, and runs
# both.
by_pkg_config() {
  libs=$(pkg-config --libs $2)
  static=$(echo "$libs" | sed 's/-l\(dapbridge[a-z0-9_]*\)/-l:lib\1.a/g')
  compile="$3 $(pkg-config --cflags $2) \"\$4\"" # pkg-config quotes for a shell, and eval removes the quotes
  eval "$compile -o $1 $libs -lm \"-Wl,-rpath,\$prefix/\$LIBDIR\""
  eval "$compile -o $1_static $static -lm"
  run_both "$1"
}

# Prints the module of a program.
module_of() { echo "dapbridge_$1" | sed 's/_core$//'; }

# refuses <what> <text> <command>...: the command must fail and print this text, with CMake's line breaks removed.
refuses() {
  what=$1 text=$2
  shift 2
  if message=$("$@" 2>&1); then
    echo "$what: accepted, not refused" >&2
    exit 1
  fi
  echo "$message"
  echo "$message" | tr -s ' \n' ' ' | grep -q "$text"
}

configure() { # configure <folder> <components> [option]
  "$CMAKE" -S "$here/consumer" -B "$1" -D CMAKE_C_COMPILER="$CC" -D CMAKE_C_FLAGS="$CFLAGS" \
    ${MPICC:+-D MPI_C_COMPILER="$MPICC"} -D CMAKE_PREFIX_PATH="$prefix" -D COMPONENTS="$2" ${3:+"$3"}
}

# Sets the search path of a project that uses this adapter's PETSc.
path_to() {
  folder=$(sed -n 's/^Libs:.* -L\([^ ]*\) -lpetsc.*/\1/p' "$prefix/$LIBDIR/pkgconfig/dapbridge_$1.pc")
  echo "${folder:+$folder/pkgconfig:}${PKG_CONFIG_PATH:-}"
}

list() { echo "$1" | sed 's/^ *//; s/ *$//; s/  */;/g'; }

case $1 in
prefix) # install, then move: no installed file may depend on its first place
  rm -rf "$work"
  "$CMAKE" --install "$BUILD" --prefix "$work/first"
  mv "$work/first" "$prefix"
  if grep -rl "$work/first" "$prefix"; then
    echo "the files above contain the prefix" >&2
    exit 1
  fi
  ;;

versions) # all versions must be the header's
  number() { sed -n "s/^#define DAPBRIDGE_VERSION_$1 //p" "$prefix/include/dapbridge/version.h"; }
  version=$(number MAJOR).$(number MINOR).$(number PATCH)
  abi=$(number MAJOR)
  [ "$abi" != 0 ] || abi=0.$(number MINOR)
  same() { # same <what> <its version> [the right one]
    [ "$2" = "${3:-$version}" ] || { echo "$1: $2, not ${3:-$version}" >&2; exit 1; }
  }
  same "dapbridge --version" "$("$prefix/bin/dapbridge" --version | head -n 1)" "dapbridge $version"
  for pc in "$prefix/$LIBDIR"/pkgconfig/dapbridge*.pc; do
    same "$pc" "$(sed -n 's/^Version: //p' "$pc")"
    same "what $pc requires" "$(sed -n 's/.*dapbridge[a-z0-9_]* = \([0-9.]*\).*/\1/p' "$pc" | grep . || echo "$version")"
  done
  for library in "$prefix/$LIBDIR"/libdapbridge*.so; do
    name=$(basename "$library")
    same "$name" "$(basename "$(readlink -f "$library")")" "$name.$version"
    same "the SONAME of $name" "$(objdump -p "$library" | sed -n 's/^ *SONAME *//p')" "$name.$abi"
  done
  # A package of this version is compatible only with packages of its ABI.
  folder=$(dirname "$(find "$prefix/$LIBDIR" -name dapbridge-config-version.cmake)")
  cat >"$work/asked.cmake" <<END
set(CMAKE_SIZEOF_VOID_P 8)
string(REPLACE . ";" asked \${PACKAGE_FIND_VERSION})
list(GET asked 0 PACKAGE_FIND_VERSION_MAJOR)
list(GET asked 1 PACKAGE_FIND_VERSION_MINOR)
include("$folder/dapbridge-config-version.cmake")
message("\${PACKAGE_VERSION} \${PACKAGE_VERSION_COMPATIBLE}")
END
  asked() { "$CMAKE" -D PACKAGE_FIND_VERSION="$1" -P "$work/asked.cmake" 2>&1; }
  same "find_package($version)" "$(asked "$version")" "$version TRUE"
  same "find_package of the next" "$(asked "$(number MAJOR).$(($(number MINOR) + 1)).0")" "$version FALSE"
  ;;

runpaths) # installed files must find their libraries beside them, and none in the build
  find "$prefix" -name '*.so' | while read -r library; do
    paths=$(objdump -p "$library" | sed -n 's/^ *R[UN]*PATH *//p')
    case $paths in
      "$BUILD"/lib* | *":$BUILD/lib"*) echo "$library: $paths" >&2; exit 1 ;;
      '$ORIGIN'*) ;;
      *) [ "$(basename "$library")" = libdapbridge.so ] || { echo "$library: no \$ORIGIN in \"$paths\"" >&2; exit 1; } ;;
    esac
    if ldd "$library" | grep libdapbridge | grep -v "$prefix/"; then
      echo "$library finds the above elsewhere" >&2
      exit 1
    fi
  done
  ;;

docs) # files that README and pages link to must exist
  docs=$prefix/share/doc/dapbridge
  [ -f "$docs/LICENSE" ] && [ -f "$docs/examples/python/dense_solve.py" ] && [ -f "$docs/examples/fortran/heat.f90" ]
  pages() { (cd "$1" && find . -name '*.md' | sort); }
  if [ "$(pages "$here/../../bridge/docs")" != "$(pages "$docs/bridge/docs")" ]; then
    echo "not all pages" >&2
    exit 1
  fi
  find "$docs/README.md" "$docs/bridge/docs" -name '*.md' | while read -r page; do
    grep -o ']([^)#]*' "$page" | cut -c 3- | grep -v '^https\?:\|^$' | sort -u | while read -r link; do
      [ -e "$(dirname "$page")/$link" ] || { echo "$page: no $link" >&2; exit 1; }
    done
  done
  ;;

examples) # a copy of the examples, without the sources
  rm -rf "$work/examples" "$work/examples_build"
  cp -r "$prefix/share/doc/dapbridge/examples" "$work/examples"
  [ -z "$PETSC" ] || export PKG_CONFIG_PATH="$(path_to "$PETSC")"
  "$CMAKE" -S "$work/examples" -B "$work/examples_build" -D CMAKE_C_COMPILER="$CC" -D CMAKE_C_FLAGS="$CFLAGS" \
    ${MPICC:+-D MPI_C_COMPILER="$MPICC"} -D CMAKE_PREFIX_PATH="$prefix" >"$work/examples.log"
  cat "$work/examples.log"
  "$CMAKE" --build "$work/examples_build"
  for source in "$work"/examples/*.c; do
    name=$(basename "$source" .c)
    [ -x "$work/examples_build/$name" ] || grep "$name is left out" "$work/examples.log"
  done
  cd "$work/examples_build"
  sh "$here/../../cmake/mpirun.sh" 4 ./02_redistribute
  case " $COMPONENTS " in *' scalapack '*) sh "$here/../../cmake/mpirun.sh" 4 ./04_dense_solve ;; esac
  case " $COMPONENTS " in *' petsc '*) sh "$here/../../cmake/mpirun.sh" 4 ./05_poisson ;; esac
  ;;

uninstall) # after a staged installation is removed, only other files may remain
  root=$work/root
  rm -rf "$root"
  DESTDIR=$root "$CMAKE" --install "$BUILD" --prefix /opt/somewhere >"$work/installed.log"
  package=$root/opt/somewhere/$PYTHON_DIR/dapbridge
  if [ -n "$PYTHON" ] && [ -d "$package" ]; then # adds the files that importing it makes
    "$PYTHON" -m compileall -q "$package"
  fi
  find "$root" ! -type d | sort >"$work/installed.txt"
  echo foreign >"$root/opt/somewhere/$LIBDIR/cmake/other.cmake"
  DESTDIR=$root "$CMAKE" -D BUILD="$BUILD" -P "$here/../../cmake/uninstall.cmake"
  [ -s "$work/installed.txt" ]
  left=$(find "$root" ! -type d)
  if [ "$left" != "$root/opt/somewhere/$LIBDIR/cmake/other.cmake" ]; then
    echo "left: $left" >&2
    exit 1
  fi
  if find "$root" -name '*dapbridge*' | grep .; then
    echo "the folders above are left" >&2
    exit 1
  fi
  refuses "a second time" 'nothing was installed from there' "$CMAKE" -D BUILD="$BUILD" -P "$here/../../cmake/uninstall.cmake"
  ;;

find_package)
  rm -rf "$work/find_package"
  [ -z "$PETSC" ] || export PKG_CONFIG_PATH="$(path_to "$PETSC")"
  configure "$work/find_package" "$(list "$COMPONENTS")"
  "$CMAKE" --build "$work/find_package"
  cd "$work/find_package"
  for program in core $COMPONENTS; do
    run_both "$program"
  done
  ;;

pkg_config)
  rm -rf "$work/pkg_config"
  mkdir "$work/pkg_config"
  cd "$work/pkg_config"
  export PKG_CONFIG_PATH="$prefix/$LIBDIR/pkgconfig:${PKG_CONFIG_PATH:-}"
  for program in core $COMPONENTS; do
    header=
    [ "$program" != elpa ] || header="-include elpa/elpa.h" # the component must find ELPA's own header, too
    by_pkg_config "$program" "$(module_of "$program")" "$CC -std=c17 $CFLAGS -O1 $header" "$(source_of "$program")"
  done
  ;;

cplusplus) # by CMake and by pkg-config
  [ -n "$CXX" ] || exit 0
  rm -rf "$work/cplusplus"
  [ -z "$PETSC" ] || export PKG_CONFIG_PATH="$(path_to "$PETSC")"
  adapters=$(echo " $COMPONENTS " | tr ' ' '\n' | grep -x 'scalapack\|petsc' || true)
  "$CMAKE" -S "$here/consumer_cxx" -B "$work/cplusplus" -D CMAKE_CXX_COMPILER="$CXX" -D CMAKE_C_COMPILER="$CC" \
    ${MPICC:+-D MPI_C_COMPILER="$MPICC"} -D CMAKE_CXX_FLAGS="$CFLAGS" -D CMAKE_C_FLAGS="$CFLAGS" -D CMAKE_PREFIX_PATH="$prefix" \
    -D COMPONENTS="$(list "$(echo $adapters)")"
  "$CMAKE" --build "$work/cplusplus"
  cd "$work/cplusplus"
  for program in core $adapters; do
    run_both "$program"
  done
  export PKG_CONFIG_PATH="$prefix/$LIBDIR/pkgconfig:${PKG_CONFIG_PATH:-}"
  for program in core $adapters; do
    header=
    [ "$program" = core ] || header="-DHEADER='<dapbridge/$program.h>'"
    by_pkg_config "$program.pc" "$(module_of "$program")" "$CXX -std=c++17 $CFLAGS -O1 $header" "$here/consumer_cxx/core.cc"
  done
  ;;

fortran) # by CMake and pkg-config; a project with another compiler learns that it cannot read the module files
  rm -rf "$work/fortran"
  fortran() { # fortran <folder> [option]...
    build=$1
    shift
    "$CMAKE" -S "$here/consumer_fortran" -B "$build" -D CMAKE_C_COMPILER="$CC" -D CMAKE_Fortran_COMPILER="$FC" \
      -D MPI_C_COMPILER="$MPICC" -D MPI_Fortran_COMPILER="$MPIFC" -D CMAKE_PREFIX_PATH="$prefix" "$@"
  }
  elpa=$(echo "$COMPONENTS" | tr ' ' '\n' | grep -x elpa || true)
  fortran "$work/fortran" -D PETSC_COMPONENT="$FORTRAN_PETSC" -D ELPA_COMPONENT="$elpa"
  "$CMAKE" --build "$work/fortran"
  cd "$work/fortran"
  run_both hello
  [ -z "$FORTRAN_PETSC" ] || run_both hello_petsc
  [ -z "$elpa" ] || run_both hello_elpa
  export PKG_CONFIG_PATH="$prefix/$LIBDIR/pkgconfig:${PKG_CONFIG_PATH:-}"
  by_pkg_config hello.pc dapbridge_fortran "$MPIFC" "$here/consumer_fortran/hello.f90"
  [ -z "$elpa" ] ||
    by_pkg_config hello_elpa.pc "dapbridge_fortran dapbridge_elpa" "$MPIFC" "$here/consumer_fortran/hello_elpa.f90"
  if [ -n "$FORTRAN_PETSC" ]; then
    [ "$PETSC" != petsc_real ] || [ "$(pkg-config --libs dapbridge_fortran_petsc)" = "$(pkg-config --libs dapbridge_fortran_petsc_real)" ]
    by_pkg_config hello_petsc.pc "dapbridge_$FORTRAN_PETSC" "$MPIFC -ffree-line-length-none" "$here/consumer_fortran/hello_petsc.F90"
  fi
  refuses "another compiler" 'component fortran: its module files are those of .* compiler is Another' \
    fortran "$work/fortran/other" -D ANOTHER_COMPILER=ON
  refuses "an older compiler" ', and gfortran 12 or later is needed' fortran "$work/fortran/older" -D OLDER_COMPILER=ON
  [ -z "$OTHER_MPIFC" ] || refuses "another MPI" "and Fortran's MPI is another one" \
    fortran "$work/fortran/other_mpi" -D MPI_Fortran_COMPILER="$OTHER_MPIFC"
  ;;

python) # the installed package, without the build
  cd "$work"
  PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$prefix/$PYTHON_DIR sh "$here/../../cmake/mpirun.sh" 2 \
    "$PYTHON" -X dev -W error "$here/consumer/hello.py" "$prefix"
  ;;

pip) # from an archive (sdist), as users of pip install it, but with this machine's tools and without the network
  "$PYTHON" -c 'import setuptools, wheel, ensurepip' || exit 77
  rm -rf "$work/pip"
  mkdir -p "$work/pip"
  (cd "$here/../../bridge/python" && DAPBRIDGE_PIP_BUILD="$work/pip/sdist" "$PYTHON" -c \
    "import setuptools.build_meta, sys; setuptools.build_meta.build_sdist(sys.argv[1])" "$work/pip" >/dev/null)
  cd "$work/pip"
  "$PYTHON" -m venv --system-site-packages v
  DAPBRIDGE_PIP_BUILD=$work/pip/build CMAKE_C_COMPILER_LAUNCHER=$LAUNCHER \
    CMAKE_ARGS="-DCMAKE_C_COMPILER=$CC -DDAPBRIDGE_PETSC_DIRS=" \
    v/bin/pip --isolated --disable-pip-version-check install --no-build-isolation --no-index --no-deps \
    --target "$work/pip/site" "$work"/pip/dapbridge-*.tar.gz
  case $(cat site/dapbridge-*.dist-info/WHEEL) in
    *'Tag: cp311-abi3-'*) ;;
    *) echo "not a wheel for all releases of Python from 3.11 on" >&2; exit 1 ;;
  esac
  mv build built # the installed package must work without the build
  PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$work/pip/site sh "$here/../../cmake/mpirun.sh" 2 \
    "$PYTHON" -X dev -W error "$here/consumer/hello.py" "$work/pip/site"
  ;;

missing_component) # CMake refuses it, and the message says why
  rm -rf "$work/missing"
  refuses "a component that does not exist" 'component nonsense: there is no such *component' configure "$work/missing" nonsense
  ;;

other_mpi) # CMake refuses another MPI than the one that dapbridge was built with
  rm -rf "$work/other_mpi"
  refuses "another MPI" 'it was built with [A-Z].*, and [A-Z].* was found; see MPI_C_COMPILER' \
    configure "$work/other_mpi" '' -DMPI_C_COMPILER="$OTHER_MPICC"
  for header in "$prefix"/include/dapbridge/*.h; do # the headers refuse it, too, without CMake
    grep -q '^#include <mpi.h>' "$header" || continue
    case $header in *elpa.h) continue ;; esac # it includes other headers first
    message=$(echo "#include \"$header\"" | "$OTHER_MPICC" -I "$prefix/include" -fsyntax-only -x c - 2>&1) && code=0 || code=$?
    [ "$code" != 0 ] && echo "$message" | grep -q '#error "dapbridge was built with ' && continue
    echo "$header is compiled with another MPI: $message" >&2
    exit 1
  done
  ;;

other_integers) # CMake refuses a ScaLAPACK with integers of another size
  rm -rf "$work/integers"
  refuses "$OTHER_INTEGERS-bit integers" "with $OTHER_INTEGERS-bit integers was found; see PKG_CONFIG_PATH and" \
    configure "$work/integers" scalapack -DDAPBRIDGE_SCALAPACK_INTEGERS="$OTHER_INTEGERS"
  ;;

picks_petsc) # the component petsc must be the adapter for the PETSc that pkg-config finds
  rm -rf "$work/picks"
  PKG_CONFIG_PATH="$(path_to "$OTHER_PETSC")" configure "$work/picks" petsc
  "$CMAKE" --build "$work/picks"
  cd "$work/picks"
  run_both petsc
  ldd ./petsc | grep "libdapbridge_$OTHER_PETSC\\."
  if [ "$(ldd ./petsc | grep -c '/libpetsc')" != 1 ]; then
    echo "not exactly one PETSc" >&2
    exit 1
  fi
  ;;

refuses_petsc)
  rm -rf "$work/refuses"
  mkdir -p "$work/refuses"
  cd "$work/refuses"

  # refused <components> <part of the output> [option]
  refused() { refuses "components $1" "$2" configure "$(mktemp -d "$PWD/build.XXXXXX")" "$1" ${3:+"$3"}; }

  # stand_in <folder> <library> <version> <petscconf.h>: makes a PETSc's description, and sets the path to it
  stand_in() {
    mkdir -p "$1/lib/pkgconfig" "$1/include"
    echo "$4" >"$1/include/petscconf.h"
    printf 'Name: PETSc\nDescription: stand-in\nVersion: %s\nCflags: -I%s/include\nLibs: -l%s\n' "$3" "$PWD/$1" "$2" \
      >"$1/lib/pkgconfig/PETSc.pc"
    export PKG_CONFIG_PATH="$PWD/$1/lib/pkgconfig"
  }

  # No adapter was built for these PETScs. The message must name both.
  path=${PKG_CONFIG_PATH:-}
  stand_in new petsc_new 3.99.1 '#define PETSC_USE_COMPLEX 1'
  refused petsc 'component petsc: it was built with petsc.*, and petsc_new 3.99 (complex) was found; see'

  # This is the same PETSc with debugging checks, or without if ours has them. Code that is compiled with its headers
  # calls them.
  pc=$prefix/$LIBDIR/pkgconfig/dapbridge_$PETSC.pc
  library=$(sed -n 's/^Libs:.* -l\(petsc[^ ]*\).*/\1/p' "$pc")
  version=$(PKG_CONFIG_PATH=$(PKG_CONFIG_PATH=$path path_to "$PETSC") pkg-config --modversion PETSc)
  header=$(cat "$(sed -n 's/^Cflags:.* -I\([^ ]*\).*/\1/p' "$pc")/petscconf.h")
  if echo "$header" | grep -q '^#define PETSC_USE_DEBUG '; then
    stand_in plain "$library" "$version" "$(echo "$header" | grep -v '^#define PETSC_USE_DEBUG ')"
    refused "$PETSC" "component $PETSC: it was built with $library .*debug), and $library [^,]*) was found; see"
  else
    stand_in debug "$library" "$version" "$(printf '%s\n#define PETSC_USE_DEBUG 1' "$header")"
    refused "$PETSC" "component $PETSC: it was built with $library [^,]*), and $library .*debug) was found; see"
  fi
  export PKG_CONFIG_PATH="$prefix/$LIBDIR/pkgconfig:$path"
  libs=$(pkg-config --libs dapbridge_petsc)
  if [ "$libs" = "$(pkg-config --libs "dapbridge_$OTHER_PETSC")" ]; then
    exit 0 # there is only one PETSc
  fi
  refused "$OTHER_PETSC" "component $OTHER_PETSC: .*, and no PETSc of this kind was found" -DDAPBRIDGE_PETSC_DIRS=

  # Headers of one PETSc must not link with the library of another.
  flags=$(pkg-config --cflags "dapbridge_$OTHER_PETSC")
  mixed() { eval "$CC -std=c17 $CFLAGS $flags \"\$(source_of petsc)\" -o mixed $libs"; }
  refuses "headers and library of different builds" "undefined.*dap_${OTHER_PETSC}_vector_get" mixed
  ;;
esac
