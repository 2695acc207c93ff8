#!/bin/sh
# Fills a new folder with the fuzzer's first documents: those in corpus/, and the lines of tests/vectors.
#
#   sh seeds.sh <folder> [most bytes of a document]
#   sh seeds.sh -t <folder>     writes texts of layouts instead
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if [ "$1" = -t ]; then
  mkdir -p "$2"
  awk -v name="$2/layout" '{ print >(name NR); close(name NR) }' "$here/layouts.txt"
  exit
fi
mkdir -p "$1"
cp "$here"/corpus/* "$1"
for file in "$here"/../vectors/*.jsonl; do
  awk -v name="$1/$(basename "$file" .jsonl)" -v most="${2:-8192}" \
    'length($0) < most { print >(name "." NR); close(name "." NR) }' "$file"
done
