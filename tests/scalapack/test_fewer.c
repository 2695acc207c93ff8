/* Tests moved views on fewer processes than the array has, and matrices with more columns than the array.
 * Every element must be where the descriptor says, and must return to the array. */
#include "operand.h"

#include <dapbridge/scalapack_calls.h>
#include <inttypes.h>

enum { P = -1, F = -2 /* all processes; one fewer, or 1 */ };

static const struct {
  const char *why;
  int64_t size[2], columns; /* 0: the array's number */
  int grid[2];              /* asked for; 0: not asked for */
  bool occupied;
  int want[2]; /* process rows and columns; 0: not checked */
} rows[] = {
    {"all processes", {20, 20}, 0, {1, P}, false, {1, P}},
    {"one process", {20, 20}, 0, {1, 1}, false, {1, 1}},
    {"all but one", {20, 13}, 0, {F, 1}, false, {F, 1}},
    {"all but one, as columns", {3, 50}, 0, {1, F}, false, {1, F}},
    {"two rows need two processes", {2, 2}, 0, {0, 0}, true, {0, 0}},
    {"one row needs one process row", {1, 50}, 0, {0, 0}, true, {1, 0}},
    {"one column needs one process column", {50, 1}, 0, {0, 0}, true, {0, 1}},
    {"one element", {1, 1}, 0, {0, 0}, true, {1, 1}},
    {"blocks are cut to reach all", {23, 23}, 0, {1, P}, true, {1, P}},
    {"nothing", {0, 0}, 0, {0, 0}, true, {1, 1}},
    {"wider", {12, 5}, 12, {0, 0}, true, {0, 0}},
    {"wider, on one", {7, 3}, 50, {1, 1}, false, {1, 1}},
    {"wider, from nothing", {6, 0}, 6, {0, 0}, false, {0, 0}},
    {"as wide", {9, 9}, 9, {0, 0}, false, {0, 0}},
};

static int processes(int wish)
{
  const int n = test_nprocs();
  return wish == P ? n : wish == F ? (n > 1 ? n - 1 : 1) : wish;
}

static bool is_zero(const unsigned char *bytes, int64_t count)
{
  int64_t i = 0;
  while (i < count && bytes[i] == 0) i++;
  return i == count;
}

static void check_elements(const dap_scalapack_matrix *m)
{
  for (element_walk w = walk_elements(m, sizeof(double)); next_element(&w);)
    if (w.j >= m->n)
      EXPECT_MSG(is_zero(w.element, sizeof(double)), "(%" PRId64 ", %" PRId64 ") is not 0", w.i, w.j);
    else
      EXPECT_MSG(*(double *)w.element == (double)(w.i * m->n + w.j + 1), "(%" PRId64 ", %" PRId64 ") is %g",
                 w.i, w.j, *(double *)w.element);
}

static void check_grid(size_t row, const dap_scalapack_matrix *m)
{
  int found[4] = {0}, inside = m->desc[1] >= 0;
  if (inside) matrix_grid(m, found);
  MPI_Allreduce(MPI_IN_PLACE, &inside, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, found, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  EXPECT_INT(inside, found[0] * found[1]);
  for (int k = 0; k < 2; k++) {
    if (rows[row].want[k]) EXPECT_INT(found[k], processes(rows[row].want[k]));
    const int64_t blocks = (m->desc[2 + k] + m->desc[4 + k] - 1) / m->desc[4 + k];
    EXPECT_MSG(!rows[row].occupied || m->desc[2 + k] == 0 || blocks >= found[k], "%d of %d have blocks",
               (int)blocks, found[k]);
  }
}

static void every_element(void **state)
{
  (void)state;
  for (size_t i = 0; i < 2 * sizeof rows / sizeof rows[0]; i++) {
    const size_t row = i / 2;
    TEST_CASE("%s, from %s", rows[row].why, i % 2 ? "rows" : "columns");
    const dap_dist dists[2] = {dap_dist_even(rows[row].size[0], i % 2 ? test_nprocs() : 1),
                               dap_dist_even(rows[row].size[1], i % 2 ? 1 : test_nprocs())};
    held_array o = operand_make(MPI_COMM_WORLD, dists, DAP_F8, i % 4 < 2 ? FORM_C : FORM_F);
    const dap_scalapack_options options = {
        .sharing = DAP_SHARE_NEVER,
        .op = 'N',
        .needs = {.square_blocks = true, .occupied = rows[row].occupied},
        .grid = {processes(rows[row].grid[0]), processes(rows[row].grid[1])},
        .columns = rows[row].columns,
    };
    dap_scalapack_matrix m;
    operand_get(&o, DAP_READ_WRITE, &options, &m);
    EXPECT_INT(m.desc[3], rows[row].columns ? rows[row].columns : rows[row].size[1]);
    check_grid(row, &m);
    check_elements(&m);
    memset(o.buffer.memory, TEST_POISON, (size_t)o.buffer.bytes);
    operand_restore(&m);
    check_global(o.layout, o.rank, &o.array, PADDING_POISON);
    check_gaps(&o.buffer);
    held_array_free(&o);
    SETTLE();
  }
}

/* ---- beside another view, with its leading dimension ------------------------------------------------- */

static void leading_dimensions(void **state)
{
  (void)state;
  static const struct {
    const char *why;
    test_form first, second;
    bool shared;
  } pairs[] = {
      {"both contiguous", FORM_C, FORM_C, true},
      {"the first has gaps", FORM_WIDE, FORM_C, false},
      {"the second has gaps", FORM_C, FORM_WIDE, false},
      {"both have gaps", FORM_WIDE, FORM_WIDE, true},
  };
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
    TEST_CASE("%s", pairs[i].why);
    const dap_dist dists[2] = {dap_dist_even(24, test_nprocs()), dap_dist_even(20, 1)};
    operand_use a, b;
    take(&a, dists, pairs[i].first, (dap_scalapack_options){.op = 0});
    take(&b, dists, pairs[i].second,
         (dap_scalapack_options){.aligned_with = &a.m, .needs = {.align = DAP_ALIGN_LEADING}});
    EXPECT_INT(b.m.desc[8], a.m.desc[8]);
    EXPECT_MSG(b.m.shared == pairs[i].shared, "%s", b.m.reason);
    finish(&b), finish(&a);
    SETTLE();
  }
}

