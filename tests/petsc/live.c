/* Gets arrays with a live view, and goes through every element. */
#include "live.h"

#include "number.h"

#include <dapbridge/log.h>
#include <inttypes.h>

/* ---- one element ------------------------------------------------------------------------------------- */

static void write_value(dap_dtype dtype, int64_t value, void *bytes)
{
  unsigned char scalar[NUMBER_BYTES];
  value_of(scalar_dtype(), dap_dtype_size(dtype) < 4 ? value % 97 : value, scalar);
  number_write(dtype, number_read(scalar_dtype(), scalar), bytes);
}

/* Gives the bytes of a value as they lie in the buffer. */
static void encode(const live *a, int64_t value, unsigned char bytes[NUMBER_BYTES])
{
  write_value(a->array.dtype, value, bytes);
  if (a->array.swapped) turn_bytes(a->array.dtype, bytes);
}

PetscScalar live_entry(const live *a, int64_t element, int64_t shift)
{
  unsigned char bytes[NUMBER_BYTES];
  PetscScalar value;
  write_value(a->array.dtype, element + shift, bytes);
  number_write(scalar_dtype(), number_read(a->array.dtype, bytes), &value);
  return value;
}

/* ---- made -------------------------------------------------------------------------------------------- */

static dap_dtype narrow_dtype(void)
{
  return scalar_dtype() == DAP_C16 ? DAP_C8 : scalar_dtype() == DAP_F8 ? DAP_F4 : scalar_dtype();
}

static void make(live *a, random_array *model, test_side side, dap_dtype dtype, bool swapped)
{
  unsigned char bytes[NUMBER_BYTES];
  *a = (live){.model = model, .layout = side.layout, .buffer = side.buffer};
  a->array = test_buffer_array(&a->buffer, dtype);
  LIVE_EACH(a, p)
  {
    write_value(dtype, p.walk.flat + BEFORE, bytes);
    if (p.owned) memcpy(p.at, bytes, (size_t)dap_dtype_size(dtype));
  }
  if (swapped) turn_array(&a->array);
}

void live_make_row(live *a, const live_row *row)
{
  test_random random = test_random_init(29);
  random_array *model = test_must(malloc(sizeof *model));
  const bool is_narrow = row->bytes & NARROW;
  const bool swaps = row->bytes & SWAPPED || (row->bytes & SWAPPED_ON_ODD && test_rank() % 2);
  const dap_dtype dtype = row->dtype ? row->dtype : is_narrow ? narrow_dtype() : scalar_dtype();
  const test_side side = case_side(&row->layout, dap_dtype_size(dtype), row->form, &random, model);
  make(a, model, side, dtype, swaps);
  a->options = row->options;
  a->options.lossy = is_narrow;
  a->order = row->vector.order;
  live_pick(a, row->naxes, row->axes, row->index);
  memcpy(a->shape, row->shape, sizeof row->shape);
}

void live_make_cut(live *a, int ndim, const dap_dist dists[], test_form form)
{
  test_random random = test_random_init(23);
  random_array *model = test_must(malloc(sizeof *model));
  (void)array_deal(ndim, dists, NULL, model);
  make(a, model, side_make(model, CREATED, NULL, (int64_t)sizeof(PetscScalar), form, &random), scalar_dtype(),
       false);
}

void live_draw(live *a, test_random *random, int most_axes)
{
  int64_t size[DAP_MAX_NDIM];
  random_array *model = test_must(malloc(sizeof *model));
  const int ndim = (int)test_random_int(random, 1, most_axes);
  const bool is_narrow = test_random_one_in(random, 5);
  const dap_dtype dtype = is_narrow ? narrow_dtype() : scalar_dtype();
  const int64_t swaps = test_random_one_in(random, 4) ? test_random_int(random, 0, 63) : 0;
  const int form = test_random_one_in(random, 2) ? FORM_C : (int)test_random_int(random, 0, FORM_COUNT - 1);
  random_shape(random, ndim, 400, size);
  random_array_draw(random, test_nprocs(), ndim, size, model);
  const side_origin origin = test_random_one_in(random, 3) ? ASSEMBLED : CREATED;
  test_random gaps = test_random_init(23);
  make(a, model, side_make(model, origin, NULL, dap_dtype_size(dtype), (test_form)form, &gaps), dtype,
       swaps >> test_rank() & 1);
  a->options.lossy = is_narrow;
}

