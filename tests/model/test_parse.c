/* dap_layout_parse() and dap_layout_format(): texts and the layouts that they are. */
#include "forget.h"
#include "mpi_test.h"
#include "random_array.h"

#include <dapbridge/parse.h>
#include <dapbridge/part.h>

static const int64_t two[] = {30, 70}, with_none[] = {2, 0, 3}, list_lengths[] = {3, 3, 2};
static const int64_t list_0[] = {0, 2, 3}, list_1[] = {1, 3, 4}, list_2[] = {5, 0}, none[] = {0};
static const int64_t *const lists[] = {list_0, list_1, list_2};
static const bool flags_0[] = {true, true, false}, flags_1[] = {true, true, true}, flags_2[] = {true, false};
static const bool *const flags[] = {flags_0, flags_1, flags_2};
static const int64_t own_lengths[] = {2, 0, 1}, own_0[] = {0, 2}, own_2[] = {1};
static const int64_t *const own_lists[] = {own_0, none, own_2};
static const int turned[] = {2, 0, 3, 1};

static const struct {
  const char *why, *text, *format; /* NULL: it is the text */
  int ndim;
  dap_dist dists[4];
  const int *ranks;
} rows[] = {
    {"a scalar", "scalar", NULL, 0, {{0}}, NULL},
    {"the issue's example",
     "100x80 on 2x2: b, c(8)",
     NULL,
     2,
     {{.procs = 2, .size = 100}, {.kind = DAP_DIST_CYCLIC, .procs = 2, .size = 80, .block_size = 8}},
     NULL},
    {"blanks wherever they can be, and line ends",
     " 100 x 80\ton 2 x 2 :\n b , c ( 8 ) \r\n",
     "100x80 on 2x2: b, c(8)",
     2,
     {{.procs = 2, .size = 100}, {.kind = DAP_DIST_CYCLIC, .procs = 2, .size = 80, .block_size = 8}},
     NULL},
    {"no blanks where none are needed",
     "100x80on2x2:b,c(8,first 1);ranks 2 0 3 1",
     "100x80 on 2x2: b, c(8, first 1); ranks 2 0 3 1",
     2,
     {{.procs = 2, .size = 100},
      {.kind = DAP_DIST_CYCLIC, .procs = 2, .size = 80, .block_size = 8, .first_owner = 1}},
     turned},
    {"a size alone", "7", "7 on 1: b", 1, {{.procs = 1, .size = 7}}, NULL},
    {"no distribution is blocks", "7 on 3", "7 on 3: b", 1, {{.procs = 3, .size = 7}}, NULL},
    {"no grid is as many as there are lengths, else one",
     "100 x 5 x 9: b[30,70], n, c(2)",
     "100x5x9 on 2x1x1: b[30,70], b, c(2)",
     3,
     {{.kind = DAP_DIST_LENGTHS, .procs = 2, .size = 100, .lengths = two},
      {.procs = 1, .size = 5},
      {.kind = DAP_DIST_CYCLIC, .procs = 1, .size = 9, .block_size = 2}},
     NULL},
    {"whole words, lengths in words, one of them 0",
     "5 x 6 x 4 x 8 over 3 x 2 x 2 x 1: block(lengths 2 0 3), replicated, partial, local",
     "5x6x4x8 on 3x2x2x1: b[2,0,3], r, p, b",
     4,
     {{.kind = DAP_DIST_LENGTHS, .procs = 3, .size = 5, .lengths = with_none},
      {.kind = DAP_DIST_REPLICATED, .procs = 2, .size = 6},
      {.kind = DAP_DIST_PARTIAL, .procs = 2, .size = 4},
      {.procs = 1, .size = 8}},
     NULL},
    {"lengths that are an even cut", "5: b[3 2]", "5 on 2: b", 1, {{.procs = 2, .size = 5}}, NULL},
    {"ceiling, where it is not even",
     "5 on 4: b(ceil)",
     NULL,
     1,
     {{.kind = DAP_DIST_CEIL, .procs = 4, .size = 5}},
     NULL},
    {"a cyclic axis of single elements",
     "9 on 2: c",
     NULL,
     1,
     {{.kind = DAP_DIST_CYCLIC, .procs = 2, .size = 9, .block_size = 1}},
     NULL},
    {"of which another process has the first",
     "9 on 2: cyclic(first 1)",
     "9 on 2: c(first 1)",
     1,
     {{.kind = DAP_DIST_CYCLIC, .procs = 2, .size = 9, .block_size = 1, .first_owner = 1}},
     NULL},
    {"all about a block, in any order",
     "9 on 2: b(periodic, boundary 1 0, halo 2)",
     "9 on 2: b(halo 2, boundary 1 0, periodic)",
     1,
     {{.procs = 2, .size = 9, .halo = 2, .boundary = {1, 0}, .periodic = true}},
     NULL},
    {"one number for both ends",
     "9 on 2: b(boundary 1)",
     "9 on 2: b(boundary 1 1)",
     1,
     {{.procs = 2, .size = 9, .boundary = {1, 1}}},
     NULL},
    {"lengths, and a halo that wraps round",
     "100: b[30,70](halo 2, periodic, wraps)",
     "100 on 2: b[30,70](halo 2, outer halo 2 2, periodic)",
     1,
     {{.kind = DAP_DIST_LENGTHS,
       .procs = 2,
       .size = 100,
       .lengths = two,
       .halo = 2,
       .periodic = true,
       .wraps = true}},
     NULL},
    {"a halo that wraps round one process",
     "9: b(outer halo 2, periodic)",
     "9 on 1: b(outer halo 2 2, periodic)",
     1,
     {{.procs = 1, .size = 9, .halo = 2, .periodic = true, .wraps = true}},
     NULL},
    {"lists, an empty one among them, one to one",
     "3: u[0,2][][1](one to one)",
     "3 on 3: u[0,2][][1](one to one)",
     1,
     {{.kind = DAP_DIST_UNSTRUCTURED,
       .procs = 3,
       .size = 3,
       .lengths = own_lengths,
       .indices = own_lists,
       .one_to_one = true}},
     NULL},
    {"duplicates, of which the first owns",
     "6 on 3: unstructured [0 2 3] [1 3 4] [5 0]",
     "6 on 3: u[0,2,3][1,3,4][5,0]",
     1,
     {{.kind = DAP_DIST_UNSTRUCTURED, .procs = 3, .size = 6, .lengths = list_lengths, .indices = lists}},
     NULL},
    {"ghosts",
     "6 on 3: u[0,2,~3][1,3,4][5,~0]",
     NULL,
     1,
     {{.kind = DAP_DIST_UNSTRUCTURED,
       .procs = 3,
       .size = 6,
       .lengths = list_lengths,
       .indices = lists,
       .is_owned = flags}},
     NULL},
    {"nothing at all",
     "0x0 on 2x1: b, r",
     NULL,
     2,
     {{.procs = 2}, {.kind = DAP_DIST_REPLICATED, .procs = 1}},
     NULL},
    {"as much as there can be",
     "9223372036854775807 on 1048576: c(9223372036854775807, first 1048575)",
     NULL,
     1,
     {{.kind = DAP_DIST_CYCLIC,
       .procs = 1048576,
       .size = INT64_MAX,
       .block_size = INT64_MAX,
       .first_owner = 1048575}},
     NULL},
};

