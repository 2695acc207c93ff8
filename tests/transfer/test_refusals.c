/* Tests what a plan refuses. When it is made, all processes must get the same text. In a run, the process
 * with the fault and those that receive from it must get an error. */
#include "brute.h"
#include "buffers.h"
#include "mpi_test.h"

#include <limits.h>

/* Layouts of 12 elements or 12 rows, except LONGER. With NONE there is no layout. */
enum { NONE = 1, EVEN, CYCLIC, LONGER, FLAT, UNEVEN, PADDED, LAYOUTS };

/* What one process asks for instead. */
typedef struct mistake {
  bool no_from, no_strides;    /* of `from` */
  int from, to;                /* layouts, if not 0 */
  dap_side from_side, to_side; /* strides, ranks and part, if they are set */
  int64_t itemsize_less;
  dap_dtype dtype; /* of `from`; all others say f8 */
  dap_plan_options options;
} mistake;

typedef struct row {
  const char *why;
  dap_status status;
  const char *parts; /* parts of the message, separated by '|' */
  int least;         /* fewest processes; 1: all processes may make the mistake, too */
  mistake mistake;
} row;

static const int outside[6] = {1000, 1, 2, 3, 4, 5}, twice[6] = {0, 0, 2, 3, 4, 5},
                 swapped[6] = {1, 0, 2, 3, 4, 5};
static const int64_t zero = 0, huge = INT64_MAX - 1, backwards = -(INT64_MAX - 1);
static const int first_axis[] = {0};
static const int64_t behind_last[] = {0, 1};
static const int64_t negative = -1, second = 2, eight = 8, eleven = 11;

/* clang-format off */
static const row rows[] = {
  {"a side must be there", DAP_ERR_ARG, "from|NULL", 1, {.no_from = true}},
  {"so must its layout", DAP_ERR_ARG, "to|NULL", 1, {.to = NONE}},
  {"elements have at least one byte", DAP_ERR_ARG, "itemsize|0", 1, {.itemsize_less = 8}},
  {"one plan moves elements of one size", DAP_ERR_ARG, "itemsize|rank 0", 2, {.itemsize_less = 4}},
  {"sides of different sizes", DAP_ERR_ARG, "axis 0|12 (12 over|13 (13 over", 1, {.to = LONGER}},
  {"sides of different dimension", DAP_ERR_ARG, "number of axes, not 1|and 2", 1, {.to = FLAT}},
  {"the layout is a fact about all processes", DAP_ERR_ARG, "layout of to|rank 0", 2, {.to = EVEN}},
  {"a rank that the communicator does not have", DAP_ERR_ARG, "to|ranks[0]|1000", 1,
   {.to_side.ranks = outside}},
  {"one process cannot be two of a layout", DAP_ERR_ARG, "to|ranks[1]|twice", 2, {.to_side.ranks = twice}},
  {"a buffer is not contiguous unasked", DAP_ERR_ARG, "from: no strides|dap_side_of()", 1,
   {.no_strides = true}},
  {"contiguous, with strides", DAP_ERR_ARG, "to: both strides and .contiguous", 1,
   {.to_side = {.strides = &eight, .contiguous = true}}},
  {"many elements at one place cannot be written", DAP_ERR_BUFFER, "to|axis 0|stride 0", 1,
   {.to_side.strides = &zero}},
  {"a buffer that no address space holds", DAP_ERR_RANGE, "from|2^63", 1, {.from_side.strides = &huge}},
  {"nor one that runs backwards", DAP_ERR_RANGE, "from|2^63", 1, {.from_side.strides = &backwards}},
  {"the same kind of layout, other lengths", DAP_ERR_ARG, "layout of from|rank 0", 2, {.from = UNEVEN}},
  {"the same lengths, another halo", DAP_ERR_ARG, "layout of from|rank 0", 2, {.from = PADDED}},
  {"who holds which part is the same everywhere", DAP_ERR_ARG, "ranks of to|rank 0", 2,
   {.to_side.ranks = swapped}},
  {"a message has no negative length", DAP_ERR_ARG, "message_bytes|-1", 1, {.options.message_bytes = -1}},
  {"both ends must cut messages alike", DAP_ERR_ARG, "message_bytes|rank 0", 2,
   {.options.message_bytes = 1000}},
  {"both ends must fill the same", DAP_ERR_ARG, "what is filled|rank 0", 2, {.options.fill_halos = true}},
  {"elements have one type everywhere", DAP_ERR_ARG, "dtypes|rank 0", 2, {.dtype = DAP_F4}},
  {"a part of less than no elements", DAP_ERR_ARG, "to: axis 0: shape -1 |negative", 1,
   {.to_side.part.shape = &negative}},
  {"an index behind the last, of an axis left out", DAP_ERR_ARG, "axis 1: 1 elements from 1", 1,
   {.from = FLAT, .from_side.part = {.naxes = 1, .axes = first_axis, .start = behind_last}}},
  {"a part beyond the end", DAP_ERR_ARG, "to: axis 0: 11 elements from 2 on|12", 1,
   {.to_side.part = {.start = &second, .shape = &eleven}}},
};
/* clang-format on */

