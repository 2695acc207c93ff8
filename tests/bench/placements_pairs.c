#include "fail.h"
#include "placements.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void make_layout(const dap_dist dists[2], dap_layout **layout)
{
  dap_error err;
  bench_require(dap_layout_create(2, dists, layout, &err), &err);
}

/* Makes the layouts of an array of n elements. Its second axis has one index, and carries the copies or
 * addends. */
static void make_layouts(placements_case *c, int64_t n, const dap_dist from[2], const dap_dist to[2])
{
  make_layout(from, &c->layouts[0]);
  make_layout(to, &c->layouts[1]);
  c->count[0] = c->rank < from[0].procs * from[1].procs ? n / from[0].procs : 0;
  c->count[1] = n / to[0].procs;
}

/* Returns small integers, so that sums are exact in any order. */
static double base(int64_t i)
{
  return (double)(i % 1021);
}

static double addend(const placements_case *c, int64_t i)
{
  return base(i) + c->rank;
}

static double sum(const placements_case *c, int64_t i)
{
  return c->nprocs * base(i) + c->nprocs * (c->nprocs - 1) / 2.;
}

static double whole(const placements_case *c, int64_t i)
{
  (void)c;
  return base(i);
}

static double part_of_source(const placements_case *c, int64_t i)
{
  return base(c->rank * c->count[0] + i);
}

static double part_of_sum(const placements_case *c, int64_t i)
{
  return sum(c, c->rank * c->count[1] + i);
}

/* ---- pairs ------------------------------------------------------------------------------------------ */

static void make_all_reduce(placements_case *c, int64_t n)
{
  const dap_dist from[] = {dap_dist_even(n, 1), dap_dist_partial(1, c->nprocs)},
                 to[] = {dap_dist_even(n, 1), dap_dist_replicated(1, c->nprocs)};
  make_layouts(c, n, from, to);
}

static void all_reduce(placements_case *c)
{
  MPI_Allreduce(c->buffers[0], c->buffers[1], (int)c->count[0], MPI_DOUBLE, MPI_SUM, c->comm);
}

static void make_all_gather(placements_case *c, int64_t n)
{
  n = n / c->nprocs * c->nprocs;
  const dap_dist from[] = {dap_dist_even(n, c->nprocs), dap_dist_local(1)},
                 to[] = {dap_dist_even(n, 1), dap_dist_replicated(1, c->nprocs)};
  make_layouts(c, n, from, to);
}

static void all_gather(placements_case *c)
{
  const int count = (int)c->count[0];
  MPI_Allgather(c->buffers[0], count, MPI_DOUBLE, c->buffers[1], count, MPI_DOUBLE, c->comm);
}

static void make_reduce_scatter(placements_case *c, int64_t n)
{
  n = n / c->nprocs * c->nprocs;
  const dap_dist from[] = {dap_dist_even(n, 1), dap_dist_partial(1, c->nprocs)},
                 to[] = {dap_dist_even(n, c->nprocs), dap_dist_local(1)};
  make_layouts(c, n, from, to);
}

static void reduce_scatter(placements_case *c)
{
  MPI_Reduce_scatter_block(c->buffers[0], c->buffers[1], (int)c->count[1], MPI_DOUBLE, MPI_SUM, c->comm);
}

static void make_broadcast(placements_case *c, int64_t n)
{
  const dap_dist from[] = {dap_dist_even(n, 1), dap_dist_local(1)},
                 to[] = {dap_dist_even(n, 1), dap_dist_replicated(1, c->nprocs)};
  make_layouts(c, n, from, to);
}

/* Gives the array to all processes in another buffer, including the process that has it. */
static void broadcast(placements_case *c)
{
  if (c->rank == 0) memcpy(c->buffers[1], c->buffers[0], (size_t)c->count[0] * sizeof(double));
  MPI_Bcast(c->buffers[1], (int)c->count[1], MPI_DOUBLE, 0, c->comm);
}

/* ---- rows to columns of a matrix --------------------------------------------------------------------- */

static void make_all_to_all(placements_case *c, int64_t n)
{
  const int procs = c->nprocs;
  c->rows = (int64_t)sqrt((double)n / procs);
  c->columns = n / procs / c->rows;
  const dap_dist from[] = {dap_dist_even(procs * c->rows, procs), dap_dist_local(procs * c->columns)},
                 to[] = {dap_dist_local(procs * c->rows), dap_dist_even(procs * c->columns, procs)};
  make_layout(from, &c->layouts[0]);
  make_layout(to, &c->layouts[1]);
  c->count[0] = c->count[1] = procs * c->rows * c->columns;
}

