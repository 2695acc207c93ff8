#!/bin/sh
# Runs a program of a page, and compares its output with the page's first block that begins with some words:
# prints.sh <page> <words> <command>...
set -eu
page=$1 words=$2
shift 2
expected=$(awk -v words="$words" '
  is_block && /^```$/ { exit }
  /^```text$/ { getline; is_block = index($0, words) == 1 }
  is_block' "$page")
[ -n "$expected" ] || { echo "prints.sh: $page has no block that begins with '$words'" >&2; exit 1; }
found=$("$@")
[ "$found" = "$expected" ] || { printf 'prints.sh: the program prints\n%s\nnot\n%s\n' "$found" "$expected" >&2; exit 1; }
