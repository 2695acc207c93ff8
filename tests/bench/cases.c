#include "cases.h"

#include <dapbridge/comm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the table ------------------------------------------------------------------------------------ */

static bench_axis block(int64_t size, int procs)
{
  return (bench_axis){BENCH_BLOCK, procs, size, 0};
}

static bench_axis cyclic(int64_t size, int procs, int64_t width)
{
  return (bench_axis){BENCH_CYCLIC, procs, size, width};
}

static bench_axis padded(int64_t size, int procs)
{
  return (bench_axis){BENCH_PADDED, procs, size, 1};
}

static void matrix(bench_side *side, dap_order order, bench_axis rows, bench_axis columns)
{
  side->order = order;
  side->axes[0] = rows;
  side->axes[1] = columns;
}

static void slab_to_cyclic(bench_case *c, const int grid[2])
{
  matrix(&c->from, DAP_ORDER_C, block(c->n, c->nprocs), block(c->n, 1));
  matrix(&c->to, DAP_ORDER_F, cyclic(c->n, grid[0], 64), cyclic(c->n, grid[1], 64));
}

static void block_to_cyclic(bench_case *c, const int grid[2])
{
  matrix(&c->from, DAP_ORDER_F, block(c->n, grid[0]), block(c->n, grid[1]));
  matrix(&c->to, DAP_ORDER_F, cyclic(c->n, grid[0], 64), cyclic(c->n, grid[1], 64));
}

static void cyclic_to_cyclic(bench_case *c, const int grid[2])
{
  (void)grid;
  matrix(&c->from, DAP_ORDER_F, cyclic(c->n, 1, 64), cyclic(c->n, c->nprocs, 64));
  matrix(&c->to, DAP_ORDER_F, cyclic(c->n, c->nprocs, 32), cyclic(c->n, 1, 32));
}

static void single_to_block(bench_case *c, const int grid[2])
{
  (void)grid;
  matrix(&c->from, DAP_ORDER_F, cyclic(c->n, c->nprocs, 1), block(c->n, 1));
  matrix(&c->to, DAP_ORDER_F, block(c->n, c->nprocs), block(c->n, 1));
}

static void transposed(bench_case *c, const int grid[2])
{
  matrix(&c->from, DAP_ORDER_C, block(c->n, grid[0]), block(c->n, grid[1]));
  matrix(&c->to, DAP_ORDER_F, block(c->n, grid[0]), block(c->n, grid[1]));
}

/* The extent whose cube has about n * n elements. */
static int64_t cube(int64_t n)
{
  int64_t extent = 1;
  while ((extent + 1) * (extent + 1) * (extent + 1) <= n * n) extent++;
  return extent;
}

static void halo(bench_case *c, const int grid[2])
{
  (void)grid;
  int dims[3] = {0};
  MPI_Dims_create(c->nprocs, 3, dims);
  c->ndim = 3;
  c->halo = true;
  c->from.order = DAP_ORDER_C;
  for (int k = 0; k < 3; k++) c->from.axes[k] = padded(cube(c->n), dims[k]);
  c->to = c->from;
}

static void padded_to_padded(bench_case *c, const int grid[2])
{
  halo(c, grid);
  c->halo = false;
  for (int k = 0; k < 3; k++) c->to.axes[k] = padded(cube(c->n), k < 2 ? 1 : c->nprocs);
}

static void unstructured(bench_case *c, const int grid[2])
{
  (void)grid;
  c->ndim = 1;
  c->from.order = c->to.order = DAP_ORDER_C;
  c->from.axes[0] = (bench_axis){BENCH_SHUFFLE, c->nprocs, c->n * c->n, 0};
  c->to.axes[0] = (bench_axis){BENCH_PADDED, c->nprocs, c->n * c->n, 0};
}

static const struct {
  const char *name, *about;
  void (*cut)(bench_case *c, const int grid[2]);
  bool small;   /* N is BENCH_SMALL */
  bool complex; /* 16-byte complex whatever was asked for */
} rows[] = {
    {"A", "C-order slabs to F-order cyclic(64)", slab_to_cyclic, false, false},
    {"B", "blocks to cyclic(64)", block_to_cyclic, false, false},
    {"C", "cyclic(64) columns to cyclic(32) rows", cyclic_to_cyclic, false, false},
    {"D", "cyclic(1) to blocks", single_to_block, false, false},
    {"E", "C order to F order, same distribution", transposed, false, false},
    {"Z", "as C, complex", cyclic_to_cyclic, false, true},
    {"P3", "3-D padded blocks to padded slabs", padded_to_padded, false, false},
    {"H", "3-D halo update", halo, false, false},
    {"U", "random order to blocks", unstructured, false, false},
    {"F_A", "as A, N = 64", slab_to_cyclic, true, false},
    {"F_B", "as B, N = 64", block_to_cyclic, true, false},
    {"F_C", "as C, N = 64", cyclic_to_cyclic, true, false},
};

