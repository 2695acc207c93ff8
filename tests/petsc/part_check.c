#include "part_check.h"

#include "field_test.h"

#include <inttypes.h>

/* ---- making ------------------------------------------------------------------------------------------ */

static dap_layout *make_layout(const part_row *row)
{
  enum { MOST = 64 };
  static int64_t memory[PART_NDIM][MOST][MOST], lengths[PART_NDIM][MOST];
  static const int64_t *lists[PART_NDIM][MOST];
  int procs[PART_NDIM] = {1, 1, 1, 1}, dims[PART_NDIM] = {0}, count = 0;
  dap_dist dist[PART_NDIM];
  dap_layout *layout = NULL;
  dap_error err;
  for (int k = 0; k < row->ndim; k++) count += row->spread[k] != WHOLE;
  if (count > 0) MPI_Dims_create(test_nprocs(), count, dims);
  for (int k = 0, next = 0; k < row->ndim; k++) {
    if (row->spread[k] != WHOLE) procs[k] = dims[next++];
    dist[k] = row->spread[k] == DEALT ? dap_dist_cyclic(row->size[k], procs[k], 2)
                                      : dap_dist_even(row->size[k], procs[k]);
    if (row->spread[k] == PADDED) dist[k].halo = 1;
    if (row->spread[k] != LISTED) continue;
    for (int c = 0; c < procs[k]; c++) {
      lists[k][c] = memory[k][c];
      lengths[k][c] = 0;
    }
    for (int64_t i = row->size[k] - 1; i >= 0; i--) /* backwards, in turn */
      memory[k][i % procs[k]][lengths[k][i % procs[k]]++] = i;
    dist[k] = dap_dist_unstructured(row->size[k], procs[k], lengths[k], lists[k]);
  }
  EXPECT_OK(dap_layout_create(row->ndim, dist, &layout, &err), &err);
  return layout;
}

void parted_make(parted *p, const part_row *row)
{
  test_random random = test_random_init(5);
  *p = (parted){.row = row, .layout = make_layout(row), .ndim = row->naxes ? row->naxes : row->ndim};
  p->part = (dap_part){.naxes = row->naxes,
                       .axes = row->naxes ? row->axes : NULL,
                       .start = row->start,
                       .shape = row->shape[0] ? row->shape : NULL};
  for (int j = 0; j < p->ndim; j++) {
    const int k = row->naxes ? row->axes[j] : j;
    p->shape[j] = k < 0 ? 1 : row->shape[0] ? row->shape[k] : row->size[k] - row->start[k];
  }
  p->buffer = test_buffer_make(p->layout, test_rank(), sizeof(PetscScalar), row->form, &random);
  p->array = test_buffer_array(&p->buffer, scalar_dtype());
  fill_global(p->layout, test_rank(), &p->array);
}

void parted_free(parted *p)
{
  EXPECT(check_gaps(&p->buffer));
  test_buffer_free(&p->buffer);
  dap_layout_destroy(&p->layout);
}

/* ---- elements ----------------------------------------------------------------------------------------- */

static PetscScalar value_at(const parted *p, const int64_t global[], int64_t shift)
{
  PetscScalar value;
  int64_t index = 0;
  for (int k = 0; k < p->row->ndim; k++) index = index * p->row->size[k] + global[k];
  value_of(scalar_dtype(), index + shift, &value);
  return value;
}

PetscScalar parted_value(const parted *p, const int64_t index[], int64_t shift)
{
  int64_t global[PART_NDIM];
  memcpy(global, p->row->start, sizeof global);
  for (int j = 0; j < p->ndim; j++) {
    const int k = p->row->naxes ? p->row->axes[j] : j;
    if (k >= 0) global[k] += index[j];
  }
  return value_at(p, global, shift);
}

static bool is_kept(const part_row *row, int k)
{
  bool kept = row->naxes == 0;
  for (int j = 0; j < row->naxes; j++) kept = kept || row->axes[j] == k;
  return kept;
}

typedef struct element {
  char *at;
  int64_t global[PART_NDIM];
  bool owned;
  bool inside; /* of the part, or of the padding that it has */
} element;

static element look(const parted *p, int64_t position)
{
  const part_row *row = p->row;
  element e = {.at = p->array.data, .inside = true};
  int64_t local[PART_NDIM] = {0}, halo[2];
  int coords[DAP_MAX_NDIM] = {0};
  for (int k = row->ndim - 1; k >= 0; k--) {
    local[k] = position % p->array.shape[k];
    position /= p->array.shape[k];
    e.at += local[k] * p->array.strides[k];
  }
  EXPECT_OK(dap_layout_globalize(p->layout, test_rank(), local, e.global, &e.owned, NULL), NULL);
  dap_layout_coords(p->layout, test_rank(), coords);
  for (int k = 0; k < row->ndim; k++) {
    const int64_t length = !is_kept(row, k) ? 1
                           : row->shape[0]  ? row->shape[k]
                                            : row->size[k] - row->start[k];
    dap_layout_halo(p->layout, k, coords[k], halo);
    const bool is_padding = local[k] < halo[0] || local[k] >= p->array.shape[k] - halo[1];
    e.inside = e.inside && e.global[k] >= row->start[k] && e.global[k] < row->start[k] + length;
    e.inside = e.inside && (is_kept(row, k) || !is_padding);
  }
  return e;
}

void parted_fill(const parted *p, int64_t shift)
{
  for (int64_t i = 0; i < dap_array_count(&p->array); i++) {
    const element e = look(p, i);
    const PetscScalar value = value_at(p, e.global, shift);
    if (e.owned && e.inside) memcpy(e.at, &value, sizeof value);
  }
}

static bool is_range(const parted *p)
{
  for (int k = 0; k < p->row->ndim; k++)
    if (is_kept(p->row, k) && (p->row->start[k] > 0 || p->part.shape)) return true;
  return false;
}

void parted_check(const parted *p, int64_t shift, test_padding padding)
{
  for (int64_t i = 0; i < dap_array_count(&p->array); i++) {
    const element e = look(p, i);
    PetscScalar want = value_at(p, e.global, e.inside ? shift : 0), found;
    const bool filled = e.inside && padding == PADDING_FILLED;
    if (!e.owned && e.inside && (padding == PADDING_ANY || is_range(p))) continue;
    if (!e.owned && !filled) memset(&want, TEST_POISON, sizeof want);
    memcpy(&found, e.at, sizeof found);
    EXPECT_MSG(memcmp(&found, &want, sizeof want) == 0,
               "element (%" PRId64 " %" PRId64 " %" PRId64 "), %s, %s: %g, not %g", e.global[0], e.global[1],
               e.global[2], e.owned ? "owned" : "padding", e.inside ? "inside" : "outside",
               (double)PetscRealPart(found), (double)PetscRealPart(want));
  }
}
