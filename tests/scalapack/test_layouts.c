/* Tests the layouts that all folders use, and random ones, as matrices, in both orders, in both byte
 * orders, and with every access. An axis can be shared iff a block size and a first owner fit the model. */
#include "case.h"
#include "operand.h"

#include <inttypes.h>

enum { CASES = 120, MOST = 150 /* elements of a random matrix */ };

/* ---- the predicate against a search ------------------------------------------------------------------- */

/* Whether block size `block` fits, with some first owner. */
static bool fits(const brute_axis *axis, int64_t block)
{
  for (int source = 0; source < axis->procs; source++) {
    int64_t i = 0;
    while (i < axis->size && axis->owner[i] == (int)((i / block + source) % axis->procs)) i++;
    if (i == axis->size) return true;
  }
  return false;
}

/* Whether both axes fit, with equal block sizes if blocks must be square. */
static bool is_cyclic(const brute_axis axis[2], bool square)
{
  const int64_t most = (axis[0].size > axis[1].size ? axis[0].size : axis[1].size) + 1;
  bool one[2] = {false, false}, both = false;
  if (axis[0].kind == 'u' || axis[1].kind == 'u') return false;
  for (int64_t block = 1; block <= most; block++) {
    const bool fit[2] = {fits(&axis[0], block), fits(&axis[1], block)};
    for (int k = 0; k < 2; k++) one[k] = one[k] || fit[k];
    both = both || (fit[0] && fit[1]);
  }
  return square ? both : one[0] && one[1];
}

/* ---- one array ---------------------------------------------------------------------------------------- */

/* How an array is tried. */
typedef enum byte_order { UNSWAPPED, SWAPPED, SWAPPED_ON_SOME /* on every second process */ } byte_order;

typedef struct trial {
  test_form form;
  bool assembled, square;
  byte_order bytes;
  dap_dtype dtype;
  dap_access access;
} trial;

static trial draw_trial(test_random *random)
{
  static const test_form forms[] = {FORM_C, FORM_F, FORM_WIDE, FORM_GAPS, FORM_REVERSED};
  static const dap_dtype dtypes[] = {DAP_F4, DAP_F8, DAP_C8, DAP_C16};
  static const dap_access accesses[] = {DAP_READ_WRITE, DAP_WRITE, DAP_READ};
  return (trial){.form = forms[test_random_int(random, 0, 11) % 5 % (test_random_one_in(random, 3) ? 5 : 3)],
                 .square = test_random_one_in(random, 4),
                 .bytes = test_random_one_in(random, 3)
                              ? (byte_order)test_random_int(random, SWAPPED, SWAPPED_ON_SOME)
                              : UNSWAPPED,
                 .dtype = dtypes[test_random_int(random, 0, 3)],
                 .access = accesses[test_random_int(random, 0, 2)]};
}

static int64_t sum(const held_array *o, int64_t mine)
{
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_INT64_T, MPI_SUM, o->comm);
  return mine;
}

/* Counts local positions that are not communication padding. This process owns these elements or has
 * copies of them. */
static int64_t count_held(const held_array *o)
{
  int coords[DAP_MAX_NDIM];
  int64_t count = 1, halo[2];
  dap_layout_coords(o->layout, o->rank, coords);
  for (int k = 0; k < dap_layout_ndim(o->layout); k++) {
    dap_layout_halo(o->layout, k, coords[k], halo);
    count *= dap_layout_extent(o->layout, k, coords[k]) - halo[0] - halo[1];
  }
  return count;
}

static void check_moved(const trial *t, const held_array *o, const dap_scalapack_matrix *m, bool restored)
{
  const int64_t item = dap_dtype_size(t->dtype), held = count_held(o) * item;
  int64_t want = 0;
  if (!m->shared && t->access & DAP_READ) want += dap_layout_count(o->layout) * item;
  if (!m->shared && t->access & DAP_WRITE && restored) want += sum(o, held);
  EXPECT_INT(matrix_moved(o, m), want);
}

