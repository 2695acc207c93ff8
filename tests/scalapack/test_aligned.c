/* Tests operands of one call, whose views must fit another view, and the grids and blocks of moved views. */
#include "operand.h"

#include <dapbridge/scalapack_calls.h>

static dap_dist cyclic(int64_t size, int procs, int64_t block, int first)
{
  return (dap_dist){
      .kind = DAP_DIST_CYCLIC, .procs = procs, .size = size, .block_size = block, .first_owner = first};
}

/* Sets `procs` to two factors of the number of processes. */
static void grid_of(int procs[2])
{
  procs[0] = test_nprocs() % 2 == 0 ? 2 : 1;
  procs[1] = test_nprocs() / procs[0];
}

/* The cut of the second operand's axis 1. The first operand has blocks of 4 from process 0 on. */
static const struct {
  const char *why;
  int64_t block;
  int first; /* owner, from the last process backwards if negative */
  test_form form;
  char op;
  bool aligned;
  int moved_from; /* moved from this number of processes on, along axis 1, or with op in all */
  const char *reason;
} seconds[] = {
    {"cut alike", 4, 0, FORM_C, 0, true, 1000, ""},
    {"another block size where none is asked for", 3, 0, FORM_C, 0, false, 1000, ""},
    {"another block size where the rows must be aligned", 3, 0, FORM_C, 0, true, 2,
     "blocks of 3|blocks of 4"},
    {"starts at another process", 4, -1, FORM_C, 0, true, 2, "(0, 0)"},
    {"F order beside C order", 4, 0, FORM_F, 0, true, 1, "op 'T'|axis 1|contiguous"},
    {"F order beside C order, not transposed", 4, 0, FORM_F, 'N', false, 2, "Fortran order"},
};

static void a_second_operand_goes_with_the_first(void **state)
{
  (void)state;
  int procs[2];
  grid_of(procs);
  for (size_t i = 0; i < sizeof seconds / sizeof seconds[0]; i++) {
    TEST_CASE("%s", seconds[i].why);
    const int first = (seconds[i].first + procs[1]) % procs[1];
    const dap_dist one[2] = {cyclic(19, procs[0], 4, 0), cyclic(21, procs[1], 4, 0)};
    const dap_dist two[2] = {cyclic(5, procs[0], 4, 0), cyclic(21, procs[1], seconds[i].block, first)};
    operand_use a, b;
    take(&a, one, FORM_C, (dap_scalapack_options){.needs.square_blocks = true});
    take(&b, two, seconds[i].form,
         (dap_scalapack_options){.aligned_with = &a.m,
                                 .needs.align = seconds[i].aligned ? DAP_ALIGN_ROWS : DAP_ALIGN_GRID,
                                 .op = seconds[i].op});
    EXPECT(a.m.shared);
    EXPECT_INT(b.m.desc[1], a.m.desc[1]);
    EXPECT_INT(b.m.op, seconds[i].op ? seconds[i].op : 'T');
    EXPECT(!seconds[i].aligned || b.m.desc[4] == a.m.desc[4]);
    const int along =
        seconds[i].op ? test_nprocs() : procs[1]; /* op 'N' exchanges the axes of the whole grid */
    const bool moved = along >= seconds[i].moved_from;
    EXPECT_MSG(b.m.shared == !moved, "%s", b.m.reason);
    EXPECT_MSG(!moved || test_contains(b.m.reason, seconds[i].reason), "%s", b.m.reason);
    EXPECT(!moved || (b.m.desc[4] == a.m.desc[4] && b.m.desc[5] == a.m.desc[5]));
    finish(&a), finish(&b);
    SETTLE();
  }
}

