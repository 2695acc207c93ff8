#!/bin/sh
# Checks that each declaration of a public header has its own comment. A function's comment must list each parameter,
# the result, and the statuses that it can return.
#
#   sh comments.sh <doxygen> <Doxyfile> <folder> [pattern...]
#
# Prints the declarations that break this. Doxygen writes to the folder, and leaves out headers whose paths fit a
# pattern. It looks for parameters only while it writes pages, so it writes man pages here.
set -eu
doxygen=$1 doxyfile=$2 folder=$3
shift 3
rm -rf "$folder"
mkdir -p "$folder"
{
  cat "$doxyfile"
  echo "OUTPUT_DIRECTORY = $folder"
  echo "GENERATE_XML = NO"
  echo "GENERATE_MAN = YES"
  echo "WARN_IF_UNDOCUMENTED = YES"
  echo "WARN_NO_PARAMDOC = YES"
  echo "EXCLUDE_PATTERNS = $*"
} >"$folder/Doxyfile"
"$doxygen" -q "$folder/Doxyfile"

# dap_fail() and dap_fail_rule() return the status that they receive.
awk '
  /^\/\*\*/ { comment = "" }
  { comment = comment $0 "\n" }
  /^DAP_API dap_status / && !/ dap_fail(_rule)?\(/ && comment !~ /\n \*  - DAP_OK/ {
    printf "%s:%d: error: the comment lists no statuses: %s\n", FILENAME, FNR, $0
    missing = 1
  }
  /;$/ && !/^ \*/ { comment = "" }
  END { exit missing }' "$(sed -n 's/^INPUT = //p' "$doxyfile")"/*.h >&2