typedef struct request {
  dap_layout *layouts[LAYOUTS];
  dap_side from, to;
  const dap_side *from_given;
  int64_t itemsize;
  dap_plan_options options;
} request;

static void make_request(request *r)
{
  const int procs = test_nprocs();
  int64_t lengths[6] = {0};
  for (int c = 0; c < procs; c++) lengths[c] = 12 / procs + (c == 0) - (c == procs - 1) + (c < 12 % procs);
  const dap_dist dists[LAYOUTS][2] = {
      [EVEN] = {dap_dist_even(12, procs)},
      [CYCLIC] = {dap_dist_cyclic(12, procs, 1)},
      [LONGER] = {dap_dist_even(13, procs)},
      [FLAT] = {dap_dist_even(12, procs), dap_dist_even(1, 1)},
      [UNEVEN] = {{.kind = DAP_DIST_LENGTHS, .size = 12, .procs = procs, .lengths = lengths}},
      [PADDED] = {dap_dist_padded(12, procs, 1)},
  };
  dap_error err;
  *r = (request){.itemsize = 8};
  for (int i = EVEN; i < LAYOUTS; i++)
    EXPECT_OK(dap_layout_create(i == FLAT ? 2 : 1, dists[i], &r->layouts[i], &err), &err);
  r->from = (dap_side){.layout = r->layouts[EVEN], .contiguous = true};
  r->to = (dap_side){.layout = r->layouts[CYCLIC], .contiguous = true};
  r->from_given = &r->from;
}

static void change_side(dap_side *side, const dap_layout *layout, const dap_side *other)
{
  side->layout = layout;
  side->ranks = other->ranks;
  side->strides = other->strides;
  side->part = other->part;
  if (other->strides) side->contiguous = other->contiguous;
}

static void make_mistake(request *r, const mistake *m)
{
  change_side(&r->from, r->layouts[m->from ? m->from : EVEN], &m->from_side);
  change_side(&r->to, r->layouts[m->to ? m->to : CYCLIC], &m->to_side);
  if (m->no_from) r->from_given = NULL;
  if (m->no_strides) r->from.contiguous = false;
  if (m->dtype) r->from.dtype = m->dtype;
  r->itemsize -= m->itemsize_less;
  r->options = m->options;
}

static void release_request(request *r)
{
  for (int i = 0; i < LAYOUTS; i++) dap_layout_destroy(&r->layouts[i]);
}

