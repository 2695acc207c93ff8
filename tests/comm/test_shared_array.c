/* Tests dap_array_alloc(): the form of its buffers, with and without shared memory, and its refusals. */
#include "buffers.h"
#include "mpi_test.h"
#include "random_array.h"
#include "shared_memory.h"

/* ---- form ------------------------------------------------------------------------------------------- */

typedef struct form {
  const char *why;
  dap_dtype dtype;
  dap_order order;
  int ndim;
  int64_t shape[4], strides[4];
} form;

#define C DAP_ORDER_C
#define F DAP_ORDER_F
static const form forms[] = {
    {"one element", DAP_U1, C, 1, {1}, {1}},
    {"one dimension has no rows", DAP_F8, C, 1, {1001}, {8}},
    {"one dimension, Fortran order", DAP_F8, F, 1, {1001}, {8}},
    {"a row of a line", DAP_F8, C, 2, {3, 8}, {64, 8}},
    {"a row shorter than a line", DAP_F8, C, 2, {3, 7}, {56, 8}},
    {"a row an element longer", DAP_F8, C, 2, {3, 9}, {128, 8}},
    {"a row a byte longer", DAP_I1, C, 2, {4, 65}, {128, 1}},
    {"rows of whole lines", DAP_C16, C, 2, {4, 12}, {192, 16}},
    {"columns", DAP_F8, F, 2, {9, 3}, {8, 128}},
    {"short columns", DAP_F4, F, 2, {16, 3}, {4, 64}},
    {"rows of 4096 bytes", DAP_F8, C, 2, {2, 512}, {4160, 8}},
    {"rows that become 4096 bytes", DAP_F8, C, 2, {2, 505}, {4160, 8}},
    {"rows that do not become 4096 bytes", DAP_F8, C, 2, {2, 504}, {4032, 8}},
    {"columns of 8192 bytes", DAP_F4, F, 2, {2048, 2}, {4, 8256}},
    {"three dimensions", DAP_F4, C, 3, {2, 3, 17}, {384, 128, 4}},
    {"three dimensions, Fortran order", DAP_F4, F, 3, {17, 3, 2}, {4, 128, 384}},
    {"planes may be 4096 bytes", DAP_I2, C, 3, {2, 64, 32}, {4096, 64, 2}},
    {"four dimensions, long double", DAP_F16, C, 4, {2, 3, 2, 5}, {768, 256, 128, 16}},
    {"half a line", DAP_F2, F, 2, {33, 2}, {2, 128}},
    {"no rows", DAP_F8, C, 2, {0, 9}, {128, 8}},
    {"no columns", DAP_F8, C, 2, {2, 0}, {8, 8}},
    {"nothing, Fortran order", DAP_C8, F, 2, {0, 5}, {8, 8}},
    {"many pages", DAP_F8, C, 2, {33, 1025}, {8256, 8}},
    {"large enough for huge pages", DAP_F8, C, 2, {1030, 1030}, {8256, 8}},
};
#undef C
#undef F

static void check_form(const form *row)
{
  dap_array array;
  bool shared = false;
  dap_error err = {0};
  dap_layout *layout = make_layout(test_nprocs(), row->ndim, row->shape);
  EXPECT_OK(dap_array_alloc(MPI_COMM_WORLD, layout, row->dtype, row->order, &array, &shared, &err), &err);
  EXPECT_INT(shared, test_mates() > 1);
  EXPECT_INT(array.ndim, row->ndim);
  EXPECT(array.dtype == row->dtype && !array.readonly && !array.swapped);
  for (int k = 0; k < array.ndim; k++) {
    EXPECT_INT(array.shape[k], row->shape[k]);
    EXPECT_INT(array.strides[k], row->strides[k]);
  }
  EXPECT((array.data == NULL) == (dap_array_count(&array) == 0));
  EXPECT((uintptr_t)array.data % 64 == 0);
  expect_dictionaries(layout, &array);
  expect_zeros(&array);
  fill_global(layout, test_rank(), &array);
  MPI_Barrier(MPI_COMM_WORLD);
  check_global(layout, test_rank(), &array, PADDING_ANY);
  dap_layout_destroy(&layout);
  dap_array_release(&array);
  EXPECT(!array.data && !array.release && array.ndim == 0);
}

