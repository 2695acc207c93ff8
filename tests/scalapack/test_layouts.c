/* Tests the layouts that all folders use, and random ones, as matrices, in both orders, in both byte
 * orders, and with every access. An axis can be shared iff a block size and a first owner fit the model. The
 * model also fills and checks the arrays: the library is not asked where elements are. */
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
static bool is_cyclic(const brute_axis *const axis[2], bool square)
{
  const int64_t most = (axis[0]->size > axis[1]->size ? axis[0]->size : axis[1]->size) + 1;
  bool one[2] = {false, false}, both = false;
  if (axis[0]->kind == 'u' || axis[1]->kind == 'u') return false;
  for (int64_t block = 1; block <= most; block++) {
    const bool fit[2] = {fits(axis[0], block), fits(axis[1], block)};
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
  bool square;
  byte_order bytes;
  dap_dtype dtype;
  dap_access access;
  side_origin origin;
  int axes[2]; /* of the matrix, -1: an axis of one element */
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
                 .access = accesses[test_random_int(random, 0, 2)],
                 .axes = {0, 1}};
}

/* An array, and its elements at one index along each axis that the matrix leaves out. */
typedef struct plane {
  trial trial;
  test_side side;
  dap_array local;
  bool swaps;
  const brute_axis *axes[2];   /* of the matrix */
  int64_t start[DAP_MAX_NDIM]; /* the index along each axis that is left out, otherwise 0 */
} plane;

static bool is_left_out(const trial *t, int k)
{
  return k != t->axes[0] && k != t->axes[1];
}

static bool has_copies(const brute_axis *axis)
{
  int64_t held = -axis->size;
  for (int p = 0; p < axis->procs; p++) held += axis->extent[p] - axis->halo[p][0] - axis->halo[p][1];
  return held > 0;
}

/* Returns the array with all its elements. If a view would not write to copies, the array is only read. */
static plane plane_of(const trial *t, const random_array *array, test_random *random)
{
  static brute_axis single; /* too large for a stack */
  const dap_dist one = dap_dist_even(1, 1);
  plane p = {.trial = *t,
             .side = side_make(array, t->origin, NULL, dap_dtype_size(t->dtype), t->form, random),
             .swaps = t->bytes == SWAPPED || (t->bytes == SWAPPED_ON_SOME && test_rank() % 2 == 1)};
  EXPECT(brute_deal(&one, &single));
  for (int j = 0; j < 2; j++) p.axes[j] = t->axes[j] < 0 ? &single : &array->model.axes[t->axes[j]];
  for (int k = 0; k < array->ndim; k++)
    if (is_left_out(t, k) && has_copies(&array->model.axes[k])) p.trial.access = DAP_READ;
  p.local = test_buffer_array(&p.side.buffer, t->dtype);
  p.local.readonly = p.trial.access == DAP_READ;
  side_fill(&p.side, 0, COPIES_WRONG);
  if (p.swaps) turn_array(&p.local);
  return p;
}

/* Checks the array, and frees it. */
static void plane_free(plane *p)
{
  const bool written = p->trial.access & DAP_WRITE;
  if (p->swaps) turn_array(&p->local);
  side_check(&p->side, written, written ? COPIES_RIGHT : COPIES_WRONG, PADDING_POISON);
  side_free(&p->side);
}

/* Sets `starts` to the number of planes along each axis. Returns whether there are any. */
static bool count_planes(const plane *p, int64_t starts[])
{
  int64_t planes = 1;
  for (int k = 0; k < p->side.array->ndim; k++) {
    starts[k] = is_left_out(&p->trial, k) ? p->side.array->model.axes[k].size : 1;
    planes *= starts[k];
  }
  return planes > 0;
}

static int64_t sum(int64_t mine)
{
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return mine;
}

/* Counts local positions in the plane that are not communication padding. This process owns these elements
 * or has copies of them. It owns the index along each axis that is left out. */
static int64_t count_held(const plane *p)
{
  int64_t count = 0;
  for (brute_walk w = brute_walk_start(&p->side.array->model, p->side.process); !w.done;
       brute_walk_next(&w)) {
    bool held = w.part != BRUTE_PADDING;
    for (int k = 0; k < w.array->ndim; k++)
      held = held && (!is_left_out(&p->trial, k) ||
                      (w.global[k] == p->start[k] && brute_owns(&w.array->axes[k], w.coords[k], w.local[k])));
    count += held;
  }
  return count;
}