static dap_layout *make(int ndim, const dap_dist dists[], const int *ranks)
{
  dap_layout *layout = NULL, *reordered = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(ndim, dists, &layout, &err), &err);
  if (!ranks || !layout) return layout;
  EXPECT_OK(dap_layout_reorder(layout, ranks, &reordered, &err), &err);
  dap_layout_destroy(&layout);
  return reordered;
}

static dap_layout *read(const char *text)
{
  dap_layout *layout = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_layout_parse(text, &layout, &err), &err);
  return layout;
}

static void expect_format(const dap_layout *layout, const char *want)
{
  char text[256];
  memset(text, '#', sizeof text);
  EXPECT_INT(dap_layout_format(layout, text, sizeof text), strlen(want));
  EXPECT_MSG(!strcmp(text, want), "text is\n%s", text);
  EXPECT_INT(dap_layout_format(layout, NULL, 0), strlen(want));
  memset(text, '#', sizeof text);
  EXPECT_INT(dap_layout_format(layout, text, 4), strlen(want));
  EXPECT(strlen(text) == (strlen(want) < 3 ? strlen(want) : 3) && text[4] == '#');
}

static void texts_are_layouts(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    TEST_CASE("%s: %s", rows[i].why, rows[i].text);
    dap_layout *want = make(rows[i].ndim, rows[i].dists, rows[i].ranks), *got = read(rows[i].text);
    if (want && got) {
      EXPECT(dap_layout_is_equal(want, got));
      expect_format(want, rows[i].format ? rows[i].format : rows[i].text);
    }
    dap_layout_destroy(&want);
    dap_layout_destroy(&got);
  }
  SETTLE();
}

/* ---- refused ---------------------------------------------------------------------------------------- */

