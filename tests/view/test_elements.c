/* Every element of a view by its global index: shared and moved, whole arrays and parts, in all phases. */
#include "buffers.h"
#include "mpi_test.h"
#include "random_array.h"
#include "toy.h"

enum { CASES = 60, AXES_MAX = 3 };

/* ---- an array and a part of it ------------------------------------------------------------------- */

typedef struct test_array {
  int ndim;
  int64_t shape[AXES_MAX];
  random_array *of; /* NULL: the layout is not random */
  dap_layout *layout;
  test_buffer buffer;
  dap_array local;
  /* the part: two axes, ranges, indices */
  int axes[2];
  int64_t start[AXES_MAX], extents[AXES_MAX];
} test_array;

static void make_local(test_array *a, dap_dtype dtype, test_form form, test_random *random)
{
  a->buffer = test_buffer_make(a->layout, test_rank(), dap_dtype_size(dtype), form, random);
  a->local = test_buffer_array(&a->buffer, dtype);
}

static test_array draw_array(test_random *random, int ndim, dap_dtype dtype)
{
  static random_array drawn;
  test_array a = {.ndim = ndim, .axes = {0, 1}, .of = &drawn};
  for (int k = 0; k < ndim; k++) a.shape[k] = a.extents[k] = test_random_int(random, 1, 14);
  random_array_draw(random, test_nprocs(), ndim, a.shape, &drawn);
  a.layout = random_array_layout(&drawn);
  make_local(&a, dtype, (test_form)test_random_int(random, 0, FORM_COUNT - 1), random);
  return a;
}

/* One that the toy can share: slabs of columns. */
static test_array make_slabs(test_random *random)
{
  test_array a = {.ndim = 2, .axes = {0, 1}, .shape = {5, 13}, .extents = {5, 13}};
  const dap_dist dists[2] = {dap_dist_even(5, 1), dap_dist_even(13, test_nprocs())};
  dap_error err;
  EXPECT_OK(dap_layout_create(2, dists, &a.layout, &err), &err);
  make_local(&a, DAP_F8, FORM_F, random);
  return a;
}

