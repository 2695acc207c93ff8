#!/bin/sh
# Runs a build's tests that can be anywhere (dap_test() in cmake/DapTest.cmake) over several hosts. Environment: see
# hosts.sh. Exit status 77 where no hosts can be made.
#
#   sh tests/hosts/several.sh <build> <hosts> [option of ctest]...
#   sh tests/hosts/several.sh build/dev 3 -R '^transfer_.*np6'
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
hosts=$2
shift 2
work=$(mktemp -d) # a ctest within another: each has logs of its own
trap 'rm -rf "$work"' EXIT
echo "subdirs(\"$build\")" >"$work/CTestTestfile.cmake"
cd "$work"
export DAP_WIRE="$build/bin/hosts_wire" DAP_TEST_SCALE="${DAP_TEST_SCALE:-21}"
code=0
sh "$here/hosts.sh" "$hosts" ctest -L several --output-on-failure --no-tests=error "$@" || code=$?
exit "$code"
