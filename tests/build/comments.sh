#!/bin/sh
# Each declaration of a public header has a comment of its own, and that of a function has each parameter and the result.
#
#   sh comments.sh <doxygen> <Doxyfile> <folder> [header...]
#
# Prints those that do not; the folder is for Doxygen's output. Headers that are named are not looked at yet.
# Doxygen looks for parameters only while it writes pages, here for man.
set -eu
doxygen=$1 doxyfile=$2 folder=$3
shift 3
rm -rf "$folder"
mkdir -p "$folder"
{
  cat "$doxyfile"
  echo "OUTPUT_DIRECTORY = $folder"
  echo "GENERATE_XML = NO"
  echo "GENERATE_MAN = YES"
  echo "EXTRACT_ALL = NO"
  echo "WARN_IF_UNDOCUMENTED = YES"
  echo "WARN_NO_PARAMDOC = YES"
  echo "EXCLUDE_PATTERNS = $*"
} >"$folder/Doxyfile"
"$doxygen" -q "$folder/Doxyfile"
