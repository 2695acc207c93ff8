/* Checks every element of a view by its global index: shared and moved views, of whole arrays and parts,
 * in all phases. */
#include "case.h"
#include "mpi_test.h"
#include "toy.h"

enum { CASES = 60, AXES_MAX = 3 };

/* ---- an array and a part of it ------------------------------------------------------------------- */

static random_array drawn; /* the array of the current case */

typedef struct test_array {
  int ndim;
  test_side side;
  dap_array local;
  /* The part: two axes, ranges, indices. */
  int axes[2];
  int64_t shape[AXES_MAX], start[AXES_MAX], extents[AXES_MAX];
} test_array;

/* Makes an array with all elements that are dealt to `drawn`. */
static test_array make_array(dap_dtype dtype, test_form form, test_random *random)
{
  test_array a = {.ndim = drawn.ndim, .axes = {0, 1}};
  a.side = side_make(&drawn, CREATED, NULL, dap_dtype_size(dtype), form, random);
  a.local = test_buffer_array(&a.side.buffer, dtype);
  for (int k = 0; k < a.ndim; k++) a.shape[k] = a.extents[k] = drawn.model.axes[k].size;
  return a;
}

static test_array draw_array(test_random *random, int ndim, dap_dtype dtype)
{
  int64_t shape[AXES_MAX];
  for (int k = 0; k < ndim; k++) {
    shape[k] = test_random_int(random, 1, 14);
    if (shape[k] > test_most) shape[k] = test_most;
  }
  random_array_draw(random, test_nprocs(), ndim, shape, &drawn);
  return make_array(dtype, (test_form)test_random_int(random, 0, FORM_COUNT - 1), random);
}

/* Slabs of columns, also of a C-order array with one axis more. The toy adapter can share both. */
static const case_layout slabs = {"slabs", 2, {5, 13}, .axes = SECOND_AXIS},
                         box = {"box", 3, {3, 13, 5}, .axes = SECOND_AXIS};

static test_array make_case(const case_layout *c, test_form form)
{
  test_random random = test_random_init(1);
  case_deal(c, test_nprocs(), &random, &drawn);
  return make_array(DAP_F8, form, &random);
}

/* Returns whether the part can be written: it must not omit a replicated axis. */
static bool can_be_written(const test_array *a)
{
  for (int k = 0; k < a->ndim; k++)
    if (k != a->axes[0] && k != a->axes[1] && drawn.model.axes[k].whole && drawn.model.axes[k].procs > 1)
      return false;
  return true;
}

static void draw_part(test_random *random, test_array *a)
{
  a->axes[0] = (int)test_random_int(random, 0, a->ndim - 1);
  a->axes[1] = (a->axes[0] + (int)test_random_int(random, 1, a->ndim - 1)) % a->ndim;
  for (int k = 0; k < a->ndim; k++) {
    const bool is_kept = k == a->axes[0] || k == a->axes[1];
    a->start[k] = test_random_int(random, 0, a->shape[k] - 1);
    a->extents[k] = is_kept ? test_random_int(random, 0, a->shape[k] - a->start[k]) : 1;
    if (is_kept && test_random_one_in(random, 3)) {
      a->start[k] = 0;
      a->extents[k] = a->shape[k];
    }
  }
}

static toy_options part_of(const test_array *a, dap_sharing sharing)
{
  return (toy_options){.sharing = sharing,
                       .part = {.naxes = 2, .axes = a->axes, .start = a->start, .shape = a->extents}};
}

/* ---- elements ----------------------------------------------------------------------------------- */

/* Returns the value in the whole array of element (i, j) of the part. */
static double value_at(const test_array *a, int64_t i, int64_t j)
{
  int64_t at[AXES_MAX], flat = 0;
  for (int k = 0; k < a->ndim; k++) at[k] = a->start[k];
  at[a->axes[0]] += i;
  at[a->axes[1]] += j;
  for (int k = 0; k < a->ndim; k++) flat = flat * a->shape[k] + at[k];
  return (double)(flat + 1);
}

