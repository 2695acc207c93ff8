#include "combine.h"

#include "mpi_test.h"

#include <inttypes.h>
#include <math.h>

const combine_kind combine_kinds[] = {{DAP_F8, DAP_COMBINE_SUM},  {DAP_I4, DAP_COMBINE_SUM},
                                      {DAP_C16, DAP_COMBINE_SUM}, {DAP_F4, DAP_COMBINE_SUM},
                                      {DAP_F8, DAP_COMBINE_MAX},  {DAP_I8, DAP_COMBINE_MIN},
                                      {DAP_I2, DAP_COMBINE_MAX},  {DAP_F4, DAP_COMBINE_MIN}};

/* ---- sides -------------------------------------------------------------------------------------------- */

dap_side combine_side(const test_side *s, dap_dtype dtype, bool swapped)
{
  dap_side side = side_of(s);
  side.dtype = dtype;
  side.swapped = swapped;
  if (s->process < 0 && swapped) side.layout = NULL; /* others tell it */
  return side;
}

unsigned combine_way(int place, int i)
{
  static const unsigned ways[COMBINE_WAYS] = {0,
                                              DAP_TRANSPORT_DIRECT,
                                              DAP_TRANSPORT_STAGED,
                                              DAP_TRANSPORT_MESSAGES,
                                              DAP_TRANSPORT_DIRECT | DAP_TRANSPORT_STAGED,
                                              DAP_TRANSPORT_DIRECT | DAP_TRANSPORT_MESSAGES,
                                              DAP_TRANSPORT_STAGED | DAP_TRANSPORT_MESSAGES};
  const unsigned way = ways[i % COMBINE_WAYS];
  return place > 0 && way ? way | DAP_TRANSPORT_MESSAGES : test_joining(way);
}

/* ---- numbers ------------------------------------------------------------------------------------------ */

double combine_number(combine_numbers numbers, int p, int64_t n, int salt)
{
  test_random random = {.state = (uint64_t)p * 7919 + (uint64_t)n * 104729 + (uint64_t)salt * 1299709};
  if (numbers == EXACT) return (double)test_random_int(&random, -20, 20);
  static const int exponents[] = {0, 51, 52, 53, 54};
  const double x = (double)(2 * test_random_int(&random, -4, 3) + 1);
  return ldexp(x, exponents[test_random_int(&random, 0, 4)]);
}

/* The element that says `x`; of a complex one both parts do. */
static void element_of(dap_dtype dtype, bool swapped, double x, unsigned char *at)
{
  const double complex_x[2] = {x, 2 * x};
  const float f4 = (float)x;
  const int16_t i2 = (int16_t)x;
  const int32_t i4 = (int32_t)x;
  const int64_t i8 = (int64_t)x, size = dap_dtype_size(dtype);
  const void *value = dtype == DAP_F4   ? (const void *)&f4
                      : dtype == DAP_I2 ? (const void *)&i2
                      : dtype == DAP_I4 ? (const void *)&i4
                      : dtype == DAP_I8 ? (const void *)&i8
                                        : complex_x;
  memcpy(at, value, (size_t)size);
  if (swapped) turn_bytes(dtype, at);
}

/* ---- the model ---------------------------------------------------------------------------------------- */

/* A number that somebody holds of an element. */
typedef struct holding {
  int64_t flat; /* of the element */
  int64_t turn; /* the lowest comes first */
  double number;
} holding;

/* What a position is to its process: in place whoever has a copy along replicated axes owns it. */
static brute_part part_of(const brute_walk *w, combine_scope scope)
{
  return scope == IN_PLACE && w->part == BRUTE_COPY && w->alike ? BRUTE_OWNED : w->part;
}

/* Where a position lies along an axis, in the order in which they count. */
static int place_along(const brute_walk *w, combine_scope scope, int k)
{
  const brute_axis *axis = &w->array->axes[k];
  if (scope == IN_PLACE && axis->whole) return 0;
  if (brute_owns(axis, w->coords[k], w->local[k])) return 0;
  return brute_pads(axis, w->coords[k], w->local[k]) && w->local[k] >= axis->halo[w->coords[k]][0] ? 2 : 1;
}

static int64_t turn_of(const brute_walk *w, combine_scope scope, int rank)
{
  int64_t first = w->array->ndim, places = 0;
  for (int k = w->array->ndim - 1; k >= 0; k--)
    if (place_along(w, scope, k)) first = k;
  for (int k = 0; k < w->array->ndim; k++) places = 3 * places + place_along(w, scope, k);
  if (part_of(w, scope) == BRUTE_OWNED) return -1;
  return ((int64_t)rank * DAP_MAX_NDIM + first) * 6561 + places; /* 3 to the power of DAP_MAX_NDIM */
}