static void buffers_have_their_form(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
    TEST_CASE("%s", forms[i].why);
    check_form(&forms[i]);
    SETTLE();
  }
}

/* Makes a layout with a list and halos that differ between processes. Halos that wrap around need protocol
 * 0.9. */
static dap_layout *make_haloed(bool wraps)
{
  const int n = test_nprocs();
  dap_dist dists[] = {dap_dist_padded(4 * n, n, 1), dap_dist_replicated(9, 1)};
  dap_layout *layout = NULL;
  dists[0].periodic = dists[0].wraps = wraps;
  EXPECT_OK(dap_layout_create(2, dists, &layout, NULL), NULL);
  return layout;
}

/* Checks that the dictionaries outlive the layout, whose memory contains the lists. */
static void dictionaries_are_those_of_the_layout(void **state)
{
  (void)state;
  const int n = test_nprocs(), last = n - 1;
  for (int wraps = 0; wraps < 2; wraps++) {
    dap_array array;
    dap_layout *layout = make_haloed(wraps);
    EXPECT_OK(dap_array_alloc(MPI_COMM_WORLD, layout, DAP_F8, DAP_ORDER_C, &array, NULL, NULL), NULL);
    dap_layout_destroy(&layout);
    EXPECT(!strcmp(array.version, wraps ? "0.9.0" : "0.10.0"));
    EXPECT_INT(array.shape[0], wraps ? 6 : 4 + (test_rank() > 0) + (test_rank() < last));
    layout = make_haloed(wraps);
    expect_dictionaries(layout, &array);
    dap_layout_destroy(&layout);
    dap_array_release(&array);
  }
  SETTLE();
}

