#define _XOPEN_SOURCE 700 /* pread(), pwrite(); NOLINT(bugprone-reserved-identifier) */
#include "files.h"

#include "fail.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static dap_error err;

/* ---- layouts ------------------------------------------------------------------------------------------ */

typedef enum grid { ROWS, COLUMNS, BLOCKS } grid;

static const struct {
  const char *name;
  grid grid;
  int64_t block; /* 0: contiguous */
} layouts[] = {{"row blocks", ROWS, 0},           {"column blocks", COLUMNS, 0},
               {"2-D blocks", BLOCKS, 0},         {"rows cyclic(1)", ROWS, 1},
               {"columns cyclic(1)", COLUMNS, 1}, {"2-D cyclic(64)", BLOCKS, 64}};
enum { LAYOUTS = sizeof layouts / sizeof layouts[0] };

const char *files_layout(int layout)
{
  return layout < LAYOUTS ? layouts[layout].name : NULL;
}

static void make_darray(int layout, const int procs[2], files_case *c)
{
  const int n = (int)c->n, block = (int)layouts[layout].block;
  const int sizes[] = {n, n};
  const int kind = block ? MPI_DISTRIBUTE_CYCLIC : MPI_DISTRIBUTE_BLOCK;
  const int kinds[] = {kind, kind};
  const int argument = block ? block : MPI_DISTRIBUTE_DFLT_DARG, arguments[] = {argument, argument};
  MPI_Type_create_darray(c->nprocs, c->rank, 2, sizes, kinds, arguments, procs, MPI_ORDER_C, MPI_DOUBLE,
                         &c->darray);
  MPI_Type_commit(&c->darray);
}

void files_case_make(int layout, int64_t n, const char *path, files_case *c)
{
  int procs[2] = {0, 0};
  dap_dist dists[2];
  *c = (files_case){.name = layouts[layout].name, .n = n, .path = path};
  MPI_Comm_rank(MPI_COMM_WORLD, &c->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &c->nprocs);
  if (layouts[layout].grid != BLOCKS) procs[layouts[layout].grid == ROWS] = 1;
  MPI_Dims_create(c->nprocs, 2, procs);
  for (int k = 0; k < 2; k++)
    dists[k] = layouts[layout].block ? dap_dist_cyclic(n, procs[k], layouts[layout].block)
                                     : dap_dist_ceil(n, procs[k]);
  bench_require(dap_layout_create(2, dists, &c->layout, &err), &err);
  bench_require(dap_array_init(&c->array, c->layout, c->rank, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  make_darray(layout, procs, c);
  int64_t before = 0, mine = dap_array_bytes(&c->array);
  MPI_Exscan(&mine, &before, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  c->first = c->rank > 0 ? before : 0;
}

void files_case_free(files_case *c)
{
  MPI_Type_free(&c->darray);
  dap_array_release(&c->array);
  dap_layout_destroy(&c->layout);
}

/* ---- elements ----------------------------------------------------------------------------------------- */

/* Fills the buffer, or returns how many elements differ from those values. */
static int64_t visit(const files_case *c, bool fills)
{
  int coords[2];
  int64_t wrong = 0;
  double *data = c->array.data;
  dap_layout_coords(c->layout, c->rank, coords);
  for (dap_run i = {0}; dap_layout_next_run(c->layout, 0, coords[0], &i);)
    for (dap_run j = {0}; dap_layout_next_run(c->layout, 1, coords[1], &j);)
      for (int64_t y = 0; y < i.length; y++)
        for (int64_t x = 0; x < j.length; x++) {
          double *at = data + (i.local + y) * c->array.shape[1] + j.local + x;
          const double value = (double)((i.global + y) * c->n + j.global + x);
          if (fills) *at = value;
          wrong += *at != value;
        }
  return wrong;
}

void files_fill(files_case *c)
{
  (void)visit(c, true);
}

int64_t files_wrong(const files_case *c)
{
  return visit(c, false);
}

void files_spoil(files_case *c)
{
  double *data = c->array.data;
  for (int64_t i = 0; i < dap_array_count(&c->array); i++) data[i] = -1;
}

int64_t files_wrong_in_file(const files_case *c)
{
  int64_t wrong = 0;
  if (c->rank > 0) return 0;
  double *row = bench_alloc(c->n * (int64_t)sizeof *row);
  const int file = open(c->path, O_RDONLY);
  for (int64_t i = 0; i < c->n; i++) {
    const ssize_t bytes = pread(file, row, (size_t)c->n * sizeof *row, i * c->n * (int64_t)sizeof *row);
    for (int64_t j = 0; j < c->n; j++)
      wrong += bytes != c->n * (int64_t)sizeof *row || row[j] != (double)(i * c->n + j);
  }
  close(file);
  free(row);
  return wrong;
}
