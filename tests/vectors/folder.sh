#!/bin/sh
# Runs a command once for each .jsonl and .json file of the folder that the environment variable DAPBRIDGE_VECTORS
# names, with the file as its last argument. Fails if one run fails or there is no file; skips (77) if the
# variable names no folder.
#
#   DAPBRIDGE_VECTORS=<folder> sh folder.sh <command> [argument...]
set -eu
folder=${DAPBRIDGE_VECTORS:-}
if [ -z "$folder" ]; then
  echo "folder: DAPBRIDGE_VECTORS names no folder"
  exit 77
fi

files=0
code=0
for file in "$folder"/*.jsonl "$folder"/*.json; do
  [ -f "$file" ] || continue # a pattern that matched nothing
  files=$((files + 1))
  echo "folder: $file"
  "$@" "$file" || code=1
done
if [ "$files" -eq 0 ]; then
  echo "folder: no .jsonl or .json file in $folder"
  exit 1
fi
exit "$code"