static void write_slab(const test_array *a, const toy_matrix *m)
{
  for (int64_t j = 0; j < m->slab->columns; j++)
    for (int64_t i = 0; i < m->slab->rows; i++)
      m->slab->memory[j * m->slab->rows + i] = value_at(a, i, m->first + j);
}

static void check_slab(const test_array *a, const toy_matrix *m)
{
  EXPECT_INT(m->slab->rows, a->extents[a->axes[0]]);
  EXPECT_INT(m->slab->in_use, 0);
  for (int64_t j = 0; j < m->slab->columns; j++)
    for (int64_t i = 0; i < m->slab->rows; i++) {
      const double got = m->slab->memory[j * m->slab->rows + i], want = value_at(a, i, m->first + j);
      if (!EXPECT_MSG(got == want, "slab(%d, %d) is %g, not %g", (int)i, (int)(m->first + j), got, want))
        return;
    }
}

static bool is_asked(const test_array *a, const int64_t global[])
{
  for (int k = 0; k < a->ndim; k++)
    if (global[k] < a->start[k] || global[k] >= a->start[k] + a->extents[k]) return false;
  return true;
}

/* Checks that this process's elements have their values in the part, and are still poison elsewhere. */
static void check_part(const test_array *a)
{
  for (brute_walk w = brute_walk_start(&drawn.model, test_rank()); !w.done; brute_walk_next(&w)) {
    unsigned char want[sizeof(double)];
    memset(want, TEST_POISON, sizeof want);
    if (is_asked(a, w.global)) value_of(DAP_F8, w.flat, want);
    EXPECT_MSG(w.part != BRUTE_OWNED || !memcmp(side_place(&a->side, &w), want, sizeof want),
               "element %d is wrong", (int)w.flat);
  }
  check_gaps(&a->side.buffer);
}

static void fill(test_array *a)
{
  fill_global(a->side.layout, test_rank(), &a->local);
}

static void check(const test_array *a, test_padding padding)
{
  check_global(a->side.layout, test_rank(), &a->local, padding);
  check_gaps(&a->side.buffer);
}

/* ---- cases --------------------------------------------------------------------------------------- */

static bool get(const test_array *a, dap_access access, const toy_options *o, toy_matrix *m)
{
  dap_error err = {.rank = -1};
  const dap_darray array = {a->side.layout, &a->local};
  return EXPECT_OK(toy_get(MPI_COMM_WORLD, array, access, o, m, &err), &err);
}

static void end(toy_matrix *m)
{
  dap_error err = {.rank = -1};
  EXPECT_OK(toy_restore(m, &err), &err);
}

/* Reads and writes elements, also again during the view. */
static void run(test_array *a, const toy_options *o, bool shared)
{
  toy_matrix m;
  dap_error err = {.rank = -1};
  fill(a);
  if (!get(a, DAP_READ_WRITE, o, &m)) return;
  EXPECT_INT(m.shared, shared);
  EXPECT_MSG(m.reason[0] != '\0', "no reason");
  check_slab(a, &m);
  const int changes = m.slab->changes;
  EXPECT_OK(toy_load(&m, &err), &err);
  EXPECT(m.slab->changes > changes);
  check_slab(a, &m);
  check(a, PADDING_POISON);
  EXPECT_OK(toy_halo(&m, &err), &err);
  check(a, PADDING_FILLED);
  if (!m.shared) side_poison(&a->side);
  EXPECT_OK(toy_store(&m, &err), &err);
  check(a, PADDING_FILLED);
  EXPECT(!m.shared || m.moved_bytes == 0);
  side_poison(&a->side);
  write_slab(a, &m);
  end(&m);
  check(a, PADDING_FILLED);
  SETTLE();
}

