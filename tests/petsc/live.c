/* Arrays with a live field: getting it, and going through every element. */
#include "live.h"

#include <dapbridge/log.h>
#include <inttypes.h>

void live_pick(live *a, int naxes, const int axes[], const int64_t index[])
{
  a->options.part.naxes = naxes;
  for (int j = 0; j < naxes; j++) a->axes[j] = axes[j];
  for (int k = 0; k < DAP_MAX_NDIM; k++) a->index[k] = index && k < a->array.ndim ? index[k] : 0;
}

static void set_axes(live *a)
{
  a->options.part.axes = a->options.part.naxes > 0 ? a->axes : NULL;
  if (a->options.part.naxes > 0) a->options.part.start = a->index;
}

dap_status live_get(live *a, dap_access access, dap_error *err)
{
  set_axes(a);
  return dap_petsc_field_get(MPI_COMM_WORLD, (dap_darray){a->layout, &a->array}, access, &a->options,
                             &a->field, err);
}

dap_part live_part(const live *a)
{
  const int naxes = a->options.part.naxes;
  return (dap_part){.naxes = naxes,
                    .axes = naxes ? a->axes : NULL,
                    .start = a->index,
                    .shape = a->shape[0] ? a->shape : NULL};
}

static void count_plan(void *context, const char *line)
{
  if (strncmp(line, "plan:", 5) == 0) ++*(int *)context;
}

void live_count_plans(int *plans)
{
  if (plans) *plans = 0;
  dap_log_set(plans ? count_plan : NULL, plans);
}

void live_restore(live *a)
{
  dap_error err;
  EXPECT_OK(dap_petsc_field_restore(&a->field, &err), &err);
  EXPECT(!a->field.dm && !a->field.global && !a->field.local && !a->field.handle.view);
}

/* ---- which axes are the field's ---------------------------------------------------------------------- */

int live_ndim(const live *a)
{
  return a->options.part.naxes > 0 ? a->options.part.naxes : a->array.ndim;
}

int live_axis(const live *a, int j)
{
  return a->options.part.naxes > 0 ? a->axes[j] : j;
}

int64_t live_size(const live *a, int j)
{
  const int k = live_axis(a, j);
  return k < 0 ? 1 : a->shape[0] ? a->shape[k] : dap_layout_size(a->layout, k);
}

int64_t live_outside(const live *a, int j, int side)
{
  const int k = live_axis(a, j);
  if (k < 0 || j >= live_ndim(a) - a->options.dof_axes) return 0;
  const dap_axis axis = dap_layout_axis(a->layout, k);
  const bool ghosts = axis.periodic ? a->options.strip_periodic : a->options.boundary == DM_BOUNDARY_GHOSTED;
  return ghosts ? axis.boundary[side] : 0;
}

/* The field's axis that the array's is; -1: none. */
static int axis_in_field(const live *a, int k)
{
  for (int j = 0; j < live_ndim(a); j++)
    if (live_axis(a, j) == k) return j;
  return -1;
}

static int64_t modulo(int64_t i, int64_t n)
{
  return (i % n + n) % n;
}

static bool is_in_range(const live *a, int k, int64_t index)
{
  return !a->shape[0] || (index >= a->index[k] && index < a->index[k] + a->shape[k]);
}

static int64_t flat(const live *a, const int64_t global[])
{
  int64_t index = 0;
  for (int k = 0; k < a->array.ndim; k++) index = index * dap_layout_size(a->layout, k) + global[k];
  return index;
}

/* ---- the array's side -------------------------------------------------------------------------------- */

/* Whether the elements at a position along one axis are this process's own, not a copy; no list here
 * overlaps. */
static bool owns_along(const live *a, int k, int64_t local)
{
  int coords[DAP_MAX_NDIM] = {0};
  int64_t halo[2] = {0};
  dap_layout_coords(a->layout, test_rank(), coords);
  dap_layout_halo(a->layout, k, coords[k], halo);
  return local >= halo[0] && local < a->array.shape[k] - halo[1];
}

