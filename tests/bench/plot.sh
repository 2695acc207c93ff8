#!/bin/sh
# Draws plots by gnuplot. overview.svg, redistribute.svg and plan.svg show the objects that the benchmarks write with
# --json, one a line; those of bench redistribute are compressed. simulated.svg shows the output of
# tests/bench/simulated/time.sh. If rows were measured several times, their medians count (table.sh).
#
#   sh tests/bench/plot.sh FOLDER       reads FOLDER/redistribute.json.gz, FOLDER/plan.json and FOLDER/simulated.txt
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ -s redistribute.json.gz ]; then
  sh "$here/table.sh" --rows redistribute.json.gz >"$work/rows"
  # Large arrays: shows each method's time over the limit's. Rows with the same number of ranks are together, 2 ranks
  # first.
  sort -s -k 3,3n "$work/rows" | awk '
  function extent(n,   e) { # a cube has another extent
    if ($1 != "H" && $1 != "P3") return n
    for (e = 1; (e + 1) * (e + 1) * (e + 1) <= n * n;) e++
    return e "^3"
  }
  $2 >= 2048 {
    printf "%s\\n%s\\n%s", $1, extent($2), $3
    for (i = 4; i <= 10; i++) printf " %s", $i
    print ""
  }' >"$work/large"
  # Describes the cases that most users meet.
  awk '
  BEGIN { name["A"] = "rows to\\ncyclic(64)"; name["B"] = "blocks to\\ncyclic(64)"; name["C"] = "cyclic(64) to\\ncyclic(32)"
    name["D"] = "cyclic(1)\\nto blocks"; name["E"] = "C order to\\nF order"; name["T"] = "rows to rows,\\ntransposed" }
  $2 == 4096 && $3 == 2 && $1 in name {
    printf "\"%s\"", name[$1]
    for (i = 4; i <= 10; i++) printf " %s", $i
    print ""
  }' "$work/rows" >"$work/overview"
  # Small matrices: shows the best peer's time over ours, by N, with a block for each case and number of ranks.
  for ranks in 2 4; do
    for letter in A B C D; do
      awk -v letter="$letter" -v ranks="$ranks" '$1 == letter && $3 == ranks && $2 < 2048 {
        best = 0
        for (i = 15; i <= 21; i++) if ($i != "-" && (!best || $i < best)) best = $i
        print $2, $13 == "-" ? "-" : best / $13, $14 == "-" ? "-" : best / $14
      }' "$work/rows" | sort -n >"$work/small.$letter.$ranks"
    done
  done
  bars() { # bars <rows>: for each measured method its column, colour and title
    separator='plot [] [0.5:60]'
    while IFS=: read -r column colour title; do
      sed 's/^"[^"]*"/-/' "$1" |
        awk -v column="$column" '$column != "-" { found = 1 } END { exit !found }' || continue
      printf '%s "%s" using %s:xtic(1) title "%s" lc rgb "%s"' "$separator" "$1" "$column" "$title" "$colour"
      separator=,
    done <<METHODS
2:#005f9e:dapbridge, library memory
3:#62b5ec:dapbridge, malloc
4:#8a8a8a:pack + Isend, by hand
5:#c9c9c9:MPI_Alltoallw
6:#d9722b:ScaLAPACK p?gemr2d
7:#f0c05a:PETSc VecScatter
8:#3a9a3a:FFTW, patient
METHODS
    echo
  }
  small() { # small <ranks> <title> <where>: a panel, if there is data
    separator='plot [50:1200] [0.25:16]'
    for pair in A:#005f9e B:#d9722b C:#3a9a3a D:#8a5fb0; do
      data=$work/small.${pair%%:*}.$1
      [ -s "$data" ] || continue
      [ "$separator" = , ] || printf 'set origin %s\nset title "%s"\n' "$3" "$2"
      printf '%s "%s" using 1:2 with linespoints pt 7 lw 2 lc rgb "%s" title "%s"' \
        "$separator" "$data" "${pair#*:}" "${pair%%:*}"
      separator=,
      printf ', "" using 1:3 with linespoints pt 6 dt 2 lc rgb "%s" notitle' "${pair#*:}"
    done
    echo
  }
  histogram='set datafile missing "-"