/* Processes without elements must see the elements of the others. */
static void parts_differ(void **state)
{
  (void)state;
  static const int64_t lengths[][6] = {{1, 4096, 4097, 0, 5000, 1}, {777, 0, 0, 0, 0, 0}, {0}};
  for (size_t i = 0; i < sizeof lengths / sizeof lengths[0] && test_nprocs() <= 6; i++) {
    const int n = test_nprocs();
    int64_t size = 0;
    dap_layout *layout = NULL;
    dap_array array;
    dap_segment segments[RANKS];
    for (int r = 0; r < n; r++) size += lengths[i][r];
    const dap_dist dist = dap_dist_lengths(size, n, lengths[i]);
    TEST_CASE("lengths %zu", i);
    EXPECT_OK(dap_layout_create(1, &dist, &layout, NULL), NULL);
    EXPECT_OK(dap_array_alloc(MPI_COMM_WORLD, layout, DAP_U1, DAP_ORDER_C, &array, NULL, NULL), NULL);
    EXPECT((array.data == NULL) == (lengths[i][test_rank()] == 0));
    expect_zeros(&array);
    fill_global(layout, test_rank(), &array);
    MPI_Barrier(MPI_COMM_WORLD);
    tell_segments(MPI_COMM_WORLD, array.data, segments);
    for (int r = 0; r < n; r++) {
      dap_array theirs = array_at(&array, segment_at(&segments[r]));
      theirs.strides[0] = 1;
      if (theirs.data) check_global(layout, r, &theirs, PADDING_ANY);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    dap_array_release(&array);
    dap_layout_destroy(&layout);
    SETTLE();
  }
}

/* Checks that all memory of a large array exists. */
static void more_than_is_reserved_at_a_time(void **state)
{
  (void)state;
  enum { BYTES = (1 << 24) + 1 };
  dap_layout *layout = make_layout(test_nprocs(), 1, (const int64_t[]){BYTES});
  dap_array array;
  EXPECT_OK(dap_array_alloc(MPI_COMM_WORLD, layout, DAP_U1, DAP_ORDER_C, &array, NULL, NULL), NULL);
  for (int turn = 0; turn < 2 && EXPECT(array.data != NULL); turn++)
    for (int page = 0; page <= BYTES / 4096;
         page++) { /* the first byte of each page; the last page has no other */
      unsigned char *byte = (unsigned char *)array.data + 4096 * (int64_t)page;
      if (turn == 0) *byte = (unsigned char)(1 + page % 251);
      if (!EXPECT_INT(*byte, 1 + page % 251)) break;
    }
  dap_array_release(&array);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* ---- no shared memory ------------------------------------------------------------------------------- */

/* The node of `culprit` has no shared memory. Another node, if there is one, still has it. */
static void check_fallback(MPI_Comm comm, const dap_layout *layout, test_limit limit, int culprit, bool mates,
                           bool shares)
{
  dap_array array, usual;
  dap_segment segments[RANKS];
  bool shared = !shares;
  dap_error err = {.rank = 5, .text = "as it was"};
  if (test_rank() == culprit) limit_start(limit);
  const dap_status s = dap_array_alloc(comm, layout, DAP_F8, DAP_ORDER_C, &array, &shared, &err);
  if (test_rank() == culprit) limit_end();
  EXPECT_OK(s, &err);
  EXPECT(err.rank == 5 && !strcmp(err.text, "as it was"));
  EXPECT_INT(shared, shares);
  EXPECT_OK(dap_array_alloc(comm, layout, DAP_F8, DAP_ORDER_C, &usual, &shared, NULL), NULL);
  EXPECT_INT(shared, mates);
  for (int k = 0; k < 2; k++)
    EXPECT(array.shape[k] == usual.shape[k] && array.strides[k] == usual.strides[k]);
  EXPECT(array.data && (uintptr_t)array.data % 64 == 0);
  expect_zeros(&array);
  fill_global(layout, test_rank(), &array);
  MPI_Barrier(MPI_COMM_WORLD);
  check_global(layout, test_rank(), &array, PADDING_ANY);
  tell_segments(comm, array.data, segments);
  EXPECT_INT(segments[test_rank()].id != 0, shares);
  dap_array_release(&array);
  dap_array_release(&usual);
  EXPECT_INT(count_mappings(), 0);
}

/* Returns how many processes share a node with process `rank`, itself included. Processes pretend to be on
 * `hosts` hosts in turn. */
static int count_mates(int rank, int hosts)
{
  int mates = 0;
  for (int r = 0; r < test_nprocs(); r++)
    mates += test_node(r) == test_node(rank) && r % hosts == rank % hosts;
  return mates;
}

static void without_shared_memory_it_is_private(void **state)
{
  (void)state;
  const int n = test_nprocs();
  dap_layout *layout = make_layout(n, 2, (const int64_t[]){100, 100}); /* 83200 bytes on each process */
  MPI_Comm two;
  MPI_Comm_dup(MPI_COMM_WORLD, &two);
  EXPECT(dap_node_pretend(two, test_rank() % 2));
  for (int i = 0; i < 2 * n; i++) {
    const int culprit = i / 2;
    const test_limit limit = i % 2 ? LIMIT_FILES : LIMIT_SIZE;
    TEST_CASE("on rank %d no %s", culprit, i % 2 ? "file can be opened" : "file can be so large");
    bool mates = count_mates(test_rank(), 1) > 1;
    check_fallback(MPI_COMM_WORLD, layout, limit, culprit, mates, mates && !test_is_mate(culprit));
    mates = count_mates(test_rank(), 2) > 1;
    const bool is_mate = test_is_mate(culprit) && culprit % 2 == test_rank() % 2;
    check_fallback(two, layout, limit, culprit, mates, mates && !is_mate);
    SETTLE();
  }
  MPI_Comm_free(&two);
  dap_layout_destroy(&layout);
}

/* ---- refusals ---------------------------------------------------------------------------------------- */

/* Argument that one process gives to a call that is right on all others. */
typedef struct refusal {
  const char *why;
  enum { NO_ARRAY, NO_LAYOUT, OTHER_LAYOUT, TOO_MANY, BAD_DTYPE, OTHER_DTYPE, BAD_ORDER } what;
  const char *parts;
} refusal;

static const refusal refusals[] = {
    {"no array", NO_ARRAY, "array must not be NULL"},
    {"no layout", NO_LAYOUT, "layout must not be NULL"},
    {"another layout", OTHER_LAYOUT, "the layout|not the same"},
    {"a layout of too many", TOO_MANY, "the layout has|processes, the communicator only"},
    {"no element type", BAD_DTYPE, "dtype 0"},
    {"another element type", OTHER_DTYPE, "dtype|not the same"},
    {"an order that is none", BAD_ORDER, "order 88"},
};

static void check_refusal(const refusal *row, int culprit, dap_layout *const layouts[])
{
  const bool is_culprit = test_rank() == culprit;
  const bool differs = row->what == OTHER_LAYOUT || row->what == OTHER_DTYPE;
  const int which = !is_culprit ? 0 : row->what == OTHER_LAYOUT ? 1 : row->what == TOO_MANY ? 2 : 0;
  dap_array array, untouched;
  bool shared = true;
  dap_error err = {0};
  memset(&array, 0xEE, sizeof array);
  untouched = array;
  const dap_status s =
      dap_array_alloc(MPI_COMM_WORLD, is_culprit && row->what == NO_LAYOUT ? NULL : layouts[which],
                      !is_culprit                ? DAP_F8
                      : row->what == BAD_DTYPE   ? DAP_NONE
                      : row->what == OTHER_DTYPE ? DAP_F4
                                                 : DAP_F8,
                      is_culprit && row->what == BAD_ORDER ? (dap_order)88 : DAP_ORDER_C,
                      is_culprit && row->what == NO_ARRAY ? NULL : &array, &shared, &err);
  if (differs && test_nprocs() == 1) {
    EXPECT_OK(s, &err);
    dap_array_release(&array);
    return;
  }
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, row->parts);
  EXPECT_INT(err.rank, differs && culprit == 0 ? 1 : culprit);
  EXPECT(!shared);
  const bool is_given = !(is_culprit && row->what == NO_ARRAY);
  EXPECT(is_given ? !array.data && !array.release && !array.private_data && array.ndim == 0
                  : !memcmp(&array, &untouched, sizeof array));
}

static void refusals_are_the_same_everywhere(void **state)
{
  (void)state;
  dap_layout *layouts[3] = {make_usual_layout(),
                            make_layout(test_nprocs(), 2, (const int64_t[]){ROWS, COLUMNS + 1}),
                            make_layout(test_nprocs() + 1, 2, (const int64_t[]){ROWS, COLUMNS})};
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++)
    for (int culprit = 0; culprit < test_nprocs(); culprit++) {
      TEST_CASE("%s, on rank %d", refusals[i].why, culprit);
      check_refusal(&refusals[i], culprit, layouts);
      SETTLE();
    }
  for (int i = 0; i < 3; i++) dap_layout_destroy(&layouts[i]);
}

