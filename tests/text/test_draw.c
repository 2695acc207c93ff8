/* dap_layout_draw(): the pictures themselves. */
#include "forget.h"
#include "layouts.h"

#include <dapbridge/draw.h>
#include <inttypes.h>

static const int64_t lengths[] = {2, 0, 3}, lists_lengths[] = {4, 1, 3};
static const int64_t list_0[] = {5, 0, 3, 4}, list_1[] = {1}, list_2[] = {4, 2, 1};
static const int64_t *const lists[] = {list_0, list_1, list_2};
static const int turned[] = {2, 0, 1, 3, 5, 4};

static const struct {
  const char *why;
  int ndim;
  dap_dist dists[4];
  const int *ranks;
  const char *picture;
} rows[] = {
    {"a scalar", 0, {{0}}, NULL, "| 0 |\n"},
    {"one process", 1, {{.procs = 1, .size = 7}}, NULL, "0   7\n| 0 |\n"},
    {"8 over 3",
     1,
     {{.procs = 3, .size = 8}},
     NULL,
     "0   3   6   8\n"
     "| 0 | 1 | 2 |\n"},
    {"an empty process has no place",
     1,
     {{.kind = DAP_DIST_LENGTHS, .procs = 3, .size = 5, .lengths = lengths}},
     NULL,
     "0   2   5\n"
     "| 0 | 2 |\n"},
    {"blocks in turns, the last one shorter",
     1,
     {{.kind = DAP_DIST_CYCLIC, .procs = 2, .size = 9, .block_size = 2, .first_owner = 1}},
     NULL,
     "0   2   4   6   8   9\n"
     "| 1 | 0 | 1 | 0 | 1 |\n"},
    {"all blocks on one process are one stretch",
     1,
     {{.kind = DAP_DIST_CYCLIC, .procs = 1, .size = INT64_MAX, .block_size = 1}},
     NULL,
     "0                   9223372036854775807\n"
     "|                 0 |\n"},
    {"halos are below, numbers are aligned",
     1,
     {{.procs = 4, .size = 100000, .halo = 3}},
     NULL,
     "0      25000  50000  75000  100000\n"
     "|    0 |    1 |    2 |    3 |\n"
     "axis 0, with padding: 0:25003 24997:50003 49997:75003 74997:100000\n"},
    {"padding that wraps around",
     1,
     {{.procs = 2, .size = 8, .halo = 2, .periodic = true, .wraps = true}},
     NULL,
     "0   4   8\n"
     "| 0 | 1 |\n"
     "axis 0, with padding: -2:6 2:10\n"},
    {"more processes with padding than are written",
     2,
     {{.procs = 1, .size = 1}, {.procs = 9, .size = 9, .halo = 1}},
     NULL,
     "  0   1   2   3   4   5   6   7   8   9\n"
     "0 | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 |\n"
     "1\n"
     "axis 1, with padding: 0:2 0:3 1:4 2:5 3:6 4:7 5:8 6:9 ...\n"},
    {"many rows that repeat: each once",
     2,
     {{.kind = DAP_DIST_CYCLIC, .procs = 2, .size = 3000, .block_size = 64}, {.procs = 2, .size = 3000}},
     NULL,
     "                             0    1500 3000\n"
     "  0:64,128:192,...,2944:3000 |  0 |  1 |\n"
     "64:128,192:256,...,2880:2944 |  2 |  3 |\n"},
    {"lists: the lowest holder owns",
     1,
     {{.kind = DAP_DIST_UNSTRUCTURED, .procs = 3, .size = 6, .lengths = lists_lengths, .indices = lists}},
     NULL,
     "0   1   2   3   6\n"
     "| 0 | 1 | 2 | 0 |\n"
     "axis 0, with ghosts: 5:6,0:1,3:5 1:2 4:5,2:3,1:2\n"},
    {"full copies",
     1,
     {{.kind = DAP_DIST_REPLICATED, .procs = 3, .size = 6}},
     NULL,
     "0   6\n"
     "| 0 |\n"
     "axis 0: all on each process\n"},
    {"a table",
     2,
     {{.procs = 2, .size = 10}, {.kind = DAP_DIST_CYCLIC, .procs = 3, .size = 12, .block_size = 2}},
     NULL,
     "   0   2   4   6   8   10  12\n"
     " 0 | 0 | 1 | 2 | 0 | 1 | 2 |\n"
     " 5 | 3 | 4 | 5 | 3 | 4 | 5 |\n"
     "10\n"},
    {"ranks in another order",
     2,
     {{.procs = 2, .size = 4}, {.procs = 3, .size = 3}},
     turned,
     "  0   1   2   3\n"
     "0 | 2 | 0 | 1 |\n"
     "2 | 3 | 5 | 4 |\n"
     "4\n"},
    {"ranks of two digits",
     2,
     {{.procs = 3, .size = 3}, {.procs = 4, .size = 4}},
     NULL,
     "  0    1    2    3    4\n"
     "0 |  0 |  1 |  2 |  3 |\n"
     "1 |  4 |  5 |  6 |  7 |\n"
     "2 |  8 |  9 | 10 | 11 |\n"
     "3\n"},
    {"three axes by their first two, at the first elements of the third",
     3,
     {{.procs = 1, .size = 2},
      {.procs = 2, .size = 4},
      {.kind = DAP_DIST_CYCLIC, .procs = 2, .size = 5, .block_size = 1, .first_owner = 1}},
     NULL,
     "elements (i, j, 0)\n"
     "  0   2   4\n"
     "0 | 1 | 3 |\n"
     "2\n"},
    {"no elements",
     2,
     {{.procs = 2, .size = 4}, {.procs = 1, .size = 0}},
     NULL,
     "no elements: axis 1 has size 0\n"},
    {"a line that just fits",
     1,
     {{.kind = DAP_DIST_CYCLIC, .procs = 2, .size = 24, .block_size = 1}},
     NULL,
     "0   1   2   3   4   5   6   7   8   9   10  11  12  13  14  15  16  17  18  19  20  21  22  23  24\n"
     "| 0 | 1 | 0 | 1 | 0 | 1 | 0 | 1 | 0 | 1 | 0 | 1 | 0 | 1 | 0 | 1 | 0 | 1 | 0 | 1 | 0 | 1 | 0 | 1 |\n"},
    {"as many stretches as a line has room for",
     1,
     {{.kind = DAP_DIST_CYCLIC, .procs = 2, .size = 99, .block_size = 1}},
     NULL,
     "0   1   2   3   4   5   6   7   8   9   10  11  12  13  14  15  16  17  18  19  20  21  22  23    99\n"
     "| 0 | 1 | 0 | 1 | 0 | 1 | 0 | 1 | 0 | 1 | 0 | 1 | 0 | 1 | 0 | 1 | 0 | 1 | 0 | 1 | 0 | 1 | 0 | ... |\n"},
};

