#!/bin/sh
# Checks that the command prints what its page shows: the blocks that begin with "$ dapbridge", and the explanation of
# the page's document. Memory depends on the machine's caches, so it is not compared.
#
#   sh page.sh <page> <dapbridge>
set -eu
here=$(cd "$(dirname "$0")" && pwd)
page=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/documents"

blocks() { # blocks <pattern of the first line>
  first=$1 awk '
    /^```/ { line = 0; is_inside = !is_inside; next }
    is_inside && ++line == 1 { is_wanted = $0 ~ ENVIRON["first"] }
    is_inside && is_wanted' "$page"
}

blocks '^[{]"__version__"' >"$work/documents/export.json"
{
  blocks '^[$] dapbridge' | sed 's/^memory .*/? memory .../'
  echo "$ dapbridge explain --for pdsyevd export.json"
  blocks '^export.json: '
} >"$work/page.session"
sh "$here/session.sh" "$work/page.session" "$2"
