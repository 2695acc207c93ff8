/* Tests parts by hand: the new kind of each axis, the processes of a section, refusals with their reasons,
 * and the unchanged properties of an array. */
#include "layouts.h"

#include <dapbridge/part.h>

/* Memory of a part in words: its axes "2 -1 1" (NULL: all), starts, and extents (NULL: to the end). */
typedef struct words {
  int axes[DAP_MAX_NDIM + 1];
  int64_t start[DAP_MAX_NDIM], shape[DAP_MAX_NDIM];
} words;

static int read_numbers(const char *text, int64_t numbers[], int most)
{
  int count = 0;
  char *end = NULL;
  for (; *text && count < most; text = end) numbers[count++] = strtoll(text, &end, 10);
  return count;
}

static dap_part part_of(const char *axes, const char *start, const char *shape, words *w)
{
  int64_t numbers[DAP_MAX_NDIM + 1];
  const int naxes = axes ? read_numbers(axes, numbers, DAP_MAX_NDIM + 1) : 0;
  for (int j = 0; j < naxes; j++) w->axes[j] = (int)numbers[j];
  (void)read_numbers(start, w->start, DAP_MAX_NDIM);
  if (shape) (void)read_numbers(shape, w->shape, DAP_MAX_NDIM);
  return (dap_part){naxes, axes ? w->axes : NULL, w->start, shape ? w->shape : NULL};
}

/* ---- in the words of dap_layout_summary() ------------------------------------------------------------ */

#define DUPLICATES "6: u[5,0,3,4][1][4,2,1]"
/* A layout with lists that hold 1 and 3 twice, a cyclic axis, halos, and an axis on one process. */
#define MIXED "6x8x9x5 on 3x2x3x1: u[5,0,3][3,1][4,2,1], c(2), b(halo 1), b"

static const struct {
  const char *why, *whole;
  int64_t lo, hi;
  const char *part;
} ranges[] = {
    {"everything", "9 on 3: b(halo 2)", 0, 9, "9 over 3: block(halo 2)"},
    {"nothing", "9 on 3: b(halo 2)", 4, 4, "0 over 3: block"},
    {"nothing, from the end", "9 on 3: b(halo 2)", 9, 9, "0 over 3: block"},
    {"a block inside one process", "9 on 3: b(halo 2)", 4, 5, "1 over 3: block(lengths 0 1 0)"},
    {"a neighbour with less shows less", "9 on 3: b(halo 2)", 2, 8,
     "6 over 3: block(lengths 1 3 2, halo 1 2)"},
    {"no halo towards a process that lost everything", "9 on 3: b(halo 1)", 3, 9,
     "6 over 3: block(lengths 0 3 3, halo 0 1)"},
    {"an empty process", "9: b[4,0,5]", 1, 8, "7 over 3: block(lengths 3 0 4)"},
    {"boundary that stays, in part", "9 on 2: b(boundary 3 2, periodic)", 1, 8,
     "7 over 2: block(boundary 2 1)"},
    {"boundary that is cut off", "9 on 2: b(boundary 3 2, periodic)", 3, 7, "4 over 2: block"},
    {"nothing but boundary", "9 on 2: b(boundary 3 2)", 1, 2, "1 over 2: block(boundary 1 0)"},
    {"both boundaries of one process", "6: b(boundary 4 2)", 3, 5, "2 over 1: block(boundary 1 1)"},
    {"everything of a periodic axis", "9 on 3: b(halo 1, periodic, wraps)", 0, 9,
     "9 over 3: block(halo 1, outer halo 1 1, periodic)"},
    {"what wrapped round is not there any more", "9 on 3: b(halo 1, periodic, wraps)", 0, 8,
     "8 over 3: block(halo 1)"},
    {"the same on one process", "9: b(outer halo 2, periodic)", 1, 9, "8 over 1: block"},
    {"everything cyclic", "10 on 3: c(2, first 1)", 0, 10, "10 over 3: cyclic(2, first 1)"},
    {"nothing cyclic", "10 on 3: c(2, first 1)", 5, 5, "0 over 3: cyclic(2)"},
    {"from a block's beginning", "10 on 3: c(2, first 1)", 4, 9, "5 over 3: cyclic(2)"},
    {"from a block's beginning, more than once round", "30 on 3: c(2, first 1)", 14, 29,
     "15 over 3: cyclic(2, first 2)"},
    {"inside one block", "30 on 3: c(5, first 2)", 11, 14, "3 over 3: cyclic(5, first 1)"},
    {"anywhere on one process", "30: c(4)", 3, 23, "20 over 1: cyclic(4)"},
    {"ascending owners", "30 on 3: c(4)", 14, 21, "7 over 3: block(lengths 2 4 1)"},
    {"two ascending owners of more", "30 on 4: c(4)", 6, 10, "4 over 4: block(lengths 0 2 2 0)"},
    {"owners that go round, but a second block no longer than the first", "30 on 3: c(4)", 10, 14,
     "4 over 3: cyclic(2, first 2)"},
    {"everything of lists", DUPLICATES, 0, 6, "6 over 3: unstructured(duplicates)"},
    {"none of lists", DUPLICATES, 3, 3, "0 over 3: unstructured"},
    {"lists with steps of 1 and 2", DUPLICATES, 1, 4, "3 over 3: unstructured(duplicates)"},
    {"duplicates that are none any more", DUPLICATES, 2, 4, "2 over 3: unstructured"},
    {"copies", "9 on 2: r", 2, 7, "5 over 2: replicated"},
};

