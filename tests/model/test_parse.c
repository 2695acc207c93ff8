/* Tests dap_layout_parse() and dap_layout_format(): texts and their layouts. */
#include "layouts.h"

static const struct {
  const char *why, *text, *format; /* NULL: equals the text */
} rows[] = {
    {"a scalar", "scalar", NULL},
    {"the issue's example", "100x80 on 2x2: b, c(8)", NULL},
    {"blanks wherever they can be, and line ends", " 100 x 80\ton 2 x 2 :\n b , c ( 8 ) \r\n",
     "100x80 on 2x2: b, c(8)"},
    {"no blanks where none are needed", "100x80on2x2:b,c(8,first 1);ranks 2 0 3 1",
     "100x80 on 2x2: b, c(8, first 1); ranks 2 0 3 1"},
    {"a size alone", "7", "7 on 1: b"},
    {"no distribution is blocks", "7 on 3", "7 on 3: b"},
    {"no grid is as many as there are lengths, else one", "100 x 5 x 9: b[30,70], n, c(2)",
     "100x5x9 on 2x1x1: b[30,70], b, c(2)"},
    {"whole words, lengths in words, one of them 0",
     "5 x 6 x 4 x 8 over 3 x 2 x 2 x 1: block(lengths 2 0 3), replicated, partial, local",
     "5x6x4x8 on 3x2x2x1: b[2,0,3], r, p, b"},
    {"lengths that are an even cut", "5: b[3 2]", "5 on 2: b"},
    {"ceiling, where it is not even", "5 on 4: b(ceil)", NULL},
    {"a cyclic axis of single elements", "9 on 2: c", NULL},
    {"of which another process has the first", "9 on 2: cyclic(first 1)", "9 on 2: c(first 1)"},
    {"all about a block, in any order", "9 on 2: b(periodic, boundary 1 0, halo 2)",
     "9 on 2: b(halo 2, boundary 1 0, periodic)"},
    {"one number for both ends", "9 on 2: b(boundary 1)", "9 on 2: b(boundary 1 1)"},
    {"lengths, and a halo that wraps round", "100: b[30,70](halo 2, periodic, wraps)",
     "100 on 2: b[30,70](halo 2, outer halo 2 2, periodic)"},
    {"a halo that wraps round, its one width given for each interface",
     "9 on 3: b(halo 2 2, periodic, wraps)", "9 on 3: b(halo 2, outer halo 2 2, periodic)"},
    {"a halo that wraps round one process", "9: b(outer halo 2, periodic)",
     "9 on 1: b(outer halo 2 2, periodic)"},
    {"lists, an empty one among them, one to one", "3: u[0,2][][1](one to one)",
     "3 on 3: u[0,2][][1](one to one)"},
    {"duplicates, of which the first owns", "6 on 3: unstructured [0 2 3] [1 3 4] [5 0]",
     "6 on 3: u[0,2,3][1,3,4][5,0]"},
    {"ghosts", "6 on 3: u[0,2,~3][1,3,4][5,~0]", NULL},
    {"nothing at all", "0x0 on 2x1: b, r", NULL},
    {"as much as there can be", "9223372036854775807 on 1048576: c(9223372036854775807, first 1048575)",
     NULL},
};

/* Compares layouts with their texts. Random layouts below test the short form. */
static void texts_are_layouts(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const char *format = rows[i].format ? rows[i].format : rows[i].text;
    TEST_CASE("%s: %s", rows[i].why, rows[i].text);
    dap_layout *got = read_layout(rows[i].text), *want = read_layout(format);
    if (got && want) {
      EXPECT(dap_layout_is_equal(want, got));
      expect_text(dap_layout_format, got, format);
    }
    dap_layout_destroy(&want);
    dap_layout_destroy(&got);
  }
  SETTLE();
}

/* Expected distributions, because a text that is read and written with the same fault would come back
 * equal. */
static const int64_t two[] = {30, 70}, of_lists[] = {3, 0, 2}, list_0[] = {3, 0, 2}, list_2[] = {1, 2},
                     none[] = {0};
static const int64_t *const lists[] = {list_0, none, list_2};
static const bool flags_0[] = {true, true, false}, flags_2[] = {true, true};
static const bool *const flags[] = {flags_0, flags_2, flags_2};
static const int turned[] = {2, 0, 3, 1};

static const struct {
  const char *text;
  int ndim;
  dap_dist dists[4];
  const int *ranks;
} meanings[] = {
    {"7 on 3", 1, {{.procs = 3, .size = 7}}, NULL},
    {"5 on 4: b(ceil)", 1, {{.kind = DAP_DIST_CEIL, .procs = 4, .size = 5}}, NULL},
    {"9 on 2: b(boundary 1 0, halo 2, periodic)",
     1,
     {{.procs = 2, .size = 9, .halo = 2, .boundary = {1, 0}, .periodic = true}},
     NULL},
    {"9 on 2: b(boundary 1)", 1, {{.procs = 2, .size = 9, .boundary = {1, 1}}}, NULL},
    {"100: b[30,70](halo 2, periodic, wraps)",
     1,
     {{.kind = DAP_DIST_LENGTHS,
       .procs = 2,
       .size = 100,
       .lengths = two,
       .halo = 2,
       .periodic = true,
       .wraps = true}},
     NULL},
    {"9: b(outer halo 2, periodic)",
     1,
     {{.procs = 1, .size = 9, .halo = 2, .periodic = true, .wraps = true}},
     NULL},
    {"9 on 2: c(first 1)",
     1,
     {{.kind = DAP_DIST_CYCLIC, .procs = 2, .size = 9, .block_size = 1, .first_owner = 1}},
     NULL},
    {"100x80 on 2x2: b, c(8, first 1); ranks 2 0 3 1",
     2,
     {{.procs = 2, .size = 100},
      {.kind = DAP_DIST_CYCLIC, .procs = 2, .size = 80, .block_size = 8, .first_owner = 1}},
     turned},
    {"6x4x8 on 2x3x1: r, p, n",
     3,
     {{.kind = DAP_DIST_REPLICATED, .procs = 2, .size = 6},
      {.kind = DAP_DIST_PARTIAL, .procs = 3, .size = 4},
      {.procs = 1, .size = 8}},
     NULL},
    {"4: u[3,0,~2][][1,2]",
     1,
     {{.kind = DAP_DIST_UNSTRUCTURED,
       .procs = 3,
       .size = 4,
       .lengths = of_lists,
       .indices = lists,
       .is_owned = flags}},
     NULL},
};

