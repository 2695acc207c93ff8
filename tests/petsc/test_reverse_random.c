/* Halo updates of vectors and fields of random arrays, both ways, in the caller's buffer, against the
 * brute-force model: padding, ghosts, and copies along replicated axes. The seed is printed. A run is
 * repeated with DAP_TEST_SEED. */
#include "any_view.h"
#include "mpi_test.h"
#include "petsc_ends.h"
#include "task.h"

#include <inttypes.h>

enum { CASES = 160, MOST = 600 /* elements */, COMBINES = 4 };

static task model; /* of what is called last */

/* ---- the views ---------------------------------------------------------------------------------------- */

typedef struct combine_kind {
  dap_dtype dtype;
  dap_combine how;
} combine_kind;

typedef struct trial {
  combine_kind numbers;
  bool swapped;
  test_side side;
  any_view view;
} trial;

static dap_status get(trial *t, dap_error *err)
{
  dap_array array = test_buffer_array(&t->side.buffer, t->numbers.dtype);
  array.swapped = t->swapped;
  return any_get(MPI_COMM_WORLD, &t->view, (dap_darray){t->side.layout, &array}, DAP_READ_WRITE, err);
}

/* ---- a case ------------------------------------------------------------------------------------------- */

/* Writes numbers. */
static void start(const trial *t, task_kind kind, dap_padding padding)
{
  task_of(&model, kind, &t->side, &t->side, t->numbers.dtype, t->numbers.dtype);
  model.swaps[0] = t->swapped ? ~0 : 0;
  model.options.combine = kind == TASK_REVERSE ? t->numbers.how : DAP_COMBINE_NONE;
  model.options.padding = padding;
  model.salt = (int)padding;
  task_fill(&model, &t->side, &t->side);
}

static void try_reverse(trial *t, dap_padding padding)
{
  dap_error err = {0};
  start(t, TASK_REVERSE, padding);
  if (EXPECT_OK(any_halo_reverse(&t->view, t->numbers.how, padding, &err), &err))
    task_check(&model, &t->side, &t->side);
}

/* Every holder of an element has the owner's number afterwards, along replicated axes the first process's. */
static void try_halo(trial *t)
{
  dap_error err = {0};
  start(t, TASK_HALO, DAP_PADDING_KEEP);
  if (EXPECT_OK(any_do(&t->view, HALO, &err), &err)) task_check(&model, &t->side, &t->side);
}

/* Three ways in an order of the case's own, and once more by the plans that are kept. */
static void try_all(trial *t, int number)
{
  for (int i = 0; i < 4; i++) {
    try_reverse(t, (dap_padding)((number + i) % 3));
    if (i == number % 4) try_halo(t);
  }
}

/* Whether there is such a view: fields of some arrays are refused, which all processes learn alike. */
static bool begin(trial *t)
{
  dap_error err = {0};
  const dap_status s = get(t, &err);
  if (t->view.kind == FIELD && s == DAP_ERR_UNSUPPORTED) {
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_UNSUPPORTED, "");
    return false;
  }
  return EXPECT_OK(s, &err);
}

/* ---- random cases ------------------------------------------------------------------------------------- */

static void draw(test_random *random, int number, random_array *array, trial *t)
{
  const combine_kind kinds[COMBINES] = {{scalar_dtype(), DAP_COMBINE_SUM},
                                        {DAP_F4, DAP_COMBINE_SUM},
                                        {DAP_F4, DAP_COMBINE_MAX},
                                        {DAP_I4, DAP_COMBINE_MIN}};
  int64_t size[DAP_MAX_NDIM];
  const int ndim = (int)test_random_int(random, 1, 3);
  const side_origin origin = (side_origin)test_random_int(random, CREATED, MIXED);
  *t = (trial){.numbers = kinds[test_random_int(random, 0, COMBINES - 1)],
               .view = {.kind = number % 2 ? FIELD : VECTOR,
                        .of_field = {.lossy = true},
                        .of_vector = {.lossy = true}}};
  any_share(&t->view, test_random_one_in(random, 4) ? DAP_SHARE_NEVER : DAP_SHARE_IF_POSSIBLE);
  const int64_t swaps = test_random_int(random, 0, 63) * test_random_int(random, 0, 1);
  t->swapped = swaps >> test_rank() & 1;
  random_shape(random, ndim, MOST, size);
  random_array_draw(random, test_nprocs(), ndim, size, array);
  t->side = side_make(array, origin, NULL, dap_dtype_size(t->numbers.dtype),
                      (test_form)test_random_int(random, 0, FORM_COUNT - 1), random);
}

