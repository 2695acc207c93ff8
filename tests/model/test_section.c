/* Sections by hand: which processes have them and what they are, what is refused and why, what an array
 * keeps. */
#include "listed.h"
#include "mpi_test.h"

#include <dapbridge/part.h>

/* 6 x 8 x 9 x 5 over 3 x 2 x 3 x 1: lists with 1 and 3 held twice, cyclic, halos, one process. */
static dap_layout *make_mixed(void)
{
  const dap_dist dists[] = {listed_axis(), dap_dist_cyclic(8, 2, 2), dap_dist_padded(9, 3, 1),
                            dap_dist_local(5)};
  dap_layout *layout = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(4, dists, &layout, &err), &err);
  return layout;
}

static const struct {
  const char *why;
  int ndim, axes[4];
  int64_t index[4];
  const char *section; /* in the words of dap_layout_summary() */
  int nprocs, ranks[18];
} rows[] = {
    {"everything",
     4,
     {0, 1, 2, 3},
     {0, 0, 0, 0},
     "6 x 8 x 9 x 5 over 3 x 2 x 3 x 1: unstructured(duplicates), cyclic(2), block(halo 1), block",
     18,
     {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17}},
    {"a row of blocks", 1, {1}, {5, 0, 0, 0}, "8 over 2: cyclic(2)", 2, {0, 3}},
    {"the owner of a list's index, not the other who holds it",
     1,
     {1},
     {3, 0, 8, 4},
     "8 over 2: cyclic(2)",
     2,
     {2, 5}},
    {"the other order, a new axis between",
     3,
     {2, -1, 1},
     {4, 0, 0, 0},
     "9 x 1 x 8 over 3 x 1 x 2: block(halo 1), block, cyclic(2)",
     6,
     {12, 15, 13, 16, 14, 17}},
    {"an index that neighbours have as padding",
     2,
     {3, 0},
     {0, 2, 3, 0},
     "5 x 6 over 1 x 3: block, unstructured(duplicates)",
     3,
     {4, 10, 16}},
    {"one element", 0, {0}, {1, 6, 5, 4}, "scalar", 1, {10}},
    {"new axes alone", 2, {-1, -1}, {2, 1, 0, 0}, "1 x 1 over 1 x 1: block, block", 1, {12}},
};

static void sections_by_hand(void **state)
{
  (void)state;
  dap_layout *layout = make_mixed(), *section = NULL;
  dap_error err = {0};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    int ranks[18];
    char text[256] = "";
    TEST_CASE("%s", rows[i].why);
    for (int p = 0; p < 18; p++) ranks[p] = -7;
    EXPECT_OK(dap_layout_part(
                  layout, &(dap_part){.naxes = rows[i].ndim, .axes = rows[i].axes, .start = rows[i].index},
                  &section, ranks, &err),
              &err);
    if (!section) continue;
    dap_layout_summary(section, text, sizeof text);
    EXPECT_MSG(!strcmp(text, rows[i].section), "the section is %s", text);
    EXPECT_INT(dap_layout_nprocs(section), rows[i].nprocs);
    for (int p = 0; p < 18; p++) EXPECT_INT(ranks[p], p < rows[i].nprocs ? rows[i].ranks[p] : -7);
    dap_layout_destroy(&section);
  }
  dap_layout_destroy(&layout);
  SETTLE();
}

static const struct {
  const char *why;
  int ndim, axes[4];
  int64_t index[4];
  const char *parts;
} refusals[] = {
    {"fewer than none", -1, {0}, {0}, "naxes -1|0 .. 8"},
    {"too many", DAP_MAX_NDIM + 1, {0}, {0}, "naxes 9|0 .. 8"},
    {"an axis behind the last", 2, {0, 4}, {0}, "axes[1] = 4|-1 .. 3"},
    {"an axis before what makes a new one", 2, {-2, 0}, {0}, "axes[0] = -2|-1 .. 3"},
    {"an axis twice", 3, {2, -1, 2}, {0}, "axes[2] = 2|axes[0]"},
    {"an index behind the last", 2, {0, 1}, {0, 0, 9, 0}, "axis 2|index 9|size - 1 = 8"},
    {"a negative index", 2, {2, 1}, {0, 0, 0, -1}, "axis 3|index -1|size - 1 = 4"},
};