set style data histograms
set style histogram clustered gap 1
set style fill solid noborder
set logscale y
set grid ytics lc rgb "#e4e4e4"
set key outside top center horizontal maxcols 4 noenhanced
set ylabel "times as long as a plain copy"
set arrow from graph 0, first 1 to graph 1, first 1 nohead lc rgb "#b00020" front'
  [ ! -s "$work/overview" ] || gnuplot <<END
set terminal svg size 960,430 font "sans-serif,12" background "white"
set output "overview.svg"
set bmargin 4
$histogram
set title "Moving 4096 x 4096 doubles on 2 processes: time / time of a plain copy (logarithmic; shorter is better)"
$(bars "$work/overview")
END
  gnuplot <<END
set terminal svg size 1100,920 font "sans-serif,12" background "white"
set output "redistribute.svg"
set multiplot
$histogram
set origin 0,0.42
set size 1,0.58
set bmargin 7
set label 1 "A: rows to F-order cyclic(64)   B: blocks to cyclic(64)   C: cyclic(64) columns to cyclic(32) rows   \
D: cyclic(1) to blocks   E: C order to F order   Z: C, complex" at graph 0.5, screen 0.455 center noenhanced
set label 2 "T: rows to rows of the transposed   P3: padded blocks to padded slabs, 3-D   H: halo update, 3-D   \
U: random order to blocks" at graph 0.5, screen 0.435 center noenhanced
set title "Time / plain copy of the local bytes, by case, N and ranks (logarithmic; shorter is better)"
$(bars "$work/large")
unset label 1
unset label 2
set ylabel "times as long as dapbridge"
set style data points
set logscale x 2
set xtics (64, 128, 256, 512, 1024)
set xlabel "N"
set ytics (0.25, 0.5, 1, 2, 4, 8)
set key inside top center horizontal maxcols 4
set size 0.5,0.41
set bmargin 3.5
$(small 2 "Best peer's time / dapbridge's, 2 ranks (above 1: dapbridge is faster)" 0,0)
$(small 4 "The same on 4 ranks (solid: library memory; dashed: malloc)" 0.5,0)
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
set xrange [2:2000000]
set yrange [0.005:20]
set y2range [5:1000]
set ylabel "time, milliseconds"
set y2label "memory, KiB"
set key top left
plot "$work/plan" using 4:6 with linespoints pt 7 lc rgb "#005f9e" title "time (left axis)", \
  "" using 4:(\$8 / 1024) axes x1y2 with linespoints pt 7 lc rgb "#d9722b" title "memory of the plan (right axis)"
END
fi

if [ -s simulated.txt ]; then
  simulated() { # simulated <network>: a panel
    printf 'plot '
    while IFS=: read -r column colour width title; do
      printf '"< grep ^%s simulated.txt" using 2:%s with linespoints pt 7 lw %s lc rgb "%s" title "%s", ' \
        "$1" "$column" "$width" "$colour" "$title"
    done <<METHODS
3:#005f9e:4:dapbridge
4:#62b5ec:1:in one phase
5:#3a9a3a:1:in two phases
6:#8a8a8a:1:pack + Isend, by hand
7:#c9c9c9:1:MPI_Alltoallw
8:#d9722b:1:ScaLAPACK p?gemr2d
METHODS
    echo
  }
  gnuplot <<END
set terminal svg size 1100,430 font "sans-serif,12" background "white"
set output "simulated.svg"
set datafile missing "-"
set multiplot layout 1,2
set logscale x 2
set logscale y
set grid ytics lc rgb "#e4e4e4"
set xtics ("512 B" 512, "2 KiB" 2048, "8 KiB" 8192, "32 KiB" 32768, "128 KiB" 131072)
set xlabel "bytes that each process sends to each other one"
set ylabel "microseconds"
set xrange [400:170000]
set yrange [20:100000]
set rmargin 5
set key top left noenhanced
set title "Fat tree, 64 processes, simulated time"
$(simulated fattree)
set title "Dragonfly, 64 processes, simulated time"
$(simulated dragonfly)
END
fi
