#!/bin/sh
# Runs a fuzzer, and keeps its corpus for the next run. Documents start from corpus/ and the lines of tests/vectors, and
# texts from the lines of layouts.txt.
#
#   sh fuzz.sh <fuzzer> <seconds> <work folder>
#
# A failing input is in <work folder>/found. Give this file to the fuzzer as its only argument to repeat the failure.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
fuzzer=$1
seconds=$2
work=$3
most=8192 # most bytes of a document

mkdir -p "$work/learned" "$work/found"
case $fuzzer in
  *document) sh "$here/seeds.sh" "$work/seeds" $most ;;
  *text) sh "$here/seeds.sh" -t "$work/seeds" ;;
  *) mkdir -p "$work/seeds" ;; # this input cannot be written by hand
esac

exec "$fuzzer" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=$most -print_final_stats=1 \
  -verbosity=0 -dict="$here/words.dict" -artifact_prefix="$work/found/" "$work/learned" "$work/seeds"
