/* Compares dap_plan_volumes() with the owner of every element, and with what processes say that they would
 * send. */
#include "mpi_test.h"

#include <dapbridge/parse.h>
#include <dapbridge/plan.h>
#include <inttypes.h>

enum { MOST = 8 /* most processes of a side */ };

static const struct {
  const char *why;
  const char *from, *to;
} rows[] = {
    {"blocks to cyclic blocks, M x N", "30x20 on 2x2", "30x20 on 2x3: c(4), c(3)"},
    {"onto one process", "17 on 5: c(2)", "17 on 1"},
    {"a process owns nothing", "10 on 3: b[4,0,6]", "10 on 4: b(ceil)"},
    {"ranks in another order", "12x4 on 2x3; ranks 5 0 3 1 4 2", "12x4 on 6x1"},
    {"lists, of which ghosts are read from their owners", "8 on 3: u[5,0,~3][1,3,7,2][4,6,~0]", "8 on 2"},
    {"lists that are written on all that have them", "8 on 2: c", "8 on 3: u[5,0,3][1,3,7,2][4,6,0]"},
    {"a copy on each process", "9x4 on 2x2", "9x4 on 1x3: b, r"},
    {"padding is not filled", "9 on 3: b(halo 1)", "9 on 3: b(halo 2, boundary 1 1)"},
    {"no elements", "0x4 on 2x2", "0x4 on 4x1"},
    {"no axes", "scalar", "scalar"},
};

/* Counts every element that the buffers of the destination have, except padding. Each comes from its
 * owner. */
static void count_elements(const dap_layout *from, const dap_layout *to, int64_t wanted[MOST * MOST])
{
  const int nprocs = dap_layout_nprocs(to), ndim = dap_layout_ndim(to);
  for (int q = 0; q < nprocs; q++) {
    int coords[DAP_MAX_NDIM] = {0};
    int64_t extent[DAP_MAX_NDIM], count = 1;
    dap_layout_coords(to, q, coords);
    for (int k = 0; k < ndim; k++) count *= extent[k] = dap_layout_extent(to, k, coords[k]);
    for (int64_t i = 0; i < count; i++) {
      int64_t at[DAP_MAX_NDIM], global[DAP_MAX_NDIM], local[DAP_MAX_NDIM], rest = i;
      bool is_padding = false;
      int p = -1;
      for (int k = ndim - 1; k >= 0; rest /= extent[k], k--) {
        at[k] = rest % extent[k];
        is_padding = is_padding || (dap_layout_axis(to, k).dist_type == 'b' &&
                                    !dap_layout_is_owned(to, k, coords[k], at[k]));
      }
      if (is_padding) continue;
      EXPECT_OK(dap_layout_globalize(to, q, at, global, NULL, NULL), NULL);
      EXPECT_OK(dap_layout_locate(from, global, &p, local, NULL), NULL);
      wanted[p * nprocs + q]++;
    }
  }
}

/* Compares with what each process would send and keep, in elements of one byte. */
static void check_previews(const dap_layout *from, const dap_layout *to, const int64_t elements[])
{
  const dap_side sides[] = {{.layout = from, .contiguous = true}, {.layout = to, .contiguous = true}};
  const int columns = dap_layout_nprocs(to),
            all = dap_layout_nprocs(from) > columns ? dap_layout_nprocs(from) : columns;
  for (int r = 0; r < all; r++) {
    dap_plan_stats stats;
    dap_error err = {0};
    int64_t sent = 0, received = 0;
    for (int q = 0; q < columns && r < dap_layout_nprocs(from); q++)
      sent += q == r ? 0 : elements[r * columns + q];
    for (int p = 0; p < dap_layout_nprocs(from) && r < columns; p++)
      received += p == r ? 0 : elements[p * columns + r];
    if (!EXPECT_OK(dap_plan_preview(all, r, &sides[0], &sides[1], 1, NULL, &stats, &err), &err)) continue;
    EXPECT_INT(stats.bytes_sent, sent);
    EXPECT_INT(stats.bytes_received, received);
  }
}

static void every_element_is_counted(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dap_layout *from = NULL, *to = NULL;
    dap_error err = {0};
    int64_t wanted[MOST * MOST] = {0}, elements[MOST * MOST] = {0};
    TEST_CASE("%s", rows[i].why);
    if (EXPECT_OK(dap_layout_parse(rows[i].from, &from, &err), &err) &&
        EXPECT_OK(dap_layout_parse(rows[i].to, &to, &err), &err) &&
        EXPECT_OK(dap_plan_volumes(from, to, elements, &err), &err)) {
      count_elements(from, to, wanted);
      for (int e = 0; e < dap_layout_nprocs(from) * dap_layout_nprocs(to); e++)
        EXPECT_INT(elements[e], wanted[e]);
      check_previews(from, to, elements);
    }
    dap_layout_destroy(&from);
    dap_layout_destroy(&to);
  }
  SETTLE();
}