static int compare_holdings(const void *a, const void *b)
{
  const holding *x = a, *y = b;
  if (x->flat != y->flat) return x->flat < y->flat ? -1 : 1;
  return (x->turn > y->turn) - (x->turn < y->turn);
}

static int64_t count_positions(const brute_array *array)
{
  int64_t count = 0;
  for (int p = 0; p < array->nprocs; p++)
    for (brute_walk w = brute_walk_start(array, p); !w.done; brute_walk_next(&w)) count++;
  return count;
}

/* Whether two processes have one copy: the same place along replicated axes. */
static bool share_copy(const brute_array *array, int p, int q)
{
  int a[DAP_MAX_NDIM], b[DAP_MAX_NDIM];
  brute_coords(array, p, a);
  brute_coords(array, q, b);
  for (int k = 0; k < array->ndim; k++)
    if (array->axes[k].whole && a[k] != b[k]) return false;
  return true;
}

static bool counts(const brute_walk *w, combine_scope scope)
{
  if (part_of(w, scope) == BRUTE_OWNED) return true;
  return scope == IN_PLACE || (scope == OF_HOLDERS && w->part == BRUTE_COPY);
}

static int64_t list_holdings(const test_side *s, combine_scope scope, combine_numbers numbers, int salt,
                             holding all[])
{
  const brute_array *array = &s->array->model;
  int64_t count = 0;
  for (int p = 0; p < array->nprocs; p++) {
    int64_t n = 0;
    if (scope == IN_PLACE && (s->process < 0 || !share_copy(array, p, s->process))) continue;
    for (brute_walk w = brute_walk_start(array, p); !w.done; brute_walk_next(&w), n++)
      if (counts(&w, scope))
        all[count++] =
            (holding){w.flat, turn_of(&w, scope, s->ranks[p]), combine_number(numbers, p, n, salt)};
  }
  return count;
}

static double combine(dap_combine how, double a, double b)
{
  if (how == DAP_COMBINE_SUM) return a + b;
  return (how == DAP_COMBINE_MAX) == (a > b) ? a : b;
}

void combine_all(const test_side *s, dap_combine how, combine_scope scope, combine_numbers numbers, int salt,
                 double whole[])
{
  holding *all = malloc((size_t)(count_positions(&s->array->model) + 1) * sizeof *all);
  if (!EXPECT(all)) return;
  const int64_t count = list_holdings(s, scope, numbers, salt, all);
  qsort(all, (size_t)count, sizeof *all, compare_holdings);
  for (int64_t i = 0; i < count; i++)
    whole[all[i].flat] = all[i].turn < 0 ? all[i].number : combine(how, whole[all[i].flat], all[i].number);
  free(all);
}

/* ---- buffers ------------------------------------------------------------------------------------------ */

void combine_fill(const test_side *s, dap_dtype dtype, bool swapped, combine_numbers numbers, int salt)
{
  int64_t n = 0;
  side_poison(s);
  if (s->process < 0) return;
  for (brute_walk w = brute_walk_start(&s->array->model, s->process); !w.done; brute_walk_next(&w), n++)
    element_of(dtype, swapped, combine_number(numbers, s->process, n, salt), side_place(s, &w));
}

combine_outcome combine_outcome_of(dap_padding padding)
{
  return padding == DAP_PADDING_KEEP ? AS_BEFORE : padding == DAP_PADDING_CLEAR ? ZERO : OWNERS;
}

bool combine_check(const test_side *s, dap_dtype dtype, bool swapped, combine_numbers numbers, int salt,
                   combine_outcome copies, combine_outcome padding, const double whole[])
{
  int64_t n = 0;
  unsigned char want[16];
  if (s->process < 0) return true;
  for (brute_walk w = brute_walk_start(&s->array->model, s->process); !w.done; brute_walk_next(&w), n++) {
    const brute_part part = part_of(&w, IN_PLACE); /* a move writes such copies, too */
    const combine_outcome o = part == BRUTE_COPY ? copies : part == BRUTE_PADDING ? padding : OWNERS;
    const double x = o == OWNERS ? whole[w.flat]
                     : o == ZERO ? 0
                                 : combine_number(numbers, s->process, n, salt);
    element_of(dtype, swapped, x, want);
    if (!memcmp(side_place(s, &w), want, (size_t)dap_dtype_size(dtype))) continue;
    return EXPECT_MSG(false, "position %" PRId64 " of process %d, of kind %d, is not %.17g", n, s->process,
                      (int)w.part, x);
  }
  return check_gaps(&s->buffer);
}