bool bench_case_row(int row, const char **name, bool *small)
{
  if (row < 0 || row >= (int)(sizeof rows / sizeof *rows)) return false;
  *name = rows[row].name;
  *small = rows[row].small;
  return true;
}

/* ---- one side ------------------------------------------------------------------------------------- */

void bench_side_coords(const bench_case *c, const bench_side *side, int rank, int coords[])
{
  for (int k = c->ndim - 1; k >= 0; k--) {
    coords[k] = rank % side->axes[k].procs;
    rank /= side->axes[k].procs;
  }
}

static void set_shape(const bench_case *c, bench_side *side)
{
  bench_side_coords(c, side, c->rank, side->coords);
  int64_t step = c->itemsize;
  side->bytes = c->itemsize;
  for (int i = 0; i < c->ndim; i++) {
    const int k = side->order == DAP_ORDER_F ? i : c->ndim - 1 - i; /* fastest first */
    side->shape[k] = bench_axis_extent(&side->axes[k], side->coords[k]);
    side->strides[k] = step;
    step *= side->shape[k] > 0 ? side->shape[k] : 1;
    side->bytes *= side->shape[k];
  }
}

/* A shuffled array is known as its user's processes know it: each its own indices. */
static dap_status assemble(const bench_case *c, MPI_Comm comm, bench_side *side, dap_error *err)
{
  const int64_t count = side->shape[0];
  int64_t *indices = malloc((size_t)(count + 1) * sizeof *indices);
  char *nothing = malloc((size_t)side->bytes + 1);
  if (!indices || !nothing) {
    free(indices), free(nothing);
    return dap_fail(err, DAP_ERR_NOMEM, "no memory for a list of indices");
  }
  bool owned;
  for (int64_t i = 0; i < count; i++)
    indices[i] = bench_axis_global(&side->axes[0], side->coords[0], i, &owned);
  const dap_array array = {.abi = DAP_ARRAY_ABI,
                           .version = "0.10.0",
                           .dim_count = 1,
                           .ndim = 1,
                           .dtype = c->dtype,
                           .data = nothing,
                           .shape = {count},
                           .strides = {c->itemsize},
                           .dims = {{.dist_type = 'u',
                                     .size = side->axes[0].size,
                                     .proc_grid_size = c->nprocs,
                                     .proc_grid_rank = c->rank,
                                     .indices_dtype = DAP_I8,
                                     .index_count = count,
                                     .indices = indices,
                                     .one_to_one = true}}};
  const dap_status status = dap_layout_assemble(comm, &array, &side->layout, err);
  free(indices), free(nothing);
  return status;
}

static dap_status make_side(const bench_case *c, MPI_Comm comm, bench_side *side, dap_error *err)
{
  set_shape(c, side);
  if (side->axes[0].kind == BENCH_SHUFFLE) return assemble(c, comm, side, err);
  dap_dist dists[BENCH_NDIM];
  for (int k = 0; k < c->ndim; k++) dists[k] = bench_axis_dist(&side->axes[k]);
  return dap_layout_create(c->ndim, dists, &side->layout, err);
}

/* ---- the whole ------------------------------------------------------------------------------------ */

bool bench_case_make(int row, MPI_Comm comm, int64_t n, dap_dtype dtype, bench_case *c)
{
  memset(c, 0, sizeof *c);
  *c = (bench_case){.name = rows[row].name,
                    .about = rows[row].about,
                    .ndim = 2,
                    .n = rows[row].small ? BENCH_SMALL : n,
                    .dtype = rows[row].complex ? DAP_C16 : dtype,
                    .batched = rows[row].small};
  c->itemsize = dap_dtype_size(c->dtype);
  MPI_Comm_rank(comm, &c->rank);
  MPI_Comm_size(comm, &c->nprocs);
  int grid[2] = {0};
  MPI_Dims_create(c->nprocs, 2, grid);
  rows[row].cut(c, grid);
  dap_error err;
  dap_status status = make_side(c, comm, &c->from, &err);
  if (!status) status = make_side(c, comm, &c->to, &err);
  status = dap_agree(comm, status, &err);
  if (status) {
    if (c->rank == 0)
      fprintf(stderr, "case %s, n = %lld, left out: %s\n", c->name, (long long)c->n, err.text);
    bench_case_free(c);
  }
  return !status;
}

void bench_case_free(bench_case *c)
{
  dap_layout_destroy(&c->from.layout);
  dap_layout_destroy(&c->to.layout);
}

int64_t bench_payload(const bench_case *c)
{
  int64_t owned = c->itemsize, all = c->itemsize;
  for (int k = 0; k < c->ndim; k++) {
    const bench_axis *axis = &c->to.axes[k];
    const int coord = c->to.coords[k];
    const bool padding = axis->kind == BENCH_PADDED;
    const int64_t edges = padding ? axis->width * ((coord > 0) + (coord < axis->procs - 1)) : 0;
    owned *= c->to.shape[k] - edges;
    all *= c->to.shape[k];
  }
  return c->halo ? all - owned : owned;
}