void live_free(live *a)
{
  EXPECT(check_gaps(&a->buffer));
  test_buffer_free(&a->buffer);
  dap_layout_destroy(&a->layout);
  free(a->model);
}

void live_pick(live *a, int naxes, const int axes[], const int64_t index[])
{
  for (int j = 0; j < naxes; j++) a->axes[j] = axes[j];
  for (int k = 0; k < DAP_MAX_NDIM; k++) a->index[k] = index && k < a->array.ndim ? index[k] : 0;
  a->options.part = (dap_part){.naxes = naxes};
  if (naxes > 0) a->options.part = (dap_part){.naxes = naxes, .axes = a->axes, .start = a->index};
}

dap_status live_get(live *a, dap_access access, dap_error *err)
{
  const dap_darray array = {a->layout, &a->array};
  return dap_petsc_field_get(MPI_COMM_WORLD, array, access, &a->options, &a->field, err);
}

dap_part live_part(const live *a)
{
  dap_part part = a->options.part;
  part.start = a->index;
  part.shape = a->shape[0] ? a->shape : NULL;
  return part;
}

static const char *counted_words;

static void count_line(void *context, const char *line)
{
  *(int *)context += strstr(line, counted_words) != NULL;
}

void live_count_lines(int *lines, const char *words)
{
  counted_words = words;
  if (lines) *lines = 0;
  dap_log_set(lines ? count_line : NULL, lines);
}

void live_restore(live *a)
{
  dap_error err;
  EXPECT_OK(dap_petsc_field_restore(&a->field, &err), &err);
  EXPECT(!a->field.dm && !a->field.global && !a->field.local && !a->field.handle.view);
}

bool live_open(live *a, const live_row *row, dap_access access)
{
  dap_error err;
  live_make_row(a, row);
  return EXPECT_OK(live_get(a, access, &err), &err);
}

void live_close(live *a)
{
  live_restore(a);
  live_free(a);
}

/* ---- the axes of the view ------------------------------------------------------------------------------ */

int live_ndim(const live *a)
{
  return a->options.part.naxes > 0 ? a->options.part.naxes : a->array.ndim;
}

int live_axis(const live *a, int j)
{
  return a->options.part.naxes > 0 ? a->axes[j] : j;
}

static const brute_axis *axis_of(const live *a, int k)
{
  return &a->model->model.axes[k];
}

int64_t live_size(const live *a, int j)
{
  const int k = live_axis(a, j);
  return k < 0 ? 1 : a->shape[0] ? a->shape[k] : axis_of(a, k)->size;
}

int64_t live_outside(const live *a, int j, int side)
{
  const int k = live_axis(a, j);
  if (k < 0 || j >= live_ndim(a) - a->options.dof_axes) return 0;
  const dap_dist *dist = &a->model->dists[k];
  const bool ghosts = dist->periodic ? a->options.strip_periodic : a->options.boundary == DM_BOUNDARY_GHOSTED;
  return ghosts ? dist->boundary[side] : 0;
}

/* Returns the view's axis for axis k of the array; -1: the view does not have it. */
static int axis_in_view(const live *a, int k)
{
  for (int j = 0; j < live_ndim(a); j++)
    if (live_axis(a, j) == k) return j;
  return -1;
}

bool live_is_member(const live *a)
{
  int coords[DAP_MAX_NDIM] = {0};
  bool is_member = true;
  brute_coords(&a->model->model, test_rank(), coords);
  for (int k = 0; k < a->array.ndim; k++)
    if (axis_in_view(a, k) < 0 && !axis_of(a, k)->whole)
      is_member = is_member && axis_of(a, k)->owner[a->index[k]] == coords[k];
  return is_member;
}

static int64_t flat(const live *a, const int64_t global[])
{
  int64_t index = 0;
  for (int k = 0; k < a->array.ndim; k++) index = index * axis_of(a, k)->size + global[k];
  return index;
}

/* ---- every element ------------------------------------------------------------------------------------- */

