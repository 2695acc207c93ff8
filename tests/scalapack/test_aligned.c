/* Operands of one call: views made to go with another one; and the grids and blocks of moved views. */
#include "operand.h"

#include <dapbridge/scalapack_calls.h>

static void get(dap_scalapack_matrix *m, const operand *o, dap_scalapack_options options)
{
  operand_get(o, DAP_READ_WRITE, &options, m);
}

static void finish(operand *o, dap_scalapack_matrix *m)
{
  if (m->view.view) matrix_check(m, o);
  operand_restore(m);
  check_global(o->layout, o->rank, &o->array, PADDING_POISON);
  operand_free(o);
}

static dap_dist cyclic(int64_t size, int procs, int64_t block, int first)
{
  return (dap_dist){
      .kind = DAP_DIST_CYCLIC, .procs = procs, .size = size, .block_size = block, .first_owner = first};
}

/* Two factors of the number of processes. */
static void grid_of(int procs[2])
{
  procs[0] = test_nprocs() % 2 == 0 ? 2 : 1;
  procs[1] = test_nprocs() / procs[0];
}

/* What the second operand's axis 1 is like, against blocks of 4 starting at process 0 of the first. */
static const struct {
  const char *why;
  int64_t block;
  int first; /* owner, from the last process backwards if negative */
  operand_form form;
  char op;
  bool aligned;
  int moved_from; /* least processes along axis 1 (with op: in all) from which it is moved */
  const char *reason;
} seconds[] = {
    {"cut alike", 4, 0, OPERAND_C, 0, true, 1000, ""},
    {"another block size where none is asked for", 3, 0, OPERAND_C, 0, false, 1000, ""},
    {"another block size where the rows must be aligned", 3, 0, OPERAND_C, 0, true, 2,
     "blocks of 3|blocks of 4"},
    {"starts at another process", 4, -1, OPERAND_C, 0, true, 2, "must be on (0, 0)"},
    {"F order beside C order", 4, 0, OPERAND_F, 0, true, 1, "op 'T' needs axis 1 contiguous"},
    {"F order beside C order, not transposed", 4, 0, OPERAND_F, 'N', false, 2,
     "it must be in Fortran order, and so must the matrix it is used with"},
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
    operand a = operand_make(MPI_COMM_WORLD, one, DAP_F8, OPERAND_C);
    operand b = operand_make(MPI_COMM_WORLD, two, DAP_F8, seconds[i].form);
    dap_scalapack_matrix ma;
    get(&ma, &a, (dap_scalapack_options){.needs.square_blocks = true});
    dap_scalapack_matrix mb;
    get(&mb, &b,
        (dap_scalapack_options){.aligned_with = &ma,
                                .needs.align = seconds[i].aligned ? DAP_ALIGN_ROWS : DAP_ALIGN_GRID,
                                .op = seconds[i].op});
    EXPECT(ma.shared);
    EXPECT_INT(mb.desc[1], ma.desc[1]);
    EXPECT_INT(mb.op, seconds[i].op ? seconds[i].op : 'T');
    EXPECT(!seconds[i].aligned || mb.desc[4] == ma.desc[4]);
    const int along = seconds[i].op ? test_nprocs() : procs[1]; /* op 'N' turns the whole grid round */
    const bool moved = along >= seconds[i].moved_from;
    EXPECT_MSG(mb.shared == !moved, "%s", mb.reason);
    EXPECT_MSG(!moved || test_contains(mb.reason, seconds[i].reason), "%s", mb.reason);
    EXPECT(!moved || (mb.desc[4] == ma.desc[4] && mb.desc[5] == ma.desc[5]));
    finish(&a, &ma);
    finish(&b, &mb);
    SETTLE();
  }
}

