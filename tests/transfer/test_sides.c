/* Sides of plans: parts with axes left out and new ones, and sides made from arrays. Every element
 * of every destination is checked by its global index. The seed is printed, and DAP_TEST_SEED repeats a
 * run. */
#include "mpi_test.h"
#include "random_array.h"

#include <dapbridge/plan.h>
#include <inttypes.h>

/* ---- arrays of float64, whose elements say which they are --------------------------------------------- */

enum { OLD = -77 /* what a destination holds before */ };

typedef struct sample {
  dap_layout *layout;
  dap_array array; /* zeroed where this process holds no part */
  bool holds;
} sample;

static sample sample_make(int ndim, const dap_dist dists[], dap_dtype dtype, dap_order order)
{
  sample s = {0};
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(ndim, dists, &s.layout, &err), &err);
  s.holds = test_rank() < dap_layout_nprocs(s.layout);
  if (s.holds) EXPECT_OK(dap_array_init(&s.array, s.layout, test_rank(), dtype, order, NULL, &err), &err);
  return s;
}

static void sample_free(sample *s)
{
  dap_array_release(&s->array);
  dap_layout_destroy(&s->layout);
}

/* The address of local element number i, and its global indices. */
static double *element_at(const sample *s, int64_t i, int64_t global[])
{
  const dap_array *a = &s->array;
  int64_t local[DAP_MAX_NDIM];
  char *at = a->data;
  for (int k = a->ndim - 1; k >= 0; k--) {
    local[k] = i % a->shape[k];
    i /= a->shape[k];
    at += local[k] * a->strides[k];
  }
  EXPECT(!dap_layout_globalize(s->layout, test_rank(), local, global, NULL, NULL));
  return (double *)(void *)at;
}

/* The number of an element in the whole array in C order. */
static int64_t flat_of(const sample *s, const int64_t global[])
{
  int64_t flat = 0;
  for (int k = 0; k < dap_layout_ndim(s->layout); k++)
    flat = flat * dap_layout_size(s->layout, k) + global[k];
  return flat;
}

static void sample_fill(const sample *s, bool is_source)
{
  int64_t global[DAP_MAX_NDIM] = {0};
  for (int64_t i = 0; s->holds && i < dap_array_count(&s->array); i++) {
    double *at = element_at(s, i, global);
    *at = is_source ? (double)flat_of(s, global) : OLD;
  }
}

/* ---- parts ------------------------------------------------------------------------------------------- */

enum { ROUNDS = 120, AXES = 3, EXTENT = 7 };

static dap_dist draw_dist(test_random *random, int64_t size, int *room)
{
  const int procs = (int)test_random_int(random, 1, *room);
  *room /= procs;
  static int64_t indices[2 * AXES][64], lengths[2 * AXES];
  static const int64_t *lists[2 * AXES];
  static int next;
  const int at = next++ % (2 * AXES);
  switch (test_random_int(random, 0, 3)) {
  case 0:
    return dap_dist_cyclic(size, procs, test_random_int(random, 1, 3));
  case 1:
    *room *= procs; /* lists in falling order, on one process */
    for (int64_t i = 0; i < size; i++) indices[at][i] = size - 1 - i;
    lengths[at] = size;
    lists[at] = indices[at];
    return dap_dist_unstructured(size, 1, &lengths[at], &lists[at]);
  default:
    return dap_dist_even(size, procs);
  }
}

/* A part: `kept` axes of an array in any order, the others at an index. */
typedef struct choice {
  int axes[AXES + 1], naxes;
  int64_t start[AXES], shape[AXES];
} choice;

static dap_part part_of(const choice *c)
{
  return (dap_part){.naxes = c->naxes, .axes = c->axes, .start = c->start, .shape = c->shape};
}

/* The index in an axis of the part's array that `at` [naxes] stands for. */
static void whole_index(const choice *c, int ndim, const int64_t at[], int64_t global[])
{
  for (int k = 0; k < ndim; k++) global[k] = c->start[k];
  for (int j = 0; j < c->naxes; j++)
    if (c->axes[j] >= 0) global[c->axes[j]] += at[j];
}

/* False: the element is not of the part. */
static bool part_index(const choice *c, int ndim, const int64_t global[], int64_t at[])
{
  bool kept[AXES] = {false};
  for (int j = 0; j < c->naxes; j++) {
    const int axis = c->axes[j];
    at[j] = axis < 0 ? 0 : global[axis] - c->start[axis];
    if (axis < 0) continue;
    kept[axis] = true;
    if (at[j] < 0 || at[j] >= c->shape[axis]) return false;
  }
  for (int k = 0; k < ndim; k++)
    if (!kept[k] && global[k] != c->start[k]) return false;
  return true;
}

/* An array with room for a part of these extents, and the part. A new axis goes where the extent is 1. */
static choice draw_choice(test_random *random, int naxes, const int64_t extents[], int *ndim, int64_t size[])
{
  choice c = {.naxes = naxes};
  int order[AXES] = {0, 1, 2}, used = 0;
  *ndim = AXES;
  test_shuffle(random, AXES, order);
  for (int j = 0; j < naxes; j++)
    c.axes[j] = extents[j] == 1 && test_random_one_in(random, 2) ? -1 : order[used++];
  for (int k = 0; k < AXES; k++) {
    size[k] = test_random_int(random, 1, EXTENT);
    c.start[k] = test_random_int(random, 0, size[k] - 1);
    c.shape[k] = 1000; /* not looked at where the axis is left out */
  }
  for (int j = 0; j < naxes; j++)
    if (c.axes[j] >= 0) {
      c.start[c.axes[j]] = test_random_int(random, 0, 2);
      c.shape[c.axes[j]] = extents[j];
      size[c.axes[j]] = c.start[c.axes[j]] + extents[j] + test_random_int(random, 0, 2);
    }
  return c;
}

