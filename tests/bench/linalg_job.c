/* Makes operands, in two kinds of layout. */
#include "fail.h"
#include "linalg.h"

#include <stdlib.h>
#include <string.h>

enum { SLICE = 64 }; /* blocks in which a moved band is dealt */

/* Place of an operand. */
typedef enum place {
  ON_GRID, /* if moved: in slabs */
  WHOLE,   /* on every process */
  IN_ROWS, /* a band: one block a process, of the first axis or the second one; if moved: slices of it */
  IN_COLUMNS
} place;

enum { N = -1, SOME = -2, LESS = -3 }; /* extents of an operand: n, n / 3, n - 1 */

static const struct {
  int64_t extents[2]; /* 0: no second axis */
  place place;
  enum { AS_MATRIX, REAL, COMPLEX } type;
} kinds[LINALG_KINDS] = {
    [LINALG_GENERAL] = {{N, N}, ON_GRID, AS_MATRIX},
    [LINALG_SYMMETRIC] = {{N, N}, ON_GRID, AS_MATRIX},
    [LINALG_DEFINITE] = {{N, N}, ON_GRID, AS_MATRIX},
    [LINALG_SIDES] = {{N, LINALG_RIGHT_SIDES}, ON_GRID, AS_MATRIX},
    [LINALG_SIDE] = {{N, 1}, ON_GRID, AS_MATRIX},
    [LINALG_BAND] = {{2 * LINALG_DIAGONALS + 1, N}, IN_COLUMNS, AS_MATRIX},
    [LINALG_LOWER_BAND] = {{LINALG_DIAGONALS + 1, N}, IN_COLUMNS, AS_MATRIX},
    [LINALG_DIAGONAL] = {{N, 0}, IN_ROWS, AS_MATRIX},
    [LINALG_BESIDE] = {{LESS, 0}, IN_ROWS, AS_MATRIX},
    [LINALG_BAND_SIDE] = {{N, 1}, IN_ROWS, AS_MATRIX},
    [LINALG_RESULT] = {{N, N}, ON_GRID, AS_MATRIX},
    [LINALG_RESULT_SIDES] = {{N, LINALG_RIGHT_SIDES}, ON_GRID, AS_MATRIX},
    [LINALG_RESULT_BY_HAND] = {{N, N}, ON_GRID, AS_MATRIX},
    [LINALG_SOME_VECTORS] = {{N, SOME}, ON_GRID, AS_MATRIX},
    [LINALG_VALUES] = {{N, 0}, WHOLE, REAL},
    [LINALG_SOME_VALUES] = {{SOME, 0}, WHOLE, REAL},
    [LINALG_COMPLEX_VALUES] = {{N, 0}, WHOLE, COMPLEX},
    [LINALG_COMPLEX_VECTORS] = {{N, N}, ON_GRID, COMPLEX},
};

int64_t linalg_order(const linalg_row *row, int64_t n)
{
  int nprocs;
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  return row->stretch ? n * row->stretch / nprocs * nprocs : n; /* blocks of a band are full */
}

/* ---- made ---------------------------------------------------------------------------------------------- */

static int64_t extent_of(int64_t extent, int64_t n)
{
  return extent == N ? n : extent == SOME ? n / 3 : extent == LESS ? n - 1 : extent;
}

static dap_dist dist_of(const linalg_job *job, linalg_kind kind, int axis, int64_t extent)
{
  const bool cut = kinds[kind].place == (axis == 0 ? IN_ROWS : IN_COLUMNS);
  switch (kinds[kind].place) {
  case WHOLE:
    return dap_dist_replicated(extent, job->nprocs);
  case ON_GRID:
    return !job->moved ? dap_dist_cyclic(extent, job->grid[axis], job->block)
                       : dap_dist_even(extent, axis == 0 ? job->nprocs : 1);
  default:
    return cut ? dap_dist_cyclic(extent, job->nprocs, job->moved ? SLICE : job->block)
               : dap_dist_local(extent);
  }
}