/* The first operand starts anywhere; what goes with it, of any cut and op, lands on its grid. */
static void rotated_grids_are_met(void **state)
{
  (void)state;
  int procs[2];
  grid_of(procs);
  const int n = test_nprocs();
  for (int s0 = 0; s0 < procs[0]; s0++)
    for (int s1 = 0; s1 < procs[1]; s1++)
      for (int form = OPERAND_C; form <= OPERAND_F; form++) {
        TEST_CASE("first owner (%d, %d), %s", s0, s1, form == OPERAND_C ? "C" : "F");
        const dap_dist one[2] = {cyclic(13, procs[0], 3, s0), cyclic(17, procs[1], 3, s1)};
        const dap_dist two[2] = {dap_dist_even(17, 1), dap_dist_even(3 * n + 1, n)};
        const dap_dist three[2] = {cyclic(2, procs[0], 3, s0), cyclic(17, procs[1], 3, s1)};
        operand a = operand_make(MPI_COMM_WORLD, one, DAP_F8, (operand_form)form);
        operand b = operand_make(MPI_COMM_WORLD, two, DAP_F8, OPERAND_C);
        operand c = operand_make(MPI_COMM_WORLD, two, DAP_F8, OPERAND_C);
        operand d = operand_make(MPI_COMM_WORLD, three, DAP_F8, (operand_form)form);
        dap_scalapack_matrix ma;
        get(&ma, &a, (dap_scalapack_options){.needs.square_blocks = true});
        dap_scalapack_matrix mb;
        get(&mb, &b, (dap_scalapack_options){.aligned_with = &ma, .op = 'N', .needs.align = DAP_ALIGN_ROWS});
        dap_scalapack_matrix mc;
        get(&mc, &c, (dap_scalapack_options){.aligned_with = &ma, .op = 'T', .needs.align = DAP_ALIGN_ROWS});
        dap_scalapack_matrix md;
        get(&md, &d, (dap_scalapack_options){.aligned_with = &ma, .needs.square_blocks = true});
        EXPECT(ma.shared && md.shared);
        const dap_scalapack_matrix *others[] = {&mb, &mc, &md};
        for (int i = 0; i < 3; i++) {
          EXPECT_INT(others[i]->desc[1], ma.desc[1]);
          EXPECT_INT(others[i]->desc[4], ma.desc[4]);
        }
        /* The owner of the first element is process (0, 0). */
        int grid[4], rank = -1;
        matrix_grid(&ma, grid);
        const int64_t origin[2] = {0, 0};
        int64_t local[2];
        EXPECT_OK(dap_layout_locate(a.layout, origin, &rank, local, NULL), NULL);
        EXPECT((rank == test_rank()) == (grid[2] == 0 && grid[3] == 0));
        finish(&a, &ma);
        finish(&b, &mb);
        finish(&c, &mc);
        finish(&d, &md);
        SETTLE();
      }
}

/* Where a routine takes any sources, the first operand's block 0 is anywhere on a grid of one row or column;
 * what is moved beside it begins there too. */
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
      operand a = operand_make(MPI_COMM_WORLD, one, DAP_F8, op == 'T' ? OPERAND_C : OPERAND_F);
      operand b = operand_make(MPI_COMM_WORLD, two, DAP_F8, row & 8 ? OPERAND_F : OPERAND_C);
      dap_scalapack_matrix ma, mb;
      const dap_scalapack_options alone = {
          .context = &context, .op = op, .sharing = DAP_SHARE_OR_FAIL, .needs.any_sources = true};
      const dap_scalapack_options moved = {.aligned_with = &ma,
                                           .op = beside,
                                           .sharing = DAP_SHARE_NEVER,
                                           .needs = {.any_sources = true, .align = DAP_ALIGN_SAME}};
      operand_get(&a, DAP_READ_WRITE, &alone, &ma);
      operand_get(&b, DAP_READ_WRITE, &moved, &mb);
      matrix_check_from(&ma, &a, source);
      matrix_check_from(&mb, &b, source);
      operand_restore(&mb);
      operand_restore(&ma);
      check_global(b.layout, b.rank, &b.array, PADDING_POISON);
      operand_free(&b);
      operand_free(&a);
      Cblacs_gridexit(context);
      SETTLE();
    }
}

/* A view of unequal blocks is followed row for row and column for column, unless they must be square. */
static void unequal_blocks_are_followed(void **state)
{
  (void)state;
  int procs[2];
  grid_of(procs);
  const dap_dist one[2] = {cyclic(29, procs[0], 3, 0), cyclic(31, procs[1], 7, 0)};
  for (int square = 0; square < 2; square++)
    for (int turned = 0; turned < 2; turned++) {
      TEST_CASE("square %d, turned %d", square, turned);
      operand a = operand_make(MPI_COMM_WORLD, one, DAP_F8, OPERAND_C);
      operand b = operand_make(MPI_COMM_WORLD, one, DAP_F8, OPERAND_C);
      dap_scalapack_matrix ma;
      get(&ma, &a, (dap_scalapack_options){.sharing = DAP_SHARE_NEVER, .block_size = {3, 7}});
      dap_scalapack_matrix mb;
      get(&mb, &b,
          (dap_scalapack_options){.sharing = DAP_SHARE_NEVER,
                                  .op = turned ? 'N' : 'T',
                                  .needs.square_blocks = square,
                                  .aligned_with = &ma});
      EXPECT(ma.desc[4] == 7 && ma.desc[5] == 3);
      EXPECT(mb.desc[4] == 7 && mb.desc[5] == (square ? 7 : 3));
      EXPECT_INT(mb.desc[1], ma.desc[1]);
      finish(&a, &ma);
      finish(&b, &mb);
      SETTLE();
    }
}