static void what_is_refused(void **state)
{
  (void)state;
  dap_layout *layout = make_mixed();
  dap_array whole, part;
  dap_error err = {0};
  EXPECT_OK(dap_array_init(&whole, layout, 7, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
    const int n = refusals[i].ndim, *axes = refusals[i].axes;
    const int64_t *index = refusals[i].index;
    dap_layout *section = (dap_layout *)&err; /* anything but NULL */
    int ranks[18];
    TEST_CASE("%s", refusals[i].why);
    EXPECT_FAIL(
        dap_layout_part(layout, &(dap_part){.naxes = n, .axes = axes, .start = index}, &section, ranks, &err),
        DAP_ERR_ARG, &err, refusals[i].parts);
    EXPECT(section == NULL);
    memset(&part, 1, sizeof part);
    EXPECT_FAIL(dap_array_part((dap_darray){layout, &whole}, 7,
                               &(dap_part){.naxes = n, .axes = axes, .start = index}, &part, &err),
                DAP_ERR_ARG, &err, refusals[i].parts);
    EXPECT(part.abi == 0 && part.data == NULL && part.release == NULL);
    EXPECT_INT(
        dap_layout_part(layout, &(dap_part){.naxes = n, .axes = axes, .start = index}, &section, ranks, NULL),
        DAP_ERR_ARG);
  }
  dap_array_release(&whole);
  dap_layout_destroy(&layout);
  SETTLE();
}

static void an_empty_axis_has_no_index(void **state)
{
  (void)state;
  const dap_dist dists[] = {dap_dist_even(4, 2), dap_dist_local(0)};
  dap_layout *layout = NULL, *section = NULL;
  dap_array whole, part;
  dap_error err = {0};
  int ranks[2];
  EXPECT_OK(dap_layout_create(2, dists, &layout, &err), &err);
  EXPECT_FAIL(dap_layout_part(layout, &(dap_part){.naxes = 1, .axes = (int[]){0}}, &section, ranks, &err),
              DAP_ERR_ARG, &err, "axis 1|index 0|-1");
  EXPECT_OK(dap_layout_part(layout, &(dap_part){.naxes = 1, .axes = (int[]){1}, .start = (int64_t[]){3, 0}},
                            &section, ranks, &err),
            &err);
  EXPECT(ranks[0] == 1 && dap_layout_count(section) == 0);
  EXPECT_OK(dap_array_init(&whole, layout, 1, DAP_I4, DAP_ORDER_C, NULL, &err), &err);
  whole.strides[0] = INT64_MAX; /* of no element */
  EXPECT_OK(dap_array_part((dap_darray){layout, &whole}, 1,
                           &(dap_part){.naxes = 1, .axes = (int[]){1}, .start = (int64_t[]){3, 0}}, &part,
                           &err),
            &err);
  EXPECT(part.abi == DAP_ARRAY_ABI && part.data == NULL && part.ndim == 1 && part.shape[0] == 0);
  dap_array_release(&part);
  dap_array_release(&whole);
  dap_layout_destroy(&section);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* One process's addends are no part of the array; one copy of many is. */
static void addends_are_no_part(void **state)
{
  (void)state;
  const dap_part part = {.naxes = 1, .axes = (int[]){0}};
  const struct {
    dap_dist second;
    dap_status want;
  } cases[] = {{dap_dist_partial(3, 2), DAP_ERR_UNSUPPORTED},
               {dap_dist_partial(3, 1), DAP_OK},
               {dap_dist_replicated(3, 2), DAP_OK}};
  for (int i = 0; i < 3; i++) {
    dap_layout *layout = NULL, *section = NULL;
    dap_error err = {0};
    const dap_dist dists[] = {dap_dist_even(4, 2), cases[i].second};
    EXPECT_OK(dap_layout_create(2, dists, &layout, &err), &err);
    const dap_status s = dap_layout_part(layout, &part, &section, NULL, &err);
    if (cases[i].want) EXPECT_FAIL(s, cases[i].want, &err, "axis 1 is partial");
    if (!cases[i].want && EXPECT_OK(s, &err)) EXPECT_INT(dap_layout_nprocs(section), 2);
    dap_layout_destroy(&section);
    dap_layout_destroy(&layout);
  }
  SETTLE();
}

static void arguments_are_checked(void **state)
{
  (void)state;
  const int axes[] = {0, 2};
  int ranks[18];
  dap_layout *layout = make_mixed(), *section = NULL;
  dap_array whole, wrong, part;
  dap_error err = {0};
  EXPECT_OK(dap_array_init(&whole, layout, 2, DAP_F8, DAP_ORDER_F, NULL, &err), &err);
  EXPECT_FAIL(dap_layout_part(NULL, &(dap_part){.naxes = 2, .axes = axes}, &section, ranks, &err),
              DAP_ERR_ARG, &err, "layout|NULL");
  EXPECT_FAIL(dap_layout_part(layout, &(dap_part){.naxes = 2}, &section, ranks, &err), DAP_ERR_ARG, &err,
              "axes|NULL");
  EXPECT_FAIL(dap_layout_part(layout, &(dap_part){.naxes = 2, .axes = axes}, NULL, ranks, &err), DAP_ERR_ARG,
              &err, "layout_of_part|NULL");
  EXPECT_FAIL(
      dap_array_part((dap_darray){layout, NULL}, 2, &(dap_part){.naxes = 2, .axes = axes}, &part, &err),
      DAP_ERR_ARG, &err, "whole|NULL");
  EXPECT_FAIL(
      dap_array_part((dap_darray){NULL, &whole}, 2, &(dap_part){.naxes = 2, .axes = axes}, &part, &err),
      DAP_ERR_ARG, &err, "layout|NULL");
  EXPECT_FAIL(
      dap_array_part((dap_darray){layout, &whole}, 2, &(dap_part){.naxes = 2, .axes = axes}, NULL, &err),
      DAP_ERR_ARG, &err, "array|NULL");
  EXPECT_FAIL(
      dap_array_part((dap_darray){layout, &whole}, 18, &(dap_part){.naxes = 2, .axes = axes}, &part, &err),
      DAP_ERR_ARG, &err, "rank 18|17");
  EXPECT_FAIL(
      dap_array_part((dap_darray){layout, &whole}, 1, &(dap_part){.naxes = 2, .axes = axes}, &part, &err),
      DAP_ERR_ARG, &err, "axis 2|extent 4|the 5|rank 1");
  wrong = whole;
  wrong.data = NULL;
  EXPECT_FAIL(
      dap_array_part((dap_darray){layout, &wrong}, 2, &(dap_part){.naxes = 2, .axes = axes}, &part, &err),
      DAP_ERR_ARG, &err, "data is NULL|240");
  wrong = whole;
  wrong.strides[1] = INT64_MAX / 2;
  EXPECT_FAIL(dap_array_part((dap_darray){layout, &wrong}, 2,
                             &(dap_part){.naxes = 2, .axes = axes, .start = (int64_t[]){0, 5, 0, 0}}, &part,
                             &err),
              DAP_ERR_RANGE, &err, "axis 1|stride");
  EXPECT(part.abi == 0);
  dap_array_release(&whole);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* A range and a section at once are the section of the range. */
static void both_at_once(void **state)
{
  (void)state;
  const int axes[] = {2, -1, 1};
  const int64_t start[] = {3, 2, 1, 4}, shape[] = {0, 5, 7, 0}, none[] = {0, 2, 1, 0}, all[] = {6, 5, 7, 5};
  const dap_part both = {3, axes, start, shape}, range = {.start = none, .shape = all};
  const dap_part section = {3, axes, (const int64_t[]){3, 0, 0, 4}, NULL};
  dap_layout *layout = make_mixed(), *middle = NULL, *want = NULL, *part = NULL;
  int ranks[18], same[18], found = 0;
  dap_error err = {0};
  EXPECT_OK(dap_layout_part(layout, &range, &middle, same, &err), &err);
  EXPECT_OK(dap_layout_part(middle, &section, &want, same, &err), &err);
  EXPECT_OK(dap_layout_part(layout, &both, &part, ranks, &err), &err);
  EXPECT(dap_layout_is_equal(want, part) && !memcmp(ranks, same, 6 * sizeof *ranks));
  for (int rank = 0; rank < 18; rank++) {
    dap_array whole, window, step, last;
    EXPECT_OK(dap_array_init(&whole, layout, rank, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
    EXPECT_OK(dap_array_part((dap_darray){layout, &whole}, rank, &both, &window, &err), &err);
    EXPECT_OK(dap_array_part((dap_darray){layout, &whole}, rank, &range, &step, &err), &err);
    EXPECT_OK(dap_array_part((dap_darray){middle, &step}, rank, &section, &last, &err), &err);
    EXPECT(window.data == last.data && window.abi == last.abi);
    EXPECT(!memcmp(window.strides, last.strides, sizeof last.strides));
    EXPECT(!memcmp(window.shape, last.shape, sizeof last.shape));
    found += window.abi != 0;
    dap_array_release(&last);
    dap_array_release(&step);
    dap_array_release(&window);
    dap_array_release(&whole);
  }
  EXPECT_INT(found, 6);
  dap_layout_destroy(&part);
  dap_layout_destroy(&want);
  dap_layout_destroy(&middle);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* What is not of the section stays as it is: type, access, byte order, strides; new axes are as in C
 * order. */
static void what_stays(void **state)
{
  (void)state;
  const dap_dist dists[] = {dap_dist_even(6, 2), dap_dist_padded(6, 2, 1), dap_dist_local(3)};
  const int axes[] = {2, -1, 0};
  int16_t memory[64] = {0};
  dap_layout *layout = NULL;
  dap_array whole, part;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(3, dists, &layout, &err), &err);
  EXPECT_OK(dap_array_init(&whole, layout, 1, DAP_I2, DAP_ORDER_C, memory, &err), &err);
  whole.strides[0] = 0; /* one plane, three times */
  whole.strides[1] = -10;
  whole.strides[2] = 2;
  whole.data = &memory[40];
  whole.readonly = whole.swapped = true;
  if (EXPECT_OK(dap_array_part((dap_darray){layout, &whole}, 1,
                               &(dap_part){.naxes = 3, .axes = axes, .start = (int64_t[]){0, 5, 0}}, &part,
                               &err),
                &err)) {
    EXPECT(part.readonly && part.swapped && part.dtype == DAP_I2);
    EXPECT(part.data == &memory[25]); /* behind the one element of padding: position 3 */
    EXPECT(part.shape[0] == 3 && part.shape[1] == 1 && part.shape[2] == 3);
    EXPECT(part.strides[0] == 2 && part.strides[1] == 6 && part.strides[2] == 0);
    EXPECT(!strcmp(part.version, "0.10.0"));
    EXPECT_OK(dap_array_check(&part, &err), &err);
  }
  dap_array_release(&part);
  EXPECT_OK(
      dap_array_part((dap_darray){layout, &whole}, 1, &(dap_part){.naxes = 3, .axes = axes}, &part, &err),
      &err);
  EXPECT_INT(part.abi, 0); /* it shows index 2 of axis 1, but does not own 0 */
  dap_array_release(&whole);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* Only 0.9 can say what wraps round; without that axis 0.10 can say the rest. */
static void the_version_that_can_say_it(void **state)
{
  (void)state;
  const dap_dist dists[] = {{.procs = 2, .size = 6, .halo = 1, .periodic = true, .wraps = true},
                            {.procs = 1, .size = 4, .boundary = {1, 1}, .periodic = true},
                            dap_dist_padded(8, 2, 2)};
  const struct {
    int axis;
    dap_status want;
    const char *version;
  } cases[] = {{0, DAP_OK, "0.9.0"}, {1, DAP_OK, "0.10.0"}, {2, DAP_OK, "0.10.0"}};
  dap_layout *layout = NULL;
  dap_error err = {0};
  double memory[5 * 4 * 6] = {0};
  EXPECT_OK(dap_layout_create(3, dists, &layout, &err), &err);
  dap_array part,
      whole = {.ndim = 3, .dtype = DAP_F8, .data = memory, .shape = {5, 4, 6}, .strides = {192, 48, 8}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    EXPECT_STATUS(dap_array_part((dap_darray){layout, &whole}, 0,
                                 &(dap_part){.naxes = 1, .axes = &cases[i].axis}, &part, &err),
                  cases[i].want, &err);
    EXPECT(!strcmp(part.version, cases[i].version) && part.dims[0].periodic == (cases[i].axis < 2));
    dap_array_release(&part);
  }
  EXPECT_FAIL(dap_array_part((dap_darray){layout, &whole}, 0, &(dap_part){.naxes = 2, .axes = (int[]){1, 0}},
                             &part, &err),
              DAP_ERR_UNSUPPORTED, &err, "");
  EXPECT_INT(part.abi, 0);
  dap_layout_destroy(&layout);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(sections_by_hand),
    cmocka_unit_test(what_is_refused),
    cmocka_unit_test(an_empty_axis_has_no_index),
    cmocka_unit_test(addends_are_no_part),
    cmocka_unit_test(arguments_are_checked),
    cmocka_unit_test(both_at_once),
    cmocka_unit_test(what_stays),
    cmocka_unit_test(the_version_that_can_say_it),
};

MPI_TEST_MAIN(tests)