static void lay_out(const linalg_job *job, const linalg_row *row, int i, linalg_operand *o)
{
  const linalg_kind kind = row->operands[i];
  const int ndim = kinds[kind].extents[1] ? 2 : 1;
  const bool is_complex = kinds[kind].type == COMPLEX || (row->complex && kinds[kind].type != REAL);
  const dap_order order = job->moved ? DAP_ORDER_C : DAP_ORDER_F;
  const dap_dtype dtype = is_complex ? DAP_C16 : DAP_F8;
  dap_dist dists[2];
  dap_error err;
  for (int axis = 0; axis < ndim; axis++)
    dists[axis] = dist_of(job, kind, axis, extent_of(kinds[kind].extents[axis], job->n));
  bench_require(dap_layout_create(ndim, dists, &o->layout, &err), &err);
  bench_require(dap_array_init(&o->array, o->layout, job->rank, dtype, order, NULL, &err), &err);
  bench_require(dap_array_init(&o->before, o->layout, job->rank, dtype, order, NULL, &err), &err);
}

/* Makes the descriptor of a matrix in the best form. */
static void describe(const linalg_job *job, linalg_operand *o)
{
  const dap_scalapack_int rows = (dap_scalapack_int)dap_layout_size(o->layout, 0),
                          cols = (dap_scalapack_int)dap_layout_size(o->layout, 1);
  const dap_scalapack_int block = (dap_scalapack_int)job->block, zero = 0;
  const dap_scalapack_int lld = (dap_scalapack_int)(o->array.shape[0] > 1 ? o->array.shape[0] : 1);
  dap_scalapack_int info;
  descinit_(o->desc, &rows, &cols, &block, &block, &zero, &zero, &job->context, &lld, &info);
  if (info) bench_fail("descinit: info is %d", (int)info);
}

static size_t bytes_of(const linalg_operand *o)
{
  return (size_t)(dap_array_count(&o->array) * dap_dtype_size(o->array.dtype));
}

/* An array without elements has no memory, and memcpy() must not receive NULL. */
static void copy_elements(const linalg_operand *o, void *to, const void *from)
{
  const size_t bytes = bytes_of(o);
  if (bytes > 0) memcpy(to, from, bytes);
}

linalg_job linalg_job_make(const linalg_row *row, int64_t n, const linalg_shape *best)
{
  linalg_job job = {.n = linalg_order(row, n), .moved = !best};
  MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &job.nprocs);
  const linalg_shape shape = best ? *best : (linalg_shape){{1, job.nprocs}, 1};
  for (int k = 0; k < 2; k++) job.grid[k] = shape.grid[k];
  job.block = shape.block;
  job.context = Csys2blacs_handle(MPI_COMM_WORLD);
  Cblacs_gridinit(&job.context, "R", (dap_scalapack_int)job.grid[0], (dap_scalapack_int)job.grid[1]);
  for (int i = 0; i < LINALG_OPERANDS; i++) {
    linalg_operand *o = &job.operands[i];
    const linalg_kind kind = row->operands[i];
    o->live = kind != LINALG_NONE && !(job.moved && kind == LINALG_RESULT_BY_HAND);
    if (!o->live) continue;
    lay_out(&job, row, i, o);
    o->is_matrix = kinds[kind].place == ON_GRID;
    o->access = kind >= LINALG_RESULT ? DAP_WRITE : row->results[1] == i ? DAP_READ_WRITE : DAP_READ;
    if (best && o->is_matrix) describe(&job, o);
    linalg_fill(kind, job.n, o, job.rank);
    copy_elements(o, o->before.data, o->array.data);
  }
  return job;
}

void linalg_job_free(linalg_job *job)
{
  for (int i = 0; i < LINALG_OPERANDS; i++) {
    linalg_operand *o = &job->operands[i];
    if (!o->live) continue;
    dap_array_release(&o->before);
    dap_array_release(&o->array);
    dap_layout_destroy(&o->layout);
  }
  Cblacs_gridexit(job->context);
}

/* ---- a run --------------------------------------------------------------------------------------------- */

void linalg_job_restore(linalg_job *job)
{
  for (int i = 0; i < LINALG_OPERANDS; i++) {
    linalg_operand *o = &job->operands[i];
    if (o->live) copy_elements(o, o->array.data, o->before.data);
  }
}

void linalg_job_hand(const linalg_row *row, linalg_job *job)
{
  void *kept[LINALG_OPERANDS] = {NULL};
  for (int i = 0; i < LINALG_OPERANDS; i++) {
    linalg_operand *o = &job->operands[i];
    if (row->operands[i] != LINALG_RESULT_BY_HAND) continue;
    kept[i] = o->array.data;
    o->array.data = bench_alloc((int64_t)bytes_of(o));
  }
  row->hand(job);
  for (int i = 0; i < LINALG_OPERANDS; i++) {
    if (!kept[i]) continue;
    free(job->operands[i].array.data);
    job->operands[i].array.data = kept[i];
  }
}
