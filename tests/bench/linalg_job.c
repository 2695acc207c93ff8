/* Operands, in two kinds of layout. */
#include "fail.h"
#include "linalg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A number of -1/2 .. 1/2 for each pair of indices, the same whichever comes first. */
static double noise(int64_t i, int64_t j)
{
  const uint64_t low = (uint64_t)(i < j ? i : j), high = (uint64_t)(i < j ? j : i);
  uint64_t bits = (low << 32 | high) * UINT64_C(0x9e3779b97f4a7c15);
  bits = (bits ^ bits >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
  bits ^= bits >> 32;
  return (double)(bits >> 11) * 0x1p-53 - 0.5;
}

static void fill(const linalg_operand *o, int rank)
{
  const dap_array *a = &o->array;
  const int64_t across = o->fill == LINALG_GENERAL ? o->rows : 0; /* then every pair is another one */
  dap_error err;
  for (int64_t i = 0; i < a->shape[0]; i++)
    for (int64_t j = 0; a->ndim == 2 && j < a->shape[1]; j++) {
      const int64_t local[2] = {i, j};
      int64_t at[2];
      bench_require(dap_layout_globalize(o->layout, rank, local, at, NULL, &err), &err);
      const double shift = o->fill == LINALG_DEFINITE && at[0] == at[1] ? (double)o->rows : 0;
      *(double *)((char *)a->data + i * a->strides[0] + j * a->strides[1]) =
          o->fill == LINALG_RESULT ? 0 : noise(at[0], at[1] + across) + shift;
    }
}

static void lay_out(linalg_job *job, linalg_operand *o, bool best)
{
  dap_error err;
  const bool is_vector = o->cols == 0;
  const dap_dist whole = dap_dist_replicated(o->rows, job->nprocs);
  const dap_dist blocks[2] = {dap_dist_cyclic(o->rows, job->grid[0], job->block),
                              dap_dist_cyclic(o->cols, job->grid[1], job->block)};
  const dap_dist slabs[2] = {dap_dist_even(o->rows, job->nprocs), dap_dist_even(o->cols, 1)};
  const dap_dist *dists = is_vector ? &whole : best ? blocks : slabs;
  const dap_order order = best ? DAP_ORDER_F : DAP_ORDER_C;
  bench_require(dap_layout_create(is_vector ? 1 : 2, dists, &o->layout, &err), &err);
  bench_require(dap_array_init(&o->array, o->layout, job->rank, DAP_F8, order, NULL, &err), &err);
  bench_require(dap_array_init(&o->before, o->layout, job->rank, DAP_F8, order, NULL, &err), &err);
}

/* The descriptor of an operand that lies best. */
static void describe(const linalg_job *job, linalg_operand *o)
{
  const dap_scalapack_int rows = (dap_scalapack_int)o->rows, cols = (dap_scalapack_int)o->cols;
  const dap_scalapack_int block = (dap_scalapack_int)job->block, zero = 0;
  const dap_scalapack_int lld = (dap_scalapack_int)(o->array.shape[0] > 1 ? o->array.shape[0] : 1);
  dap_scalapack_int info;
  descinit_(o->desc, &rows, &cols, &block, &block, &zero, &zero, &job->context, &lld, &info);
  if (info) bench_fail("descinit: info is %d", (int)info);
}

linalg_shape linalg_best_shape(void)
{
  linalg_shape shape = {.block = LINALG_BLOCK};
  int nprocs;
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  MPI_Dims_create(nprocs, 2, shape.grid);
  return shape;
}

linalg_job linalg_job_make(const linalg_row *row, int64_t n, const linalg_shape *best)
{
  const linalg_shape shape = best ? *best : linalg_best_shape();
  linalg_job job = {.n = n,
                    .grid = {shape.grid[0], shape.grid[1]},
                    .block = shape.block,
                    .first_moved = row->before ? 1 : 0};
  MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &job.nprocs);
  job.context = Csys2blacs_handle(MPI_COMM_WORLD);
  Cblacs_gridinit(&job.context, "R", (dap_scalapack_int)job.grid[0], (dap_scalapack_int)job.grid[1]);
  for (int i = 0; i < LINALG_OPERANDS; i++) {
    linalg_operand *o = &job.operands[i];
    o->fill = row->operands[i].fill;
    if (o->fill == LINALG_NONE) continue;
    o->rows = n;
    o->cols = (const int64_t[]){0, LINALG_RIGHT_SIDES, n, 1}[row->operands[i].shape];
    lay_out(&job, o, best);
    if (best && o->cols > 0) describe(&job, o);
    fill(o, job.rank);
    memcpy(o->before.data, o->array.data, (size_t)dap_array_count(&o->array) * sizeof(double));
  }
  return job;
}

void linalg_job_free(linalg_job *job)
{
  for (int i = 0; i < LINALG_OPERANDS; i++) {
    linalg_operand *o = &job->operands[i];
    if (o->fill == LINALG_NONE) continue;
    dap_array_release(&o->before);
    dap_array_release(&o->array);
    dap_layout_destroy(&o->layout);
  }
  Cblacs_gridexit(job->context);
}

void linalg_job_begin(const linalg_row *row, linalg_job *job, bool by_hand)
{
  for (int i = 0; i < LINALG_OPERANDS; i++) {
    linalg_operand *o = &job->operands[i];
    if (o->fill != LINALG_NONE)
      memcpy(o->array.data, o->before.data, (size_t)dap_array_count(&o->array) * sizeof(double));
  }
  if (row->before) row->before(job, by_hand);
}

void linalg_job_end(linalg_job *job)
{
  dap_linalg_factors_destroy(&job->factors);
  free(job->pivots);
  job->pivots = NULL;
}

double linalg_job_result(const linalg_row *row, const linalg_job *job)
{
  const linalg_operand *o = &job->operands[row->result];
  const double *elements = o->array.data;
  double sum = 0, all;
  for (int64_t i = 0; i < dap_array_count(&o->array); i++) sum += elements[i] * elements[i];
  MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sqrt(all);
}

void linalg_job_move(linalg_job *job)
{
  for (int i = job->first_moved; i < LINALG_OPERANDS; i++) {
    const linalg_operand *o = &job->operands[i];
    if (o->fill == LINALG_NONE || o->cols == 0) continue;
    const dap_access access = o->fill == LINALG_RESULT ? DAP_WRITE : DAP_READ;
    const dap_scalapack_options options = {.sharing = DAP_SHARE_NEVER, .needs = {.square_blocks = true}};
    dap_scalapack_matrix view;
    dap_error err;
    bench_require(dap_scalapack_get(MPI_COMM_WORLD, linalg_array(job, i), access, &options, &view, &err),
                  &err);
    bench_require(dap_scalapack_restore(&view, &err), &err);
  }
}