static void axes_of_parts(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
    TEST_CASE("%s", ranges[i].why);
    dap_layout *layout = read_layout(ranges[i].whole), *part = NULL;
    const int64_t extent = ranges[i].hi - ranges[i].lo;
    dap_error err = {0};
    char text[256] = "";
    const dap_part range = {.start = &ranges[i].lo, .shape = &extent};
    if (EXPECT_OK(dap_layout_part(layout, &range, &part, NULL, &err), &err))
      dap_layout_summary(part, text, sizeof text);
    EXPECT_MSG(!strcmp(text, ranges[i].part), "the part is %s", text);
    dap_layout_destroy(&part);
    dap_layout_destroy(&layout);
  }
  SETTLE();
}

static const struct {
  const char *why, *axes, *start;
  const char *part, *ranks;
} sections[] = {
    {"a row of blocks", "1", "5 0 0 0", "8 over 2: cyclic(2)", "0 3"},
    {"the owner of a list's index, not the other who holds it", "1", "3 0 8 4", "8 over 2: cyclic(2)", "2 5"},
    {"the other order, a new axis between", "2 -1 1", "4 0 0 0",
     "9 x 1 x 8 over 3 x 1 x 2: block(halo 1), block, cyclic(2)", "12 15 13 16 14 17"},
    {"an index that neighbours have as padding", "3 0", "0 2 3 0",
     "5 x 6 over 1 x 3: block, unstructured(duplicates)", "4 10 16"},
    {"one element", "", "1 6 5 4", "scalar", "10"},
    {"new axes alone", "-1 -1", "2 1 0 0", "1 x 1 over 1 x 1: block, block", "12"},
};

static void sections_by_hand(void **state)
{
  (void)state;
  dap_layout *layout = read_layout(MIXED), *section = NULL;
  dap_error err = {0};
  for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
    int ranks[18];
    int64_t want[18];
    char text[256] = "";
    words w = {0};
    const dap_part part = part_of(sections[i].axes, sections[i].start, NULL, &w);
    const int nprocs = read_numbers(sections[i].ranks, want, 18);
    TEST_CASE("%s", sections[i].why);
    for (int p = 0; p < 18; p++) ranks[p] = -7;
    if (!EXPECT_OK(dap_layout_part(layout, &part, &section, ranks, &err), &err)) continue;
    dap_layout_summary(section, text, sizeof text);
    EXPECT_MSG(!strcmp(text, sections[i].part), "the section is %s", text);
    EXPECT_INT(dap_layout_nprocs(section), nprocs);
    for (int p = 0; p < 18; p++) EXPECT_INT(ranks[p], p < nprocs ? want[p] : -7);
    dap_layout_destroy(&section);
  }
  dap_layout_destroy(&layout);
  SETTLE();
}

/* ---- refused ---------------------------------------------------------------------------------------- */

