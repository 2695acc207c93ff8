/* Moves by ScaLAPACK's p?gemr2d, and by the drop-in, called alike. If storage is transposed, they move to a
 * temporary matrix, and then call p?tran. */
#include "dropin.h"
#include "fail.h"
#include "redistribute.h"

#include <stdlib.h>

static const struct {
  dap_dtype dtype;
  dap_pgemr2d *move;
  dap_ptran *transpose;
  const char *name;
} calls[] = {
    {DAP_F4, psgemr2d_, pstran_, "psgemr2d_"},
    {DAP_F8, pdgemr2d_, pdtran_, "pdgemr2d_"},
    {DAP_C8, pcgemr2d_, pctranu_, "pcgemr2d_"},
    {DAP_C16, pzgemr2d_, pztranu_, "pzgemr2d_"},
};

typedef struct state {
  int call;
  dap_pgemr2d *move; /* the linked routine, or the drop-in's */
  dap_scalapack_int n;
  dap_scalapack_int from_grid, to_grid, all;   /* contexts; `all` contains every process */
  dap_scalapack_int from[9], to[9], middle[9]; /* descriptors */
  char *temporary;                             /* NULL if storage is not transposed */
} state;

/* p?gemr2d counts bytes in 32 bits. */
static bool applies(const bench_case *c)
{
  const int64_t most = INT64_C(1) << 31;
  return c->ndim == 2 && c->itemsize * c->n * c->n / c->nprocs < most && c->n < most;
}

/* Makes a grid of rows x columns. Place (i, j) is rank i * by_row + j * by_column. */
static dap_scalapack_int make_grid(MPI_Comm comm, int rows, int columns, int by_row, int by_column)
{
  dap_scalapack_int *ranks = bench_alloc(rows * columns * (int64_t)sizeof *ranks);
  for (int j = 0; j < columns; j++) {
    for (int i = 0; i < rows; i++) ranks[j * rows + i] = i * by_row + j * by_column;
  }
  const dap_scalapack_int handle = Csys2blacs_handle(comm);
  dap_scalapack_int context = handle;
  Cblacs_gridmap(&context, ranks, rows, rows, columns);
  Cfree_blacs_system_handle(handle);
  free(ranks);
  if (context < 0) bench_fail("no BLACS grid of %d x %d", rows, columns);
  return context;
}

static int block_size(const bench_axis *axis)
{
  const int64_t width =
      axis->kind == BENCH_CYCLIC ? axis->width : (axis->size + axis->procs - 1) / axis->procs;
  return (int)(width > 0 ? width : 1);
}

/* Describes a buffer as a matrix for ScaLAPACK. A buffer in C order is the transposed matrix on the
 * transposed grid. */
static void describe(MPI_Comm comm, const bench_side *side, const bench_buffer *buffer, int64_t itemsize,
                     dap_scalapack_int *context, dap_scalapack_int desc[9])
{
  const int row = side->order == DAP_ORDER_F ? 0 : 1, column = 1 - row;
  const bench_axis *axes = side->axes;
  const int by_axis[] = {axes[1].procs, 1};
  *context = make_grid(comm, axes[row].procs, axes[column].procs, by_axis[row], by_axis[column]);
  const int64_t leading = buffer->strides[column] / itemsize;
  const dap_scalapack_int words[9] = {1,
                                      *context,
                                      (int)axes[row].size,
                                      (int)axes[column].size,
                                      block_size(&axes[row]),
                                      block_size(&axes[column]),
                                      0,
                                      0,
                                      (int)(leading > 1 ? leading : 1)};
  for (int i = 0; i < 9; i++) desc[i] = words[i];
}

static void create(bench_job *job)
{
  const bench_case *c = job->c;
  state *s = bench_alloc(sizeof *s);
  *s = (state){.n = (dap_scalapack_int)c->n};
  while (calls[s->call].dtype != c->dtype) s->call++;
  s->move = calls[s->call].move;
  describe(job->comm, &c->from, &job->from, c->itemsize, &s->from_grid, s->from);
  describe(job->comm, &c->to, &job->to, c->itemsize, &s->to_grid, s->to);
  s->all = make_grid(job->comm, 1, c->nprocs, 0, 1);
  if (c->from.order != c->to.order) { /* square: the transposed matrix in the destination's form */
    for (int i = 0; i < 9; i++) s->middle[i] = s->to[i];
    s->temporary = bench_alloc(c->to.bytes);
  }
  job->state = s;
}

/* Makes the same, but for the drop-in. */
static void create_dropin(bench_job *job)
{
  create(job);
  state *s = job->state;
  s->move = bench_dropin(calls[s->call].name);
}

static void run(bench_job *job)
{
  static const dap_scalapack_int one = 1;
  static const double zeros[2] = {0, 0}, double_one[2] = {1, 0};
  static const float single_one[2] = {1, 0};
  const state *s = job->state;
  const bool single = job->c->dtype == DAP_F4 || job->c->dtype == DAP_C8;
  char *data = s->temporary ? s->temporary : job->to.data;
  const dap_scalapack_int *desc = s->temporary ? s->middle : s->to;
  s->move(&s->n, &s->n, job->from.data, &one, &one, s->from, data, &one, &one, desc, &s->all);
  if (s->temporary)
    calls[s->call].transpose(&s->n, &s->n, single ? (const void *)single_one : double_one, data, &one, &one,
                             desc, zeros, job->to.data, &one, &one, s->to);
}

static void destroy(bench_job *job)
{
  state *s = job->state;
  Cblacs_gridexit(s->from_grid);
  Cblacs_gridexit(s->to_grid);
  Cblacs_gridexit(s->all);
  free(s->temporary);
  free(s);
}

const bench_method bench_gemr2d = {"gemr2d", BENCH_PEER, applies, create, run, destroy, .plans = false};
const bench_method bench_gemr2d_dropin = {"dropin", BENCH_OURS, applies,       create_dropin,
                                          run,      destroy,    .plans = false};
