#!/bin/sh
# Compares the figures on pages with the data that they come from: the objects in tests/bench/plots, and the tables of
# notes/performance.md and notes/model.md. The script computes the figures of each claim, and looks for the sentence with
# these figures in the page. It prints the sentences that a page lacks.
#
#   sh tests/pages/claims.sh [--list]       --list: prints all sentences
# shellcheck disable=SC2016 # code of awk, and Markdown's quotes
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
bench=$root/tests/bench
notes=$root/bridge/docs/notes/performance.md
list=${1:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sh "$bench/table.sh" --rows "$bench/plots/redistribute.json.gz" >"$work/rows"
sh "$bench/table.sh" "$bench/plots/redistribute.json.gz" >"$work/table"
for page in README.md bridge/docs/performance.md bridge/docs/linalg.md bridge/docs/linalg-routines.md \
  bridge/docs/model.md; do
  tr -s ' \n' ' ' <"$root/$page" >"$work/${page##*/}"
done
claims=0
missing=0

says() { # says <page> <sentence>
  claims=$((claims + 1))
  sentence=$(printf '%s' "$2" | tr '\n' ' ') # to grep, several lines are several patterns
  [ "$list" != --list ] || echo "$1: $sentence"
  grep -qF -- "$sentence" "$work/$1" || wrong "$1 does not have: $sentence"
}
wrong() { # wrong <what>
  missing=$((missing + 1))
  echo "claims.sh: $1"
}

# ---- moves; in rows the columns 4 to 12 are multiples of a plain copy's time, see table.sh ----

spread() { # spread <rows> <columns> [format]: the smallest and the largest value, "0.9 to 1.2"
  awk -v columns="$2" -v format="${3:-%.1f}" '
    BEGIN { n = split(columns, column, ",") }
    '"$1"' {
      for (i = 1; i <= n; i++) {
        value = $column[i]
        if (value == "-") continue
        if (!found || value < least) least = value
        if (!found || value > most) most = value
        found = 1
      }
    }
    END { if (!found) exit 1; printf format " to " format, least, most }' "$work/rows"
}
ratio() { # ratio <rows> <columns> [format]: the spread of dapbridge's time over that of the fastest other method
  awk -v columns="$2" -v format="${3:-%.1f}" '
    BEGIN { n = split(columns, column, ",") }
    '"$1"' {
      best = 0
      for (i = 6; i <= 12; i++) if ($i != "-" && (!best || $i < best)) best = $i
      for (i = 1; i <= n; i++) {
        value = $column[i] / best; count++; if (value > 1) slower++
        if (count == 1 || value < least) least = value
        if (count == 1 || value > most) { most = value; where = "case " substr($1, 1, 1) ", " $2 " x " $2 " elements" }
      }
    }
    END {
      if (format == "count") printf "%d of the %d", slower, count
      else if (format == "most") printf "%.1f", most
      else if (format == "percent") printf "%.0f %%", 100 * (most - 1)
      else if (format == "where") printf "%s", where
      else printf format " to " format, least, most
    }' "$work/rows"
}

overview='$2 == 4096 && $3 == 2 && $1 ~ /^[A-ET]$/'
large='$2 >= 2048 && $1 !~ /^[HU]/ && $1 !~ /1$/' # a 1 at the end: measured with --alone
says README.md "these moves take $(spread "$overview" 4) times as long as a plain copy"
says README.md "Between buffers that your program allocated, they take $(spread "$overview" 5) times as long"
[ "$(ratio "$overview" 4,5 count)" = "0 of the 12" ] || wrong "dapbridge is not the fastest in each of the six moves"

says performance.md "a move takes $(spread "$large && \$3 == 2" 4) times as long as a plain copy on 2 ranks, and \
$(spread "$large && \$3 == 4" 4) times as long on 4 ranks"
says performance.md "a move takes $(spread "$large && \$3 == 2" 5) times as long as a plain copy on 2 ranks, and \
$(spread "$large && \$3 == 4" 5) times as long on 4 ranks"
says performance.md "\`MPI_Isend()\` takes $(spread "$large" 6 %.0f) times as long as a plain copy, \`MPI_Alltoallw()\` \
$(spread "$large" 7 %.0f) times, PETSc's VecScatter $(spread "$large" 9 %.0f) times, and ScaLAPACK's p?gemr2d \
$(spread "$large" 8 %.0f) times"
says performance.md "in a random order** take $(spread '$1 == "U"' 4,5 %.0f) times as long as a plain copy"
medium='$2 >= 256 && $1 !~ /^[HU]/ && $1 !~ /1$/'
says performance.md "in $(ratio "$medium" 4,5 count) moves of 256 x 256 elements or more, another method is up to \
$(ratio "$medium" 4,5 percent) faster"
says performance.md "in $(ratio '$1 ~ /1$/' 4,5 count) moves and halo updates that were measured in this way, and takes up to \
$(ratio '$1 ~ /1$/' 4,5 most) times as long ($(ratio '$1 ~ /1$/' 4,5 where))"
says performance.md "case B, 128 x 128 elements): dapbridge takes $(ratio '$1 == "B" && $2 == 128' 4,5) times"
says performance.md "A and D of this size, and D of 64 x 64 elements, take up to \
$(ratio '$1 ~ /^[AD]$/ && $2 == 128 || $1 == "D" && $2 == 64' 5 most) times as long in your own memory"
says performance.md "64^3 points or more in private memory on 2 ranks**: dapbridge takes \
$(ratio '$1 == "H" && $3 == 2 && $2 >= 512' 5) times"
says performance.md "changes the planes, dapbridge takes $(ratio '$1 == "H1" && $3 == 2 && $2 >= 512' 5) times"
says performance.md "256^3 points on 4 ranks: dapbridge takes $(ratio '$1 == "H" && $3 == 4 && $2 == 4096' 5 most) times"

goal() { # goal <case>: times of a move of 4096 x 4096 elements on 4 ranks, in memory that dapbridge allocated
  awk -v letter="$1" '$1 == letter && $2 == 4096 && $3 == 4 { printf "%.2f", $4 }' "$work/rows"
}
goals() { # goals <memory> <ranks>: the targets for times of large arrays
  awk -v memory="$1" -v ranks="$2" '
    $1 == "target" && $4 == 4096 && $6 == memory && $3 ~ ranks {
      if (!n++ || $7 < least) least = $7
      if (n == 1 || $7 > most) most = $7
    }
    END { printf least == most ? "%.1f" : "%.1f to %.1f", least, most }' "$bench/targets.txt"
}
late() { # late <column of the table> <ranks>: the cases of large arrays that take longer than their target
  awk -F '|' -v column="$1" -v ranks="$2" '
    { split($1, part, " ") }
    part[2] == 4096 && part[3] == ranks && $column ~ /<= [0-9.]+ NO/ && !(part[1] in seen) { seen[part[1]]; name[++n] = part[1] }
    END { for (i = 1; i <= n; i++) printf "%s%s", name[i], i + 1 < n ? ", " : i < n ? " and " : "" }' "$work/table"
}
says performance.md "the targets allow $(goals malloc '[24]') times the time of a plain copy. Cases $(late 3 2) on 2 ranks \
and $(late 3 4) on 4 ranks take longer"
says performance.md "the target is $(goals library '^4$') times the time of a plain copy, but case A takes $(goal A) times and \
case D $(goal D) times as long as a plain copy"
[ "$(late 2 4)" = "A and D" ] || wrong "these cases miss their targets in memory that dapbridge allocated: $(late 2 4)"
says performance.md "$(sed -n 's/^\([0-9]* of [0-9]* targets are met\).*/\1/p' "$work/table")"

says performance.md "$(tr -d '{},":' <"$bench/plots/plan.json" | awk '
  { if ($6 > ms) ms = $6; if ($8 > bytes) bytes = $8; if (!n++ || $4 < few) few = $4; if ($4 > many) many = $4 }
  END {
    printf "takes at most %.1f ms on a process, and needs at most %.0f kB of memory, ", ms, bytes / 1000
    printf "on grids of %d to 10^%.0f processes", few, log(many) / log(10)
  }')"

# ---- tables in the notes ----

told() { # told <section> <condition for rows> <columns> [format] [inverse]: the spread of all numbers in some cells
  awk -F ' *[|] *' -v section="## $1" -v columns="$3" -v format="${4:-%.1f}" -v inverse="${5:-}" '
    BEGIN { cells = split(columns, column, ",") }
    /^## / { on = $0 == section }
    on && NF > 4 && '"$2"' {
      for (i = 1; i <= cells; i++) {
        text = $column[i]; sub(/[(].*/, "", text); gsub(/[^0-9.]+/, " ", text); numbers = split(text, number, " ")
        for (j = 1; j <= numbers; j++) {
          value = inverse ? 1 / number[j] : number[j] + 0
          if (!n++ || value < least) least = value
          if (n == 1 || value > most) most = value
        }
      }
    }
    END { if (!n) exit 1; printf format " to " format, least, most }' "$notes"
}
says performance.md "A plan for lists of indices also needs $(awk -F ' *[|] *' '
  !/^[|]/ { on = 0 }
  on && $3 + 0 > most { most = $3 + 0 }
  $2 == "plan, 2 ranks" { on = 1 }
  END { printf "%.0f", most }' "$notes") bytes per element"
fields='| PETSc'"'"'s `DMLocalToLocal` |'
says performance.md "slabs, 2 ranks (\`bench field\`) $fields $(told 'PETSc fields' '$2 ~ /2, slabs/' 6 %.2f) |"
says performance.md "blocks, 4 ranks (\`bench field\`) $fields $(told 'PETSc fields' '$2 ~ /4, blocks/' 6 %.2f) |"
says performance.md "takes $(told 'PETSc fields' '$2 ~ /\^3, [24]/' 3 %.0f) us"
says performance.md "copying 256^3 points to PETSc and back takes up to $(told 'PETSc fields' '$2 ~ /^256\^3/' 4 %.0f |
  sed 's/.* to //') ms"
ghosts='| PETSc'"'"'s `VecGhostUpdate` |'
says performance.md "ghosts, private memory (\`bench ghosts\`) $ghosts $(told 'Ghosts of meshes' '$2 ~ /^[24], /' 4) |"
says performance.md "elements, private memory (\`bench ghosts\`) $ghosts $(told 'Ghosts of meshes' '$2 ~ /^[24], /' 7);"
says performance.md "| a hand-written exchange | $(told 'Ghosts of meshes' '$2 ~ /^[24], /' 5) |"
many='Several fields, replicas, two groups'
says performance.md "| separate halo updates | $(told "$many" '$2 ~ /^halo of (16|64) /' 3 %.1f inverse) |"
says performance.md "| separate moves | $(told "$many" '$2 ~ /^moves of 4 /' 3 %.1f inverse) |"
says performance.md "| a hand-written exchange | $(told "$many" '$2 ~ /^halo of 1 and 4 /' 4 %.1f inverse) |"
placed='$2 ~ /MPI_/ && $2 !~ /`bench /'
says performance.md "64 KiB and 1 MiB take $(told "$many" "$placed" 4,5) times"
says performance.md "1 KiB take $(told "$many" "$placed" 3) times"
says performance.md "16 MiB take $(told "$many" "$placed && \$2 !~ /Allreduce|Allgather/" 6) times"
says performance.md "\`MPI_Allgather()\` take $(told "$many" "$placed && \$2 ~ /Allreduce|Allgather/" 6 %.2f) times"

files() { # files <column>: the largest ratio of the two times in its cells
  awk -F ' *[|] *' -v column="$1" '/^## / { on = $0 == "## Files" }
    on && split($column, time, ", ") == 2 && time[2] + 0 { if (time[1] / time[2] > most) most = time[1] / time[2] }
    END { printf "%.1f", most }' "$notes"
}
says performance.md "On 2 ranks, dapbridge takes at most $(files 3) times as long as this program to save 4096 x 4096 doubles, \
and at most $(files 4) times as long to load them. On 4 ranks, dapbridge takes at most $(files 5) times as long to \
save them, and at most $(files 6) times as long to load them"

network() { # network <column> <column of the other methods>: moves in which both processes send
  awk -F ' *[|] *' -v ours="$1" -v theirs="$2" '/^## / { on = $0 == "## Networks" }
    on && $2 ~ /^[A-DHU] [0-9]+$/ && $2 != "A 64" {
      split($theirs, time, ", "); best = time[1] + 0 < time[2] + 0 ? time[1] : time[2]; value = $ours / best
      if (!n++ || value < least) least = value
      if (n == 1 || value > most) most = value
    }
    END { printf "%.2f to %.2f", least, most }' "$notes"
}
says performance.md "If messages are not delayed, a run takes $(network 3 4) times as long as the fastest other method. \
With a delay of 0.1 ms it takes $(network 5 6) times as long, and with a delay of 1 ms it takes $(network 7 8) times as long"

simulated() { # simulated <awk condition> <numerator> <denominator>: the spread of the ratio of two columns
  awk -F ' *[|] *' '/^## / { on = $0 == "## Simulated time" }
    on && NF > 9 && /, (64|256), / && $'"$2"' + 0 && $'"$3"' + 0 && '"$1"' {
      value = $'"$2"' / $'"$3"'
      if (!n++ || value < least) least = value
      if (n == 1 || value > most) most = value
    }
    END { printf "%.1f to %.1f", least, most }' "$notes"
}
says performance.md "$(simulated '/fat tree/' 8 3) times as fast as p?gemr2d on a fat-tree network, and \
$(simulated '/dragonfly/' 8 3) times"
says performance.md "$(awk -F ' *[|] *' '/^## / { on = $0 == "## Simulated time" }
  on && NF > 9 && $9 + 0 { value[++n] = $9 }
  END {
    for (i = 1; i <= n; i++) if (value[i] > value[worst + 0] + 0) worst = i
    for (i = 1; i <= n; i++) if (i != worst) {
      if (least == "" || value[i] < least) least = value[i]
      if (value[i] > most) most = value[i]
    }
    printf "takes %.2f to %.2f times as long as the fastest other method, ", least, most
    printf "with one exception: it takes %.2f times", value[worst]
  }' "$notes")"
trees() { # trees <rows>: a tree of 4, which plans use, against MPI
  awk -F ' *[|] *' -v rows="$1" '/^## / { on = $0 == "## Simulated time" }
    on && index($2, rows) == 1 {
      value = $3 / $6
      if (!n++ || value < least) least = value
      if (n == 1 || value > most) most = value
    }
    END { printf "%.1f to %.1f", least, most }' "$notes"
}
says performance.md "copy elements to all processes take $(trees copies) times as long as \`MPI_Bcast()\`"
says performance.md "sums on all processes take $(trees sums) times as long as \`MPI_Allreduce()\`"

# Short messages: two phases against the other methods. Long ones: the plan against packing by hand.
awk '
  function exception(text) { if (!(text in seen)) { seen[text]; print text } }
  /^#/ { next }
  $2 <= 8192 { for (i = 4; i <= 8; i++) if (i != 5 && $i <= $5) exception($2 / 1024 " KiB on a " $1 " network") }
  $2 >= 32768 && ($3 / $6 > 1.03 || $6 / $3 > 1.03) { exception("a plan of " $2 " bytes on a " $1 " network") }
  { for (i = 3; i < 8; i++) if ($i >= $8) exception("gemr2d with " $2 " bytes on a " $1 " network") }
  ' "$bench/plots/simulated.txt" >"$work/exceptions"
says performance.md "Short messages in two phases take less time than any other method, except messages of \
$(cat "$work/exceptions"). With messages of 32 KiB or more, a plan takes as long as packing by hand. p?gemr2d takes the longest in every case."
# Formulas of the pages.
says linalg-routines.md "$(awk 'BEGIN {
  split("1024 2000 4000", n, " ")
  for (i = 1; i <= 3; i++) nb[i] = sqrt(4 / 3 * n[i] * 10 * 1 / 20 / 2)
  printf "nb is %.0f, %.0f and %.0f for n = %d, %d and %d", nb[1], nb[2], nb[3], n[1], n[2], n[3] }')"