static const struct {
  const char *why, *text;
  dap_status want;
  int column, rule;
  const char *parts;
} refusals[] = {
    {"nothing", "", DAP_ERR_ARG, 1, 0, "a size or 'scalar'|missing at the end"},
    {"blanks", " \n ", DAP_ERR_ARG, 4, 0, "a size|missing"},
    {"no size", "b", DAP_ERR_ARG, 1, 0, "a size|'b'"},
    {"a negative size", "4x-3", DAP_ERR_ARG, 3, 0, "a number|'-'"},
    {"a size that is a fraction", "4.5", DAP_ERR_ARG, 2, 0, "'on'|'.'"},
    {"a size that is hexadecimal", "0xff", DAP_ERR_ARG, 3, 0, "a number|'ff'"},
    {"a size beyond all", "9223372036854775808", DAP_ERR_RANGE, 1, 0, "9223372036854775808|2^63 - 1"},
    {"one of many digits", "3x99999999999999999999999999999999", DAP_ERR_RANGE, 3, 0, "999999|2^63 - 1"},
    {"too many axes", "1x1x1x1x1x1x1x1x1", DAP_ERR_ARG, 17, 0, "more than 8 sizes"},
    {"too many elements", "9223372036854775807x2", DAP_ERR_RANGE, 1, 0, "dim 1|2^63 - 1 elements"},
    {"no grid behind on", "4 on", DAP_ERR_ARG, 5, 0, "a number|missing"},
    {"a grid of another number of axes", "4x4 on 2: b, b", DAP_ERR_ARG, 5, 0, "grid has 1|array 2"},
    {"no process", "4x4 on 2x0", DAP_ERR_DIM, 10, 0, "dim 1|0 processes"},
    {"too many processes", "4 on 1048577: c", DAP_ERR_RANGE, 6, 0, "dim 0|1048577 processes|1048576"},
    {"too many together", "4x4 on 65536x65536: c, c", DAP_ERR_RANGE, 14, 0, "dim 1|4294967296"},
    {"a word that is longer", "4 onto 2", DAP_ERR_ARG, 3, 0, "'onto'"},
    {"no such distribution", "4 on 2: q", DAP_ERR_ARG, 9, 0, "dim 0|b, c, u, r, p or n|'q'"},
    {"a capital", "4 on 2: B", DAP_ERR_ARG, 9, 0, "dim 0|'B'"},
    {"none behind a colon", "4 on 2:", DAP_ERR_ARG, 8, 0, "dim 0|missing"},
    {"fewer distributions than axes", "4x4 on 2x2: b", DAP_ERR_ARG, 14, 0, "dim 1|','|missing"},
    {"more distributions than axes", "4 on 2: b, b", DAP_ERR_ARG, 10, 0, "the end|','"},
    {"a second layout", "4 on 2: b 5", DAP_ERR_ARG, 11, 0, "the end|'5'"},
    {"something behind a scalar", "scalar x", DAP_ERR_ARG, 8, 0, "the end|'x'"},
    {"no lengths", "4: b[]", DAP_ERR_ARG, 5, 0, "dim 0|no lengths"},
    {"lengths that do not end", "4: b[1,3", DAP_ERR_ARG, 9, 0, "dim 0|']'|missing"},
    {"a comma too many", "4: b[1,3,]", DAP_ERR_ARG, 10, 0, "dim 0|a number|']'"},
    {"a comma before all", "4: b[,4]", DAP_ERR_ARG, 6, 0, "dim 0|a number|','"},
    {"a ghost of a length", "4: b[1,~3]", DAP_ERR_ARG, 8, 0, "dim 0|a number|'~'"},
    {"lengths of another size", "4: b[1,2]", DAP_ERR_DIM, 4, 0, "dim 0|lengths|3|size 4"},
    {"lengths beyond the size", "4 on 2: b[3,3]", DAP_ERR_DIM, 9, 0, "dim 0|lengths[1] 3|1|4"},
    {"lengths for another grid", "4x4 on 2x3: b, b[1,3]", DAP_ERR_DIM, 16, 0, "dim 1|2 processes|3"},
    {"lengths twice", "4: b[1,3](ceil)", DAP_ERR_ARG, 11, 0, "dim 0|'ceil'|again"},
    {"lengths that were left out", "12 over 10: block(lengths 2 2 1 1 1 1 1 1 ...)", DAP_ERR_ARG, 43, 0,
     "dim 0|'...'|needed"},
    {"a block size of blocks", "4 on 2: b(3)", DAP_ERR_ARG, 11, 0, "dim 0|ceil, lengths|'3'"},
    {"parentheses that do not end", "4 on 2: b(halo 1", DAP_ERR_ARG, 17, 0, "dim 0|')'|missing"},
    {"empty parentheses", "4 on 2: b()", DAP_ERR_ARG, 11, 0, "dim 0|')'"},
    {"a halo of no width", "4 on 2: b(halo)", DAP_ERR_ARG, 15, 0, "dim 0|a number|')'"},
    {"a halo twice", "4 on 2: b(halo 1, halo 1)", DAP_ERR_ARG, 19, 0, "dim 0|'halo'|again"},
    {"a halo that is too wide", "7 x 9 on 1x3: n, b(halo 4)", DAP_ERR_DIM, 18, 10, "dim 1|padding 4|3"},
    {"widths for other interfaces", "9 on 4: b(halo 1 1)", DAP_ERR_DIM, 9, 0,
     "dim 0|2 halo widths|3 interfaces"},
    {"an overflowing halo", "9 on 1: b(outer halo 9223372036854775807, periodic)", DAP_ERR_RANGE, 9, 0,
     "dim 0|2^63"},
    {"what wraps round without a ring", "9 on 3: b(halo 1, wraps)", DAP_ERR_DIM, 9, 0, "dim 0|not periodic"},
    {"what wraps round without a halo", "9 on 3: b(wraps, periodic)", DAP_ERR_ARG, 9, 0,
     "dim 0|'wraps' needs"},
    {"what wraps round, and an edge", "9 on 3: b(outer halo 1, periodic, boundary 0 2)", DAP_ERR_DIM, 9, 0,
     "dim 0|(0, 2)"},
    {"what wraps round further than the other end", "7: b[4,2,1](halo 1, outer halo 2, periodic)",
     DAP_ERR_DIM, 4, 9, "dim 0|padding[0] 2|1"},
    {"a boundary that is too wide", "9 on 3: b(boundary 4 0)", DAP_ERR_DIM, 9, 10, "dim 0|(4, 0)|3"},
    {"a boundary wider than all", "9 on 3: b(boundary 10 0)", DAP_ERR_DIM, 9, 0, "dim 0|(10, 0)|9"},
    {"a block size of 0", "9 on 3: c(0)", DAP_ERR_DIM, 9, 0, "dim 0|block_size 0"},
    {"a block size twice", "9 on 3: c(1, 2)", DAP_ERR_ARG, 14, 0, "dim 0|block size|again"},
    {"a first owner beyond the grid", "9 on 3: c(2, first 3)", DAP_ERR_DIM, 9, 0, "dim 0|first_owner 3|2"},
    {"one beyond all grids", "9 on 3: c(2, first 5000000000)", DAP_ERR_DIM, 20, 0, "dim 0|5000000000"},
    {"a halo of a cyclic axis", "9 on 3: c(2, halo 1)", DAP_ERR_ARG, 14, 0, "dim 0|'halo'"},
    {"no lists", "6 over 3: unstructured", DAP_ERR_ARG, 23, 0, "dim 0|indices|missing"},
    {"words for lists", "6 over 3: unstructured(ghosts)", DAP_ERR_ARG, 23, 0, "dim 0|indices|'('"},
    {"lists that are not known", "3 on 2: u[0,1][?]", DAP_ERR_ARG, 16, 0, "dim 0|a number|'?'"},
    {"lists for another grid", "3 on 2: u[0][1][2]", DAP_ERR_DIM, 9, 0, "dim 0|3 processes|2"},
    {"an index on no process", "4: u[0,1][2,1]", DAP_ERR_DIM, 4, 17, "dim 0|index 3"},
    {"an index outside", "3: u[0,1][2,3]", DAP_ERR_DIM, 4, 17, "dim 0|3"},
    {"an index twice in a list", "3: u[0,1,0][2]", DAP_ERR_DIM, 4, 17, "dim 0|0 twice"},
    {"one to one, but one is on two", "3: u[0,1][2,1](one to one)", DAP_ERR_DIM, 4, 18, "dim 0|1|one_to_one"},
    {"ghosts of nobody", "3: u[0,~1][2]", DAP_ERR_DIM, 4, 17, "dim 0|index 1"},
    {"a huge axis of few indices", "9223372036854775807: u[0]", DAP_ERR_DIM, 22, 17, "dim 0|1 indices"},
    {"an axis that is not distributed on two", "4 on 2: n", DAP_ERR_DIM, 9, 0, "dim 0|1 process|2"},
    {"ranks of another number", "4 on 3; ranks 0 1", DAP_ERR_ARG, 15, 0, "2 ranks|3 processes"},
    {"ranks that were left out", "4 on 3; ranks 0 ...", DAP_ERR_ARG, 17, 0, "the end|'...'"},
    {"a rank twice", "4 on 3; ranks 0 1 1", DAP_ERR_ARG, 15, 0, "ranks[2]|1"},
    {"a rank outside", "4 on 3; ranks 0 1 3", DAP_ERR_ARG, 15, 0, "ranks[2]|3"},
    {"a rank beyond int", "4 on 3; ranks 0 1 4294967298", DAP_ERR_ARG, 15, 0, "ranks[2]"},
    {"no ranks", "4 on 3; order 0 1 2", DAP_ERR_ARG, 9, 0, "'ranks'|'order'"},
    {"other signs", "4 on 3: \xc3\x97", DAP_ERR_ARG, 9, 0, "dim 0|'\xc3\x97'"},
    {"a control character", "4 on 3: \x01", DAP_ERR_ARG, 9, 0, "dim 0|'?'"},
};

