#!/bin/sh
# Builds and runs the fuzzer as OSS-Fuzz does, with the flags that its images set, on this machine's clang. A part of what
# it looks for is tried first: a byte that nobody wrote must be noticed with SANITIZER=memory.
#
#   sh oss_fuzz.sh <address | undefined | memory> <number of runs> <work folder>
set -eu
cd "$(dirname "$0")/../.."
SANITIZER=$1
runs=$2
work=$3
rm -rf "$work"
mkdir -p "$work/seeds"
export SANITIZER CC="${CC:-clang}" CXX="${CXX:-clang++}" LIB_FUZZING_ENGINE=-fsanitize=fuzzer OUT="$work/out" WORK="$work/objects"
case $SANITIZER in
  address) flags='-fsanitize=address -fsanitize-address-use-after-scope' ;;
  undefined) flags='-fsanitize=bool,array-bounds,enum,integer-divide-by-zero,null,return,shift,signed-integer-overflow,vla-bound
    -fno-sanitize-recover=all' ;;
  memory) flags='-fsanitize=memory -fsanitize-memory-track-origins' ;;
  *) echo "oss_fuzz.sh: no sanitizer: $SANITIZER" >&2; exit 2 ;;
esac
CFLAGS="-O1 -fno-omit-frame-pointer -gline-tables-only -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION $flags -fsanitize=fuzzer-no-link"
CXXFLAGS=$CFLAGS
export CFLAGS CXXFLAGS
sh tests/fuzz/oss-fuzz/build.sh
(cd "$work/seeds" && unzip -q "$OUT/fuzz_document_seed_corpus.zip")
"$OUT/fuzz_document" -runs="$runs" -timeout=10 -max_len=8192 -rss_limit_mb=2560 -dict="$OUT/fuzz_document.dict" \
  -artifact_prefix="$work/" -print_final_stats=1 -verbosity=0 "$work/seeds"
