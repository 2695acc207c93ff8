/* Slices: what each kind of axis becomes, what is refused and why, and what an array keeps. */
#include "forget.h"
#include "mpi_test.h"
#include "ranges.h"

/* ---- one axis -------------------------------------------------------------------------------------- */

static const int64_t lengths_0[] = {4, 0, 5}, lists_lengths[] = {4, 1, 3};
static const int64_t list_0[] = {5, 0, 3, 4}, list_1[] = {1}, list_2[] = {4, 2, 1};
static const int64_t *const lists[] = {list_0, list_1, list_2};

#define CYCLIC(size_, procs_, bs_, first_)                                                                   \
  {                                                                                                          \
    .kind = DAP_DIST_CYCLIC, .procs = (procs_), .size = (size_), .block_size = (bs_),                        \
    .first_owner = (first_)                                                                                  \
  }
#define PADDED(size_, procs_, halo_)                                                                         \
  {                                                                                                          \
    .procs = (procs_), .size = (size_), .halo = (halo_)                                                      \
  }
#define EDGED(size_, procs_, low_, high_)                                                                    \
  {                                                                                                          \
    .procs = (procs_), .size = (size_), .boundary = {(low_), (high_)}, .periodic = true                      \
  }
#define LISTS(lists_)                                                                                        \
  {                                                                                                          \
    .kind = DAP_DIST_UNSTRUCTURED, .procs = 3, .size = 6, .lengths = lists_lengths, .indices = (lists_)      \
  }
#define WRAPPED(size_, procs_, halo_)                                                                        \
  {                                                                                                          \
    .procs = (procs_), .size = (size_), .halo = (halo_), .periodic = true, .wraps = true                     \
  }

/* The part in the words of dap_layout_summary(). */
static const struct {
  const char *why;
  dap_dist dist;
  int64_t lo, hi;
  const char *part;
} rows[] = {
    {"everything", PADDED(9, 3, 2), 0, 9, "9 over 3: block(halo 2)"},
    {"nothing", PADDED(9, 3, 2), 4, 4, "0 over 3: block"},
    {"nothing, from the end", PADDED(9, 3, 2), 9, 9, "0 over 3: block"},
    {"a block inside one process", PADDED(9, 3, 2), 4, 5, "1 over 3: block(lengths 0 1 0)"},
    {"a neighbour with less shows less", PADDED(9, 3, 2), 2, 8, "6 over 3: block(lengths 1 3 2, halo 1 2)"},
    {"no halo towards a process that lost everything", PADDED(9, 3, 1), 3, 9,
     "6 over 3: block(lengths 0 3 3, halo 0 1)"},
    {"an empty process",
     {.kind = DAP_DIST_LENGTHS, .procs = 3, .size = 9, .lengths = lengths_0},
     1,
     8,
     "7 over 3: block(lengths 3 0 4)"},
    {"boundary that stays, in part", EDGED(9, 2, 3, 2), 1, 8, "7 over 2: block(boundary 2 1)"},
    {"boundary that is cut off", EDGED(9, 2, 3, 2), 3, 7, "4 over 2: block"},
    {"nothing but boundary", EDGED(9, 2, 3, 2), 1, 2, "1 over 2: block(boundary 1 0)"},
    {"both boundaries of one process", EDGED(6, 1, 4, 2), 3, 5, "2 over 1: block(boundary 1 1)"},
    {"everything of a periodic axis", WRAPPED(9, 3, 1), 0, 9,
     "9 over 3: block(halo 1, outer halo 1 1, periodic)"},
    {"what wrapped round is not there any more", WRAPPED(9, 3, 1), 0, 8, "8 over 3: block(halo 1)"},
    {"the same on one process", WRAPPED(9, 1, 2), 1, 9, "8 over 1: block"},

    {"everything cyclic", CYCLIC(10, 3, 2, 1), 0, 10, "10 over 3: cyclic(2, first 1)"},
    {"nothing cyclic", CYCLIC(10, 3, 2, 1), 5, 5, "0 over 3: cyclic(2)"},
    {"from a block's beginning", CYCLIC(10, 3, 2, 1), 4, 9, "5 over 3: cyclic(2)"},
    {"from a block's beginning, more than once round", CYCLIC(30, 3, 2, 1), 14, 29,
     "15 over 3: cyclic(2, first 2)"},
    {"inside one block", CYCLIC(30, 3, 5, 2), 11, 14, "3 over 3: cyclic(5, first 1)"},
    {"anywhere on one process", CYCLIC(30, 1, 4, 0), 3, 23, "20 over 1: cyclic(4)"},
    {"ascending owners", CYCLIC(30, 3, 4, 0), 14, 21, "7 over 3: block(lengths 2 4 1)"},
    {"two ascending owners of more", CYCLIC(30, 4, 4, 0), 6, 10, "4 over 4: block(lengths 0 2 2 0)"},
    {"owners that go round, but a second block no longer than the first", CYCLIC(30, 3, 4, 0), 10, 14,
     "4 over 3: cyclic(2, first 2)"},

    {"everything of lists", LISTS(lists), 0, 6, "6 over 3: unstructured(duplicates)"},
    {"none of lists", LISTS(lists), 3, 3, "0 over 3: unstructured"},
    {"lists with steps of 1 and 2", LISTS(lists), 1, 4, "3 over 3: unstructured(duplicates)"},
    {"duplicates that are none any more", LISTS(lists), 2, 4, "2 over 3: unstructured"},
    {"copies", {.kind = DAP_DIST_REPLICATED, .procs = 2, .size = 9}, 2, 7, "5 over 2: replicated"},
};