static void look(const live *a, live_place *p)
{
  p->at = (char *)array_element(&a->array, p->walk.local);
  p->owned = p->walk.part == BRUTE_OWNED || (p->walk.part == BRUTE_COPY && p->walk.alike);
  p->inside = true;
  p->stripped = p->edge = false;
  for (int k = 0; k < a->array.ndim && !p->walk.done; k++) {
    const int j = axis_in_view(a, k);
    const int64_t index = p->walk.global[k];
    if (j < 0) {
      const bool pads = brute_pads(axis_of(a, k), p->walk.coords[k], p->walk.local[k]);
      p->inside = p->inside && index == a->index[k] && !pads;
    } else if (a->shape[0]) {
      p->inside = p->inside && index >= a->index[k] && index < a->index[k] + a->shape[k];
    } else {
      const bool out = index < live_outside(a, j, 0) || index >= live_size(a, j) - live_outside(a, j, 1);
      p->stripped = p->stripped || (out && a->model->dists[k].periodic);
      p->edge = p->edge || (out && !a->model->dists[k].periodic);
    }
  }
}

live_place live_first(const live *a)
{
  live_place p = {.walk = brute_walk_start(&a->model->model, test_rank())};
  look(a, &p);
  return p;
}

void live_next(const live *a, live_place *p)
{
  brute_walk_next(&p->walk);
  look(a, p);
}

int64_t live_element(const live *a, const live_place *p)
{
  int64_t global[DAP_MAX_NDIM] = {0};
  for (int k = 0; k < a->array.ndim; k++) {
    const int j = axis_in_view(a, k);
    global[k] = p->walk.global[k];
    if (j < 0 || a->shape[0] || !a->model->dists[k].periodic) continue;
    const int64_t low = live_outside(a, j, 0), period = live_size(a, j) - low - live_outside(a, j, 1);
    global[k] = low + ((global[k] - low) % period + period) % period;
  }
  return flat(a, global);
}

int64_t live_at(const live *a, const int64_t index[])
{
  int64_t global[DAP_MAX_NDIM];
  memcpy(global, a->index, sizeof global);
  for (int j = 0; j < live_ndim(a); j++) {
    const int k = live_axis(a, j);
    if (k >= 0) global[k] = index[j] + (a->shape[0] ? a->index[k] : 0);
  }
  return flat(a, global);
}

void live_fill(const live *a, int64_t shift)
{
  unsigned char bytes[NUMBER_BYTES];
  LIVE_EACH(a, p)
  {
    if (!p.inside || !p.owned) continue;
    encode(a, live_element(a, &p) + shift, bytes);
    memcpy(p.at, bytes, (size_t)dap_dtype_size(a->array.dtype));
  }
}

/* Long doubles are compared as numbers, because some of their bytes have no meaning. */
static bool is_same(const live *a, const void *at, const unsigned char want[NUMBER_BYTES])
{
  const dap_dtype dtype = a->array.dtype;
  unsigned char got[NUMBER_BYTES], wanted[NUMBER_BYTES];
  if (!memcmp(at, want, (size_t)dap_dtype_size(dtype))) return true;
  if (dtype != DAP_F16 && dtype != DAP_C32) return false;
  memcpy(got, at, (size_t)dap_dtype_size(dtype));
  memcpy(wanted, want, (size_t)dap_dtype_size(dtype));
  if (a->array.swapped) turn_bytes(dtype, got);
  if (a->array.swapped) turn_bytes(dtype, wanted);
  return number_is(number_read(dtype, got), number_read(dtype, wanted), false);
}

void live_check(const live *a, int64_t inside, int64_t outside, int64_t edges, test_padding padding)
{
  unsigned char bytes[NUMBER_BYTES];
  const size_t size = (size_t)dap_dtype_size(a->array.dtype);
  LIVE_EACH(a, p)
  {
    const bool filled = p.inside && padding == PADDING_FILLED;
    if (!p.owned && p.inside && (padding == PADDING_ANY || a->shape[0])) continue;
    if (p.edge && edges < 0) continue;
    if (p.stripped && p.inside && !filled) continue; /* without an update it keeps its first value */
    const int64_t shift = !p.inside ? outside : p.edge ? edges : inside;
    encode(a, (filled ? live_element(a, &p) : p.walk.flat) + shift, bytes);
    if (!p.owned && !filled) memset(bytes, TEST_POISON, size);
    EXPECT_MSG(is_same(a, p.at, bytes), "array element %" PRId64 ", %s, %s the part: not of shift %" PRId64,
               p.walk.flat, p.owned ? "owned" : "padding", p.inside ? "in" : "outside", shift);
  }
}
