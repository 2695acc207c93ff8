#!/bin/sh
# Lists the tests that include a private header of the library, each with its reason. A test of public functions is
# better, because it outlives a redesign. The first comment of a file says the reason: "Private: <reason>." Without one
# the check fails.
#
#   sh private_headers.sh <project>      prints "<file>: <private headers>: <reason>"
set -eu
cd "$1"
headers() { find "$1" -name '*.h' -exec basename {} .h \; | sort -u; }
names=$(headers bridge | grep -vxF "$(headers tests)" | paste -sd'|' -)
lost=0
for file in $(grep -rlE "^#include [\"<]($names)\.h[\">]" tests --include=*.c --include=*.h | sort); do
  included=$(sed -nE "s/^#include [\"<](($names)\.h)[\">]/\1/p" "$file" | paste -sd' ' -)
  comment=$(sed 's/^ \* *//; /\*\/$/q' "$file" | paste -sd' ' -)
  reason=$(echo "$comment" | sed -nE '/Private: /!d; s/.*Private: //; s/\.( .*)?$//p')
  echo "$file: $included: ${reason:-NO REASON}"
  [ -n "$reason" ] || lost=1
done
exit $lost