says model.md "$(awk '
  function longest(procs) { return 16 * (1 - 2 * sqrt(procs) / (procs - 1)) }
  BEGIN { printf "64 processes use two phases for messages below %.0f KiB, ", longest(64)
    printf "and 256 processes for messages below %.0f KiB", longest(256) }')"
# Times over those of the model, without marked ones. E is apart: "1.20 (E 1.00)".
says model.md "$(awk -F ' *[|] *' '
  /^## / { on = $0 == "## How well it fits" }
  on && NF > 8 && $3 + 0 { for (i = 4; i <= 9; i++) if ($i !~ /[*]/) {
    model = $3; if (i == 8) sub(".*E ", "", model)
    print $i / (model + 0)
  } }' "$root/bridge/docs/notes/model.md" | sort -n | awk '
  { value[NR] = $1 }
  END {
    printf "Measured times are %.1f to %.1f times as long as the model predicts, and half of them ", value[1], value[NR]
    printf "%.1f to %.1f times", value[int(NR / 4) + 1], value[int(3 * NR / 4) + 1]
  }')"

# ---- dense linear algebra: the lists of missed targets in the notes ----

# Prints "kind ranks n ratio function" for each: kind is shared or moved, and a function has no blanks.
awk '
  /^`sh cmake\/mpirun.sh/ { ranks = $3 }
  /^- shared matrices/ { kind = "shared" }
  /^- moved matrices/ { kind = "moved" }
  /^  `[^`]*` by .*: [0-9.]+ \(/ {
    name = $0; sub("^  `", "", name); sub("`.*", "", name); gsub(" ", "_", name)
    rest = $0; sub(".*, ", "", rest); sub("^.*, [0-9]* sides?, ", "", rest)
    split($0, part, ": "); n = part[1]; sub(".*, ", "", n); split(part[2], value, " ")
    print kind, ranks, n, value[1], name
  }' "$notes" >"$work/missed"
cell() { # cell <functions> <awk condition>: the largest ratio, or "met"
  awk -v functions="^($1)\$" '$5 ~ functions && '"$2"' { if ($4 > most) most = $4 }
    END { if (most) printf "%.2f", most; else printf "met" }' "$work/missed"
}
grouped=
row() { # row <what the page's row is called> <functions>
  says performance.md "| $1 | $(cell "$2" '$1 == "shared" && $3 < 1000') | $(cell "$2" '$1 == "shared" && $3 >= 1000') | \
$(cell "$2" '$1 == "moved" && $2 == 2 && $3 >= 1000') | $(cell "$2" '$1 == "moved" && $2 == 4 && $3 >= 1000') |"
  grouped=$grouped${grouped:+'|'}$2
}
row '`multiply`, `rank_k`, `triangular_multiply`, `triangular_solve`' 'multiply|rank_k|triangular_multiply|triangular_solve'
row '`norm`' norm
row '`solve`, `cholesky_solve`, `inverse`' 'solve|solve_complex|cholesky_solve|inverse'
row '`lu`, `determinant`, `condition`' 'lu|determinant|condition'
row '`cholesky`' cholesky
row '`factors_solve`, `factors_inverse`' 'factors_(solve|inverse)_(LU|Cholesky)'
row '`factors_condition`' 'factors_condition_(LU|Cholesky)'
row '`factors_determinant`' 'factors_determinant_LU'
row '`least_squares`, `qr`, `qr_pivoted`' 'least_squares|least_squares_rank|qr|qr_pivoted'
row '`eigh` (all), `eigh_generalized`, `svd` (`gesvd`)' 'eigh|eigh_evr|eigh_generalized|svd_gesvd'
row '`eigh` by index or by value' 'eigh_by_index|eigh_by_value'
left=$(awk -v functions="^($grouped|solve_refined|.*banded_solve|.*tridiagonal_solve)\$" '$5 !~ functions { print $5 }' "$work/missed")
[ -z "$left" ] || wrong "no row of performance.md has: $left"
part() { # part <functions>: the share of moving in a moved call, in percent, for n >= 1000
  awk -F ' *[|] *' -v functions="^\`($1)\`\$" '$2 ~ functions && $4 >= 1000 && NF > 11 && split($10, share, "; ") == 2 {
      value = share[2] + 0
      if (!n++ || value < least) least = value
      if (n == 1 || value > most) most = value
    }
    END { printf "%d to %d %%", least, most }' "$notes"
}
says performance.md "the move takes $(part '[^n][^`]*') of the time if n >= 1000; for \`norm\` it takes $(part norm)"
says linalg.md "If n >= 1000, the move takes $(part 'lu|cholesky|qr|qr_pivoted') of the time of a factorisation"
grid() { # grid <function>: the time of a moved call relative to the direct call, on 2 x 2 processes for n = 1000
  awk -F ' *[|] *' -v name="\`$1\`" '/mpirun.sh 4/ { on = 1 } on && $2 == name && $4 == 1000 { printf "%.1f", $9 }' "$notes"
}
says linalg.md "LU of a moved matrix takes $(grid lu) times as long as the direct call, \`qr\` $(grid qr) times, \
\`eigh\` $(grid eigh) times and \`solve\` $(grid solve) times"
large() { # large <column> <functions that are left out>: the largest ratio for n = 4000
  awk -F ' *[|] *' -v column="$1" -v out="^\`($2)" '
    NF > 11 && $4 == 4000 && $2 !~ out && $column + 0 > most { most = $column + 0 }
    END { printf "%.2f", most }' "$notes"
}
says performance.md "\`inverse\` of a shared matrix takes $(large 8 solve_refined) times as long as the direct call. For moved \
matrices, including the move, \`qr\` takes $(large 9 solve_refined) times as long, and all other functions except \
\`solve_refined\` take up to $(large 9 'solve_refined|qr') times as long"
says performance.md "rotations in \`pdgesvd\` take up to $(awk -F ' *[|] *' '
  $2 == "ns" { first = $5 / $4; second = $8 / $7; printf "%.0f", (first > second ? first : second) }' "$notes") times as long"
says performance.md "\`a.gather(0)\` takes $(awk -F ' *[|] *' '
  $2 == "`a.gather(0)`" { sub(".* ", "", $5); printf "%.1f", $3 / $5 }' "$notes") times as long as mpi4py's \`Gather\`"
says performance.md "takes $(told 'Dense linear algebra' '$2 == "`svd`"' 8) times as long as \`pdgesvd\`"
says performance.md "take $(told 'Dense linear algebra' '$2 == "`eigh values`"' 8) times as long as with \`pdsyevr\`"
says performance.md "$(told 'Dense linear algebra' '$2 ~ /^`(positive_)?banded_solve/' 8,9) times as long as \`pdgbsv\` and"
says performance.md "$(told 'Dense linear algebra' '$2 == "`tridiagonal_solve`"' 8,9 %.0f) times as long as \`pddtsv\`"
small=$(awk '$1 == "moved" && $3 < 1000 && $5 !~ /solve_refined|factors_determinant/ { if ($4 > most) most = $4 }
  END { printf "%.2f", most }' "$work/missed")
says performance.md "moved matrices take up to $small times as long"
says performance.md "\`solve_refined\` $(awk '$5 == "solve_refined" { print $4 }' "$work/missed" | sort -n |
  awk 'NR == 1 { least = $1 } END { printf "takes %.1f to %.1f times as long", least, $1 }')"

echo "$((claims - missing)) of $claims claims have the figures of the data."
[ "$missing" -eq 0 ]
