#!/bin/sh
# hours.sh tries each program on each number of ranks, and what fails ends it and is said. Of six programs, with a
# launcher that writes down what it is to start and fails at the 37th.
#
#   sh hours_vary.sh <hours.sh>
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cat >"$scratch/mpirun" <<END
echo "\$1 \$2" >>"$scratch/runs"
echo "\$DAP_TEST_SEED" >>"$scratch/seeds"
[ "\$(wc -l <"$scratch/runs")" -le 36 ]
END
code=0
DAP_TEST_MINUTES=5 sh "$1" "$scratch/mpirun" 0 a b c d e f >"$scratch/out" || code=$?
cat "$scratch/out"
[ "$code" -eq 1 ] || { echo "what failed has not ended it: exit status $code" && exit 1; }
grep -q '^DAP_TEST_SEED=[0-9]* DAP_TEST_SCALE=7 sh cmake/mpirun.sh 1 a$' "$scratch/out" || { echo "what failed is not said" && exit 1; }
[ "$(head -n 36 "$scratch/runs" | sort -u | wc -l)" -eq 36 ] ||
  { echo "not each program on each number of ranks:" && sort "$scratch/runs" | uniq -c && exit 1; }
[ "$(sort -u "$scratch/seeds" | wc -l)" -eq 37 ] || { echo "a seed twice" && exit 1; }
