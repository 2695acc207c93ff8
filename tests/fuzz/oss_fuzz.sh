#!/bin/sh
# Builds the fuzzers as OSS-Fuzz does, with the flags of its images and this machine's clang, and runs each. Exits with
# status 77 (skipped) if a necessary program is missing.
#
#   sh oss_fuzz.sh <address | undefined | memory> <number of runs> <work folder>
set -eu
cd "$(dirname "$0")/../.."
SANITIZER=$1
runs=$2
work=$3
case $SANITIZER in
  address) flags='-fsanitize=address -fsanitize-address-use-after-scope' ;;
  undefined) flags='-fsanitize=bool,array-bounds,enum,integer-divide-by-zero,null,return,shift,signed-integer-overflow
    -fno-sanitize-recover=all' ;;
  memory) flags='-fsanitize=memory -fsanitize-memory-track-origins' ;;
  *) echo "oss_fuzz.sh: no sanitizer: $SANITIZER" >&2; exit 2 ;;
esac
for program in clang clang++ zip unzip; do
  command -v "$program" >/dev/null || { echo "there is no $program"; exit 77; }
done

rm -rf "$work"
mkdir -p "$work"
CC=clang
CXX=clang++
CFLAGS="-O1 -fno-omit-frame-pointer -gline-tables-only -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION $flags
  -fsanitize=fuzzer-no-link"
CXXFLAGS=$CFLAGS
LIB_FUZZING_ENGINE=-fsanitize=fuzzer
OUT=$work/out
WORK=$work/objects
export SANITIZER CC CXX CFLAGS CXXFLAGS LIB_FUZZING_ENGINE OUT WORK
sh tests/fuzz/oss-fuzz/build.sh

for fuzzer in "$OUT"/fuzz_*; do
  [ -x "$fuzzer" ] || continue
  mkdir "$work/seeds"
  zip=${fuzzer}_seed_corpus.zip
  [ ! -e "$zip" ] || unzip -q "$zip" -d "$work/seeds"
  "$fuzzer" -runs="$runs" -timeout=10 -max_len=8192 -rss_limit_mb=2560 -artifact_prefix="$work/" -print_final_stats=1 \
    -verbosity=0 "$work/seeds"
  rm -r "$work/seeds"
done
