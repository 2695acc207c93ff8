#!/bin/sh
# Checks that the installed command runs, and that its manual pages and completions exist.
#
#   sh installed.sh <command> <folder of pages> <folder of data>
set -eu
for file in "$2/dapbridge.1" "$2/dapbridge-check.1" "$2/dapbridge-plan.1" "$3/bash-completion/completions/dapbridge" \
  "$3/zsh/site-functions/_dapbridge" "$3/fish/vendor_completions.d/dapbridge.fish"; do
  [ -s "$file" ] || { echo "$file is missing"; exit 1; }
done
echo '{"__version__": "0.10.0", "dim_data": []}' | "$1" check - | tee /dev/stderr |
  grep -q -x '(standard input): conforming: .*'
