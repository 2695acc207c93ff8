#!/bin/sh
# Checks the types of the Python package: the package by mypy, the types that callers see (typed.py), and the stubs
# against the compiled modules. Without mypy it exits with status 77.
#
#   sh types.sh <interpreter> <package in a build>
set -eu
here=$(cd "$(dirname "$0")" && pwd)
python=$1
package=$2
"$python" -c 'import mypy.stubtest' 2>/dev/null || { echo "types: there is no mypy"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/stubs/dapbridge"
cp -L "$package"/*.py "$package"/*.pyi "$package/py.typed" "$work/stubs/dapbridge"
cd "$work"
export MYPYPATH="$work/stubs"

"$python" -m mypy --strict --python-version 3.11 --cache-dir "$package/../mypy" --package dapbridge
"$python" -m mypy --strict --python-version 3.11 --cache-dir "$package/../mypy" "$here/typed.py"

PYTHONPATH=$(dirname "$package")
export PYTHONPATH
modules=""
take() { # take <module> <its stub>
  [ -e "$package/$1.abi3.so" ] || return 0
  [ "$1" = "$2" ] || cp "$package/$2.pyi" "$work/stubs/dapbridge/$1.pyi"
  modules="$modules dapbridge.$1"
}
take _core _core
take _scalapack _scalapack
take _elpa _elpa
take _hdf5 _hdf5
module=$(find "$package" -name '_petsc*.abi3.so' | sort | head -n 1)
take "$(basename "${module%.abi3.so}")" _petsc # the others have the same sources
# Checks all at once, because their imports take most of the time.
# shellcheck disable=SC2086 # several words
"$python" -m mypy.stubtest --ignore-unused-allowlist --allowlist "$here/stubtest.txt" $modules
