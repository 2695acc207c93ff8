/* dap_layout_describe() and dap_layout_summary(): the texts themselves. */
#include "forget.h"
#include "layouts.h"

static const int64_t lengths[] = {2, 0, 3}, lists_lengths[] = {3, 1, 2};
static const int64_t list_0[] = {5, 0, 3}, list_1[] = {1}, list_2[] = {4, 2}, again_1[] = {1, 3};
static const int64_t *const lists[] = {list_0, list_1, list_2};
static const int64_t *const with_duplicates[] = {list_0, again_1, list_2};
static const int64_t duplicates_lengths[] = {3, 2, 2};
static const int64_t owned_first[] = {2, 2, 2};
static const int swapped[] = {1, 0}, turned[] = {2, 0, 1}, many[] = {9, 8, 7, 6, 5, 4, 3, 2, 1, 0};

static const struct {
  const char *why;
  int ndim;
  dap_dist dists[3];
  const int *ranks;
  const char *summary, *text;
} rows[] = {
    {"a scalar", 0, {{0}}, NULL, "scalar", "scalar\n"},
    {"one process",
     1,
     {{.procs = 1, .size = 7}},
     NULL,
     "7 over 1: block",
     "array of 7 on a process grid of 1\n"
     "axis 0: block, 7 over 1 process, owned 7\n"},
    {"the header's example",
     2,
     {{.procs = 2, .size = 10}, {.kind = DAP_DIST_CYCLIC, .procs = 3, .size = 12, .block_size = 2}},
     NULL,
     "10 x 12 over 2 x 3: block, cyclic(2)",
     "array of 10 x 12 on a process grid of 2 x 3\n"
     "axis 0: block, 10 over 2 processes, owned 5 5\n"
     "axis 1: cyclic, 12 over 3 processes, blocks of 2, owned 4 4 4\n"},
    {"an even cut that ceil is too",
     1,
     {{.kind = DAP_DIST_CEIL, .procs = 2, .size = 5}},
     NULL,
     "5 over 2: block",
     "array of 5 on a process grid of 2\n"
     "axis 0: block, 5 over 2 processes, owned 3 2\n"},
    {"ceil that is not even",
     1,
     {{.kind = DAP_DIST_CEIL, .procs = 4, .size = 5}},
     NULL,
     "5 over 4: block(ceil)",
     "array of 5 on a process grid of 4\n"
     "axis 0: block, 5 over 4 processes, owned 2 2 1 0\n"},
    {"lengths, one of them 0",
     1,
     {{.kind = DAP_DIST_LENGTHS, .procs = 3, .size = 5, .lengths = lengths}},
     NULL,
     "5 over 3: block(lengths 2 0 3)",
     "array of 5 on a process grid of 3\n"
     "axis 0: block, 5 over 3 processes, owned 2 0 3\n"},
    {"padding inside and at the edges, a rotated first owner",
     2,
     {{.procs = 2, .size = 9, .halo = 2, .boundary = {1, 0}, .periodic = true},
      {.kind = DAP_DIST_CYCLIC, .procs = 3, .size = 10, .block_size = 4, .first_owner = 2}},
     NULL,
     "9 x 10 over 2 x 3: block(halo 2, boundary 1 0, periodic), cyclic(4, first 2)",
     "array of 9 x 10 on a process grid of 2 x 3\n"
     "axis 0: block, 9 over 2 processes, owned 5 4, halo 2, boundary 1 0, periodic\n"
     "axis 1: cyclic, 10 over 3 processes, blocks of 4, the first on 2, owned 4 2 4\n"},
    {"padding that wraps round",
     1,
     {{.procs = 3, .size = 9, .halo = 1, .periodic = true, .wraps = true}},
     NULL,
     "9 over 3: block(halo 1, outer halo 1 1, periodic)",
     "array of 9 on a process grid of 3\n"
     "axis 0: block, 9 over 3 processes, owned 3 3 3, halo 1, outer halo 1 1, periodic\n"},
    {"padding that wraps round one process",
     1,
     {{.procs = 1, .size = 9, .halo = 2, .periodic = true, .wraps = true}},
     NULL,
     "9 over 1: block(outer halo 2 2, periodic)",
     "array of 9 on a process grid of 1\n"
     "axis 0: block, 9 over 1 process, owned 9, outer halo 2 2, periodic\n"},
    {"more processes than are listed",
     1,
     {{.kind = DAP_DIST_CYCLIC, .procs = 9, .size = 10, .block_size = 1}},
     NULL,
     "10 over 9: cyclic(1)",
     "array of 10 on a process grid of 9\n"
     "axis 0: cyclic, 10 over 9 processes, blocks of 1, owned 2 1 1 1 1 1 1 1 ...\n"},
    {"lists that happen to be one to one",
     1,
     {{.kind = DAP_DIST_UNSTRUCTURED, .procs = 3, .size = 6, .lengths = lists_lengths, .indices = lists}},
     NULL,
     "6 over 3: unstructured",
     "array of 6 on a process grid of 3\n"
     "axis 0: unstructured, 6 over 3 processes, owned 3 1 2\n"},
    {"lists that say so",
     1,
     {{.kind = DAP_DIST_UNSTRUCTURED,
       .procs = 3,
       .size = 6,
       .lengths = lists_lengths,
       .indices = lists,
       .one_to_one = true}},
     NULL,
     "6 over 3: unstructured(one to one)",
     "array of 6 on a process grid of 3\n"
     "axis 0: unstructured, 6 over 3 processes, owned 3 1 2, one to one\n"},
    {"duplicates",
     1,
     {{.kind = DAP_DIST_UNSTRUCTURED,
       .procs = 3,
       .size = 6,
       .lengths = duplicates_lengths,
       .indices = with_duplicates}},
     NULL,
     "6 over 3: unstructured(duplicates)",
     "array of 6 on a process grid of 3\n"
     "axis 0: unstructured, 6 over 3 processes, held 3 2 2, owned 3 1 2, the lowest owns an index\n"},
    {"the same with ghosts",
     1,
     {{.kind = DAP_DIST_UNSTRUCTURED,
       .procs = 3,
       .size = 6,
       .lengths = duplicates_lengths,
       .indices = with_duplicates,
       .owned = owned_first}},
     NULL,
     "6 over 3: unstructured(ghosts)",
     "array of 6 on a process grid of 3\n"
     "axis 0: unstructured, 6 over 3 processes, held 3 2 2, owned 2 2 2, owners as given\n"},
    {"full copies",
     1,
     {{.kind = DAP_DIST_REPLICATED, .procs = 2, .size = 6}},
     NULL,
     "6 over 2: replicated",
     "array of 6 on a process grid of 2\n"
     "axis 0: replicated, 6 over 2 processes, all on each\n"},
    {"addends",
     1,
     {{.kind = DAP_DIST_PARTIAL, .procs = 3, .size = 6}},
     NULL,
     "6 over 3: partial",
     "array of 6 on a process grid of 3\n"
     "axis 0: partial, 6 over 3 processes, an addend of each element on each\n"},
    {"one full copy",
     1,
     {{.kind = DAP_DIST_REPLICATED, .procs = 1, .size = 6}},
     NULL,
     "6 over 1: replicated",
     "array of 6 on a process grid of 1\n"
     "axis 0: replicated, 6 over 1 process, all on each\n"},
    {"ranks in another order, behind the axes' own words",
     2,
     {{.procs = 1, .size = 4}, {.procs = 3, .size = 6, .halo = 1}},
     turned,
     "4 x 6 over 1 x 3: block, block(halo 1); ranks 2 0 1",
     "array of 4 x 6 on a process grid of 1 x 3, ranks in the order 2 0 1\n"
     "axis 0: block, 4 over 1 process, owned 4\n"
     "axis 1: block, 6 over 3 processes, owned 2 2 2, halo 1\n"},
    {"more ranks, and lengths, than are listed",
     1,
     {{.procs = 10, .size = 12}},
     many,
     "12 over 10: block; ranks 9 8 7 6 5 4 3 2 ...",
     "array of 12 on a process grid of 10, ranks in the order 9 8 7 6 5 4 3 2 ...\n"
     "axis 0: block, 12 over 10 processes, owned 2 2 1 1 1 1 1 1 ...\n"},
    {"nothing at all",
     2,
     {{.procs = 2, .size = 0}, {.kind = DAP_DIST_REPLICATED, .procs = 1, .size = 0}},
     swapped,
     "0 x 0 over 2 x 1: block, replicated; ranks 1 0",
     "array of 0 x 0 on a process grid of 2 x 1, ranks in the order 1 0\n"
     "axis 0: block, 0 over 2 processes, owned 0 0\n"
     "axis 1: replicated, 0 over 1 process, all on each\n"},
};

