#!/bin/sh
# Runs a build's tests that can run anywhere (dap_test() in cmake/DapTest.cmake) over several hosts, after it checks
# that each host starts processes. For the environment see hosts.sh. Exits with status 77 if no hosts can be made. Tests
# run one in 7 of their usual cases, and with a delay one in 21.
#
#   sh tests/hosts/several.sh <build> <hosts> [option of ctest]...
#   sh tests/hosts/several.sh build/dev 3 -R '^transfer.*np6'
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
hosts=$2
shift 2
work=$(mktemp -d) # a ctest within another needs its own logs
trap 'rm -rf "$work"' EXIT
echo "subdirs(\"$build\")" >"$work/CTestTestfile.cmake"
cd "$work"
fewer=7
[ -z "${DAP_DELAY:-}" ] || fewer=21
export DAP_WIRE="$build/bin/hosts_wire" DAP_TEST_SCALE="$((${DAP_TEST_SCALE:-1} * fewer))"
MPIEXEC=${MPIEXEC:-$(sed -n 's/^MPIEXEC_EXECUTABLE:[A-Z]*=//p' "$build/CMakeCache.txt")}
export MPIEXEC
code=0
# shellcheck disable=SC2016 # for the inner shell
sh "$here/hosts.sh" "$hosts" sh -c '
  mpirun=$1
  shift
  found=$(sh "$mpirun" "$DAP_TEST_NODES" hostname | sort -u | wc -l)
  if [ "$found" -ne "$DAP_TEST_NODES" ]; then
    echo "several.sh: processes are on $found of $DAP_TEST_NODES hosts" >&2
    exit 1
  fi
  exec ctest -L several --output-on-failure --no-tests=error "$@"' sh "$here/../../cmake/mpirun.sh" "$@" || code=$?
exit "$code"
