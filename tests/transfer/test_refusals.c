/* What a plan refuses: on every process with the same words, and with nothing written. */
#include "buffers.h"
#include "mpi_test.h"

typedef enum mistake {
  NULL_FROM,
  NULL_TO_LAYOUT,
  ITEMSIZE_ZERO,
  ITEMSIZE_DIFFERS,
  SHAPE_DIFFERS,
  NDIM_DIFFERS,
  LAYOUT_DIFFERS,
  RANK_OUTSIDE,
  RANK_TWICE,
  NO_STRIDES,
  STRIDES_TWICE,
  ZERO_STRIDE,
  HUGE_STRIDE,
  NEGATIVE_STRIDE,
  LENGTHS_DIFFER,
  HALO_DIFFERS,
  RANKS_DIFFER,
  MESSAGE_NEGATIVE,
  MESSAGE_DIFFERS,
  FILL_DIFFERS,
  TYPE_DIFFERS,
  SHAPE_NEGATIVE,
  SHAPE_TOO_LARGE,
  MISTAKES
} mistake;

typedef struct row {
  const char *why;
  mistake mistake;
  dap_status status;
  const char *parts; /* of the message, separated by '|' */
  int least;         /* processes that it takes; 1: all may make it, too */
} row;

static const row rows[] = {
    {"a side must be there", NULL_FROM, DAP_ERR_ARG, "from|NULL", 1},
    {"so must its layout", NULL_TO_LAYOUT, DAP_ERR_ARG, "to|NULL", 1},
    {"elements have at least one byte", ITEMSIZE_ZERO, DAP_ERR_ARG, "itemsize|0", 1},
    {"one plan moves elements of one size", ITEMSIZE_DIFFERS, DAP_ERR_ARG, "itemsize|rank 0", 2},
    {"sides of different sizes", SHAPE_DIFFERS, DAP_ERR_ARG, "dim 0|12 (12 over|13 (13 over", 1},
    {"sides of different dimension", NDIM_DIFFERS, DAP_ERR_ARG, "1 dimensions|2", 1},
    {"the layout is a fact about all processes", LAYOUT_DIFFERS, DAP_ERR_ARG, "layout of to|rank 0", 2},
    {"a rank that the communicator does not have", RANK_OUTSIDE, DAP_ERR_ARG, "to|ranks[0]|1000", 1},
    {"one process cannot be two of a layout", RANK_TWICE, DAP_ERR_ARG, "to|ranks[1]|twice", 2},
    {"a buffer is not contiguous unasked", NO_STRIDES, DAP_ERR_ARG, "from: no strides|dap_side_of()", 1},
    {"contiguous, with strides", STRIDES_TWICE, DAP_ERR_ARG, "to: strides are given, and .contiguous", 1},
    {"many elements at one place cannot be written", ZERO_STRIDE, DAP_ERR_BUFFER, "to|dim 0|stride 0", 1},
    {"a buffer that no address space holds", HUGE_STRIDE, DAP_ERR_RANGE, "from|2^63", 1},
    {"nor one that runs backwards", NEGATIVE_STRIDE, DAP_ERR_RANGE, "from|2^63", 1},
    {"the same kind of layout, other lengths", LENGTHS_DIFFER, DAP_ERR_ARG, "layout of from|rank 0", 2},
    {"the same lengths, another halo", HALO_DIFFERS, DAP_ERR_ARG, "layout of from|rank 0", 2},
    {"who holds which part is the same everywhere", RANKS_DIFFER, DAP_ERR_ARG, "ranks of to|rank 0", 2},
    {"a message has no negative length", MESSAGE_NEGATIVE, DAP_ERR_ARG, "message_bytes|-1", 1},
    {"both ends must cut messages alike", MESSAGE_DIFFERS, DAP_ERR_ARG, "message_bytes|rank 0", 2},
    {"both ends must fill the same", FILL_DIFFERS, DAP_ERR_ARG, "what is filled|rank 0", 2},
    {"elements have one type everywhere", TYPE_DIFFERS, DAP_ERR_ARG, "dtypes|rank 0", 2},
    {"a part of less than no elements", SHAPE_NEGATIVE, DAP_ERR_ARG, "to: dim 0: shape -1 |negative", 1},
    {"a part beyond the end", SHAPE_TOO_LARGE, DAP_ERR_ARG, "to: dim 0: 11 elements from 2 on|12", 1},
};

