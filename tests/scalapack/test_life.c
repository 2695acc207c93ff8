/* Tests halos, contexts and communicators of views, and many views. tests/view tests the views of all
 * adapters. */
#include "operand.h"
#include "sanitizer.h"

#include <dapbridge/scalapack_calls.h>

enum { SHARED, MOVED };

/* Makes an array on all processes, with rows in equal blocks. It is shared unless the options say
 * otherwise. */
static held_array make(MPI_Comm comm, dap_dtype dtype)
{
  int nprocs;
  MPI_Comm_size(comm, &nprocs);
  const dap_dist dists[2] = {dap_dist_even(5 * nprocs, nprocs), dap_dist_even(7, 1)};
  return operand_make(comm, dists, dtype, FORM_WIDE);
}

static void get(dap_scalapack_matrix *m, const held_array *o, dap_access access, int kind)
{
  const dap_scalapack_options options = {.sharing = kind == MOVED ? DAP_SHARE_NEVER : DAP_SHARE_OR_FAIL};
  operand_get(o, access, &options, m);
  EXPECT(m->shared == (kind == SHARED));
}

/* Is the context alive? Cblacs_gridinfo() gives -1 for one that was freed. */
static bool is_alive(dap_scalapack_int context)
{
  dap_scalapack_int grid[4];
  Cblacs_gridinfo(context, &grid[0], &grid[1], &grid[2], &grid[3]);
  return grid[0] > 0;
}

/* For a sub-matrix, only the padding of its own elements is filled. */
static void goes_on(void **state)
{
  (void)state;
  const int n = test_nprocs();
  const dap_dist dists[2] = {{.kind = DAP_DIST_EVEN, .procs = n, .size = 6 * n, .halo = 2},
                             dap_dist_even(5, 1)};
  const int64_t start[2] = {1, 1}, shape[2] = {6 * n - 2, 3};
  for (int i = 0; i < 4; i++) {
    held_array o = operand_make(MPI_COMM_WORLD, dists, DAP_F8, FORM_F);
    dap_error err = {0};
    dap_scalapack_matrix m;
    dap_scalapack_options options = {.sharing = i % 2 ? DAP_SHARE_NEVER : DAP_SHARE_IF_POSSIBLE};
    if (i > 1) options.part = (dap_part){.start = start, .shape = shape};
    operand_get(&o, DAP_READ_WRITE, &options, &m);
    EXPECT_OK(dap_scalapack_load(&m, &err), &err);
    EXPECT_OK(dap_scalapack_store(&m, &err), &err);
    check_global(o.layout, o.rank, &o.array, PADDING_POISON);
    EXPECT_OK(dap_scalapack_halo(&m, &err), &err);
    check_global(o.layout, o.rank, &o.array, i > 1 ? PADDING_ANY : PADDING_FILLED);
    operand_restore(&m);
    held_array_free(&o);
  }
  SETTLE();
}

/* More kinds of grids are live than are kept. None is freed while a view uses it. */
static void forgotten_kinds_live_on(void **state)
{
  (void)state;
  enum { KINDS = 20 };
  held_array o[KINDS];
  dap_scalapack_matrix m[KINDS];
  for (int i = 0; i < KINDS; i++) {
    const dap_dist dists[2] = {dap_dist_even(5 * test_nprocs(), test_nprocs()), dap_dist_even(i + 1, 1)};
    o[i] = operand_make(MPI_COMM_WORLD, dists, DAP_F8, FORM_WIDE);
    get(&m[i], &o[i], DAP_READ_WRITE, MOVED);
  }
  for (int i = 0; i < KINDS; i++) {
    const int k = i * 7 % KINDS;
    matrix_check(&m[k], &o[k]);
    memset(o[k].buffer.memory, TEST_POISON, (size_t)o[k].buffer.bytes);
    operand_restore(&m[k]);
    check_global(o[k].layout, o[k].rank, &o[k].array, PADDING_POISON);
    held_array_free(&o[k]);
  }
  SETTLE();
}

static void views_of_one_grid_have_one_context(void **state)
{
  (void)state;
  held_array a = make(MPI_COMM_WORLD, DAP_F8), b = make(MPI_COMM_WORLD, DAP_C8);
  dap_scalapack_matrix first, second;
  get(&first, &a, DAP_READ, SHARED);
  get(&second, &b, DAP_READ, SHARED);
  EXPECT_INT(second.desc[1], first.desc[1]);
  /* A grid of another form beside it. */
  const dap_dist dists[2] = {dap_dist_even(3, 1), dap_dist_even(5 * test_nprocs(), test_nprocs())};
  held_array c = operand_make(MPI_COMM_WORLD, dists, DAP_F8, FORM_C);
  dap_scalapack_matrix third;
  get(&third, &c, DAP_READ, SHARED);
  EXPECT((third.desc[1] == first.desc[1]) == (test_nprocs() == 1));
  matrix_check(&third, &c);

  const dap_scalapack_int context = first.desc[1], other = third.desc[1];
  operand_restore(&first);
  EXPECT(is_alive(context));
  matrix_check(&second, &b);
  operand_restore(&third);
  EXPECT(is_alive(context) && is_alive(other)); /* kept for the next views */
  operand_restore(&second);
  dap_scalapack_matrix again;
  get(&again, &c, DAP_READ, SHARED);
  EXPECT_INT(again.desc[1], other);
  operand_restore(&again);
  held_array_free(&a);
  held_array_free(&b);
  held_array_free(&c);
  SETTLE();
}

