/* dap_layout_describe(): the texts themselves. */
#include "mpi_test.h"

static const int64_t lengths[] = {2, 0, 3};

static const struct {
  const char *why;
  int ndim;
  dap_dist dists[2];
  const char *text;
} rows[] = {
    {"a scalar", 0, {{0}}, "scalar\n"},
    {"one process",
     1,
     {{.procs = 1, .size = 7}},
     "array of 7 on a process grid of 1\n"
     "dim 0: block, 7 over 1 process, owned 7\n"},
    {"lengths, one of them 0",
     1,
     {{.cut = DAP_CUT_LENGTHS, .procs = 3, .size = 5, .lengths = lengths}},
     "array of 5 on a process grid of 3\n"
     "dim 0: block, 5 over 3 processes, owned 2 0 3\n"},
    {"padding inside and at the edges, a rotated first owner",
     2,
     {{.procs = 2, .size = 9, .halo = 2, .boundary = {1, 0}, .periodic = true},
      {.cut = DAP_CUT_CYCLIC, .procs = 3, .size = 10, .block_size = 4, .first_owner = 2}},
     "array of 9 x 10 on a process grid of 2 x 3\n"
     "dim 0: block, 9 over 2 processes, owned 5 4, halo 2, boundary 1 0, periodic\n"
     "dim 1: cyclic, 10 over 3 processes, blocks of 4, the first on 2, owned 4 2 4\n"},
    {"more processes than are listed",
     1,
     {{.cut = DAP_CUT_CYCLIC, .procs = 9, .size = 10, .block_size = 1}},
     "array of 10 on a process grid of 9\n"
     "dim 0: cyclic, 10 over 9 processes, blocks of 1, owned 2 1 1 1 1 1 1 1 ...\n"},
};

static void golden_texts(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    char text[512] = "";
    dap_layout *layout = NULL;
    TEST_CASE("%s", rows[i].why);
    if (!EXPECT_OK(dap_layout_create(rows[i].ndim, rows[i].dists, &layout, NULL), NULL)) continue;
    EXPECT_INT(dap_layout_describe(layout, text, sizeof text), strlen(rows[i].text));
    EXPECT_MSG(!strcmp(text, rows[i].text), "text is\n%s", text);
    EXPECT_INT(dap_layout_describe(layout, NULL, 0), strlen(rows[i].text));
    dap_layout_destroy(&layout);
  }
  SETTLE();
}

/* Every capacity: cut to fit, closed, nothing written behind. */
static void a_text_is_cut_to_fit(void **state)
{
  (void)state;
  dap_layout *layout = NULL;
  const dap_dist dist = dap_dist_cyclic(10, 3, 4);
  char whole[256], part[256];
  EXPECT_OK(dap_layout_create(1, &dist, &layout, NULL), NULL);
  const size_t length = dap_layout_describe(layout, whole, sizeof whole);
  EXPECT(length > 20 && length < sizeof whole);
  for (size_t capacity = 0; capacity < sizeof part; capacity++) {
    memset(part, '#', sizeof part);
    TEST_CASE("capacity %zu", capacity);
    EXPECT_INT(dap_layout_describe(layout, part, capacity), length);
    const size_t kept = capacity == 0 ? 0 : capacity - 1 < length ? capacity - 1 : length;
    EXPECT(!memcmp(part, whole, kept));
    EXPECT(capacity == 0 || part[kept] == 0);
    EXPECT(part[capacity] == '#');
  }
  dap_layout_destroy(&layout);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(golden_texts),
    cmocka_unit_test(a_text_is_cut_to_fit),
};

MPI_TEST_MAIN(tests)