/* The processes from `first` on make the mistake, and all must learn of it. */
static void refuse_row(const row *wrong, int first)
{
  request r;
  TEST_CASE("%s, made from rank %d on", wrong->why, first);
  make_request(&r);
  if (wrong->mistake.dtype) r.from.dtype = r.to.dtype = DAP_F8, r.itemsize = 0;
  if (test_rank() >= first) make_mistake(&r, &wrong->mistake);
  dap_plan *plan = (dap_plan *)&r;
  dap_error err;
  const dap_status s =
      dap_plan_create(MPI_COMM_WORLD, r.from_given, &r.to, r.itemsize, &r.options, &plan, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, wrong->status, wrong->parts);
  EXPECT_INT(err.rank, first);
  EXPECT(plan == NULL);
  EXPECT_INT(dap_plan_create(MPI_COMM_WORLD, r.from_given, &r.to, r.itemsize, &r.options, &plan, NULL),
             wrong->status);
  release_request(&r);
  SETTLE();
}

static void refuses_every_row(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    if (rows[i].least <= test_nprocs()) refuse_row(&rows[i], test_nprocs() - 1);
    if (rows[i].least == 1) refuse_row(&rows[i], 0);
  }
}

/* On several processes, a halo update that would do nothing is refused, unless all processes allow it. */
static void refuses_to_do_nothing(void **state)
{
  (void)state;
  static int64_t list[BRUTE_SIZE];
  const int n = test_nprocs();
  const int64_t one = 1, *lists[BRUTE_PROCS];
  int64_t lengths[BRUTE_PROCS];
  for (int c = 0; c < n; c++) list[c] = n - 1 - c, lists[c] = &list[c], lengths[c] = one;
  const dap_dist dists[] = {dap_dist_even(12, n), dap_dist_cyclic(12, n, 2),
                            dap_dist_unstructured(n, n, lengths, lists)};
  for (int kind = 0; kind < 3; kind++)
    for (int allowed = 0; allowed < 3; allowed++) { /* on no process, on rank 0 only, on all processes */
      dap_layout *layout = NULL;
      dap_plan *plan = NULL;
      dap_error err = {0};
      TEST_CASE("distribution %d, allowed %d", kind, allowed);
      EXPECT_OK(dap_layout_create(1, &dists[kind], &layout, &err), &err);
      const dap_side side = {.layout = layout, .contiguous = true};
      const dap_plan_options options = {.allow_empty = allowed > (test_rank() > 0)};
      const dap_status s = dap_plan_create_halo(MPI_COMM_WORLD, &side, 8, &options, &plan, &err);
      const bool fine = n == 1 || allowed == 2;
      expect_same_error(MPI_COMM_WORLD, s, &err, fine ? DAP_OK : DAP_ERR_ARG,
                        fine ? "" : "would do nothing|allow_empty");
      dap_plan_destroy(&plan);
      dap_layout_destroy(&layout);
      SETTLE();
    }
}

/* The last process has forgotten its strides in other functions that take sides. */
static void refuses_sides_without_strides(void **state)
{
  (void)state;
  request r;
  dap_plan *plan = NULL;
  dap_plan_stats stats;
  dap_error err;
  make_request(&r);
  const dap_side good = r.from;
  const dap_plan_options may_be_empty = {.allow_empty = true};
  r.from.contiguous = test_rank() < test_nprocs() - 1;
  dap_status s = dap_plan_create_halo(MPI_COMM_WORLD, &r.from, 8, &may_be_empty, &plan, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "from: no strides");
  s = dap_plan_create_gather(MPI_COMM_WORLD, &r.from, 0, 8, NULL, &plan, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "from: no strides");
  s = dap_plan_create_scatter(MPI_COMM_WORLD, 0, &r.from, 8, NULL, &plan, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "to: no strides");
  r.from.contiguous = false;
  EXPECT_FAIL(dap_plan_preview(test_nprocs(), 0, &r.from, &good, 8, NULL, &stats, &err), DAP_ERR_ARG, &err,
              "from: no strides");
  release_request(&r);
  SETTLE();
}

