#!/bin/sh
# Prints the objects of bench redistribute as one table. For each case, N and number of ranks it has the time over the
# limit's, and the best peer's time over ours, with library memory and with malloc(). Beside each are the target and the
# earlier value (targets.txt), and at the end is the number of targets that are met. If a row was measured several
# times, the medians count. Rows that were measured with --alone have a 1 after the case.
#
#   sh tests/bench/table.sh FILE.gz...           a table for people
#   sh tests/bench/table.sh --rows FILE.gz...    one line a row, for plot.sh: case, N, ranks, and for each method below
#                                             x limit and milliseconds; "-" if it was not measured
set -eu
here=$(cd "$(dirname "$0")" && pwd)
rows=0
if [ "${1:-}" = --rows ]; then
  rows=1
  shift
fi
[ $# -gt 0 ] || { echo "usage: sh tests/bench/table.sh [--rows] FILE.gz..." >&2; exit 2; }

gzip -dc "$@" | awk -v rows="$rows" '
  # ---- targets.txt, the first file ----
  FNR == NR && $1 == "target" { cases[++targets] = $2; ranks_of[targets] = $3; from[targets] = $4; to[targets] = $5
    memory_of[targets] = $6; most[targets] = $7; least[targets] = $8 }
  FNR == NR && $1 == "before" { old[$2, $3, $4, "library"] = $5 " " $6; old[$2, $3, $4, "malloc"] = $7 " " $8 }
  FNR == NR { next }

  # ---- objects, one flat object a line ----
  function get(key,   value) { # returns its value without quotes
    if (!match($0, "\"" key "\": *(\"[^\"]*\"|[^,}]*)")) return ""
    value = substr($0, RSTART, RLENGTH); sub("^\"" key "\": *", "", value); gsub("\"", "", value)
    return value
  }
  {
    row = get("case") (get("alone") == "true" ? "1" : "") SUBSEP get("n") SUBSEP get("ranks"); method = get("method")
    if (!(row in seen)) { seen[row] = ++count; name[count] = row }
    if (get("wrong") != 0) wrong++
    add(row, method, "ms", get("median_ms")); add(row, method, "limit", get("vs_limit"))
    add(row, method, "peer", get("vs_best_peer"))
    if (get("role") == "peer") { if (!((row, method) in is_peer)) peers[row] = peers[row] " " method; is_peer[row, method] }
  }
  function add(row, method, what, value) {
    if (value != "" && value != "null") values[row, method, what] = values[row, method, what] " " value
  }

  function median(list,   n, v, i, j, t) { # returns "-" for an empty list
    n = split(list, v, " ")
    if (n == 0) return "-"
    for (i = 2; i <= n; i++) for (j = i; j > 1 && v[j] + 0 < v[j - 1] + 0; j--) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
    return (v[int((n + 1) / 2)] + v[int((n + 2) / 2)]) / 2
  }
  function number(value) { return value == "-" ? "-" : sprintf(value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value) }

  # ---- the table ----
  function listed(list, word) { return index("," list ",", "," word ",") > 0 }
  function target(part, memory,   i) {
    for (i = 1; i <= targets; i++)
      if (listed(cases[i], part[1]) && listed(ranks_of[i], part[3]) && part[2] >= from[i] && part[2] <= to[i] &&
          (memory_of[i] == memory || memory_of[i] == "any")) return i
    return 0
  }
  function judge(value, goal, below,   mark) { # " <= 1.50 ok"
    if (value == "-" || goal == "-" || goal == "") return ""
    asked++
    # Compares printed values: 1.153 is not 1.15, but 1.1502 is.
    if (below ? number(value) + 0 <= goal + 0 : number(value) + 0 >= goal + 0) { met++; mark = "ok" } else mark = "NO"
    return (below ? "<= " : ">= ") goal " " mark
  }
  function cells(row, part, memory, method,   i, was, x, y) {
    i = target(part, memory); split((part[1], part[2], part[3], memory) in old ? old[part[1], part[2], part[3], memory] : "- -", was, " ")
    x = median(values[row, method, "limit"]); y = median(values[row, method, "peer"])
    return sprintf(" | %5s %5s %-11s %5s %5s %-10s", was[1], number(x), judge(x, most[i], 1), was[2], number(y), judge(y, least[i], 0))
  }
  function best(row,   n, m, i, t, low, found) {
    n = split(peers[row], m, " ")
    for (i = 1; i <= n; i++) { t = median(values[row, m[i], "ms"]); if (!found || t < low) { low = t; found = m[i] } }
    return found
  }
  function label(part,   e) { # a cube has another extent
    if (part[1] != "H" && part[1] != "P3") return part[1] " " part[2]
    for (e = 1; (e + 1) * (e + 1) * (e + 1) <= part[2] * part[2];) e++
    return part[1] " " e "^3"
  }
  function print_rows(   k, part, m, methods, method) {
    methods = split("dap_alloc dap_malloc pack_isend alltoallw gemr2d vecscatter fftw neighbor dmda", method, " ")
    for (k = 1; k <= count; k++) {
      split(name[k], part, SUBSEP); printf "%s %s %s", part[1], part[2], part[3]
      for (m = 1; m <= methods; m++) printf " %s", median(values[name[k], method[m], "limit"])
      for (m = 1; m <= methods; m++) printf " %s", median(values[name[k], method[m], "ms"])
      print ""
    }
  }
  function print_table(   k, part, times) {
    printf "%-10s %5s | %-46s | %-46s | %s\n", "", "", "library memory", "malloc both", "best"
    printf "%-10s %5s", "case, N", "ranks"
    for (k = 0; k < 2; k++) printf " | %5s %5s %-11s %5s %5s %-10s", "was", "limit", "target", "was", "peer", "target"
    print " | peer"
    for (k = 1; k <= count; k++) {
      split(name[k], part, SUBSEP)
      printf "%-10s %5s%s%s | %s\n", label(part), part[3], cells(name[k], part, "library", "dap_alloc"),
        cells(name[k], part, "malloc", "dap_malloc"), best(name[k])
    }
    print "\nlimit: time / that of a plain copy; peer: the best peer'"'"'s time / ours; was: when the targets were set."
    printf "%d of %d targets are met.%s\n", met, asked, wrong ? " SOME ELEMENTS ARE WRONG." : ""
  }
  END { if (rows) print_rows(); else print_table() }' "$here/targets.txt" -