static void check_moved(const plane *p, const dap_scalapack_matrix *m, bool restored)
{
  int64_t want = 0;
  if (!m->shared && p->trial.access & DAP_READ) want += p->axes[0]->size * p->axes[1]->size;
  if (!m->shared && p->trial.access & DAP_WRITE && restored) want += sum(count_held(p));
  EXPECT_INT(sum(m->moved_bytes), want * p->side.itemsize);
}

/* ---- one view ----------------------------------------------------------------------------------------- */

/* What is done with a view's elements. An element is written with the value of its number + 1. */
typedef enum view_use { CHECK_VALUES, CHECK_ZEROS, SPOIL, WRITE_VALUES } view_use;

/* Returns the number in the whole array of element `flat` of the plane. */
static int64_t element_of(const plane *p, int64_t flat)
{
  const int64_t at[2] = {flat / p->axes[1]->size, flat % p->axes[1]->size};
  int64_t number = 0;
  for (int k = 0; k < p->side.array->ndim; k++) {
    const int64_t index = k == p->trial.axes[0] ? at[0] : k == p->trial.axes[1] ? at[1] : p->start[k];
    number = number * p->side.array->model.axes[k].size + index;
  }
  return number;
}

/* Goes through this process's elements, and returns how many there are. */
static int64_t use_elements(const plane *p, const dap_scalapack_matrix *m, view_use use)
{
  const int64_t item = p->side.itemsize;
  int64_t seen = 0;
  for (element_walk w = walk_elements(m, item); next_element(&w); seen++) {
    const int64_t number = element_of(p, w.flat);
    unsigned char value[16] = {0};
    if (use == SPOIL) memset(value, 0x11, sizeof value);
    if (use == CHECK_VALUES || use == WRITE_VALUES) bytes_of(item, number + (use == WRITE_VALUES), value);
    if (use == SPOIL || use == WRITE_VALUES)
      memcpy(w.element, value, (size_t)item);
    else
      EXPECT_MSG(!memcmp(w.element, value, (size_t)item), "array element %" PRId64 " is not %s", number,
                 use == CHECK_ZEROS ? "0" : "where the descriptor says");
  }
  return seen;
}

static void use_view(const plane *p, dap_scalapack_matrix *m)
{
  static const int64_t origin[2] = {0, 0};
  const trial *t = &p->trial;
  const int64_t size[2] = {p->axes[0]->size, p->axes[1]->size}, own = matrix_sound(m, size, origin);
  EXPECT(!t->square || m->desc[1] < 0 || m->desc[4] == m->desc[5]);
  EXPECT(!m->shared || buffer_holds(&p->side.buffer, m));
  EXPECT_INT(use_elements(p, m, t->access & DAP_READ || m->shared ? CHECK_VALUES : CHECK_ZEROS), own);
  EXPECT_INT(sum(own), size[0] * size[1]);
  check_moved(p, m, false);
  if (t->access & DAP_WRITE || !m->shared) (void)use_elements(p, m, SPOIL);
  if (t->access & DAP_WRITE) (void)use_elements(p, m, WRITE_VALUES);
  const bool shared = m->shared;
  operand_restore(m);
  m->shared = shared;
  check_moved(p, m, true);
}

/* Whether elements are contiguous along one of the matrix's axes, so that an array with a suitable layout is
 * shared. */
static bool is_plain(const plane *p)
{
  const int last = p->side.array->ndim - 1;
  return (p->trial.form == FORM_C && !is_left_out(&p->trial, last)) ||
         (p->trial.form == FORM_F && !is_left_out(&p->trial, 0));
}

/* A part of the reason to move the plane. NULL: it is shared if it is plain. */
static const char *reason_of(const plane *p)
{
  if (sum(p->swaps ? count_held(p) : 0) > 0) return "";
  for (int j = 0; j < 2; j++)
    if (p->axes[j]->kind == 'u') return j ? "axis" : "axis 0";
  return is_cyclic(p->axes, p->trial.square) ? NULL : "";
}

/* Whether the reason must say that the ranks have another order. Other parts are not predicted. */
static bool is_reordered(const plane *p)
{
  bool in_order = true;
  for (int i = 0; i < p->side.array->nprocs; i++) in_order = in_order && p->side.array->model.ranks[i] == i;
  return !in_order && p->side.array->ndim <= 2 && p->trial.axes[0] <= 0;
}

