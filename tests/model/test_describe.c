/* Compares the texts of dap_layout_describe() and dap_layout_summary() with expected ones. */
#include "layouts.h"

static const struct {
  const char *why;
  const char *layout; /* NULL: its summary is complete */
  const char *summary, *text;
} rows[] = {
    {"a scalar", NULL, "scalar", "scalar\n"},
    {"one process", NULL, "7 over 1: block",
     "array of 7 on a process grid of 1\n"
     "axis 0: block, 7 over 1 process, owned 7\n"},
    {"the header's example", NULL, "10 x 12 over 2 x 3: block, cyclic(2)",
     "array of 10 x 12 on a process grid of 2 x 3\n"
     "axis 0: block, 10 over 2 processes, owned 5 5\n"
     "axis 1: cyclic, 12 over 3 processes, blocks of 2, owned 4 4 4\n"},
    {"an even cut that ceil is too", "5 on 2: b(ceil)", "5 over 2: block",
     "array of 5 on a process grid of 2\n"
     "axis 0: block, 5 over 2 processes, owned 3 2\n"},
    {"ceil that is not even", NULL, "5 over 4: block(ceil)",
     "array of 5 on a process grid of 4\n"
     "axis 0: block, 5 over 4 processes, owned 2 2 1 0\n"},
    {"lengths, one of them 0", NULL, "5 over 3: block(lengths 2 0 3)",
     "array of 5 on a process grid of 3\n"
     "axis 0: block, 5 over 3 processes, owned 2 0 3\n"},
    {"padding inside and at the edges, a rotated first owner", NULL,
     "9 x 10 over 2 x 3: block(halo 2, boundary 1 0, periodic), cyclic(4, first 2)",
     "array of 9 x 10 on a process grid of 2 x 3\n"
     "axis 0: block, 9 over 2 processes, owned 5 4, halo 2, boundary 1 0, periodic\n"
     "axis 1: cyclic, 10 over 3 processes, blocks of 4, the first on 2, owned 4 2 4\n"},
    {"padding that wraps round", NULL, "9 over 3: block(halo 1, outer halo 1 1, periodic)",
     "array of 9 on a process grid of 3\n"
     "axis 0: block, 9 over 3 processes, owned 3 3 3, halo 1, outer halo 1 1, periodic\n"},
    {"padding that wraps round one process", NULL, "9 over 1: block(outer halo 2 2, periodic)",
     "array of 9 on a process grid of 1\n"
     "axis 0: block, 9 over 1 process, owned 9, outer halo 2 2, periodic\n"},
    {"more processes than are listed", NULL, "10 over 9: cyclic(1)",
     "array of 10 on a process grid of 9\n"
     "axis 0: cyclic, 10 over 9 processes, blocks of 1, owned 2 1 1 1 1 1 1 1 ...\n"},
    {"lists that happen to be one to one", "6: u[5,0,3][1][4,2]", "6 over 3: unstructured",
     "array of 6 on a process grid of 3\n"
     "axis 0: unstructured, 6 over 3 processes, owned 3 1 2\n"},
    {"lists that say so", "6: u[5,0,3][1][4,2](one to one)", "6 over 3: unstructured(one to one)",
     "array of 6 on a process grid of 3\n"
     "axis 0: unstructured, 6 over 3 processes, owned 3 1 2, one to one\n"},
    {"duplicates", "6: u[5,0,3][1,3][4,2]", "6 over 3: unstructured(duplicates)",
     "array of 6 on a process grid of 3\n"
     "axis 0: unstructured, 6 over 3 processes, held 3 2 2, owned 3 1 2, the lowest owns an index\n"},
    {"the same with ghosts", "6: u[5,0,~3][1,3][4,2]", "6 over 3: unstructured(ghosts)",
     "array of 6 on a process grid of 3\n"
     "axis 0: unstructured, 6 over 3 processes, held 3 2 2, owned 2 2 2, owners as given\n"},
    {"full copies", NULL, "6 over 2: replicated",
     "array of 6 on a process grid of 2\n"
     "axis 0: replicated, 6 over 2 processes, all on each\n"},
    {"addends", NULL, "6 over 3: partial",
     "array of 6 on a process grid of 3\n"
     "axis 0: partial, 6 over 3 processes, an addend of each element on each\n"},
    {"one full copy", NULL, "6 over 1: replicated",
     "array of 6 on a process grid of 1\n"
     "axis 0: replicated, 6 over 1 process, all on each\n"},
    {"ranks in another order, behind the axes' own words", NULL,
     "4 x 6 over 1 x 3: block, block(halo 1); ranks 2 0 1",
     "array of 4 x 6 on a process grid of 1 x 3, ranks in the order 2 0 1\n"
     "axis 0: block, 4 over 1 process, owned 4\n"
     "axis 1: block, 6 over 3 processes, owned 2 2 2, halo 1\n"},
    {"more ranks, and lengths, than are listed", "12 on 10; ranks 9 8 7 6 5 4 3 2 1 0",
     "12 over 10: block; ranks 9 8 7 6 5 4 3 2 ...",
     "array of 12 on a process grid of 10, ranks in the order 9 8 7 6 5 4 3 2 ...\n"
     "axis 0: block, 12 over 10 processes, owned 2 2 1 1 1 1 1 1 ...\n"},
    {"nothing at all", NULL, "0 x 0 over 2 x 1: block, replicated; ranks 1 0",
     "array of 0 x 0 on a process grid of 2 x 1, ranks in the order 1 0\n"
     "axis 0: block, 0 over 2 processes, owned 0 0\n"
     "axis 1: replicated, 0 over 1 process, all on each\n"},
    {"halos that differ", NULL, "10 over 3: block(lengths 2 4 4, halo 2 3)",
     "array of 10 on a process grid of 3\n"
     "axis 0: block, 10 over 3 processes, owned 2 4 4, halo 2 3\n"},
};

static void golden_texts(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    TEST_CASE("%s", rows[i].why);
    dap_layout *layout = read_layout(rows[i].layout ? rows[i].layout : rows[i].summary);
    if (!layout) continue;
    expect_text(dap_layout_describe, layout, rows[i].text);
    expect_text(dap_layout_summary, layout, rows[i].summary);
    dap_layout_destroy(&layout);
  }
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(golden_texts),
};

MPI_TEST_MAIN(tests)
