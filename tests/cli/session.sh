#!/bin/sh
# Replays a session: runs each line that begins with "$ " in the folder documents/, and compares the transcript with the
# file. In it, standard error follows standard output, with "! " before each line. An exit status N other than 0 is a
# line "= N"; lines that begin with "#" are comments.
#
# Messages are compared by the words and values that they must name, so that wording can change: in lines of standard
# error, and in lines that the session marks with "? ", "..." stands for any other words. It does not stand for a part
# of a word or number, or, except at the end of a line, for quotation marks ("). Blanks at the beginning of a message are not compared.
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

# wrong <argument>...: prints the message of a usage error. Checks status 2 and the hint in the last line.
wrong() {
  case ${1:-} in check | describe | draw | explain | plan | layout | rules) command=" $1" ;; *) command="" ;; esac
  status=0
  "$dapbridge" "$@" 2>"$work/said" || status=$?
  sed '$d' "$work/said" >&2
  tail -n 1 "$work/said" | grep -qx "Try: dapbridge$command --help" || echo "and not where to look"
  [ "$status" -eq 2 ] || return "$status"
}

# own_help <command>: prints its options, and the parts of its help that differ from that of check.
own_help() {
  "$dapbridge" "$1" --help | sed -n 's/^  \(-.\),.*/\1/p' | paste -s -d ' ' -
  "$dapbridge" "$1" --help | sed '/^Each FILE contains/,/^array on one process/d; /^  -[rjnmh],/d; /^$/d; /^Exit status/,$d'
}

# Joins the lines of a verdict, and those of its reason.
joined() {
  awk '{ is_more = /^      / || (/^    / && is_reason); is_reason = /^    / }
    is_more { sub(/^ */, " "); all = all $0; next }
    NR > 1 { print all }
    { all = $0 }
    END { if (NR > 0) print all }'
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

cat >"$work/compare.awk" <<'END'
function is_torn(before, after) { return (before after) ~ /^[A-Za-z0-9_][A-Za-z0-9_]$|^[-.][0-9]$|^[0-9][.]$/ }

# Returns the place behind the first `part` that has only other words before it; 0: there is none. The last part must
# end the text.
function find_end(text, from, part, is_last,  at, end) {
  for (at = from; index(substr(text, at), part) > 0; at++) {
    at += index(substr(text, at), part) - 1
    end = at + length(part)
    if (substr(text, from, at - from) ~ /"/) return 0
    if (is_torn(substr(" " text, at, 1), substr(part, 1, 1)) || (is_last && end <= length(text))) continue
    if (!is_torn(substr(part, length(part)), substr(text, end, 1))) return end
  }
  return 0
}

function is_like(text, wanted,  parts, count, i, end) {
  count = split(wanted, parts, / *[.][.][.] */)
  if (count == 1) return text == wanted
  end = length(parts[1]) + 1
  if (substr(text, 1, end - 1) != parts[1] || is_torn(substr(" " text, end, 1), substr(text, end, 1))) return 0
  for (i = 2; i <= count && end > 0; i++)
    if (parts[i] != "") end = find_end(text, end, parts[i], i == count)
  return end > 0
}

FNR == NR { session[FNR] = $0; next }
{
  said = $0
  wanted = session[FNR]
  sub(/^ */, "", said)
  is_marked = sub(/^[?] */, "", wanted) || (sub(/^! */, "", wanted) && sub(/^! */, "", said))
  print is_marked && is_like(said, wanted) ? session[FNR] : $0
}
END
awk -f "$work/compare.awk" "$session" "$work/transcript" | diff -u "$session" -
