#!/bin/sh
# clang-tidy over the library, as .clang-tidy says.
#
#   sh cmake/tidy.sh <build folder> [all]     without all: what changed, see changed()
#
# clang's analyzer, which takes nearly all of the time, looks at what changed only: cmake/analyze.sh has it look at the rest.
# Releases of clang-tidy differ, so one of them decides; without that one nothing is looked at: exit status 77.
set -eu
cd "$(dirname "$0")/.."

tidy=$(command -v clang-tidy-14 || command -v clang-tidy || true)
case $([ -z "$tidy" ] || "$tidy" --version) in
  *'version 14.'*) ;;
  *) echo "tidy: there is no clang-tidy 14"; exit 77 ;;
esac

# The files that differ from where this branch left main; on main itself, from the commit before; and new ones. Fails
# where git cannot tell.
changed() {
  base=""
  for main in '@{upstream}' origin/main main; do
    base=$(git merge-base HEAD "$main" 2>/dev/null) && break
  done
  head=$(git rev-parse --verify -q HEAD) || return 1
  if [ -z "$base" ] || [ "$base" = "$head" ]; then
    base=$(git rev-parse --verify -q HEAD~1) || return 1
  fi
  git diff --name-only --diff-filter=d "$base" -- bridge include
  git ls-files --others --exclude-standard -- bridge include
}

# Sources as they are; of a header, one source that includes it.
sources() {
  while read -r file; do
    case $file in
      *.c) echo "$file" ;;
      *.h) grep -rl --include='*.c' "[\"/]$(basename "$file")[\">]" bridge | head -n 1 ;;
    esac
  done | sort -u
}

all=$(find bridge -name '*.c' | sort)
if files=$(changed); then
  files=$(echo "$files" | sources)
else
  files=$all
fi
known() { # those that this build compiles
  while read -r file; do
    if grep -q "\"file\": \"$PWD/$file\"" "$1/compile_commands.json"; then echo "$file"; fi
  done
}
files=$(echo "$files" | known "$1")
if [ "${2:-}" = all ]; then all=$(echo "$all" | known "$1"); else all=""; fi
[ -n "$files$all" ] || { echo "tidy: nothing to look at"; exit 0; }

# What is compiled for several builds of PETSc is looked at for the two that differ in both types, where there are those.
database=$(mktemp -d)
trap 'rm -rf "$database"' EXIT
awk '
  FNR == NR { real += /petsc_real\.dir/; complex += /petsc64_complex\.dir/; next }
  FNR == 1 { print "[" }
  $0 == "{" { entry = "" }
  { entry = entry $0 "\n" }
  /^}/ && !(real && complex && entry ~ /petsc64_real\.dir|petsc_complex\.dir/) {
    sub(/,\n$/, "\n", entry)
    printf "%s%s", comma, entry
    comma = ",\n"
  }
  END { print "]" }
' "$1/compile_commands.json" "$1/compile_commands.json" >"$database/compile_commands.json"
# gcc's flags do not say that clang shall take members that are left out for 0, as cmake/DapDefaults.cmake tells it.
look() { # with options, at files
  xargs -r -P "$(nproc)" -n 1 "$tidy" -p "$database" --quiet --extra-arg=-Wno-missing-field-initializers "$@"
}
echo "$all" | look '--checks=-clang-analyzer-*'
echo "$files" | look
