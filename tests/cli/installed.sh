#!/bin/sh
# The installed command runs, and its manual page is there.
#
#   sh installed.sh <command> <page>
set -eu
[ -s "$2" ] || { echo "$2 is missing"; exit 1; }
echo '{"__version__": "0.10.0", "dim_data": []}' | "$1" check - | tee /dev/stderr |
  grep -q -x '(standard input): conforming: .*'