/* The first array begins on any process. Arrays beside it, of any cut and op, get its grid. */
static void rotated_grids_are_met(void **state)
{
  (void)state;
  int procs[2];
  grid_of(procs);
  const int n = test_nprocs();
  for (int s0 = 0; s0 < procs[0]; s0++)
    for (int s1 = 0; s1 < procs[1]; s1++)
      for (int form = FORM_C; form <= FORM_F; form++) {
        TEST_CASE("first owner (%d, %d), %s", s0, s1, form == FORM_C ? "C" : "F");
        const dap_dist one[2] = {cyclic(13, procs[0], 3, s0), cyclic(17, procs[1], 3, s1)};
        const dap_dist two[2] = {dap_dist_even(17, 1), dap_dist_even(3 * n + 1, n)};
        const dap_dist three[2] = {cyclic(2, procs[0], 3, s0), cyclic(17, procs[1], 3, s1)};
        const dap_dist *const dists[] = {one, two, two, three};
        const dap_scalapack_options options[] = {{.needs.square_blocks = true},
                                                 {.op = 'N', .needs.align = DAP_ALIGN_ROWS},
                                                 {.op = 'T', .needs.align = DAP_ALIGN_ROWS},
                                                 {.needs.square_blocks = true}};
        operand_use u[4];
        for (int i = 0; i < 4; i++) {
          dap_scalapack_options o = options[i];
          if (i > 0) o.aligned_with = &u[0].m;
          take(&u[i], dists[i], dists[i] == two ? FORM_C : (test_form)form, o);
          EXPECT(u[i].m.desc[1] == u[0].m.desc[1] && u[i].m.desc[4] == u[0].m.desc[4]);
        }
        EXPECT(u[0].m.shared && u[3].m.shared);
        /* The owner of the first element is process (0, 0). */
        int grid[4], rank = -1;
        matrix_grid(&u[0].m, grid);
        const int64_t origin[2] = {0, 0};
        int64_t local[2];
        EXPECT_OK(dap_layout_locate(u[0].o.layout, origin, &rank, local, NULL), NULL);
        EXPECT((rank == test_rank()) == (grid[2] == 0 && grid[3] == 0));
        for (int i = 0; i < 4; i++) finish(&u[i]);
        SETTLE();
      }
}

/* If a routine accepts any sources, the first operand's block 0 may be on any process of a grid of one row
 * or column. Moved operands begin on the same process. */
static void any_sources_are_met(void **state)
{
  (void)state;
  const int n = test_nprocs();
  for (int first = 0; first < n; first++)
    for (int row = 0; row < 16; row++) {
      const int procs[2] = {row & 1 ? n : 1, row & 1 ? 1 : n};
      const char op = row & 2 ? 'N' : 'T', beside = row & 4 ? 'N' : 'T';
      const dap_dist one[2] = {cyclic(13, procs[0], 3, row & 1 ? first : 0),
                               cyclic(17, procs[1], 3, row & 1 ? 0 : first)};
      const dap_dist two[2] = {dap_dist_even(op == beside ? 13 : 17, 1),
                               dap_dist_even(op == beside ? 17 : 13, n)};
      const dap_scalapack_int context = grid_in_order(procs, op);
      const int64_t source[2] = {one[op == 'T'].first_owner, one[op == 'N'].first_owner};
      TEST_CASE("source (%d, %d), op %c, beside it op %c", (int)source[0], (int)source[1], op, beside);
      operand_use a, b;
      take(&a, one, op == 'T' ? FORM_C : FORM_F,
           (dap_scalapack_options){
               .context = &context, .op = op, .sharing = DAP_SHARE_OR_FAIL, .needs.any_sources = true});
      take(&b, two, row & 8 ? FORM_F : FORM_C,
           (dap_scalapack_options){.aligned_with = &a.m,
                                   .op = beside,
                                   .sharing = DAP_SHARE_NEVER,
                                   .needs = {.any_sources = true, .align = DAP_ALIGN_SAME}});
      matrix_check_from(&a.m, &a.o, source);
      matrix_check_from(&b.m, &b.o, source);
      operand_restore(&b.m);
      operand_restore(&a.m);
      finish(&b), finish(&a);
      Cblacs_gridexit(context);
      SETTLE();
    }
}

/* The second view has the first one's unequal blocks of rows and columns, unless its blocks must be
 * square. */
static void unequal_blocks_are_followed(void **state)
{
  (void)state;
  int procs[2];
  grid_of(procs);
  const dap_dist one[2] = {cyclic(29, procs[0], 3, 0), cyclic(31, procs[1], 7, 0)};
  for (int square = 0; square < 2; square++)
    for (int turned = 0; turned < 2; turned++) {
      TEST_CASE("square %d, turned %d", square, turned);
      operand_use a, b;
      take(&a, one, FORM_C, (dap_scalapack_options){.sharing = DAP_SHARE_NEVER, .block_size = {3, 7}});
      take(&b, one, FORM_C,
           (dap_scalapack_options){.sharing = DAP_SHARE_NEVER,
                                   .op = turned ? 'N' : 'T',
                                   .needs.square_blocks = square,
                                   .aligned_with = &a.m});
      EXPECT(a.m.desc[4] == 7 && a.m.desc[5] == 3);
      EXPECT(b.m.desc[4] == 7 && b.m.desc[5] == (square ? 7 : 3));
      EXPECT_INT(b.m.desc[1], a.m.desc[1]);
      finish(&a), finish(&b);
      SETTLE();
    }
}

/* If a routine cannot use another view's blocks, they are refused, even for an empty matrix, because
 * routines check its descriptor. */
