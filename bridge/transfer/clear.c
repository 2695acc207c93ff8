/* Sets padding and ghosts to 0, once their owners have their values. */
#include "transfer_impl.h"

#include <stdlib.h>
#include <string.h>

/* Consecutive positions along an axis, either all owned or all not owned. */
typedef struct span {
  int64_t first, length;
  bool is_owned;
} span;

typedef struct clear_axis {
  span *spans; /* [count] of the positions that move */
  int64_t count, capacity, stride;
  bool has_others; /* that are not owned */
} clear_axis;

struct dap_clearing {
  int ndim;
  int64_t item;
  clear_axis axes[DAP_MAX_NDIM]; /* [ndim] by falling stride */
};

/* ---- made ------------------------------------------------------------------------------------------- */

static dap_status add_position(clear_axis *axis, int64_t position, bool is_owned, dap_error *err)
{
  span *last = axis->count > 0 ? &axis->spans[axis->count - 1] : NULL;
  if (!is_owned) axis->has_others = true;
  if (last && last->is_owned == is_owned && last->first + last->length == position) {
    last->length++;
    return DAP_OK;
  }
  if (axis->count == axis->capacity) {
    const int64_t capacity = axis->capacity ? 2 * axis->capacity : 4;
    span *spans = realloc(axis->spans, (size_t)capacity * sizeof *spans);
    DAP_REQUIRE(spans, err, DAP_ERR_NOMEM, "no memory for what is to be cleared");
    axis->spans = spans;
    axis->capacity = capacity;
  }
  axis->spans[axis->count++] = (span){.first = position, .length = 1, .is_owned = is_owned};
  return DAP_OK;
}

static dap_status set_axis(const dap_problem *problem, int k, clear_axis *axis, dap_error *err)
{
  const dap_map *map = dap_problem_to_map(problem, k);
  const int coord = problem->to.coords[k];
  const int64_t extent = map->ops->extent(map, coord), first = problem->to.start[k];
  axis->stride = problem->to.strides[k];
  for (int64_t i = 0; i < extent; i++) {
    const int64_t index = map->ops->globalize(map, coord, i) - first;
    if (index >= 0 && index < problem->shape[k])
      DAP_TRY(add_position(axis, i, map->axis.replicated || map->ops->is_owned(map, coord, i), err));
  }
  return DAP_OK;
}

static int compare_strides(const void *a, const void *b)
{
  const int64_t x = dap_magnitude(((const clear_axis *)a)->stride);
  const int64_t y = dap_magnitude(((const clear_axis *)b)->stride);
  return (x < y) - (x > y);
}

dap_status dap_clearing_create(const dap_problem *problem, dap_clearing **clearing, dap_error *err)
{
  if (!problem->to.holds) return DAP_OK;
  dap_clearing *made = *clearing = calloc(1, sizeof *made);
  DAP_REQUIRE(made, err, DAP_ERR_NOMEM, "no memory for what is to be cleared");
  made->ndim = problem->ndim;
  made->item = problem->to.item;
  for (int k = 0; k < problem->ndim; k++) DAP_TRY(set_axis(problem, k, &made->axes[k], err));
  qsort(made->axes, (size_t)made->ndim, sizeof *made->axes, compare_strides);
  return DAP_OK;
}

void dap_clearing_release(dap_clearing **clearing)
{
  for (int k = 0; *clearing && k < (*clearing)->ndim; k++) free((*clearing)->axes[k].spans);
  free(*clearing);
  *clearing = NULL;
}

int64_t dap_clearing_memory(const dap_clearing *clearing)
{
  int64_t bytes = clearing ? (int64_t)sizeof *clearing : 0;
  for (int k = 0; clearing && k < clearing->ndim; k++)
    bytes += clearing->axes[k].capacity * (int64_t)sizeof(span);
  return bytes;
}

/* ---- run -------------------------------------------------------------------------------------------- */

/* Whether some axis from `level` on has positions that are not owned. */
static bool has_others(const dap_clearing *c, int level)
{
  for (int k = level; k < c->ndim; k++)
    if (c->axes[k].has_others) return true;
  return false;
}

/* Clears a span of the fastest axis. */
static void clear_line(const dap_clearing *c, const span *s, char *at)
{
  const int64_t stride = c->axes[c->ndim - 1].stride;
  at += s->first * stride;
  if (stride == c->item)
    memset(at, 0, (size_t)(s->length * c->item));
  else
    for (int64_t i = 0; i < s->length; i++) memset(at + i * stride, 0, (size_t)c->item);
}

static void clear_level(const dap_clearing *c, int level, bool is_owned, char *at)
{
  if (is_owned && !has_others(c, level)) return;
  const clear_axis *axis = &c->axes[level];
  for (int64_t n = 0; n < axis->count; n++) {
    const span *s = &axis->spans[n];
    const bool owned = is_owned && s->is_owned;
    if (level == c->ndim - 1 && !owned) clear_line(c, s, at);
    for (int64_t i = 0; i < s->length && level < c->ndim - 1; i++)
      clear_level(c, level + 1, owned, at + (s->first + i) * axis->stride);
  }
}

void dap_clearing_run(const dap_clearing *clearing, char *to)
{
  if (clearing && clearing->ndim > 0) clear_level(clearing, 0, true, to);
}
