#include "task.h"

#include "mpi_test.h"

#include <inttypes.h>

enum {
  MOST = 300,
  WRONG = 1000 /* elements on: what copies hold */,
  OLD = 5000 /* the same, of the destination */
};

/* ---- drawn: which elements ------------------------------------------------------------------------ */

static int64_t smaller(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

static void draw_axes(task *t, const task_wish *wish, test_random *random, int ndim)
{
  for (int k = 0; k < ndim; k++) t->axes[k] = k;
  if (!wish->axes) test_shuffle(random, ndim, t->axes);
  if (wish->axes) memcpy(t->axes, wish->axes, (size_t)ndim * sizeof t->axes[0]);
  t->has_axes = true;
  if (wish->axes || !test_random_one_in(random, 3)) return;
  t->has_axes = false;
  for (int k = 0; k < ndim; k++) t->axes[k] = k;
}

/* Sizes of both arrays, and the parts that move: anywhere; to the ends of both; or all. */
static void draw_window(task *t, const task_wish *wish, test_random *random, int ndim, int64_t from_size[],
                        int64_t to_size[])
{
  const int64_t most = wish->most ? wish->most : MOST;
  random_shape(random, ndim, most, from_size);
  random_shape(random, ndim, most, to_size);
  t->is_part = !wish->is_all && test_random_one_in(random, 2);
  t->has_starts = !wish->is_all && (t->is_part || test_random_one_in(random, 2));
  for (int k = 0; k < ndim; k++) {
    const int64_t here = from_size[t->axes[k]];
    t->from_start[t->axes[k]] = t->has_starts ? test_random_int(random, 0, here) : 0;
    if (t->is_part) {
      t->to_start[k] = test_random_int(random, 0, to_size[k]);
      t->shape[k] = smaller(here - t->from_start[t->axes[k]], to_size[k] - t->to_start[k]);
      if (test_random_one_in(random, 3)) t->shape[k] = test_random_int(random, 0, t->shape[k]);
      continue;
    }
    t->shape[k] = here - t->from_start[t->axes[k]];
    t->to_start[k] = t->has_starts ? test_random_int(random, 0, 4) : 0;
    to_size[k] = t->to_start[k] + t->shape[k];
  }
}

/* ---- drawn: what becomes of them ------------------------------------------------------------------- */

static void draw_factor(test_random *random, double factor[2])
{
  static const double numbers[] = {0, 1, 1, -1, 0.5, 2, -3, 4};
  factor[0] = numbers[test_random_int(random, 0, 7)];
  factor[1] = test_random_one_in(random, 3) ? numbers[test_random_int(random, 0, 7)] : 0;
}

static dap_dtype draw_type(test_random *random)
{
  static const dap_dtype usual[] = {DAP_F8, DAP_F4, DAP_C16, DAP_I4};
  if (test_random_one_in(random, 2)) return usual[test_random_int(random, 0, 3)];
  return (dap_dtype)test_random_int(random, DAP_BOOL, NUMBER_TYPES);
}

static void draw_change(task *t, const task_wish *wish, test_random *random)
{
  dap_plan_options *o = &t->options;
  t->types[0] = wish->has_types ? wish->from : draw_type(random);
  t->types[1] = wish->has_types ? wish->to : draw_type(random);
  if (wish->is_plain) t->types[1] = t->types[0] = test_random_one_in(random, 2) ? DAP_NONE : t->types[0];
  o->conjugate = wish->has_types ? wish->conjugate : test_random_one_in(random, 3);
  draw_factor(random, t->alpha);
  draw_factor(random, t->beta);
  const bool scales = test_random_one_in(random, 2), adds = test_random_one_in(random, 2);
  memcpy(t->alpha,
         wish->has_types ? wish->alpha
         : scales        ? t->alpha
                         : (const double[2]){1, 0},
         sizeof t->alpha);
  memcpy(t->beta, wish->has_types ? wish->beta : adds ? t->beta : (const double[2]){0, 0}, sizeof t->beta);
  if (wish->is_plain) {
    o->conjugate = false;
    t->alpha[0] = 1;
    t->alpha[1] = t->beta[0] = t->beta[1] = 0;
  }
  /* Imaginary parts that cannot reach a real destination are not the point here. */
  if (!number_is_complex(t->types[1])) t->beta[1] = 0;
  if (!number_is_complex(t->types[1]) && !number_is_complex(t->types[0])) t->alpha[1] = 0;
  if (t->types[0] != DAP_NONE && (t->alpha[0] != 1 || t->alpha[1] != 0)) o->alpha = t->alpha;
  if (t->types[0] != DAP_NONE && (t->beta[0] != 0 || t->beta[1] != 0)) o->beta = t->beta;
  o->fill_halos = wish->has_types ? wish->fill_halos : test_random_one_in(random, 2);
}

/* ---- drawn: who holds them -------------------------------------------------------------------------- */

void task_draw(task *t, const task_wish *wish, test_random *random)
{
  static const int64_t itemsizes[] = {1, 2, 3, 4, 8, 12, 16, 24};
  const int ndim = wish->ndim ? wish->ndim : (int)test_random_int(random, 1, 4);
  int64_t from_size[DAP_MAX_NDIM] = {0}, to_size[DAP_MAX_NDIM] = {0};
  memset(t, 0, sizeof *t);
  draw_axes(t, wish, random, ndim);
  draw_window(t, wish, random, ndim, from_size, to_size);
  draw_change(t, wish, random);
  const int64_t opaque = itemsizes[test_random_int(random, 0, 7)];
  const bool typed = t->types[0] != DAP_NONE;
  t->from = side_draw(random, ndim, from_size, typed ? dap_dtype_size(t->types[0]) : opaque, &t->arrays[0]);
  t->to = side_draw(random, ndim, to_size, typed ? dap_dtype_size(t->types[1]) : opaque, &t->arrays[1]);
  t->tells = test_random_one_in(random, 2);
  for (int k = 0; k < ndim; k++) t->from_shape[t->axes[k]] = t->shape[k];
  static const int swaps[] = {0, 0, ~0, 5};
  for (int s = 0; s < 2; s++) t->swaps[s] = typed ? swaps[test_random_int(random, 0, 3)] : 0;
  t->options.lossy = task_is_lossy(t);
  t->before = malloc((size_t)t->to.buffer.bytes);
  if (!t->before) MPI_Abort(MPI_COMM_WORLD, 1);
}

void task_free(task *t)
{
  side_free(&t->from);
  side_free(&t->to);
  free(t->before);
  t->before = NULL;
}

/* ---- as arguments ----------------------------------------------------------------------------------- */

static bool is_swapped(const task *t, const test_side *s)
{
  return t->swaps[s == &t->to] >> test_rank() & 1;
}

/* From this machine's byte order to that of the side, or back. */
static void turn(const task *t, const test_side *s, dap_dtype dtype, unsigned char *element)
{
  if (is_swapped(t, s)) turn_bytes(dtype, element);
}

static dap_side side_for(const task *t, const test_side *s, dap_dtype dtype, const int64_t start[])
{
  dap_side side = side_of(s);
  if (t->tells && s->process < 0) side.layout = NULL, side.ranks = NULL, side.strides = NULL;
  side.dtype = dtype;
  side.swapped = is_swapped(t, s);
  side.part.start = t->has_starts ? start : NULL;
  return side;
}

dap_side task_from(const task *t)
{
  dap_side side = side_for(t, &t->from, t->types[0], t->from_start);
  side.part.naxes = t->has_axes ? t->arrays[0].ndim : 0;
  side.part.axes = t->has_axes ? t->axes : NULL;
  side.part.shape = t->is_part ? t->from_shape : NULL;
  return side;
}

dap_side task_to(const task *t)
{
  dap_side side = side_for(t, &t->to, t->types[1], t->to_start);
  side.part.shape = t->is_part ? t->shape : NULL;
  return side;
}

int64_t task_itemsize(const task *t)
{
  return t->types[0] == DAP_NONE ? t->from.itemsize : 0;
}

bool task_is_lossy(const task *t)
{
  return t->types[0] != DAP_NONE && !dap_dtype_holds(t->types[1], t->types[0]);
}

/* ---- the model -------------------------------------------------------------------------------------- */

/* Quarters, so that sums and products need no rounding before the last. */
static void write_value(const task *t, dap_dtype dtype, int64_t itemsize, int64_t which, void *element)
{
  which += t->salt;
  const long double re = (long double)(which * 37 % 1021 - 300) / 4;
  const long double im = (long double)(which * 53 % 509 - 250) / 4;
  if (dtype == DAP_NONE)
    bytes_of(itemsize, which, element);
  else
    number_write(dtype, (number){re, im}, element);
}

void task_fill(task *t)
{
  side_poison(&t->from);
  side_poison(&t->to);
  if (t->from.process >= 0)
    for (brute_walk w = brute_walk_start(&t->arrays[0].model, t->from.process); !w.done; brute_walk_next(&w))
      if (w.part != BRUTE_PADDING) {
        write_value(t, t->types[0], t->from.itemsize, w.flat + (w.part == BRUTE_COPY && !w.alike ? WRONG : 0),
                    side_place(&t->from, &w));
        turn(t, &t->from, t->types[0], side_place(&t->from, &w));
      }
  if (t->to.process >= 0)
    for (brute_walk w = brute_walk_start(&t->arrays[1].model, t->to.process); !w.done; brute_walk_next(&w)) {
      write_value(t, t->types[1], t->to.itemsize, OLD + w.flat + (w.part == BRUTE_OWNED ? 0 : WRONG),
                  side_place(&t->to, &w));
      turn(t, &t->to, t->types[1], side_place(&t->to, &w));
    }
  memcpy(t->before, t->to.buffer.memory, (size_t)t->to.buffer.bytes);
}

/* The number of the source's element that goes there; -1: none does. */
static int64_t source_of(const task *t, const brute_walk *w)
{
  int64_t global[DAP_MAX_NDIM] = {0}, flat = 0;
  const int ndim = t->arrays[0].ndim;
  if (w->part == BRUTE_PADDING && !t->options.fill_halos) return -1;
  for (int k = 0; k < ndim; k++) {
    const int64_t i = w->global[k] - t->to_start[k];
    if (i < 0 || i >= t->shape[k]) return -1;
    global[t->axes[k]] = t->from_start[t->axes[k]] + i;
  }
  for (int k = 0; k < ndim; k++) flat = flat * t->arrays[0].dists[k].size + global[k];
  return flat;
}

static bool is_zero(const double factor[2])
{
  return factor[0] == 0 && factor[1] == 0;
}

static number sum_of(const task *t, number from, number old)
{
  number sum = {0, 0};
  if (t->options.conjugate && number_is_complex(t->types[0])) from.im = -from.im;
  if (!is_zero(t->alpha)) sum = number_times(t->alpha, from);
  if (is_zero(t->beta)) return sum;
  const number more = number_times(t->beta, old);
  return (number){sum.re + more.re, sum.im + more.im};
}

static bool is_right(const task *t, const brute_walk *w, const unsigned char *got,
                     const unsigned char *before)
{
  const int64_t source = source_of(t, w);
  unsigned char from[NUMBER_BYTES + 8] = {0}, want[NUMBER_BYTES + 8] = {0};
  unsigned char is[NUMBER_BYTES + 8] = {0}, was[NUMBER_BYTES + 8] = {0};
  const size_t bytes = (size_t)t->to.itemsize;
  if (source < 0) return !memcmp(got, before, bytes);
  write_value(t, t->types[0], t->from.itemsize, source, from);
  if (t->types[0] == DAP_NONE) return !memcmp(got, from, bytes);
  memcpy(is, got, bytes);
  memcpy(was, before, bytes);
  turn(t, &t->to, t->types[1], is);
  if (w->part == BRUTE_OWNED)
    turn(t, &t->to, t->types[1], was);
  else /* copies and padding become what their owner has */
    write_value(t, t->types[1], t->to.itemsize, OLD + w->flat, was);
  number_write(t->types[1], sum_of(t, number_read(t->types[0], from), number_read(t->types[1], was)), want);
  return number_is(number_read(t->types[1], is), number_read(t->types[1], want), false);
}

static void report(const task *t, const brute_walk *w, int64_t source, const unsigned char *got,
                   const unsigned char *before)
{
  const number x = t->types[1] ? number_read(t->types[1], got) : (number){got[0], 0};
  const number y = t->types[1] ? number_read(t->types[1], before) : (number){before[0], 0};
  char place[200] = "";
  size_t used = 0;
  for (int k = 0; k < w->array->ndim; k++)
    used += (size_t)snprintf(place + used, sizeof place - used, "%s%" PRId64 "->%" PRId64, k ? ", " : "",
                             w->local[k], w->global[k]);
  EXPECT_MSG(false,
             "local->global (%s) of process %d, %s, source element %" PRId64
             ": (%Lg, %Lg), before (%Lg, %Lg)",
             place, w->rank,
             w->part == BRUTE_OWNED  ? "owned"
             : w->part == BRUTE_COPY ? "copy"
                                     : "padding",
             source, x.re, x.im, y.re, y.im);
}

bool task_check(const task *t)
{
  if (t->to.process >= 0)
    for (brute_walk w = brute_walk_start(&t->arrays[1].model, t->to.process); !w.done; brute_walk_next(&w)) {
      const unsigned char *got = side_place(&t->to, &w);
      const unsigned char *before = t->before + (got - t->to.buffer.memory);
      if (is_right(t, &w, got, before)) continue;
      report(t, &w, source_of(t, &w), got, before);
      return false;
    }
  return check_gaps(&t->to.buffer);
}

const char *task_text(const task *t)
{
  static char text[640];
  char from[160], part[200] = "";
  size_t used = 0;
  (void)snprintf(from, sizeof from, "%s", random_array_text(&t->arrays[0]));
  for (int k = 0; k < t->arrays[0].ndim && used < sizeof part; k++)
    used += (size_t)snprintf(part + used, sizeof part - used, " %" PRId64 "+%" PRId64 "<-axis %d %" PRId64,
                             t->to_start[k], t->shape[k], t->axes[k], t->from_start[t->axes[k]]);
  (void)snprintf(text, sizeof text, "%s%s -> %s%s%s%s alpha (%g, %g) beta (%g, %g);%s; %.150s; to %.150s",
                 dap_dtype_name(t->types[0]), t->swaps[0] ? " swapped" : "", dap_dtype_name(t->types[1]),
                 t->swaps[1] ? " swapped" : "", t->options.conjugate ? " conj" : "",
                 t->options.fill_halos ? " halos" : "", t->alpha[0], t->alpha[1], t->beta[0], t->beta[1],
                 part, from, random_array_text(&t->arrays[1]));
  return text;
}
