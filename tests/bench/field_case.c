#include "fail.h"
#include "field.h"

#include <stdlib.h>
#include <string.h>

/* ---- the grid ------------------------------------------------------------------------------------- */

static const char *const grids[] = {"slabs", "blocks", "columns"};
enum { BLOCKS = 1 };

/* Cuts along the slowest axis, along as many axes as there are factors, or along the fastest. */
static bool set_grid(field_case *c, int grid)
{
  for (int k = 0; k < FIELD_NDIM; k++) c->procs[k] = 1;
  if (grid == BLOCKS) {
    int dims[FIELD_NDIM] = {0};
    MPI_Dims_create(c->nprocs, FIELD_NDIM, dims);
    memcpy(c->procs, dims, sizeof dims);
    return c->procs[1] > 1;
  }
  c->procs[grid] = c->nprocs;
  return grid == 0 || c->nprocs > 1;
}

/* ---- this process's part ----------------------------------------------------------------------------- */

static int64_t least(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

static int64_t first_of(const field_case *c, int k, int coord)
{
  return coord * (c->n / c->procs[k]) + least(coord, c->n % c->procs[k]);
}

static void set_axis(field_case *c, int k)
{
  c->ranges[k] = bench_alloc(c->procs[k] * (int64_t)sizeof *c->ranges[k]);
  for (int i = 0; i < c->procs[k]; i++)
    c->ranges[k][i] = (PetscInt)(first_of(c, k, i + 1) - first_of(c, k, i));
  c->start[k] = first_of(c, k, c->coords[k]);
  c->owned[k] = c->ranges[k][c->coords[k]];
  c->low[k] = c->periodic || c->coords[k] > 0 ? c->width : 0;
  const int64_t high = c->periodic || c->coords[k] < c->procs[k] - 1 ? c->width : 0;
  c->shape[k] = c->low[k] + c->owned[k] + high;
}

bool field_case_make(MPI_Comm comm, int grid, int64_t n, int64_t width, bool periodic, field_case *c)
{
  dap_dist dists[FIELD_NDIM];
  dap_error err;
  *c = (field_case){.comm = comm, .grid = grids[grid], .n = n, .width = width, .periodic = periodic};
  MPI_Comm_rank(comm, &c->rank);
  MPI_Comm_size(comm, &c->nprocs);
  if (!set_grid(c, grid)) return false;
  int rank = c->rank;
  c->count = c->points = 1;
  for (int k = FIELD_NDIM - 1; k >= 0; k--) {
    if (n / c->procs[k] < width) return false;
    c->coords[k] = rank % c->procs[k];
    rank /= c->procs[k];
  }
  for (int k = 0; k < FIELD_NDIM; k++) {
    set_axis(c, k);
    c->count *= c->shape[k];
    c->points *= c->owned[k];
    dists[k] = dap_dist_padded(n, c->procs[k], width);
    dists[k].periodic = dists[k].wraps = periodic;
  }
  bench_require(dap_layout_create(FIELD_NDIM, dists, &c->layout, &err), &err);
  return true;
}

void field_case_free(field_case *c)
{
  for (int k = 0; k < FIELD_NDIM; k++) free(c->ranges[k]);
  dap_layout_destroy(&c->layout);
}

/* ---- elements --------------------------------------------------------------------------------------- */

dap_dtype field_dtype(void)
{
#ifdef PETSC_USE_COMPLEX
  return sizeof(PetscReal) == sizeof(double) ? DAP_C16 : DAP_C8;
#else
  return sizeof(PetscReal) == sizeof(double) ? DAP_F8 : DAP_F4;
#endif
}

void field_strides(const int64_t shape[], int64_t strides[])
{
  strides[2] = 1;
  strides[1] = shape[2];
  strides[0] = shape[2] * shape[1];
}

/* Returns the element at a position of the padded buffer. *owned becomes true for this process's points. */
static PetscScalar element(const field_case *c, const int64_t at[], bool *owned)
{
  int64_t index = 0;
  *owned = true;
  for (int k = 0; k < FIELD_NDIM; k++) {
    const int64_t inside = at[k] - c->low[k], global = (c->start[k] + inside + c->n) % c->n;
    *owned = *owned && inside >= 0 && inside < c->owned[k];
    index = index * c->n + global;
  }
  return (PetscScalar)index;
}

static const PetscScalar nobodys = -1;

void field_spoil(PetscScalar *data, int64_t count)
{
  for (int64_t i = 0; i < count; i++) data[i] = nobodys;
}

void field_fill(const field_case *c, PetscScalar *data, const int64_t strides[], bool ghosts)
{
  int64_t at[FIELD_NDIM];
  for (at[0] = 0; at[0] < c->shape[0]; at[0]++)
    for (at[1] = 0; at[1] < c->shape[1]; at[1]++)
      for (at[2] = 0; at[2] < c->shape[2]; at[2]++) {
        bool owned;
        const PetscScalar value = element(c, at, &owned);
        data[at[0] * strides[0] + at[1] * strides[1] + at[2] * strides[2]] =
            owned || ghosts ? value : nobodys;
      }
}

int64_t field_count_wrong(const field_case *c, const PetscScalar *data, const int64_t strides[])
{
  int64_t at[FIELD_NDIM], wrong = 0;
  for (at[0] = 0; at[0] < c->shape[0]; at[0]++)
    for (at[1] = 0; at[1] < c->shape[1]; at[1]++)
      for (at[2] = 0; at[2] < c->shape[2]; at[2]++) {
        bool owned;
        const PetscScalar value = element(c, at, &owned);
        wrong += data[at[0] * strides[0] + at[1] * strides[1] + at[2] * strides[2]] != value;
      }
  return wrong;
}

/* Returns how often processes have index i of axis k. */
static int64_t count_holders(const field_case *c, int k, int64_t i)
{
  int64_t holders = 0, start = 0;
  for (int p = 0; p < c->procs[k]; start += c->ranges[k][p++]) {
    const bool low = c->periodic || p > 0, high = c->periodic || p < c->procs[k] - 1;
    const int64_t first = start - (low ? c->width : 0), end = start + c->ranges[k][p] + (high ? c->width : 0);
    for (int64_t j = i - c->n; j <= i + c->n; j += c->n) holders += j >= first && j < end;
  }
  return holders;
}

int64_t field_count_wrong_sums(const field_case *c, const PetscScalar *data, const int64_t strides[])
{
  int64_t at[FIELD_NDIM], wrong = 0;
  for (at[0] = 0; at[0] < c->shape[0]; at[0]++)
    for (at[1] = 0; at[1] < c->shape[1]; at[1]++)
      for (at[2] = 0; at[2] < c->shape[2]; at[2]++) {
        bool owned;
        const PetscScalar value = element(c, at, &owned);
        int64_t holders = 1;
        for (int k = 0; k < FIELD_NDIM && owned; k++)
          holders *= count_holders(c, k, c->start[k] + at[k] - c->low[k]);
        const PetscScalar found = data[at[0] * strides[0] + at[1] * strides[1] + at[2] * strides[2]];
        wrong += found != (PetscScalar)(double)holders * value; /* padding is kept */
      }
  return wrong;
}

/* Returns the case of the points only, which has no padding. */
static field_case without_padding(const field_case *c)
{
  field_case points = *c;
  memcpy(points.shape, c->owned, sizeof points.shape);
  memset(points.low, 0, sizeof points.low);
  return points;
}

void field_fill_points(const field_case *c, PetscScalar *data)
{
  const field_case points = without_padding(c);
  int64_t strides[FIELD_NDIM];
  field_strides(points.shape, strides);
  field_fill(&points, data, strides, false);
}

int64_t field_count_wrong_points(const field_case *c, const PetscScalar *data)
{
  const field_case points = without_padding(c);
  int64_t strides[FIELD_NDIM];
  field_strides(points.shape, strides);
  return field_count_wrong(&points, data, strides);
}

int64_t field_count_wrong_sums_points(const field_case *c, const PetscScalar *data)
{
  const field_case points = without_padding(c);
  int64_t strides[FIELD_NDIM];
  field_strides(points.shape, strides);
  return field_count_wrong_sums(&points, data, strides);
}