/* The last process lacks a buffer, and those that receive from it learn of that. 12 elements go from blocks
 * to a cyclic layout. Other processes have all their elements, or get the same error. */
static void expect_refused(const request *r, dap_status s, const dap_error *err, const char *parts,
                           dap_array *b)
{
  const int n = test_nprocs(), rank = test_rank(), culprit = n - 1;
  bool must_fail = rank == culprit;
  for (int i = 12 / n * culprit; i < 12; i++) must_fail = must_fail || i % n == rank;
  if (must_fail || s) {
    EXPECT_FAIL(s, DAP_ERR_ARG, err, parts);
    EXPECT_INT(err->rank, culprit);
  } else {
    check_global(r->layouts[CYCLIC], rank, b, PADDING_ANY);
  }
}

/* The plan must still work afterwards. */
static void refuses_null_buffers(void **state)
{
  (void)state;
  request r;
  make_request(&r);
  dap_plan *plan = NULL;
  dap_error err;
  dap_array a, b;
  const int rank = test_rank(), culprit = test_nprocs() - 1;
  EXPECT_OK(dap_array_init(&a, r.layouts[EVEN], rank, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  EXPECT_OK(dap_array_init(&b, r.layouts[CYCLIC], rank, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &r.from, &r.to, 8, NULL, &plan, &err), &err);
  SETTLE();
  fill_global(r.layouts[EVEN], rank, &a);
  for (int side = 0; side < 2; side++) {
    TEST_CASE("%s buffer is NULL", side ? "destination" : "source");
    memset(b.data, TEST_POISON, (size_t)dap_array_count(&b) * 8);
    const bool here = rank == culprit;
    const dap_status s =
        dap_plan_run(plan, here && side == 0 ? NULL : a.data, here && side == 1 ? NULL : b.data, &err);
    expect_refused(&r, s, &err, side ? "destination|NULL" : "source|NULL", &b);
    check_global(r.layouts[EVEN], rank, &a, PADDING_ANY);
    SETTLE();
  }
  EXPECT_OK(dap_plan_run(plan, a.data, b.data, &err), &err);
  check_global(r.layouts[CYCLIC], rank, &b, PADDING_ANY);
  SETTLE();
  dap_plan_destroy(&plan);
  dap_array_release(&a);
  dap_array_release(&b);
  release_request(&r);
}

/* If begin and end are called in the wrong order, only this process gets an error. */
static void refuses_begin_and_end_out_of_order(void **state)
{
  (void)state;
  request r;
  make_request(&r);
  dap_plan *plan = NULL;
  dap_error err;
  dap_array a, b;
  const int rank = test_rank();
  EXPECT_OK(dap_array_init(&a, r.layouts[EVEN], rank, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  EXPECT_OK(dap_array_init(&b, r.layouts[CYCLIC], rank, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &r.from, &r.to, 8, NULL, &plan, &err), &err);
  fill_global(r.layouts[EVEN], rank, &a);
  EXPECT_FAIL(dap_plan_end(plan, &err), DAP_ERR_ARG, &err, "not been begun");
  EXPECT_FAIL(dap_plan_begin(NULL, NULL, NULL, &err), DAP_ERR_ARG, &err, "plan|NULL");
  EXPECT_FAIL(dap_plan_end(NULL, &err), DAP_ERR_ARG, &err, "plan|NULL");
  EXPECT_OK(dap_plan_begin(plan, a.data, b.data, &err), &err);
  EXPECT_FAIL(dap_plan_begin(plan, a.data, b.data, &err), DAP_ERR_ARG, &err, "has been begun");
  EXPECT_OK(dap_plan_end(plan, &err), &err);
  check_global(r.layouts[CYCLIC], rank, &b, PADDING_ANY);
  EXPECT_OK(dap_plan_begin(plan, a.data, b.data, &err), &err);
  dap_plan_destroy(&plan); /* ends the run first */
  EXPECT(plan == NULL);
  EXPECT_FAIL(dap_plan_create(MPI_COMM_NULL, &r.from, &r.to, 8, NULL, &plan, &err), DAP_ERR_ARG, &err,
              "comm");
  dap_array_release(&a);
  dap_array_release(&b);
  release_request(&r);
  SETTLE();
}

static void refuses_a_root_outside(void **state)
{
  (void)state;
  request r;
  make_request(&r);
  dap_plan *plan = NULL;
  dap_error err;
  dap_status s = dap_plan_create_gather(MPI_COMM_WORLD, &r.from, test_nprocs(), 8, NULL, &plan, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "root|processes");
  s = dap_plan_create_scatter(MPI_COMM_WORLD, -1, &r.to, 8, NULL, &plan, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "root -1|processes");
  if (test_nprocs() > 1) {
    s = dap_plan_create_gather(MPI_COMM_WORLD, &r.from, test_rank() > 0, 8, NULL, &plan, &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "ranks of to|rank 0");
  }
  s = dap_plan_create_gather(MPI_COMM_WORLD, NULL, 0, 8, NULL, &plan, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "NULL");
  s = dap_plan_create_halo(MPI_COMM_WORLD, NULL, 8, NULL, &plan, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "NULL");
  release_request(&r);
  SETTLE();
}

/* Calls a function that takes options. One process sets the bits, or all do. */
static dap_status ask_for_transports(int function, const request *r, unsigned bits, dap_error *err)
{
  const dap_plan_options options = {.transports = bits};
  const dap_side padded = {.layout = r->layouts[PADDED], .contiguous = true, .dtype = DAP_F8};
  dap_plan *plan = NULL;
  dap_plan_stats stats;
  dap_status s = DAP_OK;
  switch (function) {
  case 0:
    s = dap_plan_create(MPI_COMM_WORLD, &r->from, &r->to, 8, &options, &plan, err);
    break;
  case 1:
    s = dap_plan_create_halo(MPI_COMM_WORLD, &padded, 8, &options, &plan, err);
    break;
  case 2:
    s = dap_plan_create_halo_reverse(MPI_COMM_WORLD, &padded, 8, &options, &plan, err);
    break;
  case 3:
    s = dap_plan_create_gather(MPI_COMM_WORLD, &r->from, 0, 8, &options, &plan, err);
    break;
  case 4:
    s = dap_plan_create_scatter(MPI_COMM_WORLD, 0, &r->to, 8, &options, &plan, err);
    break;
  default:
    s = dap_plan_preview(test_nprocs(), test_rank(), &r->from, &r->to, 8, &options, &stats, err);
    err->rank = 0; /* this function is not collective, and names no rank */
  }
  EXPECT(!plan);
  return s;
}

/* The bits that tests of the library set are also refused. */
static void refuses_unknown_transports(void **state)
{
  (void)state;
  static const unsigned unknown[] = {8, 1 << 15, 1 << 16, 1 << 17, 1 << 20, 0x7fff0000, 1U << 31, UINT_MAX};
  request r;
  make_request(&r);
  for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
    for (int function = 0; function < 6; function++) {
      char parts[64];
      dap_error err = {0};
      TEST_CASE("function %d, transports %#x", function, unknown[i]);
      (void)snprintf(parts, sizeof parts, "transports %#x has bits|dap_transport", unknown[i]);
      const dap_status s = ask_for_transports(function, &r, unknown[i], &err);
      expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, parts);
    }
  release_request(&r);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(refuses_every_row),
    cmocka_unit_test(refuses_unknown_transports),
    cmocka_unit_test(refuses_sides_without_strides),
    cmocka_unit_test(refuses_to_do_nothing),
    cmocka_unit_test(refuses_null_buffers),
    cmocka_unit_test(refuses_begin_and_end_out_of_order),
    cmocka_unit_test(refuses_a_root_outside),
};
MPI_TEST_MAIN(tests)