/* Another view's blocks that a routine cannot take are refused, also of an empty matrix: routines check its
 * descriptor. */
static void small_blocks_are_refused(void **state)
{
  (void)state;
  int procs[2];
  grid_of(procs);
  const dap_dist one[2] = {cyclic(29, procs[0], 3, 0), cyclic(31, procs[1], 3, 0)};
  for (int empty = 0; empty < 2; empty++) {
    TEST_CASE("empty %d", empty);
    const dap_dist two[2] = {cyclic(29, procs[0], 3, 0), cyclic(empty ? 0 : 31, procs[1], 3, 0)};
    operand a = operand_make(MPI_COMM_WORLD, one, DAP_F8, OPERAND_C);
    operand b = operand_make(MPI_COMM_WORLD, two, DAP_F8, OPERAND_C);
    dap_scalapack_matrix ma, mb;
    dap_error err = {0};
    get(&ma, &a, (dap_scalapack_options){.sharing = DAP_SHARE_NEVER, .block_size = {3, 3}});
    const dap_scalapack_options options = {.aligned_with = &ma,
                                           .needs = {.least_block = 5, .align = DAP_ALIGN_SAME}};
    const dap_status s = operand_try(&b, DAP_READ, &options, &mb, &err);
    expect_same_error(b.comm, s, &err, DAP_ERR_UNSUPPORTED, "blocks of at least 5 are needed");
    operand_free(&b);
    finish(&a, &ma);
    SETTLE();
  }
}

/* Free choices of an operand that lies in one piece follow the first one's. */
static void free_blocks_follow(void **state)
{
  (void)state;
  const int n = test_nprocs();
  const dap_dist one[2] = {cyclic(30, 1, 6, 0), cyclic(29, n, 6, 0)};
  const dap_dist two[2] = {cyclic(4, 1, 1, 0), cyclic(29, n, 6, 0)};
  const dap_dist none[2] = {cyclic(4, 1, 1, 0), cyclic(0, n, 2, n - 1)};
  operand a = operand_make(MPI_COMM_WORLD, one, DAP_F4, OPERAND_C);
  operand b = operand_make(MPI_COMM_WORLD, two, DAP_F4, OPERAND_C);
  operand c = operand_make(MPI_COMM_WORLD, none, DAP_F4, OPERAND_C);
  dap_scalapack_matrix ma;
  get(&ma, &a, (dap_scalapack_options){.needs.square_blocks = true});
  dap_scalapack_matrix mb;
  get(&mb, &b, (dap_scalapack_options){.aligned_with = &ma, .needs.align = DAP_ALIGN_ROWS});
  dap_scalapack_matrix mc;
  get(&mc, &c, (dap_scalapack_options){.aligned_with = &ma, .needs.align = DAP_ALIGN_ROWS});
  EXPECT(ma.shared && mb.shared && mc.shared);
  EXPECT(n == 1 || (ma.desc[4] == 6 && ma.desc[5] == 6)); /* the one whole axis takes the other's size */
  EXPECT(mb.desc[4] == ma.desc[4] && mb.desc[5] == ma.desc[5]);
  finish(&a, &ma);
  finish(&b, &mb);
  finish(&c, &mc);
  SETTLE();
}

/* Grids and block sizes of moved views, per array axis. P stands for all processes, HALF for half of them
 * (all if their number is odd), REST for the others' factor, 0 for a check of the product only. */