static void others_are_refused(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
    dap_layout *layout = (dap_layout *)&layout;
    dap_error err = {0};
    char place[32];
    TEST_CASE("%s: %s", refusals[i].why, refusals[i].text);
    EXPECT_FAIL(dap_layout_parse(refusals[i].text, &layout, &err), refusals[i].want, &err, refusals[i].parts);
    snprintf(place, sizeof place, "column %d: ", refusals[i].column);
    EXPECT_MSG(!strncmp(err.text, place, strlen(place)), "%s", err.text);
    EXPECT(!layout && err.rank == -1 && err.rule == refusals[i].rule);
    EXPECT_STATUS(dap_layout_parse(refusals[i].text, &layout, NULL), refusals[i].want, NULL);
  }
  dap_layout *layout = NULL;
  dap_error err = {0};
  EXPECT_FAIL(dap_layout_parse(NULL, &layout, &err), DAP_ERR_ARG, &err, "text|NULL");
  EXPECT_FAIL(dap_layout_parse("4", NULL, &err), DAP_ERR_ARG, &err, "layout|NULL");
  SETTLE();
}

/* ---- there and back ------------------------------------------------------------------------------- */

static char text[1 << 16];

static void expect_back(const dap_layout *layout, size_t (*write)(const dap_layout *, char *, size_t))
{
  dap_layout *back = NULL;
  dap_error err = {0};
  EXPECT(write(layout, text, sizeof text) < sizeof text);
  EXPECT_OK(dap_layout_parse(text, &back, &err), &err);
  EXPECT_MSG(back && dap_layout_is_equal(layout, back), "%s", text);
  EXPECT(!back || dap_layout_hash(layout) == dap_layout_hash(back));
  dap_layout_destroy(&back);
}

