#include "task.h"

#include "mpi_test.h"
#include "number.h"

#include <inttypes.h>
#include <math.h>

/* These are added to the number of an element in its array. Values are made from the sum. */
enum {
  WRONG = 1000, /* for what must not be read */
  OLD = 5000,   /* for what a destination holds before a run */
  ADDEND = 100003 /* for each addend */,
  OWN = 1000003 /* for each process, if all positions hold different numbers */
};

/* ---- what positions hold ------------------------------------------------------------------------------ */

static bool is_in_place(const task *t)
{
  return t->from == t->to;
}

int task_addends(const task *t)
{
  const random_array *array = t->from->array;
  int addends = 1;
  for (int k = 0; k < array->ndim; k++)
    if (array->dists[k].kind == DAP_DIST_PARTIAL) addends *= array->dists[k].procs;
  return addends;
}

static int addend_of(const random_array *array, int process)
{
  int coords[DAP_MAX_NDIM], addend = 0;
  brute_coords(&array->model, process, coords);
  for (int k = 0; k < array->ndim; k++)
    if (array->dists[k].kind == DAP_DIST_PARTIAL) addend = addend * array->dists[k].procs + coords[k];
  return addend;
}

/* Returns whether the values of several positions make one element. */
static bool are_combined(const task *t)
{
  return t->kind == TASK_REVERSE || t->options.combine || task_addends(t) > 1;
}

/* The numbers are small integers, whose sums are exact; or numbers far apart; or quarters, so that sums and
 * products need no rounding before the last step. */
static number number_of(const task *t, int64_t key)
{
  static const int exponents[] = {0, 51, 52, 53, 54};
  test_random random = {.state = (uint64_t)key * 7919};
  if (t->are_far_apart) {
    const double x = (double)(2 * test_random_int(&random, -4, 3) + 1);
    return (number){ldexp(x, exponents[test_random_int(&random, 0, 4)]), 0};
  }
  const int64_t re = test_random_int(&random, -20, 20), im = test_random_int(&random, -20, 20);
  if (are_combined(t)) return (number){(long double)re, (long double)im};
  return (number){(long double)(key * 37 % 1021 - 300) / 4, (long double)(key * 53 % 509 - 250) / 4};
}

static void write_number(const task *t, int side, number value, unsigned char *element)
{
  number_write(t->types[side], value, element);
  if (t->swaps[side] >> test_rank() & 1) turn_bytes(t->types[side], element);
}

static void write_key(const task *t, int side, int64_t key, unsigned char *element)
{
  if (t->types[side] == DAP_NONE)
    bytes_of(t->from->itemsize, key + t->salt, element);
  else
    write_number(t, side, number_of(t, key + t->salt), element);
}

/* Returns the key of position number `n` of a process. Copies along replicated axes have the value of their
 * owner, unless all must be read from the owner. */
static int64_t source_key(const task *t, const brute_walk *w, int process, int64_t n)
{
  const bool has_addends = task_addends(t) > 1, are_alike = t->kind != TASK_HALO && !t->options.from_owners;
  if (are_combined(t) && !has_addends) return (process + 1) * (int64_t)OWN + n;
  const bool is_read = w->part == BRUTE_OWNED || (w->part == BRUTE_COPY && w->alike && are_alike);
  return addend_of(t->from->array, process) * (int64_t)ADDEND + w->flat + (is_read ? 0 : WRONG);
}

static int64_t old_key(const task *t, const brute_walk *w, int64_t n)
{
  if (is_in_place(t)) return source_key(t, w, t->to->process, n);
  return OLD + w->flat + (w->part == BRUTE_OWNED ? 0 : WRONG);
}

