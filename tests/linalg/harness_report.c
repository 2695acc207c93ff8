/* What a call reports of its operands, and the table of that. */
#include "harness.h"

#include <inttypes.h>

/* ---- checks ----------------------------------------------------------------------------------------- */

/* The report must be the same on all processes, but for the bytes. */
static void expect_agreed(const dap_linalg_use *use)
{
  dap_linalg_use root = *use;
  MPI_Bcast(&root, (int)sizeof root, MPI_BYTE, 0, MPI_COMM_WORLD);
  EXPECT_MSG(use->shared == root.shared, "%s is shared here and not there", use->name);
  EXPECT_MSG(!strcmp(use->reason, root.reason), "%s: \"%s\" here, \"%s\" on rank 0", use->name, use->reason,
             root.reason);
}

bool expect_use(const dap_linalg_report *report, int index, const char *name, const matrix *m, int wanted)
{
  if (!EXPECT_MSG(index < report->count && report->count <= DAP_LINALG_USES, "%s: %d uses are reported", name,
                  report->count))
    return false;
  const dap_linalg_use *use = &report->uses[index];
  int64_t moved = use->moved_bytes;
  expect_agreed(use);
  MPI_Allreduce(MPI_IN_PLACE, &moved, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  bool good = EXPECT_MSG(!strcmp(use->name, name), "use %d is of %s, not %s", index, use->name, name);
  good = EXPECT_MSG(use->reason[0], "%s: no reason", name) && good;
  good = EXPECT_MSG(wanted < 0 || use->shared == wanted, "%s is %s: %s", name,
                    use->shared ? "shared" : "moved", use->reason) &&
         good;
  if (use->shared)
    good = EXPECT_MSG(moved == 0, "%s is shared, but %" PRId64 " bytes moved", name, moved) && good;
  if (!use->shared && m && m->size[0] * m->size[1] > 0)
    good = EXPECT_MSG(moved > 0, "%s is moved, but no bytes were: %s", name, use->reason) && good;
  if (m) good = EXPECT_MSG(m->array.data == m->buffer.data, "%s is in another buffer now", name) && good;
  return good;
}

bool expect_work(const matrix *m, const dap_linalg_use *use, bool kept, bool changes)
{
  if (kept || !use->shared) return expect_same(m);
  const bool changed = matrix_changed(m), large = m->size[0] >= 2 && m->size[1] >= 2;
  return EXPECT_MSG(!changes || !large || changed, "%s is shared, but the caller's buffer was not worked in",
                    use->name);
}

/* ---- table ------------------------------------------------------------------------------------------ */

enum { MOST_ROWS = 1024, NAME = 32, LARGE = 13 /* extents from which on layouts are not alike by chance */ };

typedef struct log_row {
  char routine[NAME];
  const char *source;
  int trials;
  double worst; /* residual */
  int large;    /* trials that count for what follows */
  int operands;
  char names[DAP_LINALG_USES][8];
  int shared[DAP_LINALG_USES];
} log_row;

/* The one test program's; all processes have it, rank 0 prints it. */
static log_row rows[MOST_ROWS];
static int row_count;

static log_row *find_row(const char *routine, const char *layout)
{
  int i = 0;
  while (i < row_count && (strcmp(rows[i].routine, routine) != 0 || strcmp(rows[i].source, layout) != 0)) i++;
  if (i == MOST_ROWS) return NULL;
  if (i == row_count) {
    snprintf(rows[i].routine, NAME, "%s", routine);
    rows[i].source = layout;
    row_count++;
  }
  return &rows[i];
}

void log_trial(const char *routine, const trial *t, const dap_linalg_report *report, double residual)
{
  log_row *row = find_row(routine, t->source->name);
  if (!row) return;
  row->trials++;
  if (!isnan(row->worst) && !(residual <= row->worst)) row->worst = residual; /* NaN stays */
  if (t->size[0] < LARGE || t->size[1] < LARGE) return;
  row->large++;
  row->operands = report->count <= DAP_LINALG_USES ? report->count : DAP_LINALG_USES;
  for (int k = 0; k < row->operands; k++) {
    memcpy(row->names[k], report->uses[k].name, sizeof row->names[k]);
    row->shared[k] += report->uses[k].shared;
  }
}

/* "A shared", "A moved", or "A shared 2 of 3". */
static void print_operand(const log_row *row, int k)
{
  char text[NAME];
  if (row->shared[k] == 0 || row->shared[k] == row->large)
    snprintf(text, sizeof text, "%.7s %s", row->names[k], row->shared[k] ? "shared" : "moved");
  else
    snprintf(text, sizeof text, "%.7s shared %d of %d", row->names[k], row->shared[k], row->large);
  printf("  %-18s", text);
}

void log_table(void)
{
  if (test_rank() != 0 || row_count == 0) return;
  printf("\nShared and moved, and the largest residual in units of eps, on %d processes. \"2 of 3\": it "
         "depends on the\n"
         "grid, the options, or the layout of operands that lie otherwise than the source layout says. Small "
         "sizes\n"
         "are counted for the residual only.\n\n",
         test_nprocs());
  printf("%-18s %-24s %6s  %8s  %s\n", "routine", "source layout", "trials", "residual", "operands");
  for (int i = 0; i < row_count; i++) {
    printf("%-18s %-24s %6d  %8.3g", rows[i].routine, rows[i].source, rows[i].trials, rows[i].worst);
    for (int k = 0; k < rows[i].operands; k++) print_operand(&rows[i], k);
    printf("\n");
  }
  fflush(stdout);
}
