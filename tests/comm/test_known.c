/* Tests the answers of three processes about lists that they assembled. Each process knows its own list,
 * the lengths of all, and the owners of a slice of the indices. */
#include "mpi_test.h"
#include "random_array.h"

#include <dapbridge/draw.h>
#include <dapbridge/parse.h>
#include <dapbridge/part.h>

enum { TELLS = 1 /* rank whose texts are compared */ };

static const char lists[] = "6x4 on 3x1: u[5,0,3][3,1][4,2,1], b";

/* Assembles a layout that all processes make together. *own, if given, becomes this process's array. */
static dap_layout *assemble(const char *text, dap_array *own)
{
  dap_layout *layout = NULL;
  dap_error err = {0};
  test_random types = test_random_init(31);
  EXPECT_OK(dap_layout_parse(text, &layout, &err), &err);
  dap_layout *assembled = assemble_again(MPI_COMM_WORLD, layout, NULL, &types);
  if (own) EXPECT_OK(dap_array_init(own, assembled, test_rank(), DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  dap_layout_destroy(&layout);
  return assembled;
}

/* ---- in words ------------------------------------------------------------------------------------------ */

static void words(void **state)
{
  (void)state;
  static const struct {
    const char *why;
    size_t (*write)(const dap_layout *layout, char *text, size_t capacity);
    const char *layout, *want;
  } rows[] = {
      {"the text of others' lists", dap_layout_format, "6 on 3: u[0,2,3][1,3,4][5,0]",
       "6 on 3: u[?][1,3,4][?]"},
      {"the same on all processes, for texts on which they agree", dap_layout_summary, "6: u[5,0,3][1][4,2]",
       "6 over 3: unstructured"},
      {"lengths, and who knows the indices", dap_layout_describe, "6: u[5,0,3][1][4,2]",
       "array of 6 on a process grid of 3\n"
       "axis 0: unstructured, 6 over 3 processes, owned 3 1 2, indices known only of process 1\n"},
      {"owners of the slice alone", dap_layout_draw, "6x4 on 3x1: u[5,0,3,4][1][4,2,1], b",
       "  0   4\n"
       "0 | ? |\n"
       "2 | 2 |\n"
       "3 | 0 |\n"
       "4 | ? |\n"
       "6\n"
       "axis 0, with ghosts: ? 1:2 ?\n"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    char text[512] = "";
    dap_layout *layout = assemble(rows[i].layout, NULL);
    TEST_CASE("%s", rows[i].why);
    (void)rows[i].write(layout, text, sizeof text);
    EXPECT_MSG(test_rank() != TELLS || !strcmp(text, rows[i].want), "text is\n%s", text);
    dap_layout_destroy(&layout);
  }
  SETTLE();
}

/* ---- dictionaries and buffers ------------------------------------------------------------------------- */

static void dictionaries(void **state)
{
  (void)state;
  dap_layout *layout = assemble("7: u[5,0,6][1,2,3,4][](one to one)", NULL);
  const int64_t lengths[] = {3, 4, 0};
  for (int p = 0; p < test_nprocs(); p++) {
    dap_error err = {0};
    dap_dim dim = {0};
    const bool is_own = p == test_rank();
    TEST_CASE("that of process %d", p);
    EXPECT_FAIL(dap_layout_dim(layout, "0.9.0", 0, p, &dim, &err), is_own ? DAP_OK : DAP_ERR_REMOTE, &err,
                "axis 0|proc_grid_rank");
    if (is_own) EXPECT(dim.dist_type == 'u' && dim.one_to_one && dim.index_count == lengths[p]);
  }
  dap_layout_destroy(&layout);
  SETTLE();
}

/* Checks buffers of all processes, which works because all lengths are known. */
static void buffers(void **state)
{
  (void)state;
  dap_layout *layout = assemble("6: u[5,0,3][3,1][4,2,1]", NULL);
  const int64_t lengths[] = {3, 2, 3};
  char memory = 0;
  for (int p = 0; p < test_nprocs(); p++)
    for (int64_t extent = 1; extent <= 4; extent++) {
      const dap_array array = {.ndim = 1, .data = &memory, .shape = {extent}};
      dap_error err = {0};
      TEST_CASE("%d elements on process %d", (int)extent, p);
      EXPECT_FAIL(dap_array_match((dap_darray){layout, &array}, p, &err),
                  extent == lengths[p] ? DAP_OK : DAP_ERR_BUFFER, &err, "axis 0|extent|rank");
    }
  dap_layout_destroy(&layout);
  SETTLE();
}

/* ---- parts --------------------------------------------------------------------------------------------- */

/* Takes ranges of the process's array, which works if all lists are sorted. Of the layout only full ranges
 * can be taken. */
static void ranges(void **state)
{
  (void)state;
  const dap_part range = {.start = (int64_t[]){1, 1}, .shape = (int64_t[]){3, 2}}, all = {0};
  dap_error err = {0};
  dap_array whole, other, window;
  dap_layout *layout = assemble("6x4 on 3x1: u[0,3,4,5][1][4,2,1], b", &whole), *part = NULL;
  EXPECT_FAIL(dap_layout_part(layout, &range, &part, NULL, &err), DAP_ERR_REMOTE, &err,
              "axis 0|proc_grid_rank");
  EXPECT_OK(dap_layout_part(layout, &all, &part, NULL, &err), &err);
  EXPECT(dap_layout_is_equal(layout, part));
  other = whole;
  other.shape[0] = 4;
  other.dim_count = 0;
  if (test_rank() > 0)
    EXPECT_FAIL(dap_array_part((dap_darray){layout, &other}, 0, &range, &window, &err), DAP_ERR_REMOTE, &err,
                "axis 0|proc_grid_rank 0");
  EXPECT_OK(dap_array_part((dap_darray){layout, &whole}, test_rank(), &range, &window, &err), &err);
  dap_layout_destroy(&layout); /* lists outlive it */
  if (test_rank() == 2) {
    EXPECT(window.data == (double *)whole.data + 5 && window.strides[0] == 32 && window.shape[0] == 2);
    EXPECT_INT(window.dims[0].index_count, 2);
  }
  EXPECT_OK(dap_array_check(&window, &err), &err);
  dap_array_release(&window);
  dap_array_release(&whole);
  dap_layout_destroy(&part);
  SETTLE();
}

/* Owner of each index, the lowest process that has it, and its position there. */
static const int owners[] = {0, 1, 2, 0, 2, 0}, positions[] = {1, 1, 1, 2, 0, 0};

/* Takes sections. For an array each process knows the elements that it owns, and for the layout only the
 * owners in its slice. */
static void sections(void **state)
{
  (void)state;
  enum { EACH = 2 /* indices of a slice */ };
  dap_array whole, part;
  dap_layout *layout = assemble(lists, &whole), *section = NULL;
  for (int64_t i = 0; i < 6; i++) {
    const dap_part column = {1, (int[]){1}, (int64_t[]){i, 0}, NULL};
    const bool is_known = i / EACH == test_rank();
    int ranks[3] = {-1};
    dap_error err = {0};
    TEST_CASE("index %d", (int)i);
    EXPECT_FAIL(dap_layout_part(layout, &column, &section, ranks, &err), is_known ? DAP_OK : DAP_ERR_REMOTE,
                &err, "axis 0|index");
    if (is_known) EXPECT_INT(ranks[0], owners[i]);
    dap_layout_destroy(&section);
    EXPECT_OK(dap_array_part((dap_darray){layout, &whole}, test_rank(), &column, &part, &err), &err);
    if (owners[i] == test_rank())
      EXPECT(part.data == (double *)whole.data + (int64_t)4 * positions[i]);
    else
      EXPECT_INT(part.abi, 0);
    dap_array_release(&part);
  }
  dap_array_release(&whole);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* A kept axis keeps its known facts. */
static void kept_axes(void **state)
{
  (void)state;
  const dap_part row = {1, (int[]){0}, (int64_t[]){0, 2}, NULL};
  int ranks[3] = {-1, -1, -1};
  dap_error err = {0};
  dap_layout *layout = assemble(lists, NULL), *section = NULL;
  EXPECT_OK(dap_layout_part(layout, &row, &section, ranks, &err), &err);
  for (int p = 0; p < test_nprocs(); p++) {
    EXPECT_INT(dap_layout_knows(section, 0, p), p == test_rank());
    EXPECT_INT(ranks[p], p);
  }
  dap_layout_destroy(&section);
  dap_layout_destroy(&layout);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(words),  cmocka_unit_test(dictionaries), cmocka_unit_test(buffers),
    cmocka_unit_test(ranges), cmocka_unit_test(sections),     cmocka_unit_test(kept_axes),
};

MPI_TEST_MAIN(tests)