void task_fill(const task *t, const test_side *from, const test_side *to)
{
  int64_t n = 0;
  side_poison(from);
  if (from->process >= 0)
    for (brute_walk w = brute_walk_start(&from->array->model, from->process); !w.done; brute_walk_next(&w))
      write_key(t, 0, source_key(t, &w, from->process, n++), side_place(from, &w));
  if (is_in_place(t)) return;
  side_poison(to);
  if (to->process >= 0)
    for (brute_walk w = brute_walk_start(&to->array->model, to->process); !w.done; brute_walk_next(&w))
      write_key(t, 1, old_key(t, &w, n), side_place(to, &w));
}

/* ---- what elements become ----------------------------------------------------------------------------- */

/* A number that a process holds for an element. */
typedef struct holding {
  int64_t flat; /* of the element */
  int64_t turn; /* numbers with a low turn come first; -1 is the first of all */
  number value;
} holding;

/* Returns how a position counts along an axis: 0 if it is owned, 2 in padding at the high end, otherwise 1.
 * In place, each process has its own copy along replicated axes. */
static int place_along(const task *t, const brute_walk *w, int k)
{
  const brute_axis *axis = &w->array->axes[k];
  if (t->kind == TASK_REVERSE && axis->whole) return 0;
  if (brute_owns(axis, w->coords[k], w->local[k])) return 0;
  return brute_pads(axis, w->coords[k], w->local[k]) && w->local[k] >= axis->halo[w->coords[k]][0] ? 2 : 1;
}

/* Returns the turn of a position: holders count in the order of their ranks. In one rank, positions that are
 * not owned along an earlier axis come first. */
static int64_t turn_of(const task *t, const brute_walk *w, int rank)
{
  int64_t first = w->array->ndim, places = 0;
  for (int k = w->array->ndim - 1; k >= 0; k--)
    if (place_along(t, w, k)) first = k;
  for (int k = 0; k < w->array->ndim; k++) places = 3 * places + place_along(t, w, k);
  if (places == 0) return -1;
  return ((int64_t)rank * DAP_MAX_NDIM + first) * 6561 + places; /* 3 to the power of DAP_MAX_NDIM */
}

/* Returns whether two processes have the same copy, which means the same coordinate along replicated axes. */
static bool share_copy(const brute_array *array, int p, int q)
{
  int a[DAP_MAX_NDIM], b[DAP_MAX_NDIM];
  brute_coords(array, p, a);
  brute_coords(array, q, b);
  for (int k = 0; k < array->ndim; k++)
    if (array->axes[k].whole && a[k] != b[k]) return false;
  return true;
}

/* Returns whether a position is an addend. If several processes hold the addend, only the first copy
 * counts. */
static bool is_addend(const random_array *array, const brute_walk *w)
{
  for (int k = 0; k < array->ndim; k++)
    if (array->dists[k].kind != DAP_DIST_PARTIAL &&
        !brute_owns(&array->model.axes[k], w->coords[k], w->local[k]))
      return false;
  return true;
}

/* Returns whether the number at a position counts, and sets its turn. */
static bool counts(const task *t, const brute_walk *w, int process, int64_t *turn)
{
  const random_array *array = t->from->array;
  const int in_world = t->from->ranks[process],
            rank = t->groups ? two_groups_rank(t->groups, t->sender, in_world) : in_world;
  if (task_addends(t) > 1) {
    *turn = addend_of(array, process) > 0 ? rank : -1;
    return is_addend(array, w);
  }
  *turn = are_combined(t) ? turn_of(t, w, rank) : -1;
  if (t->kind == TASK_REVERSE) return true;
  return w->part == BRUTE_OWNED || (are_combined(t) && w->part == BRUTE_COPY);
}

/* Returns how many numbers there are. If `all` is not NULL, lists them as the type of the source holds
 * them. */
static int64_t list_holdings(const task *t, holding all[])
{
  const brute_array *array = &t->from->array->model;
  const int own = t->from->process;
  int64_t count = 0;
  for (int p = 0; p < array->nprocs; p++) {
    int64_t n = 0, turn = 0;
    if (t->kind == TASK_REVERSE && (own < 0 || !share_copy(array, p, own))) continue;
    for (brute_walk w = brute_walk_start(array, p); !w.done; brute_walk_next(&w), n++) {
      unsigned char element[NUMBER_BYTES];
      if (!counts(t, &w, p, &turn)) continue;
      if (all) number_write(t->types[0], number_of(t, source_key(t, &w, p, n) + t->salt), element);
      if (all) all[count] = (holding){w.flat, turn, number_read(t->types[0], element)};
      count++;
    }
  }
  return count;
}

