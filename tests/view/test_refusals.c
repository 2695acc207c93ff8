/* Tests refusals, which have the same status and text on every process. No process may hang, and no
 * objects may remain. */
#include "buffers.h"
#include "mpi_test.h"
#include "toy.h"

#include <dapbridge/comm.h>

/* First reduction since this was zeroed: arguments that all processes must pass to MPI equally. */
static int reduction[2]; /* count, operation */

static void note(int count, MPI_Op op)
{
  if (reduction[0] == 0) reduction[0] = count, reduction[1] = op == MPI_MIN ? 1 : op == MPI_BAND ? 2 : 3;
}

int MPI_Allreduce(const void *mine, void *all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
  note(count, op);
  return PMPI_Allreduce(mine, all, count, type, op, comm);
}

int MPI_Iallreduce(const void *mine, void *all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request *request)
{
  note(count, op);
  return PMPI_Iallreduce(mine, all, count, type, op, comm, request);
}

static bool is_same_reduction(void)
{
  const int mine[] = {reduction[0], reduction[1], -reduction[0], -reduction[1]};
  int least[4];
  PMPI_Allreduce(mine, least, 4, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return least[0] == -least[2] && least[1] == -least[3];
}

/* Makes an array with distributed rows, which the toy has to move. */
static fixture make(dap_dtype dtype)
{
  return fixture_make(dtype, DAP_ORDER_C, "24x5 on %dx1: b(halo 1), b");
}

static bool is_zeroed(const toy_matrix *m)
{
  static const toy_matrix zero;
  return memcmp(m, &zero, sizeof zero) == 0;
}

static void refused(MPI_Comm comm, dap_darray array, dap_access access, const toy_options *o, dap_status want,
                    const char *parts)
{
  toy_matrix m;
  memset(&m, 1, sizeof m);
  dap_error err = {.rank = -1};
  const int before = toy_alive;
  const dap_status s = toy_get(comm, array, access, o, &m, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, want, parts);
  EXPECT_INT(toy_in_use, 0); /* also if another process failed */
  EXPECT(is_zeroed(&m));
  EXPECT_INT(toy_alive, before);
  SETTLE();
}

static void test_parts(void **state)
{
  (void)state;
  static const int axes[] = {0, 1, -1}, twice[] = {0, 0}, far[] = {0, 1 << 28};
  static const int64_t negative[] = {-1, 2}, wide[] = {3, 6}, beyond[] = {25, 0};
  static const struct {
    dap_part part;
    dap_status status;
    const char *parts;
  } cases[] = {
      {{.shape = negative}, DAP_ERR_ARG, "axis 0|-1"},
      {{.shape = wide}, DAP_ERR_ARG, "axis 1|extent 6|5"},
      {{.start = beyond}, DAP_ERR_ARG, "axis 0|start 25"},
      {{.naxes = 3, .axes = axes}, DAP_ERR_UNSUPPORTED, "3 axes"},
      {{.naxes = 2, .axes = twice}, DAP_ERR_ARG, "axes"},
      {{.naxes = 9, .axes = axes}, DAP_ERR_ARG, "naxes|9"},
      {{.naxes = 2, .axes = far}, DAP_ERR_ARG, "axes[1]|268435456"},
      {{.naxes = 2}, DAP_ERR_ARG, "naxes|2|axes|NULL"},
  };
  fixture f = make(DAP_F8);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    refused(MPI_COMM_WORLD, (dap_darray){f.layout, &f.local}, DAP_READ, &(toy_options){.part = cases[i].part},
            cases[i].status, cases[i].parts);
  fixture_end(&f);
}

/* Views a matrix as two axes of an array. Along the third axis, each process has the whole matrix or an
 * addend. */
static void test_copies(void **state)
{
  (void)state;
  static const int axes[] = {0, 1};
  const toy_options matrix = {.part = {.naxes = 2, .axes = axes}};
  const bool alone = test_nprocs() == 1;
  for (int is_partial = 0; is_partial < 2; is_partial++) {
    fixture f = {0};
    toy_matrix m;
    dap_layout *addends = NULL;
    dap_error err = {.rank = -1};
    dap_dist dists[] = {dap_dist_local(6), dap_dist_local(5), dap_dist_replicated(1, test_nprocs())};
    EXPECT_OK(dap_layout_create(3, dists, &f.layout, &err), &err);
    EXPECT_OK(dap_array_init(&f.local, f.layout, 0, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
    dists[2] = dap_dist_partial(1, test_nprocs());
    EXPECT_OK(dap_layout_create(3, dists, &addends, &err), &err);
    const dap_darray array = {is_partial ? addends : f.layout, &f.local};
    if (is_partial) {
      refused(MPI_COMM_WORLD, array, DAP_READ, &matrix, DAP_ERR_UNSUPPORTED, "axis 2 is partial");
    } else if (alone) {
      EXPECT_OK(toy_get(MPI_COMM_WORLD, array, DAP_READ_WRITE, &matrix, &m, &err), &err);
      EXPECT_OK(toy_restore(&m, &err), &err);
    } else {
      refused(MPI_COMM_WORLD, array, DAP_READ_WRITE, &matrix, DAP_ERR_UNSUPPORTED, "axis 2 is replicated");
      EXPECT_OK(toy_get(MPI_COMM_WORLD, array, DAP_READ, &matrix, &m, &err), &err);
      EXPECT_OK(toy_restore(&m, &err), &err);
    }
    dap_layout_destroy(&addends);
    fixture_end(&f);
  }
  SETTLE();
}

static void test_types(void **state)
{
  (void)state;
  fixture f = make(DAP_F4), c = make(DAP_C16);
  const dap_darray narrow = {f.layout, &f.local}, complex = {c.layout, &c.local};
  toy_matrix m;
  dap_error err = {.rank = -1};
  refused(MPI_COMM_WORLD, narrow, DAP_READ_WRITE, NULL, DAP_ERR_BUFFER, "DAP_WRITE|float32|options.lossy");
  refused(MPI_COMM_WORLD, complex, DAP_READ, NULL, DAP_ERR_BUFFER, "complex128|options.lossy");
  refused(MPI_COMM_WORLD, narrow, DAP_READ, &(toy_options){.sharing = DAP_SHARE_OR_FAIL}, DAP_ERR_SHARE,
          "matrix|cannot share|float32|float64");
  EXPECT_OK(toy_get(MPI_COMM_WORLD, narrow, DAP_READ, NULL, &m, &err), &err);
  EXPECT_OK(toy_restore(&m, &err), &err);
  fixture_end(&f);
  fixture_end(&c);
  SETTLE();
}

/* Lets one process pass a different argument. The text must name it. tests/scalapack tests differences in
 * access, sharing, type and layout. */
static void test_differences(void **state)
{
  (void)state;
  if (test_nprocs() == 1) return;
  const bool first = test_rank() == 0;
  fixture f = make(DAP_F8);
  const int64_t start[] = {0, first ? 0 : 1}, shape[] = {24, first ? 4 : 3}, none[] = {0, 0};
  const dap_darray array = {f.layout, &f.local};
  const toy_options lossy = {.lossy = first},
                    starts = {.part = {.start = start, .shape = first ? NULL : none}},
                    shapes = {.part = {.shape = shape}};
  refused(MPI_COMM_WORLD, array, DAP_READ, &lossy, DAP_ERR_ARG, "rank 1|lossy|not the same");
  refused(MPI_COMM_WORLD, array, DAP_READ, &starts, DAP_ERR_ARG, "rank 1|part: start|not the same");
  refused(MPI_COMM_WORLD, array, DAP_READ, &shapes, DAP_ERR_ARG, "rank 1|part: shape|not the same");
  fixture_end(&f);
}

/* Omitted members of a part have defaults. Rank 0 names these values, and the others omit some. */
static void test_left_out(void **state)
{
  (void)state;
  const bool first = test_rank() == 0;
  fixture f = make(DAP_F8);
  const dap_darray array = {f.layout, &f.local};
  static const int axes[] = {0, 1};
  static const int64_t start[] = {0, 0}, shape[] = {24, 5};
  const toy_options all = {.part = {.naxes = 2, .axes = axes, .start = start, .shape = shape}},
                    cases[] = {{.part = {.start = start}},
                               {.part = {.shape = shape}},
                               {.part = {.naxes = 2, .axes = axes}},
                               {.lossy = false}};
  toy_matrix m;
  dap_error err = {.rank = -1};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    TEST_CASE("case %zu", i);
    EXPECT_OK(toy_get(MPI_COMM_WORLD, array, DAP_READ, first ? &all : &cases[i], &m, &err), &err);
    EXPECT_OK(toy_restore(&m, &err), &err);
    SETTLE();
  }
  fixture_end(&f);
}

/* Lets one process call another function, on a new communicator and on a used one. */
static void test_functions(void **state)
{
  (void)state;
  fixture f = make(DAP_F8);
  const dap_darray array = {f.layout, &f.local};
  const bool last = test_rank() == test_nprocs() - 1;
  const dap_side side = dap_side_of(array);
  MPI_Comm comm;
  if (test_nprocs() > 1) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (int turn = 0; turn < 4 && test_nprocs() > 1; turn++) {
    dap_plan *plan = NULL;
    toy_matrix m = {0};
    dap_error err = {.rank = -1};
    TEST_CASE("turn %d", turn);
    reduction[0] = reduction[1] = 0;
    const dap_status s = last == (turn % 2 == 0) ? toy_get(comm, array, DAP_READ, NULL, &m, &err)
                                                 : dap_plan_create(comm, &side, &side, 0, NULL, &plan, &err);
    expect_same_error(comm, s, &err, DAP_ERR_ARG,
                      turn % 2 ? "dap_plan_create|rank 0|toy_get" : "toy_get|rank 0|dap_plan_create");
    EXPECT_MSG(is_same_reduction(), "%d words by %d", reduction[0], reduction[1]);
    EXPECT(is_zeroed(&m) && !plan);
    EXPECT_OK(toy_get(comm, array, DAP_READ, NULL, &m, &err), &err);
    EXPECT_OK(toy_restore(&m, &err), &err);
    SETTLE();
  }
  if (test_nprocs() > 1) MPI_Comm_free(&comm);
  fixture_end(&f);
}

/* Lets the last process load a view that the others discard. All report the difference, and the discarded
 * view ends. */
static void test_functions_of_one(void **state)
{
  (void)state;
  const bool last = test_rank() == test_nprocs() - 1;
  fixture f = fixture_make(DAP_F8, DAP_ORDER_F, "5x13 on 1x%d");
  toy_matrix m;
  dap_error err = {.rank = -1};
  const dap_darray array = {f.layout, &f.local};
  EXPECT_OK(toy_get(MPI_COMM_WORLD, array, DAP_READ, NULL, &m, &err), &err);
  if (test_nprocs() > 1) {
    const dap_status s = last ? toy_load(&m, &err) : toy_discard(&m, &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "dap_view_load|rank 0|dap_view_discard");
    if (!last) EXPECT_OK(dap_agree_call(MPI_COMM_WORLD, "dap_view_discard", DAP_OK, &err), &err);
  }
  if (last) EXPECT_OK(toy_discard(&m, &err), &err);
  EXPECT_INT(toy_alive, 0);
  fixture_end(&f);
  SETTLE();
}

/* A halo update that fails on one process must fail on all. */
static void test_halo(void **state)
{
  (void)state;
  const int procs = test_nprocs();
  fixture f = fixture_make(DAP_F8, DAP_ORDER_F, "3x24 on 1x%d: b, b(halo 1)");
  toy_matrix m;
  dap_error err = {.rank = -1};
  const dap_darray array = {f.layout, &f.local};
  const toy_options o = {.sharing = DAP_SHARE_OR_FAIL, .fails = "changed", .fails_on = procs - 1};
  EXPECT_OK(toy_get(MPI_COMM_WORLD, array, DAP_READ_WRITE, &o, &m, &err), &err);
  if (procs > 1) /* otherwise there is no padding */
    expect_same_error(MPI_COMM_WORLD, toy_halo(&m, &err), &err, DAP_ERR_LIBRARY, "changed");
  (void)toy_restore(&m, &err);
  EXPECT_INT(toy_alive, 0);
  fixture_end(&f);
  SETTLE();
}

/* A callback that fails on one process must fail on all. */
static void test_callbacks(void **state)
{
  (void)state;
  static const char *const in_get[] = {"check", "lay", "open", "get_memory", "restore_memory"};
  fixture f = make(DAP_F8);
  const dap_darray array = {f.layout, &f.local};
  const int on = test_nprocs() - 1;
  toy_matrix m;
  dap_error err = {.rank = -1};
  for (size_t i = 0; i < sizeof in_get / sizeof in_get[0]; i++) {
    TEST_CASE("%s", in_get[i]);
    refused(MPI_COMM_WORLD, array, DAP_READ_WRITE, &(toy_options){.fails = in_get[i], .fails_on = on},
            DAP_ERR_LIBRARY, "fails as asked");
  }
  static const char *const in_restore[] = {"get_memory", "restore_memory", "close"};
  for (int i = 0; i < 3; i++) { /* the view ends in each case */
    TEST_CASE("%s in restore", in_restore[i]);
    const toy_options o = {.fails = in_restore[i], .fails_on = on};
    EXPECT_OK(toy_get(MPI_COMM_WORLD, array, DAP_WRITE, &o, &m, &err), &err);
    expect_same_error(MPI_COMM_WORLD, toy_restore(&m, &err), &err, DAP_ERR_LIBRARY, in_restore[i]);
    EXPECT_OK(toy_restore(&m, &err), &err);
    EXPECT(toy_alive == 0 && toy_in_use == 0);
    SETTLE();
  }
  fixture_end(&f);
}

/* If one process cannot share its buffer, no process may share. */
static void test_one_cannot(void **state)
{
  (void)state;
  const int on = test_nprocs() - 1;
  fixture f = fixture_make(DAP_F8, test_rank() == on ? DAP_ORDER_C : DAP_ORDER_F, "5x13 on 1x%d");
  toy_matrix m;
  dap_error err = {.rank = -1};
  const dap_darray array = {f.layout, &f.local};
  EXPECT_OK(toy_get(MPI_COMM_WORLD, array, DAP_READ_WRITE, NULL, &m, &err), &err);
  EXPECT_INT(m.shared, test_nprocs() > 7); /* a single column has no order */
  EXPECT_MSG(test_contains(m.reason, "column-major"), "%s", m.reason);
  EXPECT_OK(toy_restore(&m, &err), &err);
  refused(MPI_COMM_WORLD, array, DAP_READ, &(toy_options){.sharing = DAP_SHARE_OR_FAIL}, DAP_ERR_SHARE,
          "matrix|cannot share|column-major");
  if (test_nprocs() > 1)
    refused(MPI_COMM_WORLD, array, DAP_READ, &(toy_options){.fails = "share", .fails_on = 0}, DAP_ERR_LIBRARY,
            "fails as asked");
  fixture_end(&f);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_parts),     cmocka_unit_test(test_copies),
    cmocka_unit_test(test_types),     cmocka_unit_test(test_differences),
    cmocka_unit_test(test_callbacks), cmocka_unit_test(test_one_cannot),
    cmocka_unit_test(test_left_out),  cmocka_unit_test(test_halo),
    cmocka_unit_test(test_functions), cmocka_unit_test(test_functions_of_one),
};
MPI_TEST_MAIN(tests)
