#!/bin/sh
# Runs a command and compares what it prints with a file. Succeeds iff both the command and the comparison do.
#
#   sh cmake/check_output.sh <expected file> <command> [argument...]
#
# The whole standard output is compared, line by line. A line of the file that starts with "~ " holds an
# extended regular expression that the whole line must match; any other must be equal.
# With DAPBRIDGE_LOG=info the command must have told on standard error of a plan or a view, in the library's words.
set -eu
expected=$1
shift
[ -s "$expected" ] || { echo "check_output: $expected is missing or empty" >&2; exit 1; }

output=$(mktemp)
log=$(mktemp)
trap 'rm -f "$output" "$log"' EXIT
status=0
"$@" >"$output" 2>"$log" || status=$?
cat "$output"
cat "$log" >&2
[ "$status" -eq 0 ] || { echo "check_output: exit status $status" >&2; exit "$status"; }
[ "${DAPBRIDGE_LOG:-}" != info ] || grep -qE '^(plan: sends|[a-z ]+: (shared|moved),) .* [mu]?s(:|$)' "$log" ||
  { echo "check_output: DAPBRIDGE_LOG=info tells nothing" >&2; exit 1; }

awk '
  NR == FNR { want[NR] = $0; wanted = NR; next }
  { got = FNR }
  FNR > wanted { print "check_output: more lines than the " wanted " expected"; failed = 1; exit }
  want[FNR] ~ /^~ / ? $0 !~ ("^(" substr(want[FNR], 3) ")$") : $0 "" != want[FNR] "" {
    print "check_output: line " FNR " is\n  " $0 "\nexpected\n  " want[FNR]
    failed = 1
    exit
  }
  END {
    if (!failed && got < wanted) { print "check_output: " got + 0 " lines, expected " wanted; failed = 1 }
    exit failed
  }' "$expected" "$output" >&2