typedef struct request {
  dap_layout *even, *cyclic, *longer, *flat, *uneven, *padded;
  int ranks[6];
  int64_t stride, zero, huge, backwards;
  int64_t part[2]; /* start, shape */
  dap_side from, to;
  const dap_side *from_given;
  int64_t itemsize;
  dap_plan_options options;
} request;

static void make_request(request *r)
{
  const int procs = test_nprocs();
  const dap_dist even = dap_dist_even(12, procs), longer = dap_dist_even(13, procs);
  const dap_dist cyclic = dap_dist_cyclic(12, procs, 1), flat[] = {even, dap_dist_even(1, 1)};
  dap_error err;
  const dap_dist padded = dap_dist_padded(12, procs, 1);
  int64_t lengths[6] = {0};
  for (int c = 0; c < procs; c++) lengths[c] = 12 / procs + (c == 0) - (c == procs - 1) + (c < 12 % procs);
  const dap_dist uneven = {.kind = DAP_DIST_LENGTHS, .size = 12, .procs = procs, .lengths = lengths};
  *r = (request){.itemsize = 8, .stride = 8, .huge = INT64_MAX - 1, .backwards = -(INT64_MAX - 1)};
  EXPECT_OK(dap_layout_create(1, &uneven, &r->uneven, &err), &err);
  EXPECT_OK(dap_layout_create(1, &padded, &r->padded, &err), &err);
  EXPECT_OK(dap_layout_create(1, &even, &r->even, &err), &err);
  EXPECT_OK(dap_layout_create(1, &cyclic, &r->cyclic, &err), &err);
  EXPECT_OK(dap_layout_create(1, &longer, &r->longer, &err), &err);
  EXPECT_OK(dap_layout_create(2, flat, &r->flat, &err), &err);
  for (int i = 0; i < procs; i++) r->ranks[i] = i;
  r->from = (dap_side){.layout = r->even, .contiguous = true};
  r->to = (dap_side){.layout = r->cyclic, .contiguous = true};
  r->from_given = &r->from;
}

static void set_stride(dap_side *side, const int64_t *stride)
{
  side->strides = stride;
  side->contiguous = false;
}

static void make_mistake(request *r, mistake m)
{
  switch (m) {
  case NULL_FROM:
    r->from_given = NULL;
    break;
  case NULL_TO_LAYOUT:
    r->to.layout = NULL;
    break;
  case ITEMSIZE_ZERO:
    r->itemsize = 0;
    break;
  case ITEMSIZE_DIFFERS:
    r->itemsize = 4;
    break;
  case SHAPE_DIFFERS:
    r->to.layout = r->longer;
    break;
  case NDIM_DIFFERS:
    r->to.layout = r->flat;
    break;
  case LAYOUT_DIFFERS:
    r->to.layout = r->even;
    break;
  case TYPE_DIFFERS:
    r->from.dtype = DAP_F4;
    break;
  case SHAPE_NEGATIVE:
    r->part[1] = -1;
    r->to.part.shape = &r->part[1];
    break;
  case SHAPE_TOO_LARGE:
    r->part[0] = 2, r->part[1] = 11;
    r->to.part = (dap_part){.start = &r->part[0], .shape = &r->part[1]};
    break;
  case RANK_OUTSIDE:
    r->ranks[0] = 1000;
    r->to.ranks = r->ranks;
    break;
  case RANK_TWICE:
    r->ranks[1] = r->ranks[0];
    r->to.ranks = r->ranks;
    break;
  case NO_STRIDES:
    r->from.contiguous = false;
    break;
  case STRIDES_TWICE:
    r->to.strides = &r->stride;
    break;
  case ZERO_STRIDE:
    set_stride(&r->to, &r->zero);
    break;
  case HUGE_STRIDE:
    set_stride(&r->from, &r->huge);
    break;
  case NEGATIVE_STRIDE:
    set_stride(&r->from, &r->backwards);
    break;
  case LENGTHS_DIFFER:
    r->from.layout = r->uneven;
    break;
  case HALO_DIFFERS:
    r->from.layout = r->padded;
    break;
  case RANKS_DIFFER:
    r->ranks[0] = 1;
    r->ranks[1] = 0;
    r->to.ranks = r->ranks;
    break;
  case MESSAGE_NEGATIVE:
    r->options.message_bytes = -1;
    break;
  case MESSAGE_DIFFERS:
    r->options.message_bytes = 1000;
    break;
  case FILL_DIFFERS:
    r->options.fill_halos = true;
    break;
  case MISTAKES:
    break;
  }
}

static void release_request(request *r)
{
  dap_layout_destroy(&r->even);
  dap_layout_destroy(&r->cyclic);
  dap_layout_destroy(&r->longer);
  dap_layout_destroy(&r->flat);
  dap_layout_destroy(&r->uneven);
  dap_layout_destroy(&r->padded);
}

