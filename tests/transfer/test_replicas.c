/* Tests dap_replicas_check(). Equal copies pass, whatever their form. If one copy differs, all processes
 * must return an error that names the element. */
#include "case.h"
#include "mpi_test.h"
#include "side.h"

#include <inttypes.h>

/* clang-format off */
static const struct row {
  case_layout layout;
  dap_dtype dtype;
} rows[] = {
  {{"a copy on every process", 1, {17}, .cut = {CUT_COPIES}}, DAP_F8},
  {{"every index on two processes", 1, {23}, .cut = {CUT_TWO_HOLDERS}}, DAP_I4},
  {{"fewer indices than processes", 1, {2}, .cut = {CUT_TWO_HOLDERS}}, DAP_I2},
  {{"copies of rows, columns in blocks", 2, {9, 8}, .cut = {CUT_TWO_HOLDERS, CUT_CYCLIC}}, DAP_F4},
  {{"copies of columns, rows padded", 2, {14, 5}, .cut = {CUT_PADDED, CUT_COPIES}, .halo = {2}}, DAP_U1},
  {{"copies along both axes", 2, {9, 6}, .cut = {CUT_TWO_HOLDERS, CUT_COPIES}}, DAP_U8},
  {{"copies along one of three axes", 3, {7, 6, 12}, SECOND_AXIS | THIRD_AXIS,
    .cut = {CUT_SHUFFLED, CUT_TWO_HOLDERS, CUT_PADDED}, .halo = {0, 0, 2}}, DAP_U2},
  {{"no element, so no copy", 1, {0}, .cut = {CUT_COPIES}}, DAP_F8},
  {{"lists without copies", 2, {11, 5}, .cut = {CUT_SHUFFLED, CUT_CYCLIC}}, DAP_F8},
};
/* clang-format on */
enum { ROWS = sizeof rows / sizeof rows[0] };

/* ---- arrays ---------------------------------------------------------------------------------------- */

/* Reverses the bytes of every element. */
static void swap_bytes(const test_side *s, dap_dtype dtype)
{
  for (brute_walk w = brute_walk_start(&s->array->model, s->process); !w.done; brute_walk_next(&w))
    turn_bytes(dtype, side_place(s, &w));
}

/* Returns the part of this process, in the buffer of the side. */
static dap_array part_of(const test_side *s, dap_dtype dtype, bool swapped, bool readonly)
{
  dap_array part;
  dap_error err = {0};
  EXPECT_OK(dap_array_init(&part, s->layout, s->process, dtype, DAP_ORDER_C, s->buffer.data, &err), &err);
  for (int k = 0; k < s->array->ndim; k++) part.strides[k] = s->buffer.strides[k];
  part.swapped = swapped;
  part.readonly = readonly;
  return part;
}

/* ---- what changes, and what is heard of it --------------------------------------------------------- */

typedef struct target {
  brute_part part; /* what is changed: a copy, an element of its owner, or padding */
  int process;     /* that holds the position; -1: none */
  int64_t local[DAP_MAX_NDIM], global[DAP_MAX_NDIM];
  bool shared; /* other processes hold the element, too */
} target;

/* Returns how many processes hold an element. Padding is not counted. */
static int count_holders(const brute_array *model, const int64_t global[])
{
  int holders = 1;
  for (int k = 0; k < model->ndim; k++) {
    const brute_axis *axis = &model->axes[k];
    int here = 0;
    for (int p = 0; p < axis->procs; p++)
      for (int64_t i = 0; i < axis->extent[p]; i++)
        here += axis->held[p][i] == global[k] && !brute_pads(axis, p, i);
    holders *= here;
  }
  return holders;
}

/* Draws a position of such a part, which is the same on all processes. */
static target choose(test_random *random, const random_array *array, brute_part part)
{
  target t = {.part = part, .process = -1};
  int64_t seen = 0;
  for (int p = 0; p < array->nprocs; p++)
    for (brute_walk w = brute_walk_start(&array->model, p); !w.done; brute_walk_next(&w)) {
      if (w.part != part || !test_random_one_in(random, ++seen)) continue;
      t.process = p;
      memcpy(t.local, w.local, sizeof t.local);
      memcpy(t.global, w.global, sizeof t.global);
      t.shared = count_holders(&array->model, w.global) > 1;
    }
  return t;
}