static const struct {
  const char *why, *whole;
  const char *axes, *start, *shape;
  dap_status want;
  const char *parts;
} refusals[] = {
    {"negative", "4x9 on 1x3", NULL, "0 -1", "3 5", DAP_ERR_ARG, "axis 1|start -1|size = 9"},
    {"behind the end", "4x9 on 1x3", NULL, "0 2", "3 8", DAP_ERR_ARG, "axis 1|extent 8|start 2|size = 9"},
    {"backwards", "4x9 on 1x3", NULL, "0 5", "3 -1", DAP_ERR_ARG, "axis 1|extent -1|start 5"},
    {"a short first block", "4x40 on 1x3: b, c(4)", NULL, "0 5", "3 25", DAP_ERR_SHARE,
     "axis 1|index 5|block of 4|30|first block|3"},
    {"a short first block of two whose owners do not ascend", "4x40 on 1x3: b, c(4)", NULL, "0 11", "3 3",
     DAP_ERR_SHARE, "axis 1|index 11|block of 4|14|first block|of 1"},
    {"a short first block, of one column", "4x9 on 2x2: b, c(3)", "1", "3 1", "0 8", DAP_ERR_SHARE, "axis 1"},
    {"three at unequal distances", "4x6 on 1x3: b, u[5,0,3,4][1][4,2,1]", NULL, "0 3", "3 3", DAP_ERR_SHARE,
     "axis 1|proc_grid_rank 0|3 .. 5|positions 0, 2 and 3"},
    {"too many axes", MIXED, "-1 -1 -1 -1 -1 -1 -1 -1 -1", "0 0 0 0", NULL, DAP_ERR_ARG, "naxes 9|0 .. 8"},
    {"an axis behind the last", MIXED, "0 4", "0 0 0 0", NULL, DAP_ERR_ARG, "axes[1] = 4|-1 .. 3"},
    {"an axis before what makes a new one", MIXED, "-2 0", "0 0 0 0", NULL, DAP_ERR_ARG,
     "axes[0] = -2|-1 .. 3"},
    {"an axis twice", MIXED, "2 -1 2", "0 0 0 0", NULL, DAP_ERR_ARG, "axes[2] = 2|axes[0]"},
    {"an index behind the last", MIXED, "0 1", "0 0 9 0", NULL, DAP_ERR_ARG, "axis 2|index 9|size - 1 = 8"},
    {"a negative index", MIXED, "2 1", "0 0 0 -1", NULL, DAP_ERR_ARG, "axis 3|index -1|size - 1 = 4"},
    {"an index of an axis without elements", "4x0 on 2x1", "0", "0 0", NULL, DAP_ERR_ARG,
     "axis 1|index 0|-1"},
    {"one process's addends are no part of the array", "4x3 on 2x2: b, p", "0", "0 0", NULL,
     DAP_ERR_UNSUPPORTED, "axis 1|partial"},
};

/* All processes must refuse these parts, including those without elements of the part. */
static void refused_parts(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
    dap_error err = {0};
    words w = {0};
    const dap_part part = part_of(refusals[i].axes, refusals[i].start, refusals[i].shape, &w);
    TEST_CASE("%s", refusals[i].why);
    dap_layout *layout = read_layout(refusals[i].whole),
               *got = (dap_layout *)&err; /* any value except NULL */
    EXPECT_FAIL(dap_layout_part(layout, &part, &got, NULL, &err), refusals[i].want, &err, refusals[i].parts);
    EXPECT(got == NULL && err.rank == -1);
    EXPECT_INT(dap_layout_part(layout, &part, &got, NULL, NULL), refusals[i].want);
    for (int rank = 0; layout && rank < dap_layout_nprocs(layout); rank++) {
      dap_array whole, window;
      if (dap_array_init(&whole, layout, rank, DAP_F8, DAP_ORDER_C, NULL, &err) == DAP_ERR_UNSUPPORTED)
        continue;
      memset(&window, 1, sizeof window);
      EXPECT_FAIL(dap_array_part((dap_darray){layout, &whole}, rank, &part, &window, &err), refusals[i].want,
                  &err, refusals[i].parts);
      EXPECT(window.abi == 0 && window.data == NULL && window.release == NULL);
      dap_array_release(&whole);
    }
    dap_layout_destroy(&layout);
  }
  SETTLE();
}

