/* Computes redistributions of a matrix in C order, without the library. */
#include "times.h"

#include <smpi/smpi.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 64, MOST_CHECKED = 1 << 24 /* most elements of an array whose values are checked */ };

/* ---- axes --------------------------------------------------------------------------------------------- */

static times_axis block(int64_t size, int procs)
{
  return (times_axis){procs, size, size / procs};
}

static times_axis cyclic(int64_t size, int procs, int64_t width)
{
  return (times_axis){procs, size, width};
}

static bool is_block(const times_axis *axis)
{
  return axis->width * axis->procs == axis->size;
}

/* Computes the common elements of coordinate `c` of `blocks` and coordinate `d` of the cyclic axis. `from`
 * in *share counts positions in `blocks`. */
static bool intersect(const times_axis *blocks, int c, const times_axis *dealt, int d, times_range *share)
{
  const int64_t low = c * blocks->width, high = low + blocks->width, width = dealt->width;
  int64_t number = low / width; /* number of a block of the dealt axis */
  number += (d - number % dealt->procs + dealt->procs) % dealt->procs;
  if (number * width >= high) return false;
  const int64_t at = dealt->procs > 1 ? number / dealt->procs * width : 0;
  const bool is_within = width >= blocks->width; /* the block lies in one dealt block */
  *share = (times_range){.count = is_within ? 1 : (high - number * width - 1) / (width * dealt->procs) + 1,
                         .length = is_within ? blocks->width : width,
                         .from = is_within ? 0 : number * width - low,
                         .from_step = width * dealt->procs,
                         .to = is_within ? at + low - number * width : at,
                         .to_step = width};
  return true;
}

static times_range reversed(times_range s)
{
  return (times_range){s.count, s.length, s.to, s.to_step, s.from, s.from_step};
}

static bool share_axis(const times_axis *from, int c, const times_axis *to, int d, times_range *share)
{
  if (is_block(from) && (from->procs > 1 || !is_block(to))) return intersect(from, c, to, d, share);
  if (!intersect(to, d, from, c, share)) return false;
  *share = reversed(*share);
  return true;
}

static void find_coords(const times_axis axes[], int rank, int coords[])
{
  for (int k = TIMES_NDIM - 1; k >= 0; k--) {
    coords[k] = rank % axes[k].procs;
    rank /= axes[k].procs;
  }
}

bool times_case_share(const times_case *c, int source, int destination, times_range share[TIMES_NDIM])
{
  int from[TIMES_NDIM], to[TIMES_NDIM];
  find_coords(c->from, source, from);
  find_coords(c->to, destination, to);
  for (int k = 0; k < TIMES_NDIM; k++)
    if (!share_axis(&c->from[k], from[k], &c->to[k], to[k], &share[k])) return false;
  return true;
}

/* ---- cases -------------------------------------------------------------------------------------------- */

static void cut_single(times_case *c, int64_t n)
{
  c->from[0] = cyclic(n, c->nprocs, 1);
  c->to[0] = block(n, c->nprocs);
  c->from[1] = c->to[1] = block(1, 1);
}

static void cut_transposed(times_case *c, int64_t n)
{
  c->from[0] = c->to[1] = block(n, c->nprocs);
  c->from[1] = c->to[0] = block(n, 1);
}

static void cut_a(times_case *c, int64_t n)
{
  int grid[TIMES_NDIM] = {0};
  MPI_Dims_create(c->nprocs, TIMES_NDIM, grid);
  c->from[0] = block(n, c->nprocs);
  c->from[1] = block(n, 1);
  for (int k = 0; k < TIMES_NDIM; k++) c->to[k] = cyclic(n, grid[k], BLOCK);
}

static const struct {
  const char *name;
  void (*cut)(times_case *c, int64_t n);
} cases[] = {{"cyclic", cut_single}, {"transpose", cut_transposed}, {"A", cut_a}};

double *times_alloc(int64_t elements, bool is_shared)
{
  const size_t bytes = (size_t)elements * sizeof(double);
  return is_shared ? SMPI_SHARED_MALLOC(bytes) : calloc((size_t)elements + 1, sizeof(double));
}

void times_free(double *buffer, bool is_shared)
{
  if (is_shared)
    SMPI_SHARED_FREE(buffer);
  else
    free(buffer);
}

/* Returns the number, in the whole array, of the element at a position of a buffer. */
static int64_t number_at(const times_axis axes[], const int64_t shape[], int rank, int64_t position)
{
  int coords[TIMES_NDIM];
  int64_t number = 0;
  find_coords(axes, rank, coords);
  const int64_t local[] = {position / shape[1], position % shape[1]};
  for (int k = 0; k < TIMES_NDIM; k++) {
    const int64_t dealt = local[k] / axes[k].width * axes[k].procs + coords[k];
    number = number * axes[k].size + dealt * axes[k].width + local[k] % axes[k].width;
  }
  return number;
}

int64_t times_case_count_wrong(const times_case *c)
{
  int64_t wrong = 0;
  for (int64_t i = 0; c->is_checked && i < c->to_shape[0] * c->to_shape[1]; i++)
    wrong += c->destination[i] != (double)number_at(c->to, c->to_shape, c->rank, i);
  return wrong;
}

bool times_case_make(const char *name, MPI_Comm comm, int64_t n, times_case *c)
{
  size_t i = 0;
  while (i < sizeof cases / sizeof *cases && strcmp(cases[i].name, name) != 0) i++;
  if (i == sizeof cases / sizeof *cases) return false;
  *c = (times_case){.comm = comm};
  MPI_Comm_rank(comm, &c->rank);
  MPI_Comm_size(comm, &c->nprocs);
  cases[i].cut(c, n);
  c->is_checked = c->from[0].size * c->from[1].size <= MOST_CHECKED;
  for (int k = 0; k < TIMES_NDIM; k++) {
    c->from_shape[k] = c->from[k].size / c->from[k].procs;
    c->to_shape[k] = c->to[k].size / c->to[k].procs;
  }
  const int64_t count = c->from_shape[0] * c->from_shape[1];
  c->source = times_alloc(count, !c->is_checked);
  c->destination = times_alloc(c->to_shape[0] * c->to_shape[1], !c->is_checked);
  for (int64_t j = 0; c->is_checked && j < count; j++)
    c->source[j] = (double)number_at(c->from, c->from_shape, c->rank, j);
  return true;
}

void times_case_free(times_case *c)
{
  times_free(c->source, !c->is_checked);
  times_free(c->destination, !c->is_checked);
}