static void check_array(const trial *t, held_array *o)
{
  const dap_array before = o->array;
  if (before.swapped) turn_array(&o->array);
  check_global(o->layout, o->rank, &o->array, t->access & DAP_WRITE ? COPIES_FILLED : PADDING_POISON);
  if (before.swapped) turn_array(&o->array);
  check_gaps(&o->buffer);
}

static void expect_zeros(const dap_scalapack_matrix *m, size_t item)
{
  static const unsigned char zeros[16];
  for (element_walk w = walk_elements(m, (int64_t)item); next_element(&w);)
    EXPECT_MSG(!memcmp(w.element, zeros, item), "element %" PRId64 " is not 0", w.flat);
}

static void spoil(const dap_scalapack_matrix *m, size_t item)
{
  for (element_walk w = walk_elements(m, (int64_t)item); next_element(&w);) memset(w.element, 0x11, item);
}

static void use_view(const trial *t, held_array *o, dap_scalapack_matrix *m)
{
  const size_t item = (size_t)dap_dtype_size(t->dtype);
  EXPECT(!t->square || m->desc[4] == m->desc[5]);
  if (m->shared && !dap_layout_is_row_major(o->layout))
    EXPECT_MSG(test_contains(m->reason, "ranks"), "reason: %s", m->reason);
  EXPECT(!m->shared || operand_holds(o, m));
  if (t->access & DAP_READ || m->shared)
    matrix_check(m, o);
  else
    expect_zeros(m, item);
  check_moved(t, o, m, false);
  if (t->access & DAP_WRITE || !m->shared) spoil(m, item);
  if (t->access & DAP_WRITE) matrix_write(m, o->array.dtype);
  const bool shared = m->shared;
  operand_restore(m);
  m->shared = shared;
  check_moved(t, o, m, true);
  check_array(t, o);
}

/* A part of the reason to move the array. NULL: it is shared if it is contiguous. */
static const char *reason_of(const trial *t, const random_array *array, bool is_swapped)
{
  if (is_swapped) return "";
  for (int k = 0; k < 2; k++)
    if (array->model.axes[k].kind == 'u') return k ? "axis" : "axis 0";
  return is_cyclic(array->model.axes, t->square) ? NULL : "";
}

/* Tries an array of two axes on all processes. Returns whether it is shared. */
static bool run(const trial *t, const random_array *array, dap_layout *layout)
{
  held_array o = operand_of(MPI_COMM_WORLD, layout, t->dtype, t->form);
  const bool is_plain = t->form == FORM_C || t->form == FORM_F;
  const bool swaps = t->bytes == SWAPPED || (t->bytes == SWAPPED_ON_SOME && o.rank % 2 == 1);
  const char *reason = reason_of(t, array, sum(&o, swaps ? dap_array_count(&o.array) : 0) > 0);
  dap_scalapack_options options = {.needs.square_blocks = t->square};
  dap_scalapack_matrix m;
  dap_error err = {0};
  if (swaps) turn_array(&o.array);
  o.array.readonly = t->access == DAP_READ;
  operand_get(&o, t->access, &options, &m);
  const bool shared = m.shared;
  if (is_plain) EXPECT_MSG(shared == !reason, "%s: %s", shared ? "shared" : "moved", m.reason);
  EXPECT_MSG(m.reason[0] && (shared || !is_plain || test_contains(m.reason, reason ? reason : "")), "%s",
             m.reason);
  if (m.view.view) use_view(t, &o, &m);
  options.sharing = DAP_SHARE_OR_FAIL;
  const dap_status s = dap_scalapack_get(o.comm, held_darray(&o), t->access, &options, &m, &err);
  expect_same_error(o.comm, s, &err, shared ? DAP_OK : DAP_ERR_SHARE, is_plain && reason ? reason : "");
  operand_restore(&m);
  held_array_free(&o);
  SETTLE();
  return shared;
}

/* Tries the array's layout, and the layout that its processes assemble if the protocol can express it. */
static dap_layout *make_layout(const random_array *array, bool assembled, test_random *random)
{
  dap_layout *layout = random_array_layout(array);
  if (!assembled || !random_array_is_sayable(array, "0.9.0") || !random_array_lowest_own(array))
    return layout;
  dap_layout *again = assemble_again(MPI_COMM_WORLD, layout, "0.9.0", random);
  dap_layout_destroy(&layout);
  return again;
}