static int compare_holdings(const void *a, const void *b)
{
  const holding *x = a, *y = b;
  if (x->flat != y->flat) return x->flat < y->flat ? -1 : 1;
  return (x->turn > y->turn) - (x->turn < y->turn);
}

static number combine(dap_combine how, number a, number b)
{
  if (how == DAP_COMBINE_MAX) return a.re > b.re ? a : b;
  if (how == DAP_COMBINE_MIN) return a.re < b.re ? a : b;
  return (number){(double)(a.re + b.re), (double)(a.im + b.im)};
}

/* Returns the elements of the source by their numbers, or NULL if they are opaque. */
static number *find_elements(const task *t)
{
  if (t->types[0] == DAP_NONE) return NULL;
  const int64_t count = list_holdings(t, NULL);
  number *elements = test_must(calloc((size_t)t->from->array->model.count + 1, sizeof *elements));
  holding *all = test_must(calloc((size_t)count + 1, sizeof *all));
  (void)list_holdings(t, all);
  qsort(all, (size_t)count, sizeof *all, compare_holdings);
  for (int64_t i = 0; i < count; i++) {
    number *element = &elements[all[i].flat];
    *element = all[i].turn < 0 ? all[i].value : combine(t->options.combine, *element, all[i].value);
  }
  free(all);
  return elements;
}

/* ---- what positions become ---------------------------------------------------------------------------- */

int64_t task_source(const task *t, const brute_walk *w)
{
  const random_array *from = t->from->array;
  int64_t global[DAP_MAX_NDIM] = {0}, flat = 0;
  bool is_kept[DAP_MAX_NDIM] = {false};
  if (is_in_place(t)) return w->flat;
  for (int k = 0; k < from->ndim; k++) global[k] = t->start[0][k];
  for (int j = 0; j < t->naxes; j++) {
    const int k = t->axes[1][j], axis = t->axes[0][j];
    const int64_t i = k < 0 ? 0 : w->global[k] - t->start[1][k];
    if (k >= 0) is_kept[k] = true;
    if (k >= 0 && (i < 0 || i >= t->shape[1][k])) return -1;
    if (axis >= 0) global[axis] += i;
  }
  for (int k = 0; k < t->to->array->ndim; k++)
    if (!is_kept[k] && w->global[k] != t->start[1][k]) return -1;
  for (int k = 0; k < from->ndim; k++) flat = flat * from->dists[k].size + global[k];
  return flat;
}

typedef enum outcome { KEPT, CLEARED, MOVED } outcome;

/* In place, each process that has a copy along replicated axes owns it. */
static outcome outcome_of(const task *t, const brute_walk *w)
{
  const bool is_owned = w->part == BRUTE_OWNED || (w->part == BRUTE_COPY && w->alike);
  if (t->kind == TASK_HALO || (t->kind == TASK_REVERSE && is_owned)) return MOVED;
  if (t->kind == TASK_REVERSE)
    return t->options.padding == DAP_PADDING_KEEP    ? KEPT
           : t->options.padding == DAP_PADDING_CLEAR ? CLEARED
                                                     : MOVED;
  return (w->part == BRUTE_PADDING && !t->options.fill_halos) || task_source(t, w) < 0 ? KEPT : MOVED;
}

static bool is_zero(const double factor[2])
{
  return factor[0] == 0 && factor[1] == 0;
}

