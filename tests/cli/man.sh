#!/bin/sh
# Checks that the manual pages are formatted without warnings. Each sub-command must have a page with all options that
# its help lists. Without groff it exits with status 77 (skipped).
#
#   sh man.sh <folder of pages> <dapbridge>
set -eu
pages=$1 dapbridge=$2
command -v groff >/dev/null || { echo "there is no groff"; exit 77; }

text=""
read_page() {
  warnings=$(groff -man -Tascii -ww -z "$1" 2>&1)
  [ -z "$warnings" ] || { printf '%s\n' "$warnings"; exit 1; }
  if command -v mandoc >/dev/null; then
    mandoc -T lint -W warning "$1" || { echo "$1: mandoc warns"; exit 1; }
  fi
  text=$(groff -man -Tascii -P-c -P-b -P-u "$1")
}
want() { # want <pattern> <page>: looks in the page that was read last
  printf '%s\n' "$text" | grep -q -e "$1" || { echo "$2 does not say: $1"; exit 1; }
}

read_page "$pages/dapbridge.1"
common=$text
for word in NAME SYNOPSIS DESCRIPTION OPTIONS DOCUMENTS 'EXIT STATUS' EXAMPLES --version; do
  want "$word" dapbridge.1
done
for name in $("$dapbridge" --help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
  text=$common
  want "dapbridge $name" dapbridge.1
  want "dapbridge-$name(1)" dapbridge.1
  read_page "$pages/dapbridge-$name.1"
  for word in NAME SYNOPSIS DESCRIPTION; do want "$word" "dapbridge-$name.1"; done
  page=$text
  for option in $("$dapbridge" "$name" --help | sed -n 's/^  -[a-zA-Z], \(--[a-z]*\).*/\1/p'); do
    text="$page
$common"
    want "$option" "dapbridge-$name.1, nor dapbridge.1,"
  done
done
