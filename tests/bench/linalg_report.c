/* Prints the table of linear algebra. */
#include "linalg_measure.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const double limit = 1.03; /* the target */

/* Prints the command as it runs in the project's folder, without this machine's path of the program. */
static void print_command(int argc, char *const argv[], int nprocs)
{
  const char *slash = strrchr(argv[0], '/');
  printf("`sh cmake/mpirun.sh %d build/release/bin/%s", nprocs, slash ? slash + 1 : argv[0]);
  for (int i = 1; i < argc; i++) printf(strchr(argv[i], ' ') ? " \"%s\"" : " %s", argv[i]);
  printf("`");
}

void linalg_print_head(int argc, char *const argv[], int nprocs, double rate)
{
  print_command(argc, argv, nprocs);
  printf(": `dgemm` reached %.1f GFLOP/s on all ranks together.\n\n", rate);
  printf(
      "| function | by hand | n | grid, blocks | by hand, s | GFLOP/s, of dgemm | shared / by hand | moved / "
      "by hand | move, s; of moved | MiB by hand, shared, moved | turns |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|\n");
}

static int digits_of(double seconds)
{
  return seconds < 0.01 ? 6 : seconds < 1 ? 4 : 2;
}

static void print_time(const double quartiles[3])
{
  const int digits = digits_of(quartiles[1]);
  printf("%.*f (%.*f-%.*f)", digits, quartiles[1], digits, quartiles[0], digits, quartiles[2]);
}

static void print_ratio(const double quartiles[3])
{
  printf("%.2f (%.2f-%.2f)", quartiles[1], quartiles[0], quartiles[2]);
}

static void print_mebibytes(int64_t bytes)
{
  if (bytes < 0)
    printf("?");
  else
    printf("%.1f", (double)bytes / (1 << 20));
}

void linalg_print_row(const linalg_measured *m, double rate)
{
  const linalg_row *row = m->row;
  const double n = (double)m->order, components = row->complex ? 4 : 1;
  const double flops = components * ((row->cubes * n + row->squares) * n + row->lines) * n;
  const double speed = 1e-9 * flops / m->hand[1];
  printf("| `%s` | %s | %" PRId64 " | ", row->name, row->by, m->order);
  if (row->stretch)
    printf("1 x %d | ", m->shape.grid[1]);
  else
    printf("%d x %d, %d | ", m->shape.grid[0], m->shape.grid[1], m->shape.block);
  print_time(m->hand);
  printf(speed < 10 ? " | %.2g, %.0f %% | " : " | %.0f, %.0f %% | ", speed, 100 * speed / rate);
  print_ratio(m->shared);
  printf("%s | ", m->is_shared ? "" : " moved");
  print_ratio(m->moved);
  printf(" | ");
  if (linalg_has_moves(row)) printf("%.*f; %.0f %%", digits_of(m->moves[1]), m->moves[1], 100 * m->part[1]);
  for (int method = LINALG_HAND; method <= LINALG_MOVED; method++) {
    printf(method == LINALG_HAND ? " | " : ", ");
    print_mebibytes(m->bytes[method]);
  }
  printf(" | %d |%s\n", m->turns, m->equal ? "" : " RESULTS DIFFER");
  fflush(stdout);
}

/* Prints the rows whose median of `quartiles` exceeds the target. */
static void print_list(const linalg_measured measured[], int count, bool moved)
{
  const char *between = "";
  for (int i = 0; i < count; i++) {
    const linalg_measured *m = &measured[i];
    const double *quartiles = moved ? m->beyond : m->shared;
    if (m->turns == 0 || m->row->no_target || (!moved && m->row->always_moved)) continue;
    if (quartiles[1] <= limit) continue;
    printf("%s\n  `%s` by %s, %" PRId64 ": ", between, m->row->name, m->row->by, m->order);
    print_ratio(quartiles);
    if (m->row->stretch || m->row->gathered) printf(" with the move");
    between = ";";
  }
  printf("%s\n", *between ? "" : "\n  none");
}

/* Prints the rows that the hand-written program computes wrongly in the requested shape. */
static void print_left_out(const linalg_measured measured[], int count)
{
  const char *between = "\nLeft out, because the hand-written program does not work in the requested shape:";
  for (int i = 0; i < count; i++) {
    if (measured[i].turns > 0) continue;
    printf("%s `%s` by %s, %" PRId64, between, measured[i].row->name, measured[i].row->by, measured[i].order);
    between = ";";
  }
  if (*between == ';') printf("\n");
}

void linalg_print_missed(const linalg_measured measured[], int count)
{
  print_left_out(measured, count);
  printf("\nThe medians of these rows miss the target (quartiles in brackets):\n\n");
  printf("- shared matrices (target: at most %.2f times the time by hand):", limit);
  print_list(measured, count, false);
  printf("- moved matrices, without the time of the move (target: at most %.2f times the time by hand):",
         limit);
  print_list(measured, count, true);
}