#if UNDER_SANITIZER
enum { TIMES = 150 };
#else
enum { TIMES = 20000 };
#endif

/* If a context is not freed, the numbers of the next ones show it. The leak sanitizer finds memory. */
static void many_views_leave_nothing(void **state)
{
  (void)state;
  held_array o = make(MPI_COMM_WORLD, DAP_F8);
  dap_scalapack_int contexts[2] = {-1, -1};
  const int times = test_nodes() == 1 ? TIMES : TIMES / 20; /* each takes several messages between nodes */
  for (int i = 0; i < times; i++) {
    const int kind = i % 100 ? SHARED : MOVED;
    dap_scalapack_matrix m;
    get(&m, &o, DAP_READ_WRITE, kind);
    if (i < 2) contexts[kind == MOVED] = m.desc[1];
    EXPECT_INT(m.desc[1], contexts[kind == MOVED]); /* all of one kind have one grid */
    operand_restore(&m);
  }
  check_global(o.layout, o.rank, &o.array, PADDING_POISON);
  held_array_free(&o);
  SETTLE();
}

/* Grids are freed with their communicator. A communicator keeps only a few unused grids. */
static void grids_go_with_their_communicator(void **state)
{
  (void)state;
  enum { GRIDS = 40 };
  dap_scalapack_int contexts[GRIDS];
  int alive = 0;
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  test_random random = test_random_init(3);
  for (int i = 0; i < GRIDS; i++) {
    int ranks[64];
    for (int r = 0; r < test_nprocs(); r++) ranks[r] = r;
    test_shuffle(&random, test_nprocs(), ranks); /* the same everywhere */
    const dap_dist dists[2] = {dap_dist_even(test_nprocs(), test_nprocs()), dap_dist_even(5, 1)};
    held_array o = operand_of(comm, layout_make(2, dists, ranks), DAP_F8, FORM_C);
    dap_scalapack_matrix m;
    get(&m, &o, DAP_READ, SHARED);
    contexts[i] = m.desc[1];
    matrix_check(&m, &o);
    operand_restore(&m);
    held_array_free(&o);
  }
  for (int i = 0; i < GRIDS; i++) { /* BLACS reuses numbers, so different ones are counted */
    bool seen = false;
    for (int j = 0; j < i; j++) seen = seen || contexts[j] == contexts[i];
    if (!seen && is_alive(contexts[i])) alive++;
  }
  EXPECT_MSG(alive >= 1 && alive <= 21, "%d grids are kept", alive); /* of 16 forms, 4 more, and the last */
  MPI_Comm_free(&comm);
  for (int i = 0; i < GRIDS; i++) EXPECT(!is_alive(contexts[i]));
  SETTLE();
}

/* The caller frees the communicator while views live on it. */
static void views_outlive_their_communicator(void **state)
{
  (void)state;
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  held_array a = make(comm, DAP_F8), b = make(comm, DAP_F8);
  dap_scalapack_matrix shared, moved;
  get(&shared, &a, DAP_READ_WRITE, SHARED);
  get(&moved, &b, DAP_READ_WRITE, MOVED);
  const dap_scalapack_int contexts[2] = {shared.desc[1], moved.desc[1]};
  MPI_Comm_free(&comm);
  EXPECT(is_alive(contexts[0]) && is_alive(contexts[1]));
  memset(b.buffer.memory, TEST_POISON, (size_t)b.buffer.bytes);
  operand_restore(&moved);
  check_global(b.layout, b.rank, &b.array, PADDING_POISON);
  operand_restore(&shared);
  EXPECT(!is_alive(contexts[0]) && !is_alive(contexts[1]));
  held_array_free(&a);
  held_array_free(&b);
  SETTLE();
}

/* Both halves of the processes work at once, in an order of their own. Rank 0 is the last process of the
 * world. */
static void any_communicator_will_do(void **state)
{
  (void)state;
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, test_rank() % 2, -test_rank(), &half);
  held_array o = make(half, DAP_C8), w = make(MPI_COMM_WORLD, DAP_C8);
  for (int kind = SHARED; kind <= MOVED; kind++) {
    dap_scalapack_matrix outer;
    get(&outer, &w, DAP_READ, SHARED);
    dap_scalapack_matrix m;
    get(&m, &o, DAP_READ_WRITE, kind);
    matrix_check(&m, &o);
    matrix_check(&outer, &w);
    operand_restore(&outer);
    matrix_write(&m, o.array.dtype);
    operand_restore(&m);
    check_global(o.layout, o.rank, &o.array, PADDING_POISON);
  }
  held_array_free(&o);
  held_array_free(&w);
  MPI_Comm_free(&half);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(goes_on),
    cmocka_unit_test(forgotten_kinds_live_on),
    cmocka_unit_test(views_of_one_grid_have_one_context),
    cmocka_unit_test(many_views_leave_nothing),
    cmocka_unit_test(grids_go_with_their_communicator),
    cmocka_unit_test(views_outlive_their_communicator),
    cmocka_unit_test(any_communicator_will_do),
};
MPI_TEST_MAIN(tests)