/* Whether the part can be written: it leaves out no axis of which every process has a copy. */
static bool can_be_written(const test_array *a)
{
  for (int k = 0; k < a->ndim; k++)
    if (k != a->axes[0] && k != a->axes[1] && a->of->model.axes[k].whole && a->of->model.axes[k].procs > 1)
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

static dap_part part_of(const test_array *a)
{
  return (dap_part){.naxes = 2, .axes = a->axes, .start = a->start, .shape = a->extents};
}

static void free_array(test_array *a)
{
  test_buffer_free(&a->buffer);
  dap_layout_destroy(&a->layout);
}

/* ---- what the elements are ----------------------------------------------------------------------- */

/* Element (i, j) of the part in the whole array, in C order. */
static int64_t flat_of(const test_array *a, int64_t i, int64_t j)
{
  int64_t at[AXES_MAX], flat = 0;
  for (int k = 0; k < a->ndim; k++) at[k] = a->start[k];
  at[a->axes[0]] += i;
  at[a->axes[1]] += j;
  for (int k = 0; k < a->ndim; k++) flat = flat * a->shape[k] + at[k];
  return flat;
}

static void write_slab(const test_array *a, const toy_matrix *m)
{
  for (int64_t j = 0; j < m->slab->columns; j++)
    for (int64_t i = 0; i < m->slab->rows; i++)
      m->slab->memory[j * m->slab->rows + i] = (double)(flat_of(a, i, m->first + j) + 1);
}

static void check_slab(const test_array *a, const toy_matrix *m)
{
  EXPECT_INT(m->slab->rows, a->extents[a->axes[0]]);
  EXPECT_INT(m->slab->in_use, 0);
  for (int64_t j = 0; j < m->slab->columns; j++)
    for (int64_t i = 0; i < m->slab->rows; i++) {
      const double got = m->slab->memory[j * m->slab->rows + i],
                   want = (double)(flat_of(a, i, m->first + j) + 1);
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

/* What this process owns: in the part its value, elsewhere still poison. */
static void check_part(const test_array *a)
{
  unsigned char poison[8], want[8];
  int64_t global[AXES_MAX];
  const int64_t size = dap_dtype_size(a->local.dtype);
  memset(poison, TEST_POISON, sizeof poison);
  for (int64_t e = 0; e < dap_array_count(&a->local); e++) {
    int64_t at[AXES_MAX], rest = e, flat = 0;
    const char *element = a->local.data;
    bool owned = false;
    for (int k = a->ndim - 1; k >= 0; rest /= a->local.shape[k--]) at[k] = rest % a->local.shape[k];
    EXPECT_OK(dap_layout_globalize(a->layout, test_rank(), at, global, &owned, NULL), NULL);
    for (int k = 0; k < a->ndim; k++) element += at[k] * a->local.strides[k];
    for (int k = 0; k < a->ndim; k++) flat = flat * a->shape[k] + global[k];
    value_of(a->local.dtype, flat, want);
    if (owned)
      EXPECT_MSG(!memcmp(element, is_asked(a, global) ? want : poison, (size_t)size), "element %d is wrong",
                 (int)flat);
  }
}

/* ---- cases --------------------------------------------------------------------------------------- */

static void poison(test_array *a)
{
  fill_poison(a->layout, test_rank(), a->local.data, a->local.strides, dap_dtype_size(a->local.dtype));
}

/* Elements in, out, and again while the view lives. */
static void run_whole(test_array *a, const toy_options *o, bool shared)
{
  const dap_darray array = {a->layout, &a->local};
  toy_matrix m;
  dap_error err = {.rank = -1};
  fill_global(a->layout, test_rank(), &a->local);
  if (EXPECT_OK(toy_get(MPI_COMM_WORLD, array, DAP_READ, o, &m, &err), &err)) {
    EXPECT_INT(m.shared, shared);
    EXPECT_MSG(m.reason[0] != '\0', "no reason");
    check_slab(a, &m);
    EXPECT_OK(toy_restore(&m, &err), &err);
  }
  check_global(a->layout, test_rank(), &a->local, PADDING_POISON);
  poison(a);
  if (EXPECT_OK(toy_get(MPI_COMM_WORLD, array, DAP_WRITE, o, &m, &err), &err)) {
    write_slab(a, &m);
    EXPECT_OK(toy_restore(&m, &err), &err);
  }
  check_global(a->layout, test_rank(), &a->local, PADDING_FILLED);
  check_gaps(&a->buffer);
  SETTLE();
}

static void run_live(test_array *a, const toy_options *o)
{
  const dap_darray array = {a->layout, &a->local};
  toy_matrix m;
  dap_error err = {.rank = -1};
  poison(a);
  if (!EXPECT_OK(toy_get(MPI_COMM_WORLD, array, DAP_READ_WRITE, o, &m, &err), &err)) return;
  fill_global(a->layout, test_rank(), &a->local);
  const int changes = m.slab->changes;
  EXPECT_OK(toy_load(&m, &err), &err);
  EXPECT(m.slab->changes > changes);
  check_slab(a, &m);
  EXPECT_OK(toy_halo(&m, &err), &err);
  check_global(a->layout, test_rank(), &a->local, PADDING_FILLED);
  if (!m.shared) poison(a);
  EXPECT_OK(toy_store(&m, &err), &err);
  check_global(a->layout, test_rank(), &a->local, PADDING_FILLED);
  EXPECT(!m.shared || m.moved_bytes == 0);
  EXPECT_OK(toy_restore(&m, &err), &err);
  check_global(a->layout, test_rank(), &a->local, PADDING_FILLED);
  check_gaps(&a->buffer);
  SETTLE();
}

static void test_shared(void **state)
{
  (void)state;
  test_random random = test_random_init(1);
  test_array a = make_slabs(&random);
  run_whole(&a, NULL, true);
  run_live(&a, NULL);
  run_whole(&a, &(toy_options){.sharing = DAP_SHARE_NEVER}, false);
  run_live(&a, &(toy_options){.sharing = DAP_SHARE_NEVER});
  free_array(&a);
}

/* A C-order array seen transposed, at one index of a third axis: the window is shared. */
static void test_shared_part(void **state)
{
  (void)state;
  test_random random = test_random_init(5);
  test_array a = {.ndim = 3, .axes = {2, 1}, .shape = {3, 13, 5}, .start = {1}, .extents = {1, 13, 5}};
  const dap_dist dists[3] = {dap_dist_even(3, 1), dap_dist_even(13, test_nprocs()), dap_dist_even(5, 1)};
  dap_error err = {.rank = -1};
  toy_matrix m;
  EXPECT_OK(dap_layout_create(3, dists, &a.layout, &err), &err);
  make_local(&a, DAP_F8, FORM_C, &random);
  const dap_darray array = {a.layout, &a.local};
  const toy_options o = {.part = part_of(&a), .sharing = DAP_SHARE_OR_FAIL};
  poison(&a);
  EXPECT_OK(toy_get(MPI_COMM_WORLD, array, DAP_READ_WRITE, &o, &m, &err), &err);
  write_slab(&a, &m);
  EXPECT_OK(toy_restore(&m, &err), &err);
  check_part(&a);
  free_array(&a);
  SETTLE();
}

static void test_moved(void **state)
{
  (void)state;
  test_random random = test_random_init(2);
  for (int i = 0; i < test_cases(CASES); i++) {
    test_array a = draw_array(&random, 2, DAP_F8);
    TEST_CASE("case %d", i);
    run_whole(&a, &(toy_options){.sharing = DAP_SHARE_NEVER}, false);
    run_live(&a, NULL);
    free_array(&a);
  }
}

static void test_parts(void **state)
{
  (void)state;
  test_random random = test_random_init(3);
  for (int i = 0; i < test_cases(2 * CASES); i++) {
    test_array a = draw_array(&random, 2 + i % 2, DAP_F8);
    draw_part(&random, &a);
    const dap_darray array = {a.layout, &a.local};
    const toy_options o = {.part = part_of(&a)};
    toy_matrix m;
    dap_error err = {.rank = -1};
    TEST_CASE("case %d: %d x %d from axes %d, %d", i, (int)a.extents[a.axes[0]], (int)a.extents[a.axes[1]],
              a.axes[0], a.axes[1]);
    fill_global(a.layout, test_rank(), &a.local);
    EXPECT_OK(toy_get(MPI_COMM_WORLD, array, DAP_READ, &o, &m, &err), &err);
    check_slab(&a, &m);
    EXPECT_OK(toy_discard(&m, &err), &err);
    poison(&a);
    if (can_be_written(&a)) {
      EXPECT_OK(toy_get(MPI_COMM_WORLD, array, DAP_WRITE, &o, &m, &err), &err);
      write_slab(&a, &m);
      EXPECT_OK(toy_restore(&m, &err), &err);
      check_part(&a);
    }
    check_gaps(&a.buffer);
    free_array(&a);
    SETTLE();
  }
}

/* Elements of another type, and in the other byte order, on all processes or on some. */
static void test_conversions(void **state)
{
  (void)state;
  static const dap_dtype types[] = {DAP_F4, DAP_I4, DAP_U2, DAP_I8, DAP_F8};
  test_random random = test_random_init(4);
  for (int i = 0; i < test_cases(CASES); i++) {
    test_array a = draw_array(&random, 2, types[i % 5]);
    const dap_darray array = {a.layout, &a.local};
    const toy_options o = {.sharing = DAP_SHARE_NEVER, .lossy = true};
    toy_matrix m;
    dap_error err = {.rank = -1};
    TEST_CASE("case %d, %s", i, dap_dtype_name(types[i % 5]));
    const bool swaps = i % 3 > (test_rank() % 2 ? 0 : 1);
    fill_global(a.layout, test_rank(), &a.local);
    if (swaps) turn_array(&a.local);
    EXPECT_OK(toy_get(MPI_COMM_WORLD, array, DAP_READ_WRITE, &o, &m, &err), &err);
    check_slab(&a, &m);
    poison(&a);
    EXPECT_OK(toy_store(&m, &err), &err);
    if (swaps) turn_array(&a.local);
    check_global(a.layout, test_rank(), &a.local, PADDING_FILLED);
    poison(&a);
    fill_global(a.layout, test_rank(), &a.local);
    if (swaps) turn_array(&a.local);
    EXPECT_OK(toy_halo(&m, &err), &err);
    if (swaps) turn_array(&a.local);
    check_global(a.layout, test_rank(), &a.local, PADDING_FILLED);
    EXPECT_OK(toy_restore(&m, &err), &err);
    check_gaps(&a.buffer);
    free_array(&a);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_shared), cmocka_unit_test(test_shared_part), cmocka_unit_test(test_moved),
    cmocka_unit_test(test_parts),  cmocka_unit_test(test_conversions),
};
MPI_TEST_MAIN(tests)