/* Returns whether the plane is shared. */
static bool try_plane(const plane *p)
{
  const bool plain = is_plain(p);
  const char *reason = reason_of(p);
  const dap_darray array = {p->side.layout, &p->local};
  dap_scalapack_options options = {.needs.square_blocks = p->trial.square, .part = {.start = p->start}};
  dap_scalapack_matrix m;
  dap_error err = {0};
  if (p->side.array->ndim != 2 || p->trial.axes[0] != 0) {
    options.part.naxes = 2;
    options.part.axes = p->trial.axes;
  }
  EXPECT_OK(dap_scalapack_get(MPI_COMM_WORLD, array, p->trial.access, &options, &m, &err), &err);
  const bool shared = m.shared;
  if (plain) EXPECT_MSG(shared == !reason, "%s: %s", shared ? "shared" : "moved", m.reason);
  if (shared && is_reordered(p)) EXPECT_MSG(test_contains(m.reason, "ranks"), "reason: %s", m.reason);
  EXPECT_MSG(m.reason[0] && (shared || !plain || test_contains(m.reason, reason ? reason : "")), "%s",
             m.reason);
  if (m.view.view) use_view(p, &m);
  options.sharing = DAP_SHARE_OR_FAIL;
  const dap_status s = dap_scalapack_get(MPI_COMM_WORLD, array, p->trial.access, &options, &m, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, shared ? DAP_OK : DAP_ERR_SHARE, plain && reason ? reason : "");
  operand_restore(&m);
  return shared;
}

/* Tries all planes of an array on all processes. Returns whether any is shared. */
static bool run(const trial *t, const random_array *array, test_random *random)
{
  int64_t starts[DAP_MAX_NDIM];
  bool shared = false;
  plane p = plane_of(t, array, random);
  for (bool more = count_planes(&p, starts); more; more = next_position(array->ndim, starts, p.start))
    shared = try_plane(&p) || shared;
  plane_free(&p);
  return shared;
}

/* ---- layouts ------------------------------------------------------------------------------------------ */

/* An array of one axis is a column or a row. With more axes, the matrix has any two in any order. One of two
 * axes is also tried as it is. */
static void named_layouts_are_matrices(void **state)
{
  (void)state;
  static random_array array;
  test_random random = test_random_init(31);
  for (int i = 0; i < 4 * named_layout_count; i++) {
    const case_layout *c = &named_layouts[i / 4];
    const int turn = i % 4;
    trial t = draw_trial(&random);
    t.form = turn % 2 ? FORM_F : FORM_C;
    t.bytes = turn < 2 ? UNSWAPPED : t.bytes;
    t.origin = c->assembled ? ASSEMBLED : (side_origin)(turn % 3);
    int *first = &t.axes[turn % 2], *second = &t.axes[1 - turn % 2];
    *first = (int)test_random_int(&random, 0, c->ndim - 1);
    *second = c->ndim > 1 ? (*first + (int)test_random_int(&random, 1, c->ndim - 1)) % c->ndim : -1;
    for (int j = 0; j < 2 && turn == 0 && c->ndim == 2; j++) t.axes[j] = j;
    case_deal(c, test_nprocs(), &random, &array);
    TEST_CASE("%s, turn %d, axes %d and %d", c->why, turn, t.axes[0], t.axes[1]);
    (void)run(&t, &array, &random);
    SETTLE();
  }
}

static int shared[2]; /* random layouts that were moved, shared */

static void random_layout(int number, test_random *random)
{
  static random_array array;
  int64_t size[2];
  random_shape(random, 2, MOST, size);
  random_array_draw(random, test_nprocs(), 2, size, &array);
  trial t = draw_trial(random);
  t.origin = (side_origin)(number % 3);
  TEST_CASE("seed %" PRIu64 ", case %d: %s, form %d, bytes %d, access %d%s", test_seed(), number,
            random_array_text(&array), (int)t.form, (int)t.bytes, (int)t.access, t.square ? ", square" : "");
  shared[run(&t, &array, random)]++;
}

static void random_layouts_are_matrices(void **state)
{
  (void)state;
  test_each(CASES, 32, random_layout);
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