static void texts_mean_distributions(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof meanings / sizeof meanings[0]; i++) {
    TEST_CASE("%s", meanings[i].text);
    dap_layout *want = layout_make(meanings[i].ndim, meanings[i].dists, meanings[i].ranks),
               *got = read_layout(meanings[i].text);
    if (want && got) EXPECT(dap_layout_is_equal(want, got));
    dap_layout_destroy(&want);
    dap_layout_destroy(&got);
  }
  SETTLE();
}

/* ---- there and back ------------------------------------------------------------------------------- */

static char text[1 << 16];

static void expect_back(const dap_layout *layout, text_writer *write)
{
  dap_layout *back = NULL;
  dap_error err = {0};
  EXPECT(write(layout, text, sizeof text) < sizeof text);
  EXPECT_OK(dap_layout_parse(text, &back, &err), &err);
  EXPECT_MSG(back && dap_layout_is_equal(layout, back), "%s", text);
  EXPECT(!back || dap_layout_hash(layout) == dap_layout_hash(back));
  dap_layout_destroy(&back);
}

/* Returns whether dap_layout_summary() describes the layout completely. */
static bool says_all(const dap_layout *layout)
{
  (void)dap_layout_summary(layout, text, sizeof text);
  return !strstr(text, "...") && !strstr(text, "unstructured");
}

static random_array array;

static void random_layouts(void **state)
{
  (void)state;
  test_random random = test_random_init(91);
  int summaries = 0;
  for (int i = 0; i < test_cases(4000); i++) {
    const int nprocs = (int)test_random_int(&random, 1, 12), ndim = (int)test_random_int(&random, 1, 4);
    int64_t size[DAP_MAX_NDIM];
    random_shape(&random, ndim, 200, size);
    random_array_draw(&random, nprocs, ndim, size, &array);
    TEST_CASE("case %d: %s", i, random_array_text(&array));
    dap_layout *layout = random_array_layout(&array);
    if (!layout) continue;
    expect_back(layout, dap_layout_format);
    if (says_all(layout)) {
      expect_back(layout, dap_layout_summary);
      summaries++;
    }
    dap_layout_destroy(&layout);
  }
  EXPECT(summaries > 0);
  SETTLE();
}

static void halos_that_differ(void **state)
{
  (void)state;
  static const char differ[] = "10 on 3: b[2,4,4](halo 2 3)";
  dap_layout *layout = read_layout(differ);
  if (layout) {
    int64_t halo[2];
    dap_layout_halo(layout, 0, 1, halo);
    EXPECT(halo[0] == 2 && halo[1] == 3);
    expect_text(dap_layout_format, layout, differ);
    expect_back(layout, dap_layout_format);
    expect_back(layout, dap_layout_summary);
  }
  dap_layout_destroy(&layout);
  SETTLE();
}

/* ---- any text ---------------------------------------------------------------------------------------- */

/* Checks that the text is a layout, or gives an error with its place. */
static void expect_sane(const char *spoiled)
{
  dap_layout *layout = NULL;
  dap_error err = {0};
  unsigned column = 0;
  const dap_status s = dap_layout_parse(spoiled, &layout, &err);
  TEST_CASE("%s", spoiled);
  EXPECT((s == DAP_OK) == (layout != NULL));
  if (layout && dap_layout_nprocs(layout) < 1000) expect_back(layout, dap_layout_format);
  EXPECT_MSG(layout || (sscanf(err.text, "column %u: ", &column) == 1 && column >= 1 &&
                        column <= strlen(spoiled) + 1),
             "%s", err.text);
  dap_layout_destroy(&layout);
}

/* Tests every text above, cut off anywhere, and with any character replaced. */
static void spoiled_texts(void **state)
{
  (void)state;
  static const char signs[] = " 09x:,;()[]~bcunofr.\x80";
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    char spoiled[128];
    const size_t length = strlen(rows[i].text);
    for (size_t at = 0; at < length; at++) {
      snprintf(spoiled, sizeof spoiled, "%.*s", (int)at, rows[i].text);
      expect_sane(spoiled);
      for (size_t c = 0; signs[c]; c++) {
        snprintf(spoiled, sizeof spoiled, "%s", rows[i].text);
        spoiled[at] = signs[c];
        expect_sane(spoiled);
      }
    }
  }
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(texts_are_layouts), cmocka_unit_test(texts_mean_distributions),
    cmocka_unit_test(random_layouts),    cmocka_unit_test(halos_that_differ),
    cmocka_unit_test(spoiled_texts),
};

MPI_TEST_MAIN(tests)
