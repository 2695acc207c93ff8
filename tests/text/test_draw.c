/* Compares the pictures of dap_layout_draw() with the expected texts. */
#include "layouts.h"

#include <dapbridge/draw.h>
#include <inttypes.h>

static const struct {
  const char *why, *layout, *picture;
} rows[] = {
    {"a scalar", "scalar", "| 0 |\n"},
    {"one process", "7", "0   7\n| 0 |\n"},
    {"8 over 3", "8 on 3",
     "0   3   6   8\n"
     "| 0 | 1 | 2 |\n"},
    {"an empty process has no place", "5: b[2,0,3]",
     "0   2   5\n"
     "| 0 | 2 |\n"},
    {"blocks in turns, the last one shorter", "9 on 2: c(2, first 1)",
     "0   2   4   6   8   9\n"
     "| 1 | 0 | 1 | 0 | 1 |\n"},
    {"all blocks on one process are one stretch", "9223372036854775807: c",
     "0                   9223372036854775807\n"
     "|                 0 |\n"},
    {"halos are below, numbers are aligned", "100000 on 4: b(halo 3)",
     "0      25000  50000  75000  100000\n"
     "|    0 |    1 |    2 |    3 |\n"
     "axis 0, with padding: 0:25003 24997:50003 49997:75003 74997:100000\n"},
    {"padding that wraps around", "8 on 2: b(halo 2, periodic, wraps)",
     "0   4   8\n"
     "| 0 | 1 |\n"
     "axis 0, with padding: -2:6 2:10\n"},
    {"more processes with padding than are written", "1x9 on 1x9: b, b(halo 1)",
     "  0   1   2   3   4   5   6   7   8   9\n"
     "0 | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 |\n"
     "1\n"
     "axis 1, with padding: 0:2 0:3 1:4 2:5 3:6 4:7 5:8 6:9 ...\n"},
    {"many rows that repeat: each once", "3000x3000 on 2x2: c(64), b",
     "                             0    1500 3000\n"
     "  0:64,128:192,...,2944:3000 |  0 |  1 |\n"
     "64:128,192:256,...,2880:2944 |  2 |  3 |\n"},
    {"lists: the lowest holder owns", "6: u[5,0,3,4][1][4,2,1]",
     "0   1   2   3   6\n"
     "| 0 | 1 | 2 | 0 |\n"
     "axis 0, with ghosts: 5:6,0:1,3:5 1:2 4:5,2:3,1:2\n"},
    {"full copies", "6 on 3: r",
     "0   6\n"
     "| 0 |\n"
     "axis 0: all on each process\n"},
    {"a table", "10x12 on 2x3: b, c(2)",
     "   0   2   4   6   8   10  12\n"
     " 0 | 0 | 1 | 2 | 0 | 1 | 2 |\n"
     " 5 | 3 | 4 | 5 | 3 | 4 | 5 |\n"
     "10\n"},
    {"ranks in another order", "4x3 on 2x3; ranks 2 0 1 3 5 4",
     "  0   1   2   3\n"
     "0 | 2 | 0 | 1 |\n"
     "2 | 3 | 5 | 4 |\n"
     "4\n"},
    {"ranks of two digits", "3x4 on 3x4",
     "  0    1    2    3    4\n"
     "0 |  0 |  1 |  2 |  3 |\n"
     "1 |  4 |  5 |  6 |  7 |\n"
     "2 |  8 |  9 | 10 | 11 |\n"
     "3\n"},
    {"three axes by their first two, at the first elements of the third", "2x4x5 on 1x2x2: b, b, c(first 1)",
     "elements (i, j, 0)\n"
     "  0   2   4\n"
     "0 | 1 | 3 |\n"
     "2\n"},
    {"no elements", "4x0 on 2x1", "no elements: axis 1 has size 0\n"},
    {"a line that just fits", "24 on 2: c",
     "0   1   2   3   4   5   6   7   8   9   10  11  12  13  14  15  16  17  18  19  20  21  22  23  24\n"
     "| 0 | 1 | 0 | 1 | 0 | 1 | 0 | 1 | 0 | 1 | 0 | 1 | 0 | 1 | 0 | 1 | 0 | 1 | 0 | 1 | 0 | 1 | 0 | 1 |\n"},
    {"as many stretches as a line has room for", "99 on 2: c",
     "0   1   2   3   4   5   6   7   8   9   10  11  12  13  14  15  16  17  18  19  20  21  22  23    99\n"
     "| 0 | 1 | 0 | 1 | 0 | 1 | 0 | 1 | 0 | 1 | 0 | 1 | 0 | 1 | 0 | 1 | 0 | 1 | 0 | 1 | 0 | 1 | 0 | ... |\n"},
};