static void small_blocks_are_refused(void **state)
{
  (void)state;
  int procs[2];
  grid_of(procs);
  const dap_dist one[2] = {cyclic(29, procs[0], 3, 0), cyclic(31, procs[1], 3, 0)};
  for (int empty = 0; empty < 2; empty++) {
    TEST_CASE("empty %d", empty);
    const dap_dist two[2] = {cyclic(29, procs[0], 3, 0), cyclic(empty ? 0 : 31, procs[1], 3, 0)};
    operand_use a;
    held_array b = operand_make(MPI_COMM_WORLD, two, DAP_F8, FORM_C);
    dap_scalapack_matrix m;
    dap_error err = {0};
    take(&a, one, FORM_C, (dap_scalapack_options){.sharing = DAP_SHARE_NEVER, .block_size = {3, 3}});
    const dap_scalapack_options options = {.aligned_with = &a.m,
                                           .needs = {.least_block = 5, .align = DAP_ALIGN_SAME}};
    const dap_status s = dap_scalapack_get(b.comm, held_darray(&b), DAP_READ, &options, &m, &err);
    expect_same_error(b.comm, s, &err, DAP_ERR_UNSUPPORTED, "at least 5");
    held_array_free(&b);
    finish(&a);
    SETTLE();
  }
}

/* An array in one piece can have any blocks. It gets those of the first view. */
static void free_blocks_follow(void **state)
{
  (void)state;
  const int n = test_nprocs();
  const dap_dist one[2] = {cyclic(30, 1, 6, 0), cyclic(29, n, 6, 0)};
  const dap_dist two[2] = {cyclic(4, 1, 1, 0), cyclic(29, n, 6, 0)};
  const dap_dist none[2] = {cyclic(4, 1, 1, 0), cyclic(0, n, 2, n - 1)};
  operand_use a, b, c;
  take(&a, one, FORM_C, (dap_scalapack_options){.needs.square_blocks = true});
  const dap_scalapack_options beside = {.aligned_with = &a.m, .needs.align = DAP_ALIGN_ROWS};
  take(&b, two, FORM_C, beside);
  take(&c, none, FORM_C, beside);
  EXPECT(a.m.shared && b.m.shared && c.m.shared);
  EXPECT(n == 1 || (a.m.desc[4] == 6 && a.m.desc[5] == 6)); /* the one whole axis takes the other's size */
  EXPECT(b.m.desc[4] == a.m.desc[4] && b.m.desc[5] == a.m.desc[5]);
  finish(&a), finish(&b), finish(&c);
  SETTLE();
}

/* Grids and block sizes of moved views, by the array's axes. P stands for all processes, HALF for half of
 * them (all if their number is odd), REST for the other factor. With 0 only the product is checked. */
enum { P = -1, HALF = -2, REST = -3 };
static const struct {
  const char *why;
  int64_t size[2];
  bool rows_only; /* the array's own grid: P x 1, else the two factors of grid_of() */
  int grid[2];
  int64_t block[2];
  bool square;
  int want_grid[2];
  int64_t want_block[2]; /* 0: not checked */
} wishes[] = {
    {"large: blocks of 32", {200, 900}, true, {1, P}, {0, 0}, false, {1, P}, {32, 32}},
    {"larger: blocks of 64", {2048, 2050}, true, {1, P}, {0, 0}, false, {1, P}, {64, 64}},
    {"a long axis gets the processes", {10, 2000}, true, {1, 0}, {0, 0}, true, {1, P}, {32, 32}},
    {"a wanted grid", {30, 30}, true, {P, 1}, {2, 5}, false, {P, 1}, {2, 5}},
    {"one wanted block size is both", {30, 30}, true, {P, 0}, {0, 5}, false, {P, 1}, {5, 5}},
    {"narrow: the long axis decides", {2000, 8}, true, {0, 0}, {0, 0}, true, {0, 0}, {32, 32}},
    {"a wanted number of columns alone", {30, 30}, true, {0, HALF}, {7, 7}, false, {REST, HALF}, {7, 7}},
    {"a wanted square block", {30, 30}, false, {0, P}, {7, 7}, true, {1, P}, {7, 7}},
    {"few rows do not shrink the block", {0, 300}, true, {P, 1}, {0, 0}, true, {P, 1}, {32, 32}},
    {"own grid, if both its extents exceed 1", {40, 50}, false, {0, 0}, {3, 0}, true, {0, 0}, {3, 3}},
};

static int processes_of(int wish)
{
  const int n = test_nprocs(), half = n % 2 ? n : n / 2;
  return wish == P ? n : wish == HALF ? half : wish == REST ? n / half : wish;
}