/* Processes `first` and above make the mistake; all must hear of it. */
static void refuse_row(const row *wrong, int first)
{
  request r;
  TEST_CASE("%s, made from rank %d on", wrong->why, first);
  make_request(&r);
  if (wrong->mistake == TYPE_DIFFERS) r.from.dtype = r.to.dtype = DAP_F8, r.itemsize = 0;
  if (test_rank() >= first) make_mistake(&r, wrong->mistake);
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

/* The other functions that take sides: one process, the last, has forgotten its strides. */
static void refuses_sides_without_strides(void **state)
{
  (void)state;
  request r;
  dap_plan *plan = NULL;
  dap_plan_stats stats;
  dap_error err;
  make_request(&r);
  const dap_side good = r.from;
  r.from.contiguous = test_rank() < test_nprocs() - 1;
  dap_status s = dap_plan_create_halo(MPI_COMM_WORLD, &r.from, 8, NULL, &plan, &err);
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

/* A NULL buffer on one process: everyone hears of it, no destination is written, the plan still works. */
static void refuses_null_buffers(void **state)
{
  (void)state;
  request r;
  make_request(&r);
  dap_plan *plan = NULL;
  dap_error err;
  dap_array a, b;
  const int rank = test_rank(), culprit = test_nprocs() - 1;
  EXPECT_OK(dap_array_init(&a, r.even, rank, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  EXPECT_OK(dap_array_init(&b, r.cyclic, rank, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &r.from, &r.to, 8, NULL, &plan, &err), &err);
  SETTLE();
  fill_global(r.even, rank, &a);
  for (int side = 0; side < 2; side++) {
    TEST_CASE("%s buffer is NULL", side ? "destination" : "source");
    fill_poison(r.cyclic, rank, b.data, b.strides, 8);
    const bool here = rank == culprit;
    const dap_status s =
        dap_plan_run(plan, here && side == 0 ? NULL : a.data, here && side == 1 ? NULL : b.data, &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, side ? "destination|NULL" : "source|NULL");
    EXPECT_INT(err.rank, culprit);
    const unsigned char *bytes = b.data;
    for (int64_t i = 0; i < dap_array_bytes(&b); i++)
      if (!EXPECT_INT(bytes[i], TEST_POISON)) break;
    SETTLE();
  }
  EXPECT_OK(dap_plan_run(plan, a.data, b.data, &err), &err);
  check_global(r.cyclic, rank, &b, PADDING_ANY);
  SETTLE();
  dap_plan_destroy(&plan);
  dap_array_release(&a);
  dap_array_release(&b);
  release_request(&r);
}

/* Begin and end out of order are local mistakes with local answers. */
static void refuses_begin_and_end_out_of_order(void **state)
{
  (void)state;
  request r;
  make_request(&r);
  dap_plan *plan = NULL;
  dap_error err;
  dap_array a, b;
  const int rank = test_rank();
  EXPECT_OK(dap_array_init(&a, r.even, rank, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  EXPECT_OK(dap_array_init(&b, r.cyclic, rank, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &r.from, &r.to, 8, NULL, &plan, &err), &err);
  fill_global(r.even, rank, &a);
  EXPECT_FAIL(dap_plan_end(plan, &err), DAP_ERR_ARG, &err, "not been begun");
  EXPECT_FAIL(dap_plan_begin(NULL, NULL, NULL, &err), DAP_ERR_ARG, &err, "plan|NULL");
  EXPECT_FAIL(dap_plan_end(NULL, &err), DAP_ERR_ARG, &err, "plan|NULL");
  EXPECT_OK(dap_plan_begin(plan, a.data, b.data, &err), &err);
  EXPECT_FAIL(dap_plan_begin(plan, a.data, b.data, &err), DAP_ERR_ARG, &err, "has been begun");
  EXPECT_OK(dap_plan_end(plan, &err), &err);
  check_global(r.cyclic, rank, &b, PADDING_ANY);
  EXPECT_OK(dap_plan_begin(plan, a.data, b.data, &err), &err);
  dap_plan_destroy(&plan); /* ends it first */
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

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(refuses_every_row),      cmocka_unit_test(refuses_sides_without_strides),
    cmocka_unit_test(refuses_null_buffers),   cmocka_unit_test(refuses_begin_and_end_out_of_order),
    cmocka_unit_test(refuses_a_root_outside),
};
MPI_TEST_MAIN(tests)
