/* Tests which copies change when a part of an array is written. After a move into the part and a halo
 * update, the copies of all processes are compared with a brute-force model. The seed is printed, and
 * DAP_TEST_SEED repeats a run. */
#include "mpi_test.h"
#include "random_array.h"

#include <dapbridge/plan.h>
#include <inttypes.h>

enum { CASES = 150, AXES = 3, COUNT = 200, NEW = 1000000 /* is added to an element that is written */ };

typedef struct trial {
  random_array whole;
  dap_layout *layout, *source_layout;
  dap_array array, source;
  int naxes, axes[AXES];
  bool is_kept[AXES];
  int64_t start[AXES], shape[AXES];
} trial;

static dap_part part_of(const trial *t)
{
  return (dap_part){.naxes = t->naxes, .axes = t->axes, .start = t->start, .shape = t->shape};
}

static bool is_in_part(const trial *t, const int64_t global[])
{
  for (int k = 0; k < t->whole.ndim; k++) {
    const int64_t extent = t->is_kept[k] ? t->shape[k] : 1;
    if (global[k] < t->start[k] || global[k] >= t->start[k] + extent) return false;
  }
  return true;
}

/* Draws a part. Returns false if an axis that would be left out has no elements. */
static bool draw_part(test_random *random, trial *t)
{
  int order[AXES] = {0, 1, 2};
  const int ndim = t->whole.ndim;
  test_shuffle(random, ndim, order);
  t->naxes = (int)test_random_int(random, 0, ndim);
  for (int j = 0; j < ndim; j++) {
    const int axis = order[j];
    const int64_t size = t->whole.model.axes[axis].size;
    const bool is_full = test_random_one_in(random, 2);
    t->is_kept[axis] = j < t->naxes;
    if (j < t->naxes) t->axes[j] = axis;
    if (j >= t->naxes && size == 0) return false;
    t->start[axis] = is_full && j < t->naxes ? 0 : test_random_int(random, 0, size > 0 ? size - 1 : 0);
    t->shape[axis] = is_full ? size - t->start[axis] : test_random_int(random, 0, size - t->start[axis]);
  }
  return true;
}

static int64_t *element(const dap_array *array, const int64_t local[])
{
  char *at = array->data;
  for (int k = 0; k < array->ndim; k++) at += local[k] * array->strides[k];
  return (int64_t *)(void *)at;
}

/* The source is on rank 0. Its elements have their numbers in the whole array. */
static void make_source(trial *t)
{
  dap_dist dists[AXES];
  dap_error err;
  for (int j = 0; j < t->naxes; j++) dists[j] = dap_dist_even(t->shape[t->axes[j]], 1);
  EXPECT_OK(dap_layout_create(t->naxes, dists, &t->source_layout, &err), &err);
  if (test_rank() > 0) return;
  EXPECT_OK(dap_array_init(&t->source, t->source_layout, 0, DAP_I8, DAP_ORDER_C, NULL, &err), &err);
  for (brute_walk w = brute_walk_start(&t->whole.model, -1); !w.done; brute_walk_next(&w)) {
    int64_t at[AXES] = {0};
    if (!is_in_part(t, w.global)) continue;
    for (int j = 0; j < t->naxes; j++) at[j] = w.global[t->axes[j]] - t->start[t->axes[j]];
    *element(&t->source, at) = NEW + w.flat;
  }
}

static void fill(const trial *t)
{
  for (brute_walk w = brute_walk_start(&t->whole.model, test_rank()); !w.done; brute_walk_next(&w))
    *element(&t->array, w.local) = w.flat;
}

static bool draw(test_random *random, int number, trial *t)
{
  int64_t size[AXES];
  dap_error err;
  const int ndim = (int)test_random_int(random, 1, AXES);
  *t = (trial){0};
  random_shape(random, ndim, COUNT, size);
  random_array_draw(random, test_nprocs(), ndim, size, &t->whole);
  if (!random_array_is_sayable(&t->whole, "0.10.0") && !random_array_is_sayable(&t->whole, "0.9.0"))
    return false;
  if (!draw_part(random, t)) return false;
  TEST_CASE("seed %" PRIu64 ", case %d: %s, %d axes kept", test_seed(), number, random_array_text(&t->whole),
            t->naxes);
  t->layout = random_array_layout(&t->whole);
  EXPECT_OK(dap_array_init(&t->array, t->layout, test_rank(), DAP_I8, DAP_ORDER_F, NULL, &err), &err);
  make_source(t);
  return true;
}