static void named_layouts_are_matrices(void **state)
{
  (void)state;
  static random_array array;
  test_random random = test_random_init(31);
  for (int i = 0; i < named_layout_count; i++)
    for (int turn = 0; turn < 4 && named_layouts[i].ndim == 2; turn++) {
      trial t = draw_trial(&random);
      t.form = turn % 2 ? FORM_F : FORM_C;
      t.bytes = turn < 2 ? UNSWAPPED : t.bytes;
      TEST_CASE("%s, turn %d", named_layouts[i].why, turn);
      if (case_deal(&named_layouts[i], test_nprocs(), &random, &array))
        (void)run(&t, &array, make_layout(&array, turn > 1, &random));
    }
}

static void random_layouts_are_matrices(void **state)
{
  (void)state;
  static random_array array;
  test_random random = test_random_init(32);
  int shared[2] = {0};
  for (int i = 0; i < CASES; i++) {
    int64_t size[2];
    random_shape(&random, 2, MOST, size);
    random_array_draw(&random, test_nprocs(), 2, size, &array);
    if (!random_array_is_sayable(&array, "0.10.0") && !random_array_is_sayable(&array, "0.9.0")) continue;
    const trial t = draw_trial(&random);
    TEST_CASE("seed %" PRIu64 ", case %d: %s, form %d, bytes %d, access %d%s", test_seed(), i,
              random_array_text(&array), (int)t.form, (int)t.bytes, (int)t.access,
              t.square ? ", square" : "");
    shared[run(&t, &array, make_layout(&array, i % 2, &random))]++;
  }
  EXPECT_MSG(shared[1] > CASES / 20 && shared[0] > CASES / 20, "%d moved, %d shared", shared[0], shared[1]);
  SETTLE();
}

/* Rows on all processes, in the order of ranks or backwards. */
static held_array rows_of(bool backwards)
{
  const int n = test_nprocs();
  const dap_dist dists[2] = {dap_dist_even(3 * n, n), dap_dist_even(4, 1)};
  int ranks[BRUTE_PROCS];
  for (int i = 0; i < n; i++) ranks[i] = backwards ? n - 1 - i : i;
  return operand_of(MPI_COMM_WORLD, layout_make(2, dists, ranks), DAP_F8, FORM_C);
}

/* Views whose processes have the same order share a context. Other views have another one. */
static void each_order_of_ranks_has_its_grid(void **state)
{
  (void)state;
  held_array o[3] = {rows_of(false), rows_of(true), rows_of(true)};
  dap_scalapack_matrix m[3], with;
  for (int i = 0; i < 3; i++) operand_get(&o[i], DAP_READ, NULL, &m[i]);
  EXPECT((m[0].desc[1] == m[1].desc[1]) == (test_nprocs() == 1));
  EXPECT_INT(m[2].desc[1], m[1].desc[1]);
  for (int i = 0; i < 3; i++) dap_layout_destroy(&o[i].layout); /* views keep what they need */
  for (int i = 0; i < 3; i++) {
    held_array same = rows_of(true);
    const dap_scalapack_options options = {.aligned_with = &m[i]};
    operand_get(&same, DAP_READ, &options, &with);
    const bool fits = i > 0 || test_nprocs() == 1;
    EXPECT_MSG(with.shared == fits && (fits || test_contains(with.reason, "other places") ||
                                       test_contains(with.reason, "(0, 0)")),
               "%s", with.reason);
    EXPECT_INT(with.desc[1], m[i].desc[1]);
    matrix_check(&with, &same);
    operand_restore(&with);
    held_array_free(&same);
  }
  for (int i = 0; i < 3; i++) {
    operand_restore(&m[i]);
    held_array_free(&o[i]);
  }
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(named_layouts_are_matrices),
    cmocka_unit_test(random_layouts_are_matrices),
    cmocka_unit_test(each_order_of_ranks_has_its_grid),
};
MPI_TEST_MAIN(tests)
