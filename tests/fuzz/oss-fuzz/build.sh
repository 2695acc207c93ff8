#!/bin/sh
# Builds the fuzzer of documents as OSS-Fuzz wants it, in its environment: CC, CXX, CFLAGS, CXXFLAGS, LIB_FUZZING_ENGINE and
# OUT. Run in the top folder. The files are compiled without CMake, which would look for MPI: none of them needs it.
#
# jansson is linked as it is packaged, without sanitizers. With SANITIZER=memory it allocates memory that counts as written
# (fuzz_document.c), so what it writes there is no false alarm; all of dapbridge is seen.
set -eu
here=tests/fuzz
work=${WORK:-$(mktemp -d)}
mkdir -p "$work" "$OUT"

objects=""
for file in bridge/model/*.c bridge/document/*.c $here/fuzz_*.c; do
  object=$work/$(echo "$file" | tr / _).o
  # shellcheck disable=SC2086 # lists of flags
  $CC $CFLAGS -std=c17 -Iinclude -Ibridge/model -Ibridge/document -I$here -Itests/support -c "$file" -o "$object"
  objects="$objects $object"
done
# shellcheck disable=SC2086
$CXX $CXXFLAGS $objects $LIB_FUZZING_ENGINE -l:libjansson.a -lm -o "$OUT/fuzz_document"

rm -rf "$work/seeds"
sh $here/seeds.sh "$work/seeds"
rm -f "$OUT/fuzz_document_seed_corpus.zip"
(cd "$work/seeds" && zip -q -r "$OUT/fuzz_document_seed_corpus.zip" .)
cp $here/words.dict "$OUT/fuzz_document.dict"
printf '[libfuzzer]\nmax_len = 8192\ntimeout = 10\n' >"$OUT/fuzz_document.options"