static void what_an_axis_becomes(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dap_layout *layout = NULL, *part = NULL;
    dap_error err = {0};
    char text[256] = "";
    TEST_CASE("%s", rows[i].why);
    EXPECT_OK(dap_layout_create(1, &rows[i].dist, &layout, &err), &err);
    if (EXPECT_OK(part_of_layout(layout, &rows[i].lo, &rows[i].hi, &part, &err), &err)) {
      dap_layout_summary(part, text, sizeof text);
      EXPECT_MSG(!strcmp(text, rows[i].part), "the part is %s", text);
    }
    dap_layout_destroy(&part);
    dap_layout_destroy(&layout);
  }
  SETTLE();
}

/* The second axis of two: texts name it. */
static const struct {
  const char *why;
  dap_dist dist;
  int64_t lo, hi;
  dap_status want;
  const char *parts;
} refusals[] = {
    {"negative", PADDED(9, 3, 0), -1, 4, DAP_ERR_ARG, "axis 1|start -1|size = 9"},
    {"behind the end", PADDED(9, 3, 0), 2, 10, DAP_ERR_ARG, "axis 1|extent 8|start 2|size = 9"},
    {"backwards", PADDED(9, 3, 0), 5, 4, DAP_ERR_ARG, "axis 1|extent -1|start 5"},
    {"a short first block", CYCLIC(40, 3, 4, 0), 5, 30, DAP_ERR_SHARE,
     "axis 1: index 5 lies inside a block of 4, and the part goes on to 30: its first block, of 3, would be "
     "shorter than the next"},
    {"a short first block of two whose owners do not ascend", CYCLIC(40, 3, 4, 0), 11, 14, DAP_ERR_SHARE,
     "axis 1|index 11|block of 4|14|first block, of 1"},
    {"three at unequal distances", LISTS(lists), 3, 6, DAP_ERR_SHARE,
     "axis 1|proc_grid_rank 0|3 .. 5|positions 0, 2 and 3"},
};

