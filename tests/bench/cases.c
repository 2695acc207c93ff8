#include "redistribute.h"

#include <dapbridge/comm.h>
#include <stdio.h>
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

/* Transposes as a parallel FFT in two dimensions does: slabs of rows become slabs of columns, whose columns
 * are the rows of the transposed matrix. */
static void slab_transpose(bench_case *c, const int grid[2])
{
  (void)grid;
  matrix(&c->from, DAP_ORDER_C, block(c->n, c->nprocs), block(c->n, 1));
  matrix(&c->to, DAP_ORDER_F, block(c->n, 1), block(c->n, c->nprocs));
}

static void transposed(bench_case *c, const int grid[2])
{
  matrix(&c->from, DAP_ORDER_C, block(c->n, grid[0]), block(c->n, grid[1]));
  matrix(&c->to, DAP_ORDER_F, block(c->n, grid[0]), block(c->n, grid[1]));
}

/* Returns the extent of a cube with about n * n elements. */
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

/* Default sizes, which end with 0. Matrices include small sizes, and halos have 32^3 to 256^3 points. */
static const int64_t large[] = {4096, 0}, matrices[] = {64, 128, 256, 512, 1024, 4096, 0},
                     transposes[] = {512, 2048, 4096, 0}, ffts[] = {256, 512, 1024, 1536, 0},
                     halos[] = {182, 512, 1449, 4096, 0};

static const struct {
  const char *name, *about;
  void (*cut)(bench_case *c, const int grid[2]);
  const int64_t *sizes;
  bool complex; /* 16-byte complex for any requested type */
} rows[] = {
    {"A", "C-order slabs to F-order cyclic(64)", slab_to_cyclic, matrices, false},
    {"B", "blocks to cyclic(64)", block_to_cyclic, matrices, false},
    {"C", "cyclic(64) columns to cyclic(32) rows", cyclic_to_cyclic, matrices, false},
    {"D", "cyclic(1) to blocks", single_to_block, matrices, false},
    {"E", "C order to F order, same distribution", transposed, large, false},
    {"Z", "as C, complex", cyclic_to_cyclic, large, true},
    {"T", "slabs of rows to transposed slabs", slab_transpose, transposes, false},
    {"FFT2", "as T, complex", slab_transpose, ffts, true},
    {"P3", "3-D padded blocks to padded slabs", padded_to_padded, large, false},
    {"H", "3-D halo update", halo, halos, false},
    {"U", "random order to blocks", unstructured, large, false},
};

bool bench_case_row(int row, const char **name, const int64_t **sizes)
{
  if (row < 0 || row >= (int)(sizeof rows / sizeof *rows)) return false;
  *name = rows[row].name;
  *sizes = rows[row].sizes;
  return true;
}

/* ---- the whole case ------------------------------------------------------------------------------- */

bool bench_case_make(int row, MPI_Comm comm, int64_t n, dap_dtype dtype, bench_case *c)
{
  memset(c, 0, sizeof *c);
  *c = (bench_case){.name = rows[row].name,
                    .about = rows[row].about,
                    .ndim = 2,
                    .n = n,
                    .dtype = rows[row].complex ? DAP_C16 : dtype};
  c->itemsize = dap_dtype_size(c->dtype);
  MPI_Comm_rank(comm, &c->rank);
  MPI_Comm_size(comm, &c->nprocs);
  int grid[2] = {0};
  MPI_Dims_create(c->nprocs, 2, grid);
  rows[row].cut(c, grid);
  dap_error err;
  dap_status status = bench_side_make(c, comm, &c->from, &err);
  if (!status) status = bench_side_make(c, comm, &c->to, &err);
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