static void random_views(void **state)
{
  (void)state;
  static random_array array;
  test_random random = test_random_init(92);
  int views = 0;
  const int cases = test_cases(CASES);
  for (int i = 0; i < cases; i++) {
    trial t;
    dap_error err = {0};
    draw(&random, i, &array, &t);
    TEST_CASE("seed %" PRIu64 ", case %d, %s, %s, combine %d: %s", test_seed(), i, any_names[t.view.kind],
              dap_dtype_name(t.numbers.dtype), (int)t.numbers.how, random_array_text(&array));
    if (begin(&t)) {
      views++;
      try_all(&t, i);
      EXPECT_OK(any_do(&t.view, DISCARD, &err), &err);
    }
    side_free(&t.side);
    SETTLE();
  }
  TEST_CASE("seed %" PRIu64, test_seed());
  EXPECT_MSG(views > cases / 2, "%d views in %d cases", views, cases);
  SETTLE();
}

/* ---- stripped padding beside copies ------------------------------------------------------------------- */

/* Periods with padding that repeats the other end, on all processes but one axis's: that is replicated. */
static dap_layout *stripped_layout(int copies)
{
  const dap_dist dists[] = {
      dap_dist_replicated(2, copies),
      {.procs = test_nprocs() / copies, .size = 24, .halo = 1, .boundary = {1, 1}, .periodic = true}};
  dap_layout *layout = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(2, dists, &layout, &err), &err);
  return layout;
}

/* The point at this process's first position along the line. */
static int64_t first_point(const dap_layout *layout, int *copy)
{
  int coords[2];
  int64_t padding[2], before = 0;
  dap_layout_coords(layout, test_rank(), coords);
  dap_layout_halo(layout, 1, coords[1], padding);
  for (int c = 0; c < coords[1]; c++) before += dap_layout_owned(layout, 1, c);
  *copy = coords[0];
  return before - padding[0] - 1;
}

/* The line's points are 0 .. 21, -1 is 21 and 22 is 0; all copies get those of the first process. */
static void check_stripped(const dap_layout *layout, const dap_array *a)
{
  int copy;
  const int64_t first = first_point(layout, &copy);
  for (int64_t i = 0; i < a->shape[0] * a->shape[1]; i++) {
    const int64_t at = first + i % a->shape[1], point = (at + 22) % 22;
    const PetscScalar want = (PetscReal)(100 * (i / a->shape[1]) + point);
    EXPECT_MSG(((PetscScalar *)a->data)[i] == want, "position %d: %g, not %g", (int)i,
               (double)PetscRealPart(((PetscScalar *)a->data)[i]), (double)PetscRealPart(want));
  }
}

static void fill_stripped(const dap_layout *layout, dap_array *a)
{
  int copy;
  const int64_t first = first_point(layout, &copy);
  for (int64_t i = 0; i < a->shape[0] * a->shape[1]; i++) {
    const int64_t at = first + i % a->shape[1];
    const bool is_point = at >= 0 && at < 22;
    ((PetscScalar *)a->data)[i] =
        is_point ? (PetscReal)(100 * (i / a->shape[1]) + at + 1000 * copy) : (PetscReal)-1;
  }
}

static void try_stripped(int copies)
{
  dap_layout *layout = stripped_layout(copies);
  const dap_petsc_field_options options = {.strip_periodic = true};
  dap_petsc_field field;
  dap_array a;
  dap_error err = {0};
  EXPECT_OK(dap_array_init(&a, layout, test_rank(), scalar_dtype(), DAP_ORDER_C, NULL, &err), &err);
  const dap_darray whole = {layout, &a};
  if (EXPECT_OK(dap_petsc_field_get(MPI_COMM_WORLD, whole, DAP_READ_WRITE, &options, &field, &err), &err)) {
    fill_stripped(layout, &a);
    if (EXPECT_OK(dap_petsc_field_halo(&field, &err), &err)) check_stripped(layout, &a);
    const dap_status s = dap_petsc_field_halo_reverse(&field, DAP_COMBINE_SUM, DAP_PADDING_REFRESH, &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, copies > 1 ? DAP_ERR_UNSUPPORTED : DAP_OK,
                      "axis 0|replicated");
    if (copies > 1) check_stripped(layout, &a);
    EXPECT_OK(dap_petsc_field_discard(&field, &err), &err);
  }
  dap_array_release(&a);
  dap_layout_destroy(&layout);
}

static void stripped_beside_copies(void **state)
{
  (void)state;
  for (int copies = 1; copies <= test_nprocs(); copies++) {
    TEST_CASE("%d copies", copies);
    if (test_nprocs() % copies == 0) try_stripped(copies);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_starts),
    cmocka_unit_test(random_views),
    cmocka_unit_test(stripped_beside_copies),
    cmocka_unit_test(petsc_ends),
};
MPI_TEST_MAIN(tests)
