#!/bin/sh
# The manual page is formatted without warnings, and has what there is to say of the command. Exit status 77,
# skipped, where there is no groff.
#
#   sh man.sh <page>
set -eu
command -v groff >/dev/null || { echo "there is no groff"; exit 77; }
warnings=$(groff -man -Tascii -ww -z "$1" 2>&1)
[ -z "$warnings" ] || { printf '%s\n' "$warnings"; exit 1; }
text=$(groff -man -Tascii -P-c -P-b -P-u "$1")
for word in NAME SYNOPSIS DESCRIPTION OPTIONS DOCUMENTS 'EXIT STATUS' EXAMPLES 'dapbridge check' \
  'dapbridge describe' 'dapbridge draw' 'dapbridge explain' 'dapbridge layout' 'dapbridge rules' LAYOUTS --rules --for --quiet \
  --findings --memory --protocol --rank --type --fortran --help --version; do
  printf '%s\n' "$text" | grep -q -e "$word" || { echo "the page does not say: $word"; exit 1; }
done