static void what_is_refused(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
    const dap_dist dists[] = {dap_dist_even(4, 1), refusals[i].dist};
    const int64_t lo[] = {0, refusals[i].lo}, hi[] = {3, refusals[i].hi};
    dap_error err = {0};
    dap_layout *layout = NULL, *part = (dap_layout *)&err; /* anything but NULL */
    TEST_CASE("%s", refusals[i].why);
    if (!EXPECT_OK(dap_layout_create(2, dists, &layout, &err), &err)) continue;
    EXPECT_FAIL(part_of_layout(layout, lo, hi, &part, &err), refusals[i].want, &err, refusals[i].parts);
    EXPECT(part == NULL);
    EXPECT_INT(err.rank, -1);
    EXPECT_INT(part_of_layout(layout, lo, hi, &part, NULL), refusals[i].want);
    dap_layout_destroy(&layout);
  }
  SETTLE();
}

/* ---- arguments and buffers --------------------------------------------------------------------------- */

static void arguments_are_checked(void **state)
{
  (void)state;
  const dap_dist dists[] = {dap_dist_padded(9, 3, 1), dap_dist_even(4, 1)};
  const int64_t lo[] = {1, 0}, hi[] = {8, 4};
  dap_error err = {0};
  dap_layout *layout = NULL, *part = NULL;
  dap_array whole, window, wrong;
  EXPECT_OK(dap_layout_create(2, dists, &layout, &err), &err);
  EXPECT_OK(dap_array_init(&whole, layout, 1, DAP_F8, DAP_ORDER_F, NULL, &err), &err);
  EXPECT_FAIL(part_of_layout(NULL, lo, hi, &part, &err), DAP_ERR_ARG, &err, "layout|NULL");
  EXPECT_FAIL(dap_layout_part(layout, NULL, &part, NULL, &err), DAP_ERR_ARG, &err, "part|NULL");
  EXPECT_FAIL(part_of_layout(layout, lo, hi, NULL, &err), DAP_ERR_ARG, &err, "layout_of_part|NULL");
  EXPECT_FAIL(part_of_array(NULL, layout, 1, lo, hi, &window, &err), DAP_ERR_ARG, &err, "whole|NULL");
  EXPECT_FAIL(part_of_array(&whole, NULL, 1, lo, hi, &window, &err), DAP_ERR_ARG, &err, "layout|NULL");
  EXPECT_FAIL(dap_array_part((dap_darray){layout, &whole}, 1, NULL, &window, &err), DAP_ERR_ARG, &err,
              "part|NULL");
  EXPECT_FAIL(part_of_array(&whole, layout, 1, lo, hi, NULL, &err), DAP_ERR_ARG, &err, "array|NULL");
  EXPECT_FAIL(part_of_array(&whole, layout, 3, lo, hi, &window, &err), DAP_ERR_ARG, &err, "rank 3|2");
  EXPECT_FAIL(part_of_array(&whole, layout, -1, lo, hi, &window, &err), DAP_ERR_ARG, &err, "rank -1");
  EXPECT_FAIL(part_of_array(&whole, layout, 0, lo, hi, &window, &err), DAP_ERR_ARG, &err,
              "axis 0|extent 5|the 4|rank 0");
  wrong = whole;
  wrong.ndim = 1;
  EXPECT_FAIL(part_of_array(&wrong, layout, 1, lo, hi, &window, &err), DAP_ERR_ARG, &err, "ndim is 1|2");
  wrong = whole;
  wrong.data = NULL;
  EXPECT_FAIL(part_of_array(&wrong, layout, 1, lo, hi, &window, &err), DAP_ERR_ARG, &err, "data is NULL|20");
  wrong = whole;
  wrong.strides[0] = INT64_MAX;
  EXPECT_FAIL(part_of_array(&wrong, layout, 2, (int64_t[]){7, 0}, hi, &window, &err), DAP_ERR_ARG, &err,
              "axis 0|extent 5|the 4|rank 2");
  EXPECT(window.release == NULL && window.data == NULL && window.abi == 0);
  wrong.dtype = DAP_NONE;
  EXPECT_FAIL(part_of_array(&wrong, layout, 1, lo, hi, &window, &err), DAP_ERR_ARG, &err, "dtype");
  dap_array_release(&whole);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* Strides that no memory can have are refused, not added up; where there are no elements they do not
 * matter. */
static void impossible_strides(void **state)
{
  (void)state;
  const dap_dist dists[] = {dap_dist_even(9, 1), dap_dist_lengths(9, 2, (const int64_t[]){9, 0})};
  const int64_t lo[] = {5, 0}, hi[] = {9, 9};
  dap_error err = {0};
  dap_layout *layout = NULL;
  dap_array whole, part;
  EXPECT_OK(dap_layout_create(2, dists, &layout, &err), &err);
  for (int rank = 0; rank < 2; rank++) {
    EXPECT_OK(dap_array_init(&whole, layout, rank, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
    whole.strides[0] = INT64_MAX / 2;
    const dap_status s = part_of_array(&whole, layout, rank, lo, hi, &part, &err);
    if (rank == 0) EXPECT_FAIL(s, DAP_ERR_RANGE, &err, "axis 0|stride");
    if (rank == 1) EXPECT_OK(s, &err);
    EXPECT(part.data == NULL);
    dap_array_release(&part);
    dap_array_release(&whole);
  }
  dap_layout_destroy(&layout);
  SETTLE();
}

/* What is not of the slice stays as it is: type, access, byte order, broadcast strides. */
static void what_stays(void **state)
{
  (void)state;
  const dap_dist dists[] = {dap_dist_even(6, 2), dap_dist_even(5, 1), dap_dist_even(1, 1)};
  const int64_t lo[] = {1, 2, 0}, hi[] = {6, 4, 1};
  int16_t row[5] = {0};
  dap_error err = {0};
  dap_layout *layout = NULL;
  dap_array whole, part;
  EXPECT_OK(dap_layout_create(3, dists, &layout, &err), &err);
  EXPECT_OK(dap_array_init(&whole, layout, 0, DAP_I2, DAP_ORDER_C, row, &err), &err);
  whole.strides[0] = 0; /* one row, three times */
  whole.strides[1] = -2;
  whole.strides[2] = INT64_MIN; /* of one element */
  whole.data = &row[4];
  whole.readonly = whole.swapped = true;
  if (EXPECT_OK(part_of_array(&whole, layout, 0, lo, hi, &part, &err), &err)) {
    EXPECT(part.readonly && part.swapped);
    EXPECT_INT(part.dtype, DAP_I2);
    EXPECT(part.data == &row[2]);
    EXPECT(part.shape[0] == 2 && part.shape[1] == 2 && part.shape[2] == 1);
    EXPECT(part.strides[0] == 0 && part.strides[1] == -2);
    EXPECT(!strcmp(part.version, "0.10.0"));
    EXPECT_OK(dap_array_check(&part, &err), &err);
  }
  dap_array_release(&part);
  dap_array_release(&whole);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* Only 0.9 can say what wraps round; it does for the part, if that axis is whole. */
static void the_version_that_can_say_it(void **state)
{
  (void)state;
  const dap_dist dists[] = {WRAPPED(6, 2, 1), PADDED(8, 2, 2)};
  dap_error err = {0};
  dap_layout *layout = NULL;
  dap_array whole, part;
  EXPECT_OK(dap_layout_create(2, dists, &layout, &err), &err);
  EXPECT_OK(dap_array_init(&whole, layout, 3, DAP_F4, DAP_ORDER_C, NULL, &err), &err);
  if (EXPECT_OK(part_of_array(&whole, layout, 3, (int64_t[]){0, 1}, (int64_t[]){6, 7}, &part, &err), &err)) {
    EXPECT(!strcmp(part.version, "0.9.0"));
    EXPECT(part.dims[0].periodic && part.dims[0].padding[1] == 1 && part.shape[0] == 5);
    EXPECT_INT(part.dims[1].start, 3);
    EXPECT_OK(dap_array_check(&part, &err), &err);
  }
  dap_array_release(&part);
  if (EXPECT_OK(part_of_array(&whole, layout, 3, (int64_t[]){1, 1}, (int64_t[]){6, 7}, &part, &err), &err)) {
    EXPECT(!strcmp(part.version, "0.10.0"));
    EXPECT(!part.dims[0].periodic && part.dims[0].padding[1] == 0 && part.shape[0] == 4);
    EXPECT_OK(dap_array_check(&part, &err), &err);
  }
  dap_array_release(&part);
  dap_array_release(&whole);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* A process that knows its own list only can take part of its own array if all lists are in order, and full
 * ranges of the layout. */
static void lists_that_others_know(void **state)
{
  (void)state;
  static const int64_t list[] = {0, 3, 4, 5};
  static const int64_t *const in_order[] = {list, list_1, list_2};
  const dap_dist dists[] = {LISTS(in_order), PADDED(4, 1, 0)};
  const int64_t zero[] = {0, 0}, lo[] = {1, 1}, hi[] = {4, 3}, full[] = {6, 4};
  dap_error err = {0};
  dap_layout *layout = NULL, *part = NULL;
  dap_array whole, other, window;
  EXPECT_OK(dap_layout_create(2, dists, &layout, &err), &err);
  EXPECT_OK(dap_array_init(&other, layout, 0, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  forget(layout, 0, 2);
  EXPECT_OK(dap_array_init(&whole, layout, 2, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  EXPECT_FAIL(part_of_layout(layout, lo, hi, &part, &err), DAP_ERR_REMOTE, &err, "axis 0|proc_grid_rank 0");
  EXPECT_OK(part_of_layout(layout, zero, full, &part, &err), &err);
  EXPECT(dap_layout_is_equal(layout, part));
  EXPECT_FAIL(part_of_array(&other, layout, 0, lo, hi, &window, &err), DAP_ERR_REMOTE, &err,
              "axis 0|proc_grid_rank 0");
  if (EXPECT_OK(part_of_array(&whole, layout, 2, lo, hi, &window, &err), &err)) {
    dap_layout_destroy(&layout);
    EXPECT_INT(window.dims[0].index_count, 2);
    EXPECT(dap_dim_index(&window.dims[0], 0) == 1 && dap_dim_index(&window.dims[0], 1) == 0);
    EXPECT(window.data == (double *)whole.data + 5 && window.strides[0] == 32 && window.shape[0] == 2);
    EXPECT_OK(dap_array_check(&window, &err), &err);
  }
  dap_array_release(&window);
  dap_array_release(&whole);
  dap_array_release(&other);
  dap_layout_destroy(&part);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* One process's elements would lie at unequal distances: the others are told so too, whether or not they
 * know that. */
static void all_processes_are_refused(void **state)
{
  (void)state;
  const dap_dist dist = LISTS(lists);
  const int64_t lo[] = {3}, hi[] = {6};
  for (int knows_all = 0; knows_all < 2; knows_all++)
    for (int rank = 0; rank < 3; rank++) {
      TEST_CASE("rank %d, %s", rank, knows_all ? "which knows all lists" : "which knows its own");
      dap_layout *layout = NULL;
      dap_array whole, part;
      dap_error err = {0};
      EXPECT_OK(dap_layout_create(1, &dist, &layout, &err), &err);
      if (!knows_all) forget(layout, 0, rank);
      EXPECT_OK(dap_array_init(&whole, layout, rank, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
      EXPECT_FAIL(part_of_array(&whole, layout, rank, lo, hi, &part, &err), DAP_ERR_SHARE, &err,
                  knows_all ? "axis 0|proc_grid_rank 0|3 .. 5" : "axis 0|neither ascend|3 .. 5|plan");
      dap_array_release(&whole);
      dap_layout_destroy(&layout);
    }
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_an_axis_becomes),
    cmocka_unit_test(what_is_refused),
    cmocka_unit_test(arguments_are_checked),
    cmocka_unit_test(impossible_strides),
    cmocka_unit_test(what_stays),
    cmocka_unit_test(the_version_that_can_say_it),
    cmocka_unit_test(lists_that_others_know),
    cmocka_unit_test(all_processes_are_refused),
};

MPI_TEST_MAIN(tests)
