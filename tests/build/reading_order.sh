#!/bin/sh
# Each public header has its place in the reading order that status.h gives, and the site's list has that order.
#
#   sh reading_order.sh <project>      prints where they differ
set -eu
cd "$1"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
(cd include/dapbridge && ls ./*.h) | sed 's,^\./,,; s/\.h$//' | sort >"$scratch/headers"
sed -n '/Reading order/,/\*\//p' include/dapbridge/status.h | grep -oE '[a-z_]+' | grep -xFf "$scratch/headers" >"$scratch/told"
grep -xE '[a-z_]+' bridge/docs/reference/c/index.md >"$scratch/listed"
sort "$scratch/told" >"$scratch/sorted"
code=0
diff "$scratch/headers" "$scratch/sorted" >"$scratch/lost" || { echo "status.h tells no order of all headers, each once:"; cat "$scratch/lost"; code=1; }
diff "$scratch/told" "$scratch/listed" >"$scratch/other" || { echo "bridge/docs/reference/c/index.md has another order than status.h:"; cat "$scratch/other"; code=1; }
exit $code
