#!/bin/sh
# Static analyzers over the library: gcc -fanalyzer, the one of clang that scan-build runs, and cppcheck. What they find
# and is not in analyzers.txt, where it says why it is none, fails.
#
#   sh cmake/analyze.sh <build folder> [gcc | clang | cppcheck]...     without: those that are there
#
# Exit status 77: none is there.
set -eu
cd "$(dirname "$0")/.."
build=$1
shift
known=cmake/analyzers.txt
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if [ $# -eq 0 ]; then
  for tool in gcc clang cppcheck; do
    if command -v "$tool" >/dev/null; then set -- "$@" "$tool"; fi
  done
fi
[ $# -gt 0 ] || { echo "analyze: there is none of gcc, clang and cppcheck"; exit 77; }

# The commands that compile the library's files, one of each file, with another compiler and other options.
commands() { # commands <compiler> <options>
  awk -v compiler="$1" -v options="$2" '
    /^ *"directory": / { directory = $0; gsub(/^ *"directory": "|",?$/, "", directory) }
    /^ *"command": / {
      command = $0
      gsub(/^ *"command": "|",?$/, "", command)
      gsub(/\\\\/, "\001", command)
      gsub(/\\"/, "\"", command)
      gsub(/\001/, "\\", command)
    }
    /^ *"file": / { file = $0; gsub(/^ *"file": "|",?$/, "", file) }
    /^}/ && file ~ /\/bridge\/.*\.c"?$/ && command ~ / -o bridge\// && !done[file]++ {
      sub(/^[^-]*/, compiler " " options " ", command)
      gsub(/ -(MD|W[a-z][^ ]*)/, "", command)
      gsub(/ -(MT|MF|o) [^ ]*/, "", command)
      printf "cd %s && %s -o /dev/null\n", directory, command
    }
  ' "$build/compile_commands.json"
}

# Without tracking, gcc names the place where a macro is used, instead of the macro's own in a header.
analyze() {
  case $1 in
    gcc) commands gcc "-DDAP_ANALYZED -fanalyzer -fdiagnostics-plain-output -ftrack-macro-expansion=0" ;;
    clang) commands clang "--analyze -Xclang -analyzer-output=text -Qunused-arguments" ;;
  esac >"$scratch/commands"
  if [ "$1" = cppcheck ]; then
    awk '
      $0 == "{" { entry = "" }
      { entry = entry $0 "\n" }
      /^ *"file": / { file = $0 }
      /^}/ && file ~ /\/bridge\// && entry ~ / -o bridge\// && !done[file]++ {
        sub(/,\n$/, "\n", entry)
        printf "%s%s", (n++ ? "," : "["), entry
      }
      END { print "]" }
    ' "$build/compile_commands.json" >"$scratch/compile_commands.json"
    cppcheck --project="$scratch/compile_commands.json" --quiet -j "$(nproc)" \
      --enable=warning,performance,portability --suppress=missingIncludeSystem \
      --template='{file}:{line}:{column}: warning: {message} [{id}]'
  else
    tr '\n' '\0' <"$scratch/commands" | xargs -0 -P "$(nproc)" -I '{}' sh -c '{} || echo "not analyzed: {}"'
  fi >"$scratch/$1" 2>&1
  if grep -e '^not analyzed' -e '^cppcheck: error' "$scratch/$1"; then return 1; fi
}

# Of clang's analyzer the checks that .clang-tidy leaves out, for the reasons given there. They are run, as clang-tidy does:
# without them the analyzer goes on behind what they would find, and finds more of the same.
left_out() {
  sed -n 's/^  -clang-analyzer-\([A-Za-z.-]*\),*$/clang \1/p' .clang-tidy
}

# <tool> <check> <file>: <text>, one for each place.
findings() {
  sed -n "s|^$PWD/\([^:]*\):[0-9]*:[0-9]*: warning: \(.*\) \[-*W*\([A-Za-z.-]*\)\]\$|$1 \3 \1: \2|p" "$scratch/$1" |
    grep -v -F -f "$scratch/left_out" | sort -u
}

code=0
left_out >"$scratch/left_out"
for tool; do
  analyze "$tool" || code=1
  findings "$tool" >"$scratch/found"
  new=0
  while read -r name check file text; do
    if ! grep -q "^$name $check $file" "$known"; then
      echo "$name $check $file $text"
      new=$((new + 1))
    fi
  done <"$scratch/found"
  grep "^$tool " "$known" | while read -r name check file _; do
    grep -q "^$name $check $file" "$scratch/found" || echo "no longer found: $name $check $file"
  done
  echo "analyze: $tool: $(wc -l <"$scratch/found") findings, $new without an explanation"
  [ "$new" -eq 0 ] || code=1
done
exit $code