/* Sizes that exceed memory or 64 bits on one process are refused, and so is MPI_COMM_NULL. */
static void sizes_are_refused(void **state)
{
  (void)state;
  const int n = test_nprocs();
  static const struct {
    int64_t first, second; /* extents on the last process, which has all elements */
    dap_status status;
    const char *parts;
  } rows[] = {{INT64_C(1) << 40, INT64_C(1) << 22, DAP_ERR_RANGE, "axis 0|2^63 - 1 bytes"},
              {1, INT64_MAX / 8, DAP_ERR_RANGE, "axis 1|2^63 - 1 bytes"},
              {1, INT64_MAX / 16, DAP_ERR_NOMEM, "no memory for a buffer"}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    int64_t lengths[RANKS] = {0};
    lengths[n - 1] = rows[i].first;
    dap_layout *layout = NULL;
    dap_array array;
    dap_error err = {0};
    const dap_dist dists[] = {dap_dist_lengths(rows[i].first, n, lengths), dap_dist_even(rows[i].second, 1)};
    TEST_CASE("size %zu", i);
    EXPECT_OK(dap_layout_create(2, dists, &layout, &err), &err);
    const dap_status s = dap_array_alloc(MPI_COMM_WORLD, layout, DAP_F8, DAP_ORDER_C, &array, NULL, &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, rows[i].status, rows[i].parts);
    EXPECT_INT(err.rank, n - 1);
    EXPECT(!array.data && !array.release);
    EXPECT_INT(dap_array_alloc(MPI_COMM_WORLD, layout, DAP_F8, DAP_ORDER_C, &array, NULL, NULL),
               rows[i].status);
    EXPECT_FAIL(dap_array_alloc(MPI_COMM_NULL, layout, DAP_F8, DAP_ORDER_C, &array, NULL, &err), DAP_ERR_ARG,
                &err, "comm|MPI_COMM_NULL");
    dap_layout_destroy(&layout);
    SETTLE();
  }
}