static void golden_pictures(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    TEST_CASE("%s", rows[i].why);
    dap_layout *layout = make_layout(rows[i].ndim, rows[i].dists, rows[i].ranks);
    if (!layout) continue;
    expect_text(dap_layout_draw, layout, rows[i].picture);
    dap_layout_destroy(&layout);
  }
  SETTLE();
}

/* Lines behind the first `count` ones. */
static const char *behind(const char *text, int count)
{
  while (count-- > 0) {
    const char *end = strchr(text, '\n');
    if (!end) return "";
    text = end + 1;
  }
  return text;
}

/* 32 rows, then dots; no line is longer than 100 characters. Of rows that repeat each is there once. */
static void long_tables_are_cut(void **state)
{
  (void)state;
  const dap_dist dists[] = {dap_dist_even(64, 64), dap_dist_cyclic(1000, 2, 1)};
  const dap_dist many[] = {dap_dist_cyclic(1000000000, 5, 1), dap_dist_cyclic(1000, 2, 1)};
  dap_layout *layout = NULL;
  dap_error err = {0};
  char text[8192] = "";
  EXPECT_OK(dap_layout_create(2, dists, &layout, &err), &err);
  dap_layout_draw(layout, text, sizeof text);
  EXPECT_MSG(!strncmp(behind(text, 32), " 31 |  62 |  63 |", 17), "line 32 is\n%s", behind(text, 32));
  EXPECT_MSG(!strcmp(behind(text, 33), "...\n 64\n"), "it ends in\n%s", behind(text, 33));
  for (int i = 0; i < 35; i++) EXPECT(behind(text, i + 1) - behind(text, i) <= 101);
  dap_layout_destroy(&layout);
  EXPECT_OK(dap_layout_create(2, many, &layout, &err), &err);
  dap_layout_draw(layout, text, sizeof text);
  EXPECT_MSG(*behind(text, 5) && !*behind(text, 6), "it is\n%s", text);
  EXPECT_MSG(!strncmp(behind(text, 5), "4:5,9:10,...,999999999:1000000000 |  8 |  9 |", 45), "line 5 is\n%s",
             behind(text, 5));
  dap_layout_destroy(&layout);
  SETTLE();
}

