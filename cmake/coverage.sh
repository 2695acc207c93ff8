#!/bin/sh
# Which lines of bridge/ the default tier's tests run, by folder, and the files with the fewest. Exit status 1 if a test
# fails, or if the default tier runs fewer than 98 % of the lines.
#
#   sh cmake/coverage.sh [option of ctest]...   other tests than the default tier's, such as -L quick: may run fewer lines
set -eu
cd "$(dirname "$0")/.."
least=98
build=build/coverage
if [ $# -gt 0 ]; then least=0; else set -- -LE 'more|nightly'; fi
export DAP_TEST_SCALE="${DAP_TEST_SCALE:-7}"
# If a test limits the size of files, gcc's library prints errors. They go to a file of their own, because such tests
# also read what programs print.
export GCOV_ERROR_FILE="$PWD/$build/gcov.log"
command -v gcovr >/dev/null || { echo "coverage.sh: there is no gcovr (sh cmake/bootstrap.sh all)" >&2; exit 77; }
jobs=$(nproc)

[ -e $build/CMakeCache.txt ] || cmake --preset coverage -DDAPBRIDGE_PETSC_DIRS=
cmake --build --preset coverage --parallel "$jobs"
find $build -name '*.gcda' -delete
failed=0
ctest --preset coverage "$@" --parallel $((4 * jobs)) || failed=1

# Processes write their counts to one file, in turn; what ends by a signal, as some tests mean to, writes none.
table=$build/coverage.csv
mkdir -p $build/html
gcovr --root . --filter bridge/ --gcov-ignore-parse-errors -j "$jobs" --csv $table --html-details $build/html/index.html \
  $build/bridge >/dev/null
echo "lines run, by folder:"
awk -F, 'NR > 1 { folder = $1; sub("/[^/]*$", "", folder); lines[folder] += $2; run[folder] += $3 }
  END { for (f in lines) printf "%6.1f %% of %5d  %s\n", 100 * run[f] / lines[f], lines[f], f }' $table | sort -k5
echo "the files with the fewest ($build/html/index.html shows which):"
awk -F, 'NR > 1 { printf "%6.1f %% of %5d  %s\n", 100 * $4, $2, $1 }' $table | sort -n | head -n 15
awk -F, -v least=$least 'NR > 1 { lines += $2; run += $3 }
  END {
    printf "%.1f %% of %d lines of bridge/ are run; at least %d %% are to be\n", 100 * run / lines, lines, least
    exit lines == 0 || 100 * run < least * lines
  }' $table || failed=1
exit $failed
