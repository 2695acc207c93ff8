/* Writes the cost of a move as text. */
#include "traffic_impl.h"

#include <inttypes.h>
#include <stdlib.h>

enum { SHOWN = 16 /* most processes of a side whose matrix is printed */ };

void traffic_write_bytes(int64_t bytes, char text[TRAFFIC_NUMBER])
{
  static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  double value = (double)bytes;
  int unit = 0;
  for (; value >= 999.5 && unit < 6; unit++) value /= 1000;
  (void)snprintf(text, TRAFFIC_NUMBER, unit > 0 && value < 99.95 ? "%.1f %s" : "%.0f %s", value, units[unit]);
}

static bool print_layout(const char *what, const dap_layout *layout)
{
  char *summary = cli_text(dap_layout_summary, layout);
  if (!summary) return false;
  printf("%-16s%s\n", what, summary);
  free(summary);
  return true;
}

static void print_share(const traffic *t, const char *what, int64_t bytes)
{
  char text[TRAFFIC_NUMBER];
  const int64_t all = t->kept + t->on_node + t->between;
  traffic_write_bytes(bytes, text);
  printf("  %-20s%10s %5.1f %%\n", what, text, all > 0 ? 100 * (double)bytes / (double)all : 0);
}

static void print_shares(const traffic *t)
{
  char text[TRAFFIC_NUMBER];
  traffic_write_bytes(t->kept + t->on_node + t->between, text);
  printf("%-16s%s of %s, on %d process%s, %ld on each node\n", "elements", text, dap_dtype_name(t->type),
         t->nprocs, t->nprocs == 1 ? "" : "es", t->node);
  print_share(t, "stay on a process", t->kept);
  print_share(t, "direct, on a node", t->on_node);
  print_share(t, "between nodes", t->between);
}

static void print_pairs(const traffic *t)
{
  char text[TRAFFIC_NUMBER];
  printf("%-16s%" PRId64 " of processes", "pairs", t->pairs);
  traffic_write_bytes(t->most, text);
  if (t->pairs > 0) printf("; the largest pair %s, from %d to %d", text, t->largest[0], t->largest[1]);
  printf("\n");
}

static void print_messages(const traffic *t)
{
  char text[2][TRAFFIC_NUMBER];
  const int64_t largest = traffic_message(t);
  printf("%-16s%" PRId64 ", at most %" PRId64 " from one process", "messages", t->messages, t->busiest);
  if (t->asked < t->nprocs) printf(" (of %d processes)", t->asked);
  traffic_write_bytes(largest, text[0]);
  if (largest > 0) printf("; none larger than %s", text[0]);
  traffic_write_bytes(t->buffer, text[0]);
  traffic_write_bytes(t->plan, text[1]);
  printf("\n%-16sat most %s for messages and %s for the plan on a process\n", "memory", text[0], text[1]);
  printf("%-16s%" PRId64 "\n", "phases", t->phases);
}

/* Prints a cell. Cells of two processes on one node have a star. */
static void print_cell(const traffic *t, int p, int q)
{
  char text[TRAFFIC_NUMBER + 1] = ".";
  const int64_t bytes = traffic_bytes(t, p, q);
  const bool has_star = bytes > 0 && p != q && traffic_on_node(t, p, q);
  if (has_star) *text = '*';
  if (bytes > 0) traffic_write_bytes(bytes, text + has_star);
  printf("%9s", text);
}

static void print_matrix(const traffic *t)
{
  if (t->rows > SHOWN || t->columns > SHOWN) return;
  printf("%s\n%6s", "from each process (rows) to each (columns); *: on one node", "");
  for (int q = 0; q < t->columns; q++) printf("%9d", q);
  printf("\n");
  for (int p = 0; p < t->rows; p++) {
    printf("%6d", p);
    for (int q = 0; q < t->columns; q++) print_cell(t, p, q);
    printf("\n");
  }
}

bool traffic_print(const traffic *t)
{
  if (!print_layout("from", t->from) || !print_layout("to", t->to)) return false;
  print_shares(t);
  print_pairs(t);
  print_messages(t);
  print_matrix(t);
  return true;
}