/* Any plane, and any line, of three axes. */
static void planes(void **state)
{
  (void)state;
  static const struct {
    int64_t at[3];
    const char *picture;
  } cuts[] = {{{3, -1, -1},
               "elements (3, i, j)\n"
               "  0   2   5\n"
               "0 | 4 | 5 |\n"
               "1 | 6 | 7 |\n"
               "2\n"
               "axis 2, with padding: 0:3 1:5\n"},
              {{-1, 1, 4},
               "elements (i, 1, 4)\n"
               "0   2   4\n"
               "| 3 | 7 |\n"},
              {{-1, 0, -1},
               "elements (i, 0, j)\n"
               "  0   2   5\n"
               "0 | 0 | 1 |\n"
               "2 | 4 | 5 |\n"
               "4\n"
               "axis 2, with padding: 0:3 1:5\n"}};
  const int64_t lengths_2[] = {2, 3};
  dap_dist dists[] = {dap_dist_even(4, 2), dap_dist_cyclic(2, 2, 1), dap_dist_lengths(5, 2, lengths_2)};
  dap_layout *layout = NULL;
  dap_error err = {0};
  dists[2].halo = 1;
  EXPECT_OK(dap_layout_create(3, dists, &layout, &err), &err);
  for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
    char text[1024];
    EXPECT_INT(dap_layout_draw_plane(layout, cuts[i].at, text, sizeof text), strlen(cuts[i].picture));
    EXPECT_MSG(!strcmp(text, cuts[i].picture), "picture is\n%s", text);
  }
  dap_layout_destroy(&layout);
  SETTLE();
}

/* One unknown axis hides the ranks; an axis over one process is known without its list. */
static void what_others_know(void **state)
{
  (void)state;
  const dap_dist dists[] = {dap_dist_unstructured(6, 3, lists_lengths, lists), dap_dist_even(4, 2)};
  dap_layout *layout = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(2, dists, &layout, &err), &err);
  forget(layout, 0, 1);
  expect_text(dap_layout_draw, layout,
              "  0   2   4\n"
              "0 | ? | ? |\n"
              "2 | 4 | 5 |\n"
              "3 | 0 | 1 |\n"
              "4 | ? | ? |\n"
              "6\n"
              "axis 0, with ghosts: ? 1:2 ?\n");
  dap_layout_destroy(&layout);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(golden_pictures),
    cmocka_unit_test(long_tables_are_cut),
    cmocka_unit_test(planes),
    cmocka_unit_test(what_others_know),
};

MPI_TEST_MAIN(tests)