static void check_parts(const sample *from, const choice *a, const sample *to, const choice *b)
{
  int64_t global[DAP_MAX_NDIM] = {0}, source[DAP_MAX_NDIM] = {0}, at[AXES + 1] = {0};
  for (int64_t i = 0; to->holds && i < dap_array_count(&to->array); i++) {
    const double got = *element_at(to, i, global);
    double want = OLD;
    if (part_index(b, AXES, global, at)) {
      whole_index(a, AXES, at, source);
      want = (double)flat_of(from, source);
    }
    if (!EXPECT_MSG(got == want, "element (%" PRId64 ", %" PRId64 ", %" PRId64 ")", global[0], global[1],
                    global[2]))
      return;
  }
}

static void sections_of_both_sides(void **state)
{
  (void)state;
  test_random random = test_random_init(140);
  for (int i = 0; i < ROUNDS; i++) {
    const int naxes = (int)test_random_int(&random, 0, AXES);
    int64_t extents[AXES], sizes[2][AXES];
    int ndim[2];
    for (int j = 0; j < naxes; j++)
      extents[j] = test_random_one_in(&random, 3) ? 1 : test_random_int(&random, 0, 5);
    choice c[2];
    sample s[2];
    for (int side = 0; side < 2; side++) {
      dap_dist dists[AXES];
      int room = test_nprocs();
      c[side] = draw_choice(&random, naxes, extents, &ndim[side], sizes[side]);
      for (int k = 0; k < AXES; k++) dists[k] = draw_dist(&random, sizes[side][k], &room);
      s[side] = sample_make(AXES, dists, DAP_F8, test_random_one_in(&random, 2) ? DAP_ORDER_C : DAP_ORDER_F);
      sample_fill(&s[side], side == 0);
    }
    TEST_CASE("seed %" PRIu64 ", round %d, %d axes", test_seed(), i, naxes);
    dap_side a = {
        .layout = s[0].layout, .strides = s[0].holds ? s[0].array.strides : NULL, .part = part_of(&c[0])};
    dap_side b = {
        .layout = s[1].layout, .strides = s[1].holds ? s[1].array.strides : NULL, .part = part_of(&c[1])};
    dap_plan *plan = NULL;
    dap_error err = {0};
    if (EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &a, &b, 8, NULL, &plan, &err), &err) &&
        EXPECT_OK(dap_plan_run(plan, s[0].array.data, s[1].array.data, &err), &err))
      check_parts(&s[0], &c[0], &s[1], &c[1]);
    dap_plan_destroy(&plan);
    for (int side = 0; side < 2; side++) sample_free(&s[side]);
    SETTLE();
  }
}

static void parts_that_cannot_be(void **state)
{
  (void)state;
  const dap_dist dists[] = {dap_dist_even(4, test_nprocs()), dap_dist_even(5, 1)};
  dap_layout *layout = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(2, dists, &layout, &err), &err);
  static const int64_t beyond[] = {4, 0}, short_shape[] = {4, 3};
  static const int first[] = {0}, twice[] = {1, 1};
  const struct {
    const char *why;
    dap_part part;
    const char *text;
  } rows[] = {
      {"an axis less than the other side", {.naxes = 1, .axes = first}, "from is 1|to 2"},
      {"an axis twice", {.naxes = 2, .axes = twice}, "axes[1]|twice"},
      {"an index behind the last",
       {.naxes = 1, .axes = first + 0, .start = (const int64_t[]){0, 5}},
       "axis 1: 1 elements from 5"},
      {"no elements where the other side has some", {.start = beyond}, "axis 0: from has size 0"},
      {"other extents", {.shape = short_shape}, "axis 1: from has size 3"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dap_plan *plan = NULL;
    const dap_side from = {.layout = layout, .contiguous = true, .part = rows[i].part},
                   to = {.layout = layout, .contiguous = true};
    TEST_CASE("%s", rows[i].why);
    expect_same_error(MPI_COMM_WORLD, dap_plan_create(MPI_COMM_WORLD, &from, &to, 8, NULL, &plan, &err), &err,
                      DAP_ERR_ARG, rows[i].text);
    SETTLE();
  }
  dap_layout_destroy(&layout);
}

static void sides_of_arrays(void **state)
{
  (void)state;
  const dap_dist rows[] = {dap_dist_even(12, test_nprocs()), dap_dist_even(5, 1)};
  sample s = sample_make(2, rows, DAP_F4, DAP_ORDER_F);
  s.array.swapped = true;
  const dap_side side = dap_side_of((dap_darray){s.layout, &s.array});
  EXPECT(side.layout == s.layout && side.strides == s.array.strides && side.dtype == DAP_F4 && side.swapped);
  EXPECT(!side.ranks && !side.part.axes && !side.part.start && !side.part.shape);
  const dap_side outside = dap_side_of((dap_darray){NULL, NULL});
  EXPECT(!outside.layout && !outside.strides && outside.dtype == DAP_NONE && !outside.swapped);
  sample_free(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(sections_of_both_sides),
    cmocka_unit_test(parts_that_cannot_be),
    cmocka_unit_test(sides_of_arrays),
};
MPI_TEST_MAIN(tests)