static void change(const test_side *s, const target *t)
{
  if (s->process != t->process) return;
  brute_walk w = brute_walk_start(&s->array->model, s->process);
  while (memcmp(w.local, t->local, sizeof w.local) != 0) brute_walk_next(&w);
  side_place(s, &w)[s->itemsize / 2] ^= 0x10;
}

static void expect_verdict(const test_side *s, const dap_array *part, const target *t)
{
  const bool good = t->process < 0 || t->part == BRUTE_PADDING || !t->shared;
  char name[120] = "element (";
  for (int k = 0; k < s->array->ndim; k++)
    snprintf(name + strlen(name), sizeof name - strlen(name), "%s%" PRId64, k ? ", " : "", t->global[k]);
  snprintf(name + strlen(name), sizeof name - strlen(name), ")|rank|rule 18");
  dap_error err = {0};
  dap_status status = dap_replicas_check(MPI_COMM_WORLD, (dap_darray){s->layout, part}, &err);
  expect_same_error(MPI_COMM_WORLD, status, &err, good ? DAP_OK : DAP_ERR_BUFFER, name);
  if (!good && t->part == BRUTE_COPY) EXPECT_INT(err.rank, t->process); /* the only one that differs */
  if (!good) EXPECT_INT(err.rule, 18);
  status = dap_replicas_check(MPI_COMM_WORLD, (dap_darray){s->layout, part}, test_rank() % 2 ? NULL : &err);
  EXPECT_INT(status, good ? DAP_OK : DAP_ERR_BUFFER);
}

/* First all copies are equal. Then one position is changed, of each part in turn. */
static void check_row(const struct row *r, test_form form, side_origin origin, test_random *random)
{
  static random_array array;
  case_layout c = r->layout;
  c.shuffled = test_random_one_in(random, 2);
  case_deal(&c, test_nprocs(), random, &array);
  test_side s = side_make(&array, origin, NULL, dap_dtype_size(r->dtype), form, random);
  const bool swapped = test_random_one_in(random, 2) && test_rank() % 2;
  dap_array part = part_of(&s, r->dtype, swapped, test_rank() % 3 == 1);
  for (int what = -1; what <= BRUTE_PADDING; what++) {
    target t = {.process = -1};
    if (what >= 0) t = choose(random, &array, (brute_part)what);
    if (what >= 0 && t.process < 0) continue;
    TEST_CASE("%s, form %d, origin %d, change %d: %s", c.why, form, origin, what, random_array_text(&array));
    side_poison(&s);
    side_fill(&s, 0, COPIES_RIGHT);
    change(&s, &t);
    if (swapped) swap_bytes(&s, r->dtype);
    expect_verdict(&s, &part, &t);
    SETTLE();
  }
  dap_array_release(&part);
  side_free(&s);
}

static void checks_every_row(void **state)
{
  (void)state;
  test_random random = test_random_init(27);
  for (int i = 0; i < ROWS; i++)
    for (int form = 0; form < FORM_COUNT; form++)
      for (int origin = CREATED; origin <= MIXED; origin++)
        check_row(&rows[i], (test_form)form, (side_origin)origin, &random);
}

/* One number in memory stands for all elements. */
static void strides_of_zero(void **state)
{
  (void)state;
  const int P = test_nprocs(), last = P - 1;
  double number = 7;
  const dap_dist dist = dap_dist_replicated(6, P);
  dap_layout *layout = NULL;
  dap_array part;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(1, &dist, &layout, &err), &err);
  EXPECT_OK(dap_array_init(&part, layout, test_rank(), DAP_F8, DAP_ORDER_C, &number, &err), &err);
  part.strides[0] = 0;
  EXPECT_OK(dap_replicas_check(MPI_COMM_WORLD, (dap_darray){layout, &part}, &err), &err);
  if (test_rank() == last) number = 8;
  const dap_status s = dap_replicas_check(MPI_COMM_WORLD, (dap_darray){layout, &part}, &err);
  if (P > 1) expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_BUFFER, "element (0)");
  if (P > 1) EXPECT_INT(err.rank, last);
  dap_array_release(&part);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* ---- refused --------------------------------------------------------------------------------------- */