static void test_shared(void **state)
{
  (void)state;
  const toy_options never = {.sharing = DAP_SHARE_NEVER};
  test_array a = make_case(&slabs, FORM_F);
  run(&a, NULL, true);
  run(&a, &never, false);
  side_free(&a.side);
}

/* Views a C-order array transposed, at one index of a third axis. The window is shared. */
static void test_shared_part(void **state)
{
  (void)state;
  test_array a = make_case(&box, FORM_C);
  a.axes[0] = 2;
  a.start[0] = a.extents[0] = 1;
  const toy_options o = part_of(&a, DAP_SHARE_OR_FAIL);
  toy_matrix m;
  if (get(&a, DAP_READ_WRITE, &o, &m)) {
    write_slab(&a, &m);
    end(&m);
  }
  check_part(&a);
  side_free(&a.side);
  SETTLE();
}

static void test_moved(void **state)
{
  (void)state;
  test_random random = test_random_init(2);
  for (int i = 0; i < test_cases(CASES); i++) {
    test_array a = draw_array(&random, 2, DAP_F8);
    TEST_CASE("case %d: %s", i, random_array_text(&drawn));
    run(&a, &(toy_options){.sharing = DAP_SHARE_NEVER}, false);
    side_free(&a.side);
  }
}

static void random_section(int number, test_random *random)
{
  test_array a = draw_array(random, 2 + number % 2, DAP_F8);
  draw_part(random, &a);
  const toy_options o = part_of(&a, DAP_SHARE_IF_POSSIBLE);
  toy_matrix m;
  dap_error err = {.rank = -1};
  TEST_CASE("case %d: %d x %d from axes %d, %d of %s", number, (int)a.extents[a.axes[0]],
            (int)a.extents[a.axes[1]], a.axes[0], a.axes[1], random_array_text(&drawn));
  fill(&a);
  if (get(&a, DAP_READ, &o, &m)) check_slab(&a, &m);
  EXPECT_OK(toy_discard(&m, &err), &err);
  side_poison(&a.side);
  if (can_be_written(&a) && get(&a, DAP_WRITE, &o, &m)) {
    write_slab(&a, &m);
    end(&m);
    check_part(&a);
  }
  side_free(&a.side);
}

static void test_parts(void **state)
{
  (void)state;
  test_each(test_cases(2 * CASES), 3, random_section);
}

/* Views elements of another type, and in the other byte order, on all processes or on some. */
static void random_conversion(int number, test_random *random)
{
  static const dap_dtype types[] = {DAP_F4, DAP_I4, DAP_U2, DAP_I8, DAP_F8};
  test_array a = draw_array(random, 2, types[number % 5]);
  const toy_options o = {.sharing = DAP_SHARE_NEVER, .lossy = true};
  const bool swaps = number % 3 > (test_rank() % 2 ? 0 : 1);
  toy_matrix m;
  dap_error err = {.rank = -1};
  TEST_CASE("case %d, %s: %s", number, dap_dtype_name(types[number % 5]), random_array_text(&drawn));
  fill(&a);
  if (swaps) turn_array(&a.local);
  if (!get(&a, DAP_READ_WRITE, &o, &m)) {
    side_free(&a.side);
    return;
  }
  check_slab(&a, &m);
  side_poison(&a.side);
  EXPECT_OK(toy_store(&m, &err), &err);
  for (int update = 0; update < 2; update++) {
    if (swaps) turn_array(&a.local);
    check(&a, PADDING_FILLED);
    if (update) break;
    side_poison(&a.side);
    fill(&a);
    if (swaps) turn_array(&a.local);
    EXPECT_OK(toy_halo(&m, &err), &err);
  }
  end(&m);
  side_free(&a.side);
}

static void test_conversions(void **state)
{
  (void)state;
  test_each(test_cases(CASES), 4, random_conversion);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_shared), cmocka_unit_test(test_shared_part), cmocka_unit_test(test_moved),
    cmocka_unit_test(test_parts),  cmocka_unit_test(test_conversions),
};
MPI_TEST_MAIN(tests)
