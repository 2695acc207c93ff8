/* Times the functions of linalg.h and hand-written calls of ScaLAPACK, in turns. See README.md. */
#include "fail.h"
#include "linalg_measure.h"
#include "program.h"

#include <stdio.h>
#include <stdlib.h>

static struct {
  bench_sizes sizes;
  const char *only;
  linalg_shape shape; /* zeros: search for the best shape */
  linalg_turns turns;
  double longest;
} o;

static bool read_shape(const char *text, const bench_option *option)
{
  linalg_shape *shape = option->into;
  int *const numbers[3] = {&shape->grid[0], &shape->grid[1], &shape->block};
  for (int k = 0; k < 3; k++) {
    char *end;
    const long number = strtol(text, &end, 10);
    if (end == text || number < 1 || number > 1 << 20 || *end != (k < 2 ? 'x' : '\0')) return false;
    *numbers[k] = (int)number;
    text = end + 1;
  }
  int nprocs;
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  return (int64_t)shape->grid[0] * shape->grid[1] == nprocs;
}

static bool is_measured(const linalg_row *row)
{
  return !row->partly;
}

static bool read_rows(const char *text, const bench_option *option)
{
  return linalg_are_rows(text, is_measured) && bench_read_text(text, option);
}

static const bench_option options[] = {
    {"n", "N[,N...]", "250,500,1000", "orders; pdgesvd is slow at powers of 2", bench_read_sizes, &o.sizes,
     1 << 15, NULL},
    {"only", "NAME[,...]", NULL, "functions", read_rows, &o.only, 0, NULL},
    {"hand-shape", "RxCxB", NULL,
     "what lies best: on R x C processes in blocks of B, for all functions but of\n"
     "bands; those that are wrong so are left out. Otherwise all grids are tried with\n"
     "blocks of 32 and 64, for each function and order, once if a run is long",
     read_shape, &o.shape, 0, NULL},
    {"reps", "R", "3", "timed turns, at least; 255 at most", bench_read_count, &o.turns.least, LINALG_TURNS,
     NULL},
    {"seconds", "S", "2", "more turns, until all together, with what is done before each, took so long",
     bench_read_seconds, &o.turns.seconds, 0, NULL},
    {"most", "S", "60", "fewer turns than R where they have taken so long", bench_read_seconds, &o.turns.most,
     0, NULL},
    {"longest", "S", "20", "no larger n where a turn has taken longer", bench_read_seconds, &o.longest, 0,
     NULL},
    {.name = NULL}};

static linalg_measured measure(const linalg_row *row, int64_t n, int nprocs)
{
  static const int64_t blocks[] = {32, 64};
  linalg_shape shapes[LINALG_SHAPES] = {o.shape};
  const int count = o.shape.block ? 1 : linalg_shapes_list(nprocs, blocks, 2, shapes);
  if (o.shape.block && !row->stretch && !linalg_shape_is_right(row, n, &o.shape))
    return (linalg_measured){.row = row, .order = n, .shape = o.shape, .equal = true, .is_shared = true};
  const linalg_shape shape = linalg_shape_choose(row, n, shapes, count);
  return linalg_measure(row, n, &shape, &o.turns);
}

/* Measures all rows. Returns false if some results differ. */
static bool measure_all(int rank, int nprocs, double rate)
{
  int count = 0;
  bool right = true;
  while (linalg_row_at(count)) count++;
  linalg_measured *measured = bench_alloc(count * o.sizes.count * (int64_t)sizeof *measured);
  count = 0;
  for (int r = 0; linalg_row_at(r); r++) {
    const linalg_row *row = linalg_row_at(r);
    if (!is_measured(row) || !bench_is_listed(o.only, row->name)) continue;
    double longest = 0;
    for (int i = 0; i < o.sizes.count && longest <= o.longest; i++) {
      const linalg_measured m = measure(row, o.sizes.list[i], nprocs);
      if (rank == 0 && m.turns > 0) linalg_print_row(&m, rate);
      right = right && m.equal && (m.is_shared || row->always_moved);
      longest = m.longest;
      measured[count++] = m;
    }
  }
  if (rank == 0) linalg_print_missed(measured, count);
  free(measured);
  return right;
}

static int64_t run_all(const bench_launch *l)
{
  const double rate = linalg_dgemm();
  if (l->rank == 0) linalg_print_head(l->argc, l->argv, l->nprocs, rate);
  return !measure_all(l->rank, l->nprocs, rate);
}

const bench_program bench_linalg = {
    .about = "Calls by hand have n x n matrices that lie best. The library has the same ones, which it\n"
             "shares, and slabs of rows, which it moves. All take turns. Bands have 64 n rows. Prints\n"
             "medians and quartiles, as a table in Markdown.\n"
             "\n"
             "Compares results with those by hand, to 1e-6: the sum of (1 + i) |x(i, j)| where X has one "
             "value (R,\n"
             "solutions, inverses, products, eigenvalues, singular values); of pivoted solutions the norm, "
             "of Schur\n"
             "forms norm, trace and zeros. Not vectors, which have no one value, nor factors, condition "
             "numbers and\n"
             "eigenvalues of general matrices alone. Fails if any differ, or the library moves what it can "
             "share.",
    .options = options,
    .run = run_all};
