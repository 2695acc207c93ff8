#!/bin/sh
# Builds the fuzzers for OSS-Fuzz in the top folder, by the variables CC, CXX, CFLAGS, CXXFLAGS, LIB_FUZZING_ENGINE,
# SANITIZER and OUT. CMake is not used, because it would look for MPI, which no fuzzer needs.
#
# fuzz_document links the packaged jansson, which is not compiled with MemorySanitizer. MemorySanitizer would treat all
# bytes that jansson writes as uninitialised. With it, only the other fuzzers are built, which run the same code without
# JSON.
set -eu
here=tests/fuzz
work=${WORK:-$(mktemp -d)}
mkdir -p "$work" "$OUT"

compile() { # compile <file>...: adds to $objects
  for file in "$@"; do
    object=$work/$(echo "$file" | tr / _).o
    # shellcheck disable=SC2086 # lists of flags
    $CC $CFLAGS -std=c17 -Iinclude -Ibridge/model -Ibridge/text -Ibridge/document -I$here -c "$file" -o "$object"
    objects="$objects $object"
  done
}

finish() { # finish <fuzzer> [library]...
  name=$1
  shift
  # shellcheck disable=SC2086
  $CXX $CXXFLAGS $objects $LIB_FUZZING_ENGINE "$@" -o "$OUT/$name"
  printf '[libfuzzer]\nmax_len = 8192\ntimeout = 10\n' >"$OUT/$name.options"
}

objects=""
text="bridge/text/draw.c bridge/text/draw_axis.c bridge/text/json.c" # the layer without its MPI part
compile bridge/model/*.c $text $here/fuzz_layout.c $here/fuzz_slice.c $here/fuzz_export.c
common=$objects

compile $here/fuzz_dims.c
finish fuzz_dims -lm

objects=$common
compile $here/fuzz_text.c
finish fuzz_text -lm
cp $here/words.dict "$OUT/fuzz_text.dict"
rm -rf "$work/texts" "$OUT/fuzz_text_seed_corpus.zip"
sh $here/seeds.sh -t "$work/texts"
(cd "$work/texts" && zip -q -r "$OUT/fuzz_text_seed_corpus.zip" .)

[ "$SANITIZER" != memory ] || exit 0
objects=$common
compile bridge/document/*.c $here/fuzz_document.c
finish fuzz_document -l:libjansson.a -lm
cp $here/words.dict "$OUT/fuzz_document.dict"
rm -rf "$work/seeds" "$OUT/fuzz_document_seed_corpus.zip"
sh $here/seeds.sh "$work/seeds"
(cd "$work/seeds" && zip -q -r "$OUT/fuzz_document_seed_corpus.zip" .)
