#!/bin/sh
# Runs a command that must end with status 1, the program's own verdict, and not by a crash or a time-out.
#
#   sh fails.sh <command> [argument...]
set -eu
status=0
"$@" || status=$?
[ "$status" -eq 1 ] || {
  echo "fails.sh: ended with status $status, not 1"
  exit 1
}