static void golden_texts(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    TEST_CASE("%s", rows[i].why);
    dap_layout *layout = make_layout(rows[i].ndim, rows[i].dists, rows[i].ranks);
    if (!layout) continue;
    expect_text(dap_layout_describe, layout, rows[i].text);
    expect_text(dap_layout_summary, layout, rows[i].summary);
    dap_layout_destroy(&layout);
  }
  SETTLE();
}

static void halos_that_differ(void **state)
{
  (void)state;
  dap_layout *layout = make_uneven_halos();
  if (layout) {
    expect_text(dap_layout_summary, layout, "10 over 3: block(lengths 2 4 4, halo 2 3)");
    expect_text(dap_layout_describe, layout,
                "array of 10 on a process grid of 3\n"
                "axis 0: block, 10 over 3 processes, owned 2 4 4, halo 2 3\n");
  }
  dap_layout_destroy(&layout);
  SETTLE();
}

/* The summary is the same on all processes, so that it can be in an agreed text. */
static void lists_that_others_know(void **state)
{
  (void)state;
  const dap_dist dist = dap_dist_unstructured(6, 3, lists_lengths, lists);
  dap_layout *layout = make_layout(1, &dist, NULL);
  forget(layout, 0, 1);
  expect_text(dap_layout_summary, layout, "6 over 3: unstructured");
  expect_text(dap_layout_describe, layout,
              "array of 6 on a process grid of 3\n"
              "axis 0: unstructured, 6 over 3 processes, owned 3 1 2, indices known only of process 1\n");
  dap_layout_destroy(&layout);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(golden_texts),
    cmocka_unit_test(halos_that_differ),
    cmocka_unit_test(lists_that_others_know),
};

MPI_TEST_MAIN(tests)