/* If there are copies, the reader uses its own, or else the first one. If there are addends, all count. */
static void copies_and_addends(void **state)
{
  (void)state;
  static const struct {
    const char *from, *to;
    int64_t elements[12];
  } cases[] = {
      {"12 on 3: r", "12 on 4", {3, 0, 0, 3, 0, 3, 0, 0, 0, 0, 3, 0}},
      {"4x2 on 2x2: b, r", "4x2 on 3x1", {4, 0, 0, 0, 0, 0, 0, 2, 2}},
      {"6 on 3: p", "6 on 2", {3, 3, 3, 3, 3, 3}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    dap_layout *from = NULL, *to = NULL;
    dap_error err = {0};
    int64_t elements[12] = {0};
    TEST_CASE("%s to %s", cases[i].from, cases[i].to);
    if (dap_layout_parse(cases[i].from, &from, &err) || dap_layout_parse(cases[i].to, &to, &err) ||
        !EXPECT_OK(dap_plan_volumes(from, to, elements, &err), &err))
      continue;
    for (int e = 0; e < 12; e++) EXPECT_INT(elements[e], cases[i].elements[e]);
    dap_layout_destroy(&from);
    dap_layout_destroy(&to);
  }
  SETTLE();
}

/* Returns how many elements below `end` process q of 3 has if elements are dealt out one by one. */
static int64_t below(int64_t end, int q)
{
  return (end - q + 2) / 3;
}

/* One side has few runs, and the other has 10^12. Only the few may be gone through. */
static void wide_blocks_and_single_elements(void **state)
{
  (void)state;
  const int64_t half = INT64_C(500000000000);
  dap_layout *wide = NULL, *narrow = NULL;
  int64_t there[6], back[6];
  EXPECT_OK(dap_layout_parse("1000000000000 on 2: c(500000000000)", &wide, NULL), NULL);
  EXPECT_OK(dap_layout_parse("1000000000000 on 3: c(1)", &narrow, NULL), NULL);
  EXPECT_OK(dap_plan_volumes(wide, narrow, there, NULL), NULL);
  EXPECT_OK(dap_plan_volumes(narrow, wide, back, NULL), NULL);
  for (int q = 0; q < 3; q++)
    for (int p = 0; p < 2; p++) {
      const int64_t wanted = below((p + 1) * half, q) - below(p * half, q);
      EXPECT_INT(there[p * 3 + q], wanted);
      EXPECT_INT(back[q * 2 + p], wanted);
    }
  dap_layout_destroy(&wide);
  dap_layout_destroy(&narrow);
  SETTLE();
}

static void wrong_arguments(void **state)
{
  (void)state;
  dap_layout *four = NULL, *five = NULL, *square = NULL;
  int64_t elements[4];
  dap_error err;
  EXPECT_OK(dap_layout_parse("4 on 2", &four, NULL), NULL);
  EXPECT_OK(dap_layout_parse("5 on 2", &five, NULL), NULL);
  EXPECT_OK(dap_layout_parse("4x4 on 2x1", &square, NULL), NULL);
  EXPECT_FAIL(dap_plan_volumes(NULL, four, elements, &err), DAP_ERR_ARG, &err, "from and to|NULL");
  EXPECT_FAIL(dap_plan_volumes(four, NULL, elements, &err), DAP_ERR_ARG, &err, "from and to|NULL");
  EXPECT_FAIL(dap_plan_volumes(four, four, NULL, &err), DAP_ERR_ARG, &err, "elements|NULL");
  EXPECT_FAIL(dap_plan_volumes(four, five, elements, &err), DAP_ERR_ARG, &err, "axis 0|4|5");
  EXPECT_FAIL(dap_plan_volumes(four, square, elements, &err), DAP_ERR_ARG, &err,
              "number of axes, not 1 and 2");
  EXPECT_FAIL(dap_plan_volumes(square, four, elements, &err), DAP_ERR_ARG, &err,
              "number of axes, not 2 and 1");
  dap_layout_destroy(&four);
  dap_layout_destroy(&five);
  dap_layout_destroy(&square);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_element_is_counted),
    cmocka_unit_test(copies_and_addends),
    cmocka_unit_test(wide_blocks_and_single_elements),
    cmocka_unit_test(wrong_arguments),
};

MPI_TEST_MAIN(tests)