/* Copies and padding get the value of their owner. */
static number result_of(const task *t, const brute_walk *w, number from)
{
  static const double one[2] = {1, 0}, zero[2] = {0, 0};
  const double *alpha = t->options.alpha ? t->options.alpha : one,
               *beta = t->options.beta ? t->options.beta : zero;
  unsigned char old[NUMBER_BYTES];
  number sum = {0, 0};
  if (t->options.conjugate && number_is_complex(t->types[0])) from.im = -from.im;
  if (!is_zero(alpha)) sum = number_times(alpha, from);
  if (is_zero(beta)) return sum;
  number_write(t->types[1], number_of(t, OLD + w->flat + t->salt), old);
  const number more = number_times(beta, number_read(t->types[1], old));
  return (number){sum.re + more.re, sum.im + more.im};
}

static number read_number(const task *t, int side, const unsigned char *at)
{
  unsigned char element[NUMBER_BYTES];
  if (t->types[side] == DAP_NONE) return (number){at[0], 0};
  memcpy(element, at, (size_t)dap_dtype_size(t->types[side]));
  if (t->swaps[side] >> test_rank() & 1) turn_bytes(t->types[side], element);
  return number_read(t->types[side], element);
}

/* Returns whether an element is as written. Some bytes of a long double do not belong to its value, and can
 * be anything. */
static bool is_as_written(const task *t, int side, const unsigned char *got, const unsigned char *want)
{
  if (t->types[side] == DAP_F16 || t->types[side] == DAP_C32)
    return number_is(read_number(t, side, got), read_number(t, side, want), true);
  return !memcmp(got, want, (size_t)(side ? t->to : t->from)->itemsize);
}

/* Checks position number `n` of a destination. */
static bool check_position(const task *t, const number elements[], const brute_walk *w, int64_t n,
                           const unsigned char *got)
{
  static const char *const parts[] = {"owned", "a copy", "padding"};
  const int side = is_in_place(t) ? 0 : 1;
  const outcome becomes = outcome_of(t, w);
  const bool is_number = becomes == MOVED && elements;
  const int64_t source = task_source(t, w);
  unsigned char want[SIDE_ITEM] = {0};
  if (becomes == KEPT) write_key(t, side, old_key(t, w, n), want);
  if (becomes == MOVED && !elements) write_key(t, side, source, want);
  if (is_number) write_number(t, side, result_of(t, w, elements[source]), want);
  const number is = read_number(t, side, got), should = read_number(t, side, want);
  if (is_number            ? number_is(is, should, false)
      : becomes == CLEARED ? !memcmp(got, want, (size_t)t->to->itemsize)
                           : is_as_written(t, side, got, want))
    return true;
  return EXPECT_MSG(false,
                    "element %" PRId64 ", position %" PRId64 " of process %d, %s, source %" PRId64
                    ": (%Lg, %Lg), not (%Lg, %Lg)%s",
                    w->flat, n, w->rank, parts[w->part], source, is.re, is.im, should.re, should.im,
                    is_number ? "" : ", or other bytes");
}

bool task_check_source(const task *t, const test_side *from)
{
  unsigned char want[SIDE_ITEM];
  int64_t n = 0;
  if (from->process < 0) return true;
  for (brute_walk w = brute_walk_start(&from->array->model, from->process); !w.done; brute_walk_next(&w)) {
    write_key(t, 0, source_key(t, &w, from->process, n++), want);
    if (!is_as_written(t, 0, side_place(from, &w), want))
      return EXPECT_MSG(false, "element %" PRId64 " of the source has been changed", w.flat);
  }
  return check_gaps(&from->buffer);
}

bool task_check(const task *t, const test_side *from, const test_side *to)
{
  number *elements = find_elements(t);
  int64_t n = 0;
  bool good = true;
  if (to->process >= 0)
    for (brute_walk w = brute_walk_start(&to->array->model, to->process); good && !w.done;
         brute_walk_next(&w), n++)
      good = check_position(t, elements, &w, n, side_place(to, &w));
  free(elements);
  return good && check_gaps(&to->buffer) && (is_in_place(t) || task_check_source(t, from));
}