/* What dap_layout_summary() says without leaving anything out. */
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
  for (int i = 0; i < test_cases(4000); i += test_scale()) {
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

/* Only dictionaries and parts make halos that differ between interfaces. */
static void halos_that_differ(void **state)
{
  (void)state;
  const dap_dist dist = dap_dist_padded(12, 3, 3);
  dap_layout *layout = NULL, *part = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(1, &dist, &layout, &err), &err);
  EXPECT_OK(dap_layout_part(layout, &(dap_part){.start = (const int64_t[]){2}}, &part, NULL, &err), &err);
  if (part) {
    expect_format(part, "10 on 3: b[2,4,4](halo 2 3)");
    expect_back(part, dap_layout_format);
    expect_back(part, dap_layout_summary);
  }
  dap_layout_destroy(&part);
  dap_layout_destroy(&layout);
  SETTLE();
}

static void lists_that_others_know(void **state)
{
  (void)state;
  dap_layout *layout = read("6 on 3: u[0,2,3][1,3,4][5,0]");
  if (layout) {
    forget(layout, 0, 1);
    expect_format(layout, "6 on 3: u[?][1,3,4][?]");
  }
  dap_layout_destroy(&layout);
  SETTLE();
}

/* ---- any text ---------------------------------------------------------------------------------------- */

/* It is a layout, or an error with its place; nothing else. */
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

/* Every text above cut off anywhere, and with any character replaced. */
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
    cmocka_unit_test(texts_are_layouts),      cmocka_unit_test(others_are_refused),
    cmocka_unit_test(random_layouts),         cmocka_unit_test(halos_that_differ),
    cmocka_unit_test(lists_that_others_know), cmocka_unit_test(spoiled_texts),
};

MPI_TEST_MAIN(tests)
