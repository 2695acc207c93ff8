#!/bin/sh
# Runs a fuzzer, that of documents from those in corpus/ and the lines of tests/vectors, that of texts from the lines of
# layouts.txt, and keeps what it learns for the next run.
#
#   sh fuzz.sh <fuzzer> <seconds> <work folder>
#
# What makes it fail is left in <work folder>/found; give that file to the fuzzer as its only argument to see
# it again.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
fuzzer=$1
seconds=$2
work=$3
most=8192 # bytes of a document

mkdir -p "$work/learned" "$work/found"
case $fuzzer in
  *document) sh "$here/seeds.sh" "$work/seeds" $most ;;
  *text) sh "$here/seeds.sh" -t "$work/seeds" ;;
  *) mkdir -p "$work/seeds" ;; # its bytes are nothing that could be written by hand
esac

exec "$fuzzer" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=$most -print_final_stats=1 \
  -verbosity=0 -dict="$here/words.dict" -artifact_prefix="$work/found/" "$work/learned" "$work/seeds"