static double of_rows(const placements_case *c, int64_t i)
{
  return base(c->rank * c->count[0] + i);
}

static double of_columns(const placements_case *c, int64_t i)
{
  const int64_t row = i / c->columns, column = c->rank * c->columns + i % c->columns;
  return base(row * c->nprocs * c->columns + column);
}

/* Each process sends whole rows of the destination. */
static void all_to_all(placements_case *c)
{
  const int64_t width = c->columns, length = width * c->nprocs;
  double *at = c->packed;
  for (int p = 0; p < c->nprocs; p++)
    for (int64_t i = 0; i < c->rows; i++, at += width)
      memcpy(at, c->buffers[0] + i * length + p * width, (size_t)width * sizeof *at);
  const int count = (int)(c->rows * width);
  MPI_Alltoall(c->packed, count, MPI_DOUBLE, c->buffers[1], count, MPI_DOUBLE, c->comm);
}

const placements_pair placements_pairs[] = {
    {"Partial -> Replicate", "Allreduce", make_all_reduce, addend, sum, all_reduce},
    {"Shard -> Replicate", "Allgather", make_all_gather, part_of_source, whole, all_gather},
    {"Partial -> Shard", "Reduce_scatter", make_reduce_scatter, addend, part_of_sum, reduce_scatter},
    {"one -> Replicate", "Bcast", make_broadcast, whole, whole, broadcast},
    {"Shard(0) -> Shard(1)", "Alltoall", make_all_to_all, of_rows, of_columns, all_to_all},
    {NULL, NULL, NULL, NULL, NULL, NULL}};

/* ---- making, filling, checking ----------------------------------------------------------------------- */

static void make_shared(const placements_case *c, int64_t count, dap_array *array)
{
  dap_layout *layout;
  dap_error err;
  MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPI_INT64_T, MPI_MAX, c->comm);
  const dap_dist dist = dap_dist_even(count * c->nprocs, c->nprocs);
  bench_require(dap_layout_create(1, &dist, &layout, &err), &err);
  bench_require(dap_array_alloc(c->comm, layout, DAP_F8, DAP_ORDER_C, array, NULL, &err), &err);
  dap_layout_destroy(&layout);
}

void placements_case_make(MPI_Comm comm, const placements_pair *pair, int64_t bytes, placements_case *c)
{
  *c = (placements_case){.pair = pair, .comm = comm};
  MPI_Comm_rank(comm, &c->rank);
  MPI_Comm_size(comm, &c->nprocs);
  const int64_t doubles = bytes / (int64_t)sizeof(double);
  pair->make(c, doubles > c->nprocs ? doubles : c->nprocs);
  for (int i = 0; i < 2; i++) {
    c->buffers[i] = bench_alloc(c->count[i] * (int64_t)sizeof(double));
    make_shared(c, c->count[i], &c->shared[i]);
  }
  c->packed = bench_alloc(c->count[0] * (int64_t)sizeof(double));
  memset(c->packed, 0, (size_t)c->count[0] * sizeof(double));
}

void placements_plan(placements_case *c)
{
  static const int kept[] = {0};
  const bool is_matrix = c->columns > 0;
  const dap_part part = {.axes = is_matrix ? NULL : kept, .naxes = is_matrix ? 0 : 1};
  const dap_side from = {.layout = c->layouts[0], .contiguous = true, .dtype = DAP_F8, .part = part},
                 to = {.layout = c->layouts[1], .contiguous = true, .dtype = DAP_F8, .part = part};
  dap_error err;
  dap_plan_destroy(&c->plan);
  bench_require(dap_plan_create(c->comm, &from, &to, 0, NULL, &c->plan, &err), &err);
}

void placements_case_free(placements_case *c)
{
  dap_plan_destroy(&c->plan);
  for (int i = 0; i < 2; i++) {
    free(c->buffers[i]);
    dap_array_release(&c->shared[i]);
    dap_layout_destroy(&c->layouts[i]);
  }
  free(c->packed);
}

void placements_fill(const placements_case *c, bool is_shared)
{
  double *from = is_shared ? c->shared[0].data : c->buffers[0],
         *to = is_shared ? c->shared[1].data : c->buffers[1];
  for (int64_t i = 0; i < c->count[0]; i++) from[i] = c->pair->source(c, i);
  for (int64_t i = 0; i < c->count[1]; i++) to[i] = -1;
}

int64_t placements_wrong(const placements_case *c, bool is_shared)
{
  const double *to = is_shared ? c->shared[1].data : c->buffers[1];
  int64_t wrong = 0;
  for (int64_t i = 0; i < c->count[1]; i++) wrong += to[i] != c->pair->destination(c, i);
  return wrong;
}
