#!/bin/sh
# Draws redistribute.svg and plan.svg of the objects, one a line, that the benchmarks write with --json; by gnuplot:
#
#   sh tests/bench/plot.sh FOLDER       reads FOLDER/redistribute.json and FOLDER/plan.json
set -eu
cd "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Prints a table of cases and methods: of the first object's ranks and the largest n, or (small=1) of the small cases, in
# microseconds. Of several measurements of the same thing the last counts.
table() {
  awk -v small="$1" -v title="$work/title" '
    function get(key) { # its value without quotes; all objects are flat
      if (!match($0, "\"" key "\": *(\"[^\"]*\"|[^,}]*)")) return ""
      value = substr($0, RSTART, RLENGTH); sub("^\"" key "\": *", "", value); gsub("\"", "", value)
      return value
    }
    {
      name = get("case"); n = get("n") + 0; if (!ranks) ranks = get("ranks")
      if ((name ~ /_/) != small || get("ranks") != ranks || n < largest) next
      if (n > largest) { largest = n; cases = 0; split("", number); split("", value_of) }
      if (!(name in number)) { number[name] = ++cases; names[cases] = name }
      value_of[number[name], get("method")] = small ? 1e3 * get("median_ms") : get("vs_limit")
    }
    END {
      methods = split("dap_alloc dap_malloc pack_isend alltoallw gemr2d vecscatter", method, " ")
      print largest, ranks > title
      for (i = 1; i <= cases; i++) {
        sub(".*_", "", names[i]); printf "%s", names[i]
        for (m = 1; m <= methods; m++) printf " %s", (i, method[m]) in value_of ? value_of[i, method[m]] : "-"
        print ""
      }
    }' title="$work/title" redistribute.json
}

if [ -s redistribute.json ]; then
  table 1 >"$work/small"
  table 0 >"$work/large"
  read -r n ranks <"$work/title"
  gnuplot <<END
set terminal svg size 960,460 font "sans-serif,12" background "white"
set output "redistribute.svg"
set datafile missing "-"
set style data histograms
set style histogram clustered gap 1
set style fill solid noborder
set logscale y
set grid ytics lc rgb "#e4e4e4"
set key outside top center horizontal maxcols 3 noenhanced
set multiplot title "Redistribution on $ranks ranks, N = $n (logarithmic; shorter is better)"
set size 0.72,0.94
set ylabel "time / plain copy of the local bytes"
set arrow from graph 0, first 1 to graph 1, first 1 nohead lc rgb "#b00020" front
plot [] [0.5:*] "$work/large" using 2:xtic(1) title "dapbridge, library memory" lc rgb "#005f9e", \
  "" using 3 title "dapbridge, malloc" lc rgb "#62b5ec", "" using 4 title "pack + Isend, by hand" lc rgb "#8a8a8a", \
  "" using 5 title "MPI_Alltoallw" lc rgb "#c9c9c9", "" using 6 title "ScaLAPACK p?gemr2d" lc rgb "#d9722b", \
  "" using 7 title "PETSc VecScatter" lc rgb "#f0c05a"
unset arrow
unset key
set origin 0.72,0
set size 0.28,0.82
set ylabel "microseconds, N = 64"
plot "$work/small" using 2:xtic(1) lc rgb "#005f9e", "" using 3 lc rgb "#62b5ec", "" using 4 lc rgb "#8a8a8a", \
  "" using 5 lc rgb "#c9c9c9", "" using 6 lc rgb "#d9722b", "" using 7 lc rgb "#f0c05a"
END
fi

if [ -s plan.json ]; then
  tr -d '{},":' <plan.json >"$work/plan" # grid G procs P ms T bytes B ...
  gnuplot <<END
set terminal svg size 960,430 font "sans-serif,12" background "white"
set output "plan.svg"
set title "Planning one process's part: 10^6 x 10^6 elements, block-cyclic 64 to 96 (logarithmic)"
set logscale xyy2
set grid ytics lc rgb "#e4e4e4"
set ytics nomirror
set y2tics
set xlabel "processes"
set ylabel "milliseconds"
set y2label "KiB"
set key top left
plot "$work/plan" using 4:6 with linespoints pt 7 lc rgb "#005f9e" title "time", \
  "" using 4:(\$8 / 1024) axes x1y2 with linespoints pt 7 lc rgb "#d9722b" title "memory of the plan"
END
fi
