#!/bin/sh
# One step of the tests of an installed dapbridge. Environment: CMAKE, CMAKE_GENERATOR, CC, CFLAGS, MPIEXEC,
# BUILD (the build that is installed), LIBDIR (its libraries' folder below the prefix), COMPONENTS (the
# adapters it has), OTHER_INTEGERS (32 or 64, which its ScaLAPACK does not have).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$BUILD/tests/install/scratch
prefix=$work/prefix

# Runs a program of the current folder on two ranks, and its static twin, which must do without our shared
# libraries.
run_both() {
  sh "$here/../../cmake/mpirun.sh" 2 "./$1"
  sh "$here/../../cmake/mpirun.sh" 2 "./$1_static"
  if ldd "./$1_static" | grep libdapbridge; then
    echo "$1_static is not static" >&2
    exit 1
  fi
}

configure() { # configure <folder> <components> [option]
  "$CMAKE" -S "$here/consumer" -B "$1" -D CMAKE_C_COMPILER="$CC" -D CMAKE_C_FLAGS="$CFLAGS" \
    -D CMAKE_PREFIX_PATH="$prefix" -D COMPONENTS="$2" ${3:+"$3"}
}

list() { echo "$1" | sed 's/^ *//; s/ *$//; s/  */;/g'; }

case $1 in
prefix) # install, then move: nothing installed may depend on where it was put
  rm -rf "$work"
  "$CMAKE" --install "$BUILD" --prefix "$work/first"
  mv "$work/first" "$prefix"
  if grep -rl "$work/first" "$prefix"; then
    echo "the files above contain the prefix" >&2
    exit 1
  fi
  ;;

find_package)
  rm -rf "$work/find_package"
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
    module=dapbridge
    [ "$program" = core ] || module=dapbridge_$program
    flags=$(pkg-config --cflags "$module")
    libs=$(pkg-config --libs "$module")
    static=$(echo "$libs" | sed 's/-l\(dapbridge[a-z0-9_]*\)/-l:lib\1.a/g') # the same, but our archives
    compile="$CC -std=c17 $CFLAGS -O1 $flags" # pkg-config quotes for a shell: eval undoes it
    eval "$compile \"\$here/consumer/$program.c\" -o $program $libs \"-Wl,-rpath,\$prefix/\$LIBDIR\""
    eval "$compile \"\$here/consumer/$program.c\" -o ${program}_static $static"
    run_both "$program"
  done
  ;;

missing_component) # is refused, and the message says why
  rm -rf "$work/missing"
  if message=$(configure "$work/missing" nonsense 2>&1); then
    echo "a component that does not exist was found" >&2
    exit 1
  fi
  echo "$message"
  echo "$message" | tr '\n' ' ' | grep -q 'component nonsense: there is no such *component'
  ;;

other_integers) # a ScaLAPACK with other integers than dapbridge was built with is refused
  rm -rf "$work/integers"
  if message=$(configure "$work/integers" scalapack -DDAPBRIDGE_SCALAPACK_INTEGERS="$OTHER_INTEGERS" 2>&1); then
    echo "a ScaLAPACK with $OTHER_INTEGERS-bit integers was accepted" >&2
    exit 1
  fi
  echo "$message"
  echo "$message" | tr -s ' \n' ' ' | grep -q "with $OTHER_INTEGERS-bit integers was found; see PKG_CONFIG_PATH and"
  ;;
esac