typedef enum mistake {
  NO_LAYOUT,
  NO_ARRAY,
  OTHER_LAYOUT,
  LAYOUT_WITHOUT_COPIES,
  TOO_SMALL,
  OTHER_TYPE
} mistake;

static const struct {
  const char *why;
  mistake mistake;
  int least; /* fewest processes */
  dap_status status;
  const char *parts;
} mistakes[] = {
    {"no layout", NO_LAYOUT, 1, DAP_ERR_ARG, "layout|NULL"},
    {"no array", NO_ARRAY, 1, DAP_ERR_ARG, "local|NULL"},
    {"another layout on one process", OTHER_LAYOUT, 2, DAP_ERR_ARG, "layout"},
    {"another layout on one process, which has no copies", LAYOUT_WITHOUT_COPIES, 2, DAP_ERR_ARG, "layout"},
    {"an array that is too small", TOO_SMALL, 1, DAP_ERR_BUFFER, "axis 0"},
    {"another type on one process", OTHER_TYPE, 2, DAP_ERR_ARG, "itemsize"},
};

static void refuses_every_row(void **state)
{
  (void)state;
  const int P = test_nprocs(), rank = test_rank(), culprit = P - 1;
  static const int64_t plain[] = {0, 1, 2, 3, 4, 5}, swapped[] = {0, 1, 2, 3, 5, 4};
  int64_t lengths[BRUTE_PROCS], only[BRUTE_PROCS], data[6] = {0};
  const int64_t *indices[BRUTE_PROCS];
  for (int p = 0; p < P; p++) {
    indices[p] = p == culprit ? swapped : plain;
    lengths[p] = 6;
    only[p] = p == culprit ? 6 : 0;
  }
  const dap_dist whole = dap_dist_replicated(6, P), other = dap_dist_unstructured(6, P, lengths, indices);
  const dap_dist single = dap_dist_lengths(6, P, only);
  dap_layout *layouts[3] = {NULL, NULL, NULL};
  dap_array part;
  EXPECT_OK(dap_layout_create(1, &whole, &layouts[0], NULL), NULL);
  EXPECT_OK(dap_layout_create(1, &other, &layouts[1], NULL), NULL);
  EXPECT_OK(dap_layout_create(1, &single, &layouts[2], NULL), NULL);
  EXPECT_OK(dap_array_init(&part, layouts[0], rank, DAP_I8, DAP_ORDER_C, data, NULL), NULL);
  for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
    if (mistakes[i].least > P) continue;
    TEST_CASE("%s", mistakes[i].why);
    const mistake m = mistakes[i].mistake;
    const bool errs = rank == culprit;
    dap_array mine = part;
    if (errs && m == TOO_SMALL) mine.shape[0] = 5;
    if (errs && m == OTHER_TYPE) mine.dtype = DAP_I4;
    const dap_layout *layout = layouts[errs && m == OTHER_LAYOUT            ? 1
                                       : errs && m == LAYOUT_WITHOUT_COPIES ? 2
                                                                            : 0];
    dap_error err = {0};
    const dap_status s = dap_replicas_check(
        MPI_COMM_WORLD,
        (dap_darray){errs && m == NO_LAYOUT ? NULL : layout, errs && m == NO_ARRAY ? NULL : &mine}, &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, mistakes[i].status, mistakes[i].parts);
    EXPECT_INT(err.rank, culprit);
    SETTLE();
  }
  dap_array_release(&part);
  for (int i = 0; i < 3; i++) dap_layout_destroy(&layouts[i]);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(checks_every_row),
    cmocka_unit_test(strides_of_zero),
    cmocka_unit_test(refuses_every_row),
};
MPI_TEST_MAIN(tests)