static void arguments_are_checked(void **state)
{
  (void)state;
  const dap_part part = {.naxes = 2, .axes = (int[]){0, 2}}, no_axes = {.naxes = 2},
                 negative = {.naxes = -1, .axes = part.axes};
  dap_layout *layout = read_layout(MIXED), *got = NULL;
  dap_array whole, window;
  dap_error err = {0};
  EXPECT_OK(dap_array_init(&whole, layout, 2, DAP_F8, DAP_ORDER_F, NULL, &err), &err);
  const dap_array right = whole;
  const dap_darray array = {layout, &whole}, no_layout = {NULL, &whole}, no_array = {layout, NULL};
  EXPECT_FAIL(dap_layout_part(NULL, &part, &got, NULL, &err), DAP_ERR_ARG, &err, "layout|NULL");
  EXPECT_FAIL(dap_layout_part(layout, NULL, &got, NULL, &err), DAP_ERR_ARG, &err, "part|NULL");
  EXPECT_FAIL(dap_layout_part(layout, &no_axes, &got, NULL, &err), DAP_ERR_ARG, &err, "axes|NULL");
  EXPECT_FAIL(dap_layout_part(layout, &negative, &got, NULL, &err), DAP_ERR_ARG, &err, "naxes -1");
  EXPECT_FAIL(dap_layout_part(layout, &part, NULL, NULL, &err), DAP_ERR_ARG, &err, "layout_of_part|NULL");
  EXPECT_FAIL(dap_array_part(no_array, 2, &part, &window, &err), DAP_ERR_ARG, &err, "whole|NULL");
  EXPECT_FAIL(dap_array_part(no_layout, 2, &part, &window, &err), DAP_ERR_ARG, &err, "layout|NULL");
  EXPECT_FAIL(dap_array_part(array, 2, NULL, &window, &err), DAP_ERR_ARG, &err, "part|NULL");
  EXPECT_FAIL(dap_array_part(array, 2, &part, NULL, &err), DAP_ERR_ARG, &err, "array|NULL");
  EXPECT_FAIL(dap_array_part(array, 18, &part, &window, &err), DAP_ERR_ARG, &err, "rank 18|17");
  EXPECT_FAIL(dap_array_part(array, -1, &part, &window, &err), DAP_ERR_ARG, &err, "rank -1");
  EXPECT_FAIL(dap_array_part(array, 1, &part, &window, &err), DAP_ERR_ARG, &err, "axis 2|extent 4|5|rank 1");
  whole.data = NULL;
  EXPECT_FAIL(dap_array_part(array, 2, &part, &window, &err), DAP_ERR_ARG, &err, "data is NULL|240");
  whole = right;
  whole.ndim = 3;
  EXPECT_FAIL(dap_array_part(array, 2, &part, &window, &err), DAP_ERR_ARG, &err, "ndim is 3|4");
  whole = right;
  whole.dtype = DAP_NONE;
  EXPECT_FAIL(dap_array_part(array, 2, &part, &window, &err), DAP_ERR_ARG, &err, "dtype");
  whole = right;
  whole.strides[1] = INT64_MAX / 2; /* no memory can have it */
  const dap_part far = {2, part.axes, (int64_t[]){0, 5, 0, 0}, NULL};
  EXPECT_FAIL(dap_array_part(array, 2, &far, &window, &err), DAP_ERR_RANGE, &err, "axis 1|stride");
  EXPECT(window.release == NULL && window.data == NULL && window.abi == 0);
  whole = right;
  dap_array_release(&whole);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* ---- kept properties --------------------------------------------------------------------------------- */

/* Strides of a part without elements do not matter. */
static void no_elements(void **state)
{
  (void)state;
  dap_layout *layout = read_layout("9x9 on 1x2: b, b[9,0]");
  dap_array whole, part;
  dap_error err = {0};
  const dap_part range = {.start = (int64_t[]){5, 0}, .shape = (int64_t[]){4, 9}};
  EXPECT_OK(dap_array_init(&whole, layout, 1, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  whole.strides[0] = INT64_MAX / 2;
  EXPECT_OK(dap_array_part((dap_darray){layout, &whole}, 1, &range, &part, &err), &err);
  EXPECT(part.abi == DAP_ARRAY_ABI && part.data == NULL && part.shape[0] == 4 && part.shape[1] == 0);
  dap_array_release(&part);
  dap_array_release(&whole);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* A part keeps type, access, byte order and strides, also strides of 0 and negative ones. New axes have
 * strides as in C order. */
static void kept_properties(void **state)
{
  (void)state;
  int16_t memory[64] = {0};
  dap_layout *layout = read_layout("6x6x3 on 2x2x1: b, b(halo 1), b");
  dap_array whole, part;
  dap_error err = {0};
  EXPECT_OK(dap_array_init(&whole, layout, 1, DAP_I2, DAP_ORDER_C, memory, &err), &err);
  whole.strides[0] = 0; /* one plane, three times */
  whole.strides[1] = -10;
  whole.strides[2] = 2;
  whole.data = &memory[40];
  whole.readonly = whole.swapped = true;
  const dap_part owned = {3, (int[]){2, -1, 0}, (int64_t[]){0, 5, 0}, NULL},
                 shown = {3, owned.axes, NULL, NULL};
  if (EXPECT_OK(dap_array_part((dap_darray){layout, &whole}, 1, &owned, &part, &err), &err)) {
    EXPECT(part.readonly && part.swapped && part.dtype == DAP_I2);
    EXPECT(part.data == &memory[25]); /* after the one element of padding: position 3 */
    EXPECT(part.shape[0] == 3 && part.shape[1] == 1 && part.shape[2] == 3);
    EXPECT(part.strides[0] == 2 && part.strides[1] == 6 && part.strides[2] == 0);
    EXPECT_OK(dap_array_check(&part, &err), &err);
  }
  dap_array_release(&part);
  EXPECT_OK(dap_array_part((dap_darray){layout, &whole}, 1, &shown, &part, &err), &err);
  EXPECT_INT(part.abi, 0); /* it holds index 2 of axis 1, but does not own 0 */
  dap_array_release(&whole);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* Only 0.9 can describe padding that wraps around, and only 0.10 boundary padding of a periodic axis. */
static void version_of_parts(void **state)
{
  (void)state;
  static const struct {
    const char *axes, *start, *version; /* NULL: neither version */
  } cases[] = {{"0", "0 0 0", "0.9.0"},  {"0 2", "0 0 1", "0.9.0"}, {"0", "1 0 0", "0.10.0"},
               {"1", "0 0 0", "0.10.0"}, {"2", "0 0 0", "0.10.0"},  {"1 0", "0 0 0", NULL}};
  dap_layout *layout =
      read_layout("6x4x8 on 2x1x2: b(halo 1, periodic, wraps), b(boundary 1 1, periodic), b(halo 2)");
  dap_error err = {0};
  double memory[5 * 4 * 6] = {0};
  dap_array part,
      whole = {.ndim = 3, .dtype = DAP_F8, .data = memory, .shape = {5, 4, 6}, .strides = {192, 48, 8}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    words w = {0};
    const dap_part choice = part_of(cases[i].axes, cases[i].start, NULL, &w);
    TEST_CASE("axes %s from %s", cases[i].axes, cases[i].start);
    EXPECT_STATUS(dap_array_part((dap_darray){layout, &whole}, 0, &choice, &part, &err),
                  cases[i].version ? DAP_OK : DAP_ERR_UNSUPPORTED, &err);
    EXPECT(cases[i].version ? !strcmp(part.version, cases[i].version) : part.abi == 0);
    if (cases[i].version && part.abi) EXPECT_OK(dap_array_check(&part, &err), &err);
    dap_array_release(&part);
  }
  dap_layout_destroy(&layout);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(axes_of_parts),    cmocka_unit_test(sections_by_hand),
    cmocka_unit_test(refused_parts),    cmocka_unit_test(arguments_are_checked),
    cmocka_unit_test(no_elements),      cmocka_unit_test(kept_properties),
    cmocka_unit_test(version_of_parts),
};

MPI_TEST_MAIN(tests)