enum { P = -1, HALF = -2, REST = -3 };
static const struct {
  const char *why;
  int64_t size[2];
  bool rows_only; /* the array's own grid: P x 1, else the two factors of grid_of() */
  int grid[2];
  int64_t block[2];
  bool square;
  int want_grid[2];
  int64_t want_block[2]; /* 0: not looked at */
} wishes[] = {
    {"large: blocks of 32", {200, 900}, true, {1, P}, {0, 0}, false, {1, P}, {32, 32}},
    {"larger: blocks of 64", {2048, 2050}, true, {1, P}, {0, 0}, false, {1, P}, {64, 64}},
    {"a long axis gets the processes", {10, 2000}, true, {1, 0}, {0, 0}, true, {1, P}, {32, 32}},
    {"a wanted grid", {30, 30}, true, {P, 1}, {2, 5}, false, {P, 1}, {2, 5}},
    {"one wanted block size is both", {30, 30}, true, {P, 0}, {0, 5}, false, {P, 1}, {5, 5}},
    {"narrow: the long axis decides", {2000, 8}, true, {0, 0}, {0, 0}, true, {0, 0}, {32, 32}},
    {"a wanted number of columns alone", {30, 30}, true, {0, HALF}, {7, 7}, false, {REST, HALF}, {7, 7}},
    {"a wanted square block", {30, 30}, false, {0, P}, {7, 7}, true, {1, P}, {7, 7}},
    {"fewer rows than processes do not shrink the block",
     {0, 300},
     true,
     {P, 1},
     {0, 0},
     true,
     {P, 1},
     {32, 32}},
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
    operand o = operand_make(MPI_COMM_WORLD, dists, DAP_F4, OPERAND_C);
    dap_scalapack_matrix m;
    get(&m, &o,
        (dap_scalapack_options){
            .sharing = DAP_SHARE_NEVER,
            .needs.square_blocks = wishes[i].square,
            .grid = {grid[0], grid[1]},
            .block_size = {wishes[i].block[0], wishes[i].block[1]},
        });
    matrix_grid(&m, got); /* op 'T': the matrix's rows are the array's axis 1 */
    EXPECT_INT(got[0] * got[1], n);
    if (want[0]) EXPECT(got[0] == want[1] && got[1] == want[0]);
    EXPECT_INT(m.desc[4], wishes[i].want_block[1]);
    EXPECT_INT(m.desc[5], wishes[i].want_block[0]);
    finish(&o, &m);
    SETTLE();
  }
}

/* Nothing to move, so an array of n x 0 is shared beside a view whose processes sit in another order: its
 * leading dimension must do for the rows of the grid's place, not of the array's. */
static void empty_arrays_go_with_others(void **state)
{
  (void)state;
  const int n = test_nprocs();
  const dap_dist dists[2] = {dap_dist_cyclic(2 * n, n, 2), dap_dist_even(3, 1)},
                 empty[2] = {dap_dist_ceil(n + 1, n), dap_dist_even(0, 1)};
  operand a = operand_make(MPI_COMM_WORLD, dists, DAP_F8, OPERAND_F);
  dap_layout *in_order, *backwards;
  int ranks[64];
  dap_error err = {0};
  for (int i = 0; i < n; i++) ranks[i] = n - 1 - i;
  EXPECT_OK(dap_layout_create(2, empty, &in_order, &err), &err);
  EXPECT_OK(dap_layout_reorder(in_order, ranks, &backwards, &err), &err);
  dap_layout_destroy(&in_order);
  operand b = operand_of(MPI_COMM_WORLD, backwards, DAP_F8, OPERAND_F);
  dap_scalapack_matrix with;
  get(&with, &a, (dap_scalapack_options){.op = 'N', .routine = "gemm"});
  dap_scalapack_matrix m;
  get(&m, &b, (dap_scalapack_options){.op = 'N', .routine = "gemm", .aligned_with = &with});
  EXPECT(m.shared && m.data != NULL);
  EXPECT_INT(m.desc[1], with.desc[1]);
  dap_scalapack_int grid[4];
  Cblacs_gridinfo(m.desc[1], &grid[0], &grid[1], &grid[2], &grid[3]);
  const dap_scalapack_int rows = numroc_(&m.desc[2], &m.desc[4], &grid[2], &m.desc[6], &grid[0]);
  EXPECT_MSG(m.desc[8] >= 1 && m.desc[8] >= rows, "a leading dimension of %lld for %lld rows",
             (long long)m.desc[8], (long long)rows);
  operand_restore(&m);
  operand_free(&b);
  finish(&a, &with);
  SETTLE();
}

/* On one process the grids of both orders are one: a view is kept beside those in its order only. */
static void kept_views_follow_the_order(void **state)
{
  (void)state;
  const dap_dist dists[2] = {cyclic(7, 1, 4, 0), cyclic(7, 1, 4, 0)};
  for (int i = 0; i < 4; i++) {
    const char op = i % 2 ? 'T' : 'N';
    TEST_CASE("beside op %c, time %d", op, i / 2);
    operand a = operand_make(MPI_COMM_SELF, dists, DAP_F8, op == 'T' ? OPERAND_C : OPERAND_F);
    operand b = operand_make(MPI_COMM_SELF, dists, DAP_F8, OPERAND_F);
    dap_scalapack_matrix ma, mb;
    get(&ma, &a, (dap_scalapack_options){.routine = "gemm"});
    get(&mb, &b, (dap_scalapack_options){.routine = "gemm", .aligned_with = &ma});
    EXPECT(ma.op == op && mb.op == op);
    EXPECT(ma.shared && mb.shared == (op == 'N'));
    finish(&b, &mb);
    finish(&a, &ma);
    SETTLE();
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
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
  return mpi_test_main(&argc, &argv, tests, sizeof tests / sizeof tests[0]);
}