live_place live_look(const live *a, int64_t position)
{
  live_place p = {.at = a->array.data, .inside = true};
  int64_t local[DAP_MAX_NDIM] = {0};
  for (int k = a->array.ndim - 1; k >= 0; k--) {
    local[k] = position % a->array.shape[k];
    position /= a->array.shape[k];
    p.at += local[k] * a->array.strides[k];
  }
  EXPECT_OK(dap_layout_globalize(a->layout, test_rank(), local, p.global, NULL, NULL), NULL);
  p.owned = has_value(a->layout, test_rank(), local);
  for (int k = 0; k < a->array.ndim; k++) {
    const int j = axis_in_field(a, k);
    if (j < 0) {
      p.inside = p.inside && p.global[k] == a->index[k] && owns_along(a, k, local[k]);
      continue;
    }
    p.inside = p.inside && is_in_range(a, k, p.global[k]);
    if (a->shape[0]) continue;
    const int64_t low = live_outside(a, j, 0), end = live_size(a, j) - live_outside(a, j, 1);
    const bool out = p.global[k] < low || p.global[k] >= end, wraps = dap_layout_axis(a->layout, k).periodic;
    p.stripped = p.stripped || (out && wraps);
    p.edge = p.edge || (out && !wraps);
  }
  return p;
}

int64_t live_element(const live *a, const live_place *p)
{
  int64_t global[DAP_MAX_NDIM] = {0};
  for (int k = 0; k < a->array.ndim; k++) {
    const int j = axis_in_field(a, k);
    global[k] = p->global[k];
    if (j < 0 || a->shape[0] || !dap_layout_axis(a->layout, k).periodic) continue;
    const int64_t low = live_outside(a, j, 0), period = live_size(a, j) - low - live_outside(a, j, 1);
    global[k] = low + modulo(global[k] - low, period);
  }
  return flat(a, global);
}

PetscScalar live_value(const live *a, const int64_t index[], int64_t shift)
{
  int64_t global[DAP_MAX_NDIM];
  PetscScalar value;
  memcpy(global, a->index, sizeof global);
  for (int j = 0; j < live_ndim(a); j++) {
    const int k = live_axis(a, j);
    if (k >= 0) global[k] = index[j] + (a->shape[0] ? a->index[k] : 0);
  }
  value_of(scalar_dtype(), flat(a, global) + shift, &value);
  return value;
}

/* The bytes of a value as they lie in the buffer. */
static void encode(const live *a, int64_t value, unsigned char bytes[16])
{
  const int64_t size = dap_dtype_size(a->array.dtype);
  const int64_t part = scalar_dtype() == DAP_C16 ? size / 2 : size;
  value_of(a->array.dtype, value, bytes);
  for (int64_t from = 0; a->array.swapped && from < size; from += part)
    for (int64_t i = 0; i < part / 2; i++) {
      const unsigned char byte = bytes[from + i];
      bytes[from + i] = bytes[from + part - 1 - i];
      bytes[from + part - 1 - i] = byte;
    }
}

void live_fill(const live *a, int64_t shift)
{
  unsigned char bytes[16];
  for (int64_t i = 0; i < dap_array_count(&a->array); i++) {
    const live_place p = live_look(a, i);
    if (!p.inside || !p.owned) continue;
    encode(a, live_element(a, &p) + shift, bytes);
    memcpy(p.at, bytes, (size_t)dap_dtype_size(a->array.dtype));
  }
}

void live_check(const live *a, int64_t inside, int64_t outside, int64_t edges, test_padding padding)
{
  unsigned char bytes[16];
  const size_t size = (size_t)dap_dtype_size(a->array.dtype);
  for (int64_t i = 0; i < dap_array_count(&a->array); i++) {
    const live_place p = live_look(a, i);
    const bool filled = p.inside && padding == PADDING_FILLED;
    if (!p.owned && p.inside && (padding == PADDING_ANY || a->shape[0])) continue;
    if (p.edge && edges < 0) continue;
    const int64_t shift = !p.inside ? outside : p.edge ? edges : inside;
    /* without an update stripped padding is what it was made as */
    encode(a, (filled ? live_element(a, &p) : flat(a, p.global)) + shift, bytes);
    if (p.stripped && p.inside && !filled) continue;
    if (!p.owned && !filled) memset(bytes, TEST_POISON, size);
    EXPECT_MSG(memcmp(p.at, bytes, size) == 0,
               "array element (%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64
               "), %s, %s the section: not of shift %" PRId64,
               p.global[0], p.global[1], p.global[2], p.global[3], p.global[4], p.owned ? "owned" : "padding",
               p.inside ? "in" : "outside", shift);
  }
}

static bool owns_index(const live *a, int k, int coord)
{
  for (dap_run run = {0}; dap_layout_next_run(a->layout, k, coord, &run);)
    if (a->index[k] >= run.global && a->index[k] < run.global + run.length) return true;
  return false;
}

bool live_is_member(const live *a)
{
  int coords[DAP_MAX_NDIM] = {0};
  dap_layout_coords(a->layout, test_rank(), coords);
  bool is_member = true;
  for (int k = 0; k < a->array.ndim; k++)
    if (axis_in_field(a, k) < 0) is_member = is_member && owns_index(a, k, coords[k]);
  return is_member;
}