static void moved_views_get_what_is_asked(void **state)
{
  (void)state;
  const int n = test_nprocs();
  for (size_t i = 0; i < sizeof wishes / sizeof wishes[0]; i++) {
    TEST_CASE("%s", wishes[i].why);
    int procs[2], grid[2], want[2], got[4];
    grid_of(procs);
    if (wishes[i].rows_only) procs[0] = n, procs[1] = 1;
    for (int k = 0; k < 2; k++) {
      grid[k] = processes_of(wishes[i].grid[k]);
      want[k] = processes_of(wishes[i].want_grid[k]);
    }
    if (want[0] == 0 && procs[0] > 1 && procs[1] > 1) want[0] = procs[0], want[1] = procs[1];
    const dap_dist dists[2] = {dap_dist_even(wishes[i].size[0], procs[0]),
                               dap_dist_even(wishes[i].size[1], procs[1])};
    operand_use u;
    take(&u, dists, FORM_C,
         (dap_scalapack_options){.sharing = DAP_SHARE_NEVER,
                                 .needs.square_blocks = wishes[i].square,
                                 .grid = {grid[0], grid[1]},
                                 .block_size = {wishes[i].block[0], wishes[i].block[1]}});
    matrix_grid(&u.m, got); /* op 'T': the matrix's rows are the array's axis 1 */
    EXPECT_INT(got[0] * got[1], n);
    if (want[0]) EXPECT(got[0] == want[1] && got[1] == want[0]);
    EXPECT_INT(u.m.desc[4], wishes[i].want_block[1]);
    EXPECT_INT(u.m.desc[5], wishes[i].want_block[0]);
    finish(&u);
    SETTLE();
  }
}

/* An array of n x 0 has nothing to move, so it is shared beside a view whose processes have another order.
 * Its leading dimension must suffice for the rows of this process's place on the grid. */
static void empty_arrays_go_with_others(void **state)
{
  (void)state;
  const int n = test_nprocs();
  const dap_dist dists[2] = {dap_dist_cyclic(2 * n, n, 2), dap_dist_even(3, 1)},
                 empty[2] = {dap_dist_ceil(n + 1, n), dap_dist_even(0, 1)};
  int ranks[BRUTE_PROCS];
  operand_use a;
  dap_scalapack_matrix m;
  for (int i = 0; i < n; i++) ranks[i] = n - 1 - i;
  held_array b = operand_of(MPI_COMM_WORLD, layout_make(2, empty, ranks), DAP_F8, FORM_F);
  take(&a, dists, FORM_F, (dap_scalapack_options){.op = 'N', .routine = "gemm"});
  operand_get(&b, DAP_READ_WRITE,
              &(dap_scalapack_options){.op = 'N', .routine = "gemm", .aligned_with = &a.m}, &m);
  EXPECT(m.shared);
  EXPECT_INT(m.desc[1], a.m.desc[1]);
  matrix_check_from(&m, &b, (const int64_t[]){m.desc[6], m.desc[7]});
  operand_restore(&m);
  held_array_free(&b);
  finish(&a);
  SETTLE();
}

/* On one process the grids of both orders are the same. A view is kept only for views in its own order. */
static void kept_views_follow_the_order(void **state)
{
  (void)state;
  const dap_dist dists[2] = {cyclic(7, 1, 4, 0), cyclic(7, 1, 4, 0)};
  for (int i = 0; i < 4; i++) {
    const char op = i % 2 ? 'T' : 'N';
    TEST_CASE("beside op %c, time %d", op, i / 2);
    held_array a = operand_make(MPI_COMM_SELF, dists, DAP_F8, op == 'T' ? FORM_C : FORM_F);
    held_array b = operand_make(MPI_COMM_SELF, dists, DAP_F8, FORM_F);
    dap_scalapack_matrix ma, mb;
    operand_get(&a, DAP_READ, &(dap_scalapack_options){.routine = "gemm"}, &ma);
    operand_get(&b, DAP_READ, &(dap_scalapack_options){.routine = "gemm", .aligned_with = &ma}, &mb);
    EXPECT(ma.op == op && mb.op == op);
    EXPECT(ma.shared && mb.shared == (op == 'N'));
    matrix_check(&mb, &b);
    operand_restore(&mb), operand_restore(&ma);
    held_array_free(&b), held_array_free(&a);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_second_operand_goes_with_the_first),
    cmocka_unit_test(rotated_grids_are_met),
    cmocka_unit_test(any_sources_are_met),
    cmocka_unit_test(unequal_blocks_are_followed),
    cmocka_unit_test(small_blocks_are_refused),
    cmocka_unit_test(free_blocks_follow),
    cmocka_unit_test(moved_views_get_what_is_asked),
    cmocka_unit_test(empty_arrays_go_with_others),
    cmocka_unit_test(kept_views_follow_the_order),
};
MPI_TEST_MAIN(tests)