static void golden_pictures(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    TEST_CASE("%s", rows[i].why);
    dap_layout *layout = read_layout(rows[i].layout);
    if (!layout) continue;
    expect_text(dap_layout_draw, layout, rows[i].picture);
    dap_layout_destroy(&layout);
  }
  SETTLE();
}

/* Returns the lines after the first `count` ones. */
static const char *behind(const char *text, int count)
{
  while (count-- > 0) {
    const char *end = strchr(text, '\n');
    if (!end) return "";
    text = end + 1;
  }
  return text;
}

/* Tables have 32 rows, then dots, and lines of at most 100 characters. Repeated rows appear once. */
static void long_tables_are_cut(void **state)
{
  (void)state;
  dap_layout *layout = read_layout("64x1000 on 64x2: b, c");
  char text[8192] = "";
  dap_layout_draw(layout, text, sizeof text);
  EXPECT_MSG(!strncmp(behind(text, 32), " 31 |  62 |  63 |", 17), "line 32 is\n%s", behind(text, 32));
  EXPECT_MSG(!strcmp(behind(text, 33), "...\n 64\n"), "it ends in\n%s", behind(text, 33));
  for (int i = 0; i < 35; i++) EXPECT(behind(text, i + 1) - behind(text, i) <= 101);
  dap_layout_destroy(&layout);
  layout = read_layout("1000000000x1000 on 5x2: c, c");
  dap_layout_draw(layout, text, sizeof text);
  EXPECT_MSG(*behind(text, 5) && !*behind(text, 6), "it is\n%s", text);
  EXPECT_MSG(!strncmp(behind(text, 5), "4:5,9:10,...,999999999:1000000000 |  8 |  9 |", 45), "line 5 is\n%s",
             behind(text, 5));
  dap_layout_destroy(&layout);
  SETTLE();
}

/* The last process has none of the rows that fit. */
static void owners_left_out_are_told(void **state)
{
  (void)state;
  char lists[512] = "81x2 on 3x1: u[", text[8192] = "";
  for (int i = 0; i < 80; i++)
    (void)snprintf(lists + strlen(lists), sizeof lists - strlen(lists), i == 40 ? "][%d " : "%d ",
                   i % 40 * 2 + i / 40);
  (void)snprintf(lists + strlen(lists), sizeof lists - strlen(lists), "][80], b");
  dap_layout *layout = read_layout(lists);
  dap_layout_draw(layout, text, sizeof text);
  EXPECT_MSG(test_contains(behind(text, 3), "..."), "it is\n%s", text);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* Draws any plane, and any line, of three axes. */
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
  dap_layout *layout = read_layout("4x2x5 on 2x2x2: b, c, b[2,3](halo 1)");
  for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
    char text[1024];
    EXPECT_INT(dap_layout_draw_plane(layout, cuts[i].at, text, sizeof text), strlen(cuts[i].picture));
    EXPECT_MSG(!strcmp(text, cuts[i].picture), "picture is\n%s", text);
  }
  dap_layout_destroy(&layout);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(golden_pictures),
    cmocka_unit_test(long_tables_are_cut),
    cmocka_unit_test(owners_left_out_are_told),
    cmocka_unit_test(planes),
};

MPI_TEST_MAIN(tests)