/* Returns whether the process's buffer has no gaps. */
static bool is_contiguous(const dap_array *array)
{
  int64_t stride = dap_dtype_size(array->dtype);
  for (int k = array->ndim - 1; k >= 0; stride *= array->shape[k--])
    if (array->strides[k] != stride) return false;
  return true;
}

/* Fields must be contiguous, because PETSc can share only contiguous arrays. So must arrays for which the
 * caller requests it. */
static void contiguous_arrays(void **state)
{
  (void)state;
  const int n = test_nprocs();
  const dap_dist halo = dap_dist_padded(4 * n, n, 1), row = dap_dist_even(9, 1),
                 plain = dap_dist_even(4 * n, n);
  dap_dist edge = row;
  edge.boundary[0] = edge.boundary[1] = 1;
  const struct {
    const char *why;
    int ndim;
    dap_dist dists[3];
    bool contiguous;
  } rows[] = {{"three axes with a halo", 3, {halo, row, row}, n > 1},
              {"three axes with boundary padding", 3, {plain, edge, row}, true},
              {"three axes without padding", 3, {plain, row, row}, false},
              {"two axes with a halo", 2, {halo, row}, false}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dap_layout *layout = NULL;
    dap_array array;
    TEST_CASE("%s", rows[i].why);
    EXPECT_OK(dap_layout_create(rows[i].ndim, rows[i].dists, &layout, NULL), NULL);
    EXPECT_OK(dap_array_alloc(MPI_COMM_WORLD, layout, DAP_F8, DAP_ORDER_C, &array, NULL, NULL), NULL);
    EXPECT_INT(is_contiguous(&array), rows[i].contiguous);
    dap_array_release(&array);
    EXPECT_OK(dap_array_alloc_contiguous(MPI_COMM_WORLD, layout, DAP_F8, DAP_ORDER_C, &array, NULL, NULL),
              NULL);
    EXPECT(is_contiguous(&array));
    dap_array_release(&array);
    dap_layout_destroy(&layout);
  }
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(buffers_have_their_form),
    cmocka_unit_test(dictionaries_are_those_of_the_layout),
    cmocka_unit_test(parts_differ),
    cmocka_unit_test(more_than_is_reserved_at_a_time),
    cmocka_unit_test(without_shared_memory_it_is_private),

    cmocka_unit_test(refusals_are_the_same_everywhere),
    cmocka_unit_test(sizes_are_refused),
    cmocka_unit_test(contiguous_arrays),
};

MPI_TEST_MAIN(tests)
