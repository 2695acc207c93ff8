#!/bin/sh
# Replays a session: runs each line that begins with "$ " in the folder documents/, and compares the transcript with the
# file. In it, standard error follows standard output, with "! " before each line. An exit status N other than 0 is a
# line "= N"; lines that begin with "#" are comments.
#
#   sh session.sh <session file> <dapbridge>
set -eu
session=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
dapbridge=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
TMPDIR=$work
export TMPDIR
cd "$(dirname "$session")/documents"

dapbridge() { "$dapbridge" "$@"; }

# wrong <argument>...: prints the text of a usage error. Checks status 2 and the hint in the last line.
wrong() {
  case ${1:-} in check | describe | draw | explain | plan | layout | rules) command=" $1" ;; *) command="" ;; esac
  status=0
  "$dapbridge" "$@" 2>"$work/said" || status=$?
  sed '$d' "$work/said"
  tail -n 1 "$work/said" | grep -qx "Try: dapbridge$command --help" || echo "and not where to look"
  [ "$status" -eq 2 ] || return "$status"
}

# own_help <command>: prints its options, and the parts of its help that differ from that of check.
own_help() {
  "$dapbridge" "$1" --help | sed -n 's/^  \(-.\),.*/\1/p' | paste -s -d ' ' -
  "$dapbridge" "$1" --help | sed '/^Each FILE contains/,/^array on one process/d; /^  -[rjnmh],/d; /^$/d; /^Exit status/,$d'
}

without_petsc() { awk '/^  PETSc/ { skip = 1 } !/^    / && !/^  PETSc/ { skip = 0 } !skip'; }

# Limits files to 8 blocks, which are some KiB. Coverage counts fit into these.
short_files() {
  trap '' XFSZ
  ulimit -f 8
}

while IFS= read -r line; do
  case $line in
    '$ '*)
      printf '%s\n' "$line"
      status=0
      (eval "${line#??}") >"$work/out" 2>"$work/err" </dev/null || status=$?
      cat "$work/out"
      sed 's/^/! /' "$work/err"
      [ "$status" -eq 0 ] || echo "= $status"
      ;;
    '#'*) printf '%s\n' "$line" ;;
  esac
done <"$session" >"$work/transcript"

diff -u "$session" "$work/transcript"
