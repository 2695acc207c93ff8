/* Tests dap_layout_draw_svg(): each element must be in one rectangle, of its owner or of the elements that
 * this process does not know. Also tests texts of errors, and pages without elements. */
#include "mpi_test.h"
#include "random_array.h"

#include <dapbridge/parse.h>
#include <dapbridge/picture.h>
#include <inttypes.h>
#include <string.h>

enum { SIDE = 16, UNKNOWN = -1, NOBODY = -2, TEXT = 1 << 16 };

static dap_status draw(const dap_layout *layout, const int64_t plane[], const char *name, char text[TEXT],
                       dap_error *err)
{
  FILE *stream = tmpfile();
  if (!stream) abort();
  const dap_status status = dap_layout_draw_svg(layout, plane, name, stream, err);
  rewind(stream);
  const size_t length = fread(text, 1, TEXT - 1, stream);
  text[length] = '\0';
  (void)fclose(stream);
  return status;
}

/* Reads the owner of each element from the rectangles of a picture. Each element must occur once. */
static void read_cells(const char *text, int cells[SIDE][SIDE])
{
  int rank = NOBODY;
  for (int i = 0; i < SIDE * SIDE; i++) cells[i / SIDE][i % SIDE] = NOBODY;
  for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
    int x, y, width, height;
    if (!strncmp(line, "<g class=\"unknown\"", 18)) rank = UNKNOWN;
    if (sscanf(line, "<g class=\"owner\" data-rank=\"%d\"", &rank) == 1) continue;
    if (!strncmp(line, "<g class=\"copied\"", 17) || !strncmp(line, "<g class=\"boundary\"", 19)) return;
    if (sscanf(line, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>", &x, &y, &width, &height) != 4)
      continue;
    if (rank == NOBODY) continue; /* the page itself */
    for (int i = y; i < y + height && i < SIDE; i++)
      for (int j = x; j < x + width && j < SIDE; j++) {
        EXPECT_MSG(cells[i][j] == NOBODY, "(%d, %d) is drawn twice", i, j);
        cells[i][j] = rank;
      }
  }
}

static const struct {
  const char *why, *layout;
  bool assembled; /* its three processes know only their own lists */
} rows[] = {
    {"blocks", "9x8 on 2x3: b, b", false},
    {"cyclic", "9x8 on 2x3: c(2), c", false},
    {"lists that are known", "8x6 on 3x2: u[5,0,3][1,4][7,6,2], b", false},
    {"one of three lists is known", "8x6 on 3x1: u[5,0,3][1,4][7,6,2], b", true},
    {"the first is known, and is at both ends", "8x6 on 3x1: u[0,7,3][1,4][5,6,2], b", true},
    {"along the columns", "4x8 on 1x3: c, u[5,0,3][1,4][7,6,2]", true},
    {"an empty list is known", "4x5 on 1x3: b, u[0,1,2][][3,4]", true},
};

static void check_cells(const dap_layout *layout, int row, int cells[SIDE][SIDE])
{
  for (int64_t i = 0; i < dap_layout_size(layout, 0); i++)
    for (int64_t j = 0; j < dap_layout_size(layout, 1); j++) {
      int want = NOBODY;
      for (int r = 0; r < dap_layout_nprocs(layout); r++) {
        int coords[DAP_MAX_NDIM];
        bool owns = true;
        dap_layout_coords(layout, r, coords);
        for (int k = 0; k < 2; k++) {
          bool found = false;
          const int64_t index = k ? j : i;
          for (dap_run run = {0}; dap_layout_next_run(layout, k, coords[k], &run);)
            found = found || (index >= run.global && index < run.global + run.length);
          owns = owns && found;
        }
        if (owns) want = r;
      }
      if (want == NOBODY && rows[row].assembled) want = UNKNOWN;
      EXPECT_MSG(cells[i][j] == want, "(%d, %d) is drawn as of %d, not %d", (int)i, (int)j, cells[i][j],
                 want);
    }
}

static dap_layout *assembled(dap_layout *layout)
{
  test_random types = test_random_init(500 + (uint64_t)test_rank());
  dap_layout *other = assemble_again(MPI_COMM_WORLD, layout, NULL, &types);
  EXPECT_MSG(is_as_read(other, layout), "assembled, it is another layout");
  dap_layout_destroy(&layout);
  return other;
}

static void every_element(void **state)
{
  (void)state;
  static char text[TEXT];
  for (int row = 0; row < (int)(sizeof rows / sizeof rows[0]); row++) {
    TEST_CASE("%s", rows[row].why);
    dap_layout *layout = NULL;
    dap_error err = {0};
    int cells[SIDE][SIDE];
    EXPECT_OK(dap_layout_parse(rows[row].layout, &layout, &err), &err);
    if (!layout) continue;
    if (rows[row].assembled) layout = assembled(layout);
    EXPECT_OK(draw(layout, NULL, NULL, text, &err), &err);
    read_cells(text, cells);
    check_cells(layout, row, cells);
    EXPECT(!strstr(text, "not known on this process") == !rows[row].assembled);
    dap_layout_destroy(&layout);
  }
  SETTLE();
}

static void asked(void **state)
{
  (void)state;
  static char text[TEXT];
  static const struct {
    const char *why, *layout, *name;
    bool has_plane;
    int64_t plane[3];
    dap_status status;
    const char *parts; /* parts of the error, or of the picture */
  } cases[] = {
      {"a name", "4x4 on 2x2", "a <b> & c", false, {0}, DAP_OK, "a &lt;b&gt; &amp; c"},
      {"no elements", "4x0 on 2x1", NULL, false, {0}, DAP_OK, "no elements: axis 1 has size 0"},
      {"a scalar", "scalar", NULL, false, {0}, DAP_OK, "process 0"},
      {"a plane", "4x3x5 on 2x1x2", NULL, true, {3, -1, -1}, DAP_OK, "at index 3 of axis 0"},
      {"a line", "4x3x5 on 2x1x2", NULL, true, {1, 2, -1}, DAP_OK, "at index 1 of axis 0, 2 of axis 1"},
      {"three axes", "4x3x5 on 2x1x2", NULL, true, {-1, -1, -1}, DAP_ERR_ARG, "3 axes are -1"},
      {"no axis", "4x3x5 on 2x1x2", NULL, true, {0, 0, 0}, DAP_ERR_ARG, "0 axes are -1"},
      {"outside",
       "4x3x5 on 2x1x2",
       NULL,
       true,
       {4, -1, -1},
       DAP_ERR_ARG,
       "axis 0: index 4 is outside 0 .. 3"},
      {"below",
       "4x3x5 on 2x1x2",
       NULL,
       true,
       {-1, -2, -1},
       DAP_ERR_ARG,
       "axis 1: index -2 is outside 0 .. 2"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    TEST_CASE("%s", cases[i].why);
    dap_layout *layout = NULL;
    dap_error err = {0};
    EXPECT_OK(dap_layout_parse(cases[i].layout, &layout, &err), &err);
    const dap_status status =
        draw(layout, cases[i].has_plane ? cases[i].plane : NULL, cases[i].name, text, &err);
    EXPECT_INT(status, cases[i].status);
    EXPECT_MSG(strstr(status ? err.text : text, cases[i].parts) != NULL, "%s", status ? err.text : text);
    dap_layout_destroy(&layout);
  }
  dap_error err = {0};
  EXPECT_INT(dap_layout_draw_svg(NULL, NULL, NULL, stderr, &err), DAP_ERR_ARG);
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(every_element), cmocka_unit_test(asked)};
MPI_TEST_MAIN(tests)
