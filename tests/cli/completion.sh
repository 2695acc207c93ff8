#!/bin/sh
# Checks that completion in shells offers all sub-commands, and for each all options that its help lists. It tests bash,
# and fish and zsh if they are installed. Without bash it exits with status 77 (skipped).
#
#   sh completion.sh <folder of the completions> <dapbridge>
set -eu
folder=$(cd "$1" && pwd)
dapbridge=$2
PATH=$(dirname "$dapbridge"):$PATH # completions call the command
command -v bash >/dev/null || { echo "there is no bash"; exit 77; }

ask_bash() { # ask_bash <word>...: completes the last word of a command line
  bash -c 'source "$1/dapbridge.bash"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _dapbridge; printf "%s\n" "${COMPREPLY[@]}"' \
    - "$folder" "$@"
}
ask_fish() { fish --no-config -c "source $folder/dapbridge.fish; complete -C '$*'" | cut -f 1; }
expect() { # expect <wanted> <found> <completed words>
  [ "$(printf '%s\n' $1 | sort)" = "$(printf '%s\n' $2 | sort)" ] || { echo "$3: $2, not: $1"; exit 1; }
}

commands=$("$dapbridge" --help | sed -n 's/^  \([a-z]*\) .*/\1/p')
[ -n "$commands" ]
shells=bash
if command -v fish >/dev/null; then shells="$shells fish"; fi
for shell in $shells; do
  expect "$commands" "$("ask_$shell" dapbridge '' | grep -v -- '^-')" "$shell"
  for name in $commands; do
    options=$("$dapbridge" "$name" --help | sed -n 's/^  -[a-zA-Z], \(--[a-z]*\).*/\1/p')
    expect "$options" "$("ask_$shell" dapbridge "$name" -- | grep '^--')" "$shell, $name"
  done
  expect 0.9.0 "$("ask_$shell" dapbridge check --rules 0.9)" "$shell, values"
done
expect "vector.json" "$(cd "$(dirname "$0")/documents" && ask_bash dapbridge plan vec)" "files"
expect --json "$(ask_bash dapbridge --version --)" "bash, --version"
expect float64 "$(ask_bash dapbridge plan --type float6)" "types"

if command -v zsh >/dev/null; then zsh -f -n "$folder/_dapbridge"; fi
echo "asked: $shells"