/* The second matrix has the first one's blocks, although it has more columns than the first one's only
 * block. */
static void narrow_neighbour(void **state)
{
  (void)state;
  const dap_dist narrow[2] = {dap_dist_even(24, test_nprocs()), dap_dist_even(5, 1)};
  const dap_dist wide[2] = {dap_dist_even(24, test_nprocs()), dap_dist_even(20, 1)};
  operand_use a, b;
  take(&a, narrow, FORM_C,
       (dap_scalapack_options){
           .sharing = DAP_SHARE_NEVER, .op = 'N', .block_size = {4, 5}, .grid = {test_nprocs(), 1}});
  take(&b, wide, FORM_C,
       (dap_scalapack_options){.sharing = DAP_SHARE_NEVER,
                               .op = 'N',
                               .aligned_with = &a.m,
                               .needs = {.align = DAP_ALIGN_LEADING}});
  for (int i = 4; i < 9; i++) EXPECT_INT(b.m.desc[i], a.m.desc[i]); /* MB, NB, RSRC, CSRC, LLD */
  finish(&b), finish(&a);
  SETTLE();
}

static void refused(void **state)
{
  (void)state;
  static const struct {
    const char *why;
    dap_scalapack_options options;
    dap_status status;
    const char *parts;
  } cases[] = {
      {"fewer columns than the array", {.op = 'N', .columns = 19}, DAP_ERR_ARG, "columns|19|20"},
      {"negative", {.columns = -1}, DAP_ERR_ARG, "columns is -1"},
      {"shared", {.sharing = DAP_SHARE_OR_FAIL, .columns = 30}, DAP_ERR_SHARE, "30 columns|20"},
      {"blocks that leave one empty",
       {.sharing = DAP_SHARE_NEVER, .block_size = {20, 20}, .needs = {.occupied = true}},
       DAP_ERR_UNSUPPORTED,
       "blocks of 20|empty"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    if (test_nprocs() == 1 && cases[i].status == DAP_ERR_UNSUPPORTED) continue; /* no process is empty */
    TEST_CASE("%s", cases[i].why);
    const dap_dist dists[2] = {dap_dist_even(20, test_nprocs()), dap_dist_even(20, 1)};
    held_array o = operand_make(MPI_COMM_WORLD, dists, DAP_F8, FORM_C);
    dap_scalapack_matrix m;
    dap_error err = {0};
    const dap_status status =
        dap_scalapack_get(o.comm, held_darray(&o), DAP_READ, &cases[i].options, &m, &err);
    expect_same_error(o.comm, status, &err, cases[i].status, cases[i].parts);
    held_array_free(&o);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(every_element),
                                          cmocka_unit_test(leading_dimensions),
                                          cmocka_unit_test(narrow_neighbour), cmocka_unit_test(refused)};
MPI_TEST_MAIN(tests)