static void release(trial *t)
{
  dap_array_release(&t->array);
  dap_array_release(&t->source);
  dap_layout_destroy(&t->layout);
  dap_layout_destroy(&t->source_layout);
}

static void move_to(const trial *t, const dap_side *to, void *data)
{
  dap_plan *plan = NULL;
  dap_error err = {0};
  const dap_side from = {.layout = t->source_layout, .contiguous = true, .dtype = DAP_I8};
  if (EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &from, to, 0, NULL, &plan, &err), &err))
    EXPECT_OK(dap_plan_run(plan, t->source.data, data, &err), &err);
  dap_plan_destroy(&plan);
}

/* Returns whether a position has the new value. */
typedef bool is_new(const trial *t, const brute_walk *w);

/* A move into a part writes all copies on all processes, but no padding. */
static bool in_every_copy(const trial *t, const brute_walk *w)
{
  return w->part != BRUTE_PADDING && is_in_part(t, w->global);
}

/* The part as an array of its own has the copies of the owners along the axes that are left out. Of a
 * replicated axis it has the first copy. */
static bool in_the_owner_s_copy(const trial *t, const brute_walk *w)
{
  for (int k = 0; k < t->whole.ndim; k++) {
    const brute_axis *axis = &t->whole.model.axes[k];
    if (!t->is_kept[k] && !brute_owns(axis, w->coords[k], w->local[k])) return false;
  }
  return in_every_copy(t, w);
}

static bool everywhere(const trial *t, const brute_walk *w)
{
  return is_in_part(t, w->global);
}

static void check(const trial *t, const char *after, is_new *is_changed)
{
  for (brute_walk w = brute_walk_start(&t->whole.model, test_rank()); !w.done; brute_walk_next(&w)) {
    const int64_t got = *element(&t->array, w.local), want = w.flat + (is_changed(t, &w) ? NEW : 0);
    if (!EXPECT_MSG(got == want, "%s: element %" PRId64 ": %" PRId64 ", not %" PRId64, after, w.flat, got,
                    want))
      return;
  }
}

static void update_halo(const trial *t)
{
  dap_plan *plan = NULL;
  dap_error err = {0};
  const dap_side side = dap_side_of((dap_darray){t->layout, &t->array});
  const dap_plan_options options = {.allow_empty = true};
  if (EXPECT_OK(dap_plan_create_halo(MPI_COMM_WORLD, &side, 0, &options, &plan, &err), &err))
    EXPECT_OK(dap_plan_run(plan, t->array.data, t->array.data, &err), &err);
  dap_plan_destroy(&plan);
}

/* Returns false if the part cannot be used in place. */
static bool try_own_array(const trial *t)
{
  const dap_part part = part_of(t);
  dap_layout *layout = NULL;
  dap_array own = {0};
  dap_error err = {0};
  int ranks[BRUTE_PROCS];
  if (dap_layout_part(t->layout, &part, &layout, ranks, NULL)) return false;
  EXPECT_OK(dap_array_part((dap_darray){t->layout, &t->array}, test_rank(), &part, &own, &err), &err);
  dap_side to = dap_side_of((dap_darray){layout, own.abi ? &own : NULL});
  to.dtype = DAP_I8;
  to.ranks = ranks;
  fill(t);
  move_to(t, &to, own.data);
  check(t, "a move into the part as an array", in_the_owner_s_copy);
  update_halo(t);
  check(t, "a halo update of the whole", everywhere);
  dap_array_release(&own);
  dap_layout_destroy(&layout);
  return true;
}

static bool leaves_copies_out(const trial *t)
{
  for (int k = 0; k < t->whole.ndim; k++)
    if (!t->is_kept[k] && t->whole.model.axes[k].whole && t->whole.model.axes[k].procs > 1) return true;
  return false;
}

static int in_place, one_of_copies; /* of random parts */

static void try_part(int number, test_random *random)
{
  trial t;
  if (draw(random, number, &t)) {
    in_place += try_own_array(&t);
    one_of_copies += leaves_copies_out(&t);
  }
  release(&t);
}

static void random_parts(void **state)
{
  (void)state;
  test_each(CASES, 4016, try_part);
  EXPECT_MSG(in_place > CASES / 5 && (test_nprocs() == 1 || one_of_copies > 2),
             "%d parts in place, %d that leave copies out", in_place, one_of_copies);
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(random_parts)};
MPI_TEST_MAIN(tests)
