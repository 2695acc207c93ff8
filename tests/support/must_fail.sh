#!/bin/sh
# Runs a command that must fail. Its exit code must not be 0, and a complete line of its output must match a basic
# regular expression.
#
#   sh must_fail.sh <regular expression> <command> [argument...]
set -u
expected=$1
shift
output=$("$@" 2>&1)
code=$?
printf '%s\n' "$output"
if [ "$code" -eq 0 ]; then
  echo "must_fail: the command succeeded"
  exit 1
fi
if ! printf '%s\n' "$output" | grep -q -x -e "$expected"; then
  echo "must_fail: there is no line '$expected' (exit code $code)"
  exit 1
fi
