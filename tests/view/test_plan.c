/* Tests an adapter that plans its own moves: between two targets, and between parts of them and of the
 * array. Also tests the view behind a public struct. Every element must have the value that was written at
 * its source. */
#include "mpi_test.h"

#include <dapbridge/adapter.h>
#include <stddef.h>

enum { EACH = 6 /* elements of a process */, EVEN = 0, GHOSTED = 1 };

/* ---- MPI, with each process on its own node if a test asks for it, and a wait that fails --------------- */

static bool are_apart, waits_fail;

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made)
{
  return are_apart ? PMPI_Comm_split(comm, test_rank(), key, made)
                   : PMPI_Comm_split_type(comm, type, key, info, made);
}

int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
  const int code = PMPI_Testall(count, requests, flag, statuses);
  const bool no = waits_fail && *flag;
  if (no) waits_fail = false;
  return no ? MPI_ERR_OTHER : code;
}

/* ---- a library with an even and a ghosted copy of a row of numbers ----------------------------------- */

typedef struct row_view {
  double *even;    /* [EACH] in the order of ranks */
  double *ghosted; /* with one ghost on each inner side, in reverse order of ranks */
  int64_t moved_bytes;
  dap_view_handle handle;
} row_view;

typedef struct row_options {
  int moves; /* further moves that are planned without need */
} row_options;

static int planned; /* number of calls of plan() */

static dap_status lay(dap_view *view, int target, dap_error *err)
{
  const int procs = view->nprocs;
  const int64_t size = view->shape[0];
  const dap_dist dist = target == EVEN ? dap_dist_even(size, procs) : dap_dist_padded(size, procs, 1);
  int ranks[64];
  dap_layout *layout = NULL;
  for (int i = 0; i < procs; i++) ranks[i] = target == EVEN ? i : procs - 1 - i;
  const dap_status s = dap_layout_create(1, &dist, &layout, err);
  return s ? s : dap_view_lay(view, target, layout, ranks, DAP_ORDER_C, NULL, err);
}

static dap_status plan_in(dap_view *view, dap_error *err)
{
  const dap_view_move to_even = {.from = {.target = DAP_VIEW_ARRAY}, .to = {.target = EVEN}};
  const dap_view_move on = {.from = {.target = EVEN}, .to = {.target = GHOSTED}, .fill_halos = true};
  const dap_status s = dap_view_plan(view, DAP_VIEW_IN, &to_even, err);
  return s ? s : dap_view_plan(view, DAP_VIEW_IN, &on, err);
}

/* Plans the moves back: each process's elements of `even` except its first go to the array's beginning, and
 * the ghosted row's beginning goes to the rest. */
static dap_status plan_out(dap_view *view, dap_error *err)
{
  const int64_t procs = view->nprocs, start = (EACH - 1) * procs, zero = 0;
  const dap_dist shorter = dap_dist_even((EACH - 1) * procs, (int)procs);
  const dap_side array = {.layout = view->layout, .strides = view->local.strides};
  const dap_view_target *ghosted = &view->targets[GHOSTED];
  dap_layout *layout = NULL;
  dap_status s = dap_layout_create(1, &shorter, &layout, err);
  dap_view_move begin = {
      .from = {.target = EVEN, .side = {.layout = layout, .contiguous = true}, .offset = sizeof(double)},
      .to = {.target = DAP_VIEW_ARRAY, .side = array}};
  dap_view_move rest = {.from = {.target = GHOSTED,
                                 .side = {.layout = ghosted->layout,
                                          .ranks = ghosted->ranks,
                                          .strides = ghosted->strides,
                                          .part = {.start = &zero, .shape = &procs}}},
                        .to = {.target = DAP_VIEW_ARRAY, .side = array}};
  begin.to.side.part = (dap_part){.start = &zero, .shape = &start};
  rest.to.side.part = (dap_part){.start = &start, .shape = &procs};
  s = dap_agree(view->comm, s, err);
  if (!s) s = dap_view_plan(view, DAP_VIEW_OUT, &begin, err);
  if (!s) s = dap_view_plan(view, DAP_VIEW_OUT, &rest, err);
  dap_layout_destroy(&layout);
  return s;
}

static dap_status plan(dap_view *view, dap_error *err)
{
  const dap_view_move update = {.to = {.target = GHOSTED}, .is_halo_update = true};
  const row_options *o = view->options;
  planned++;
  dap_status s = plan_in(view, err);
  if (!s) s = plan_out(view, err);
  if (!s) s = dap_view_plan(view, DAP_VIEW_HALO, &update, err);
  for (int i = 0; i < o->moves && !s; i++) s = dap_view_plan(view, DAP_VIEW_HALO, &update, err);
  return s;
}

static void show(const dap_view *view, bool lives, void *object)
{
  row_view *row = object;
  row->moved_bytes = view->moved_bytes;
  if (!lives) return;
  row->even = view->memory[EVEN];
  row->ghosted = view->memory[GHOSTED];
}

static const dap_adapter adapter = {.name = "row",
                                    .object_size = sizeof(row_view),
                                    .handle = offsetof(row_view, handle),
                                    .options_size = sizeof(row_options),
                                    .targets = 2,
                                    .target_names = {"even row", "ghosted row"},
                                    .dtype = DAP_F8,
                                    .dtype_name = "a row's double",
                                    .keeps_forms = true,
                                    .lay = lay,
                                    .plan = plan,
                                    .show = show};

static const dap_adapter other = {.name = "column",
                                  .object_size = sizeof(row_view),
                                  .handle = offsetof(row_view, handle),
                                  .targets = 1,
                                  .lay = lay,
                                  .show = show};

/* ---- an array ---------------------------------------------------------------------------------------- */

typedef struct fixture {
  dap_layout *layout;
  dap_array local;
  int64_t size;
} fixture;

static double value(int64_t global, int salt)
{
  return (double)(1000 * salt + global) + 0.25;
}

/* Makes an array in blocks of two, dealt round robin. */
static fixture make(void)
{
  fixture f = {.size = (int64_t)EACH * test_nprocs()};
  const dap_dist dist = dap_dist_cyclic(f.size, test_nprocs(), 2);
  dap_error err;
  EXPECT_OK(dap_layout_create(1, &dist, &f.layout, &err), &err);
  EXPECT_OK(dap_array_init(&f.local, f.layout, test_rank(), DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  return f;
}

static int64_t global_of(const fixture *f, int64_t local)
{
  int64_t global = -1;
  EXPECT_OK(dap_layout_globalize(f->layout, test_rank(), &local, &global, NULL, NULL), NULL);
  return global;
}

static void fill(const fixture *f, int salt)
{
  for (int64_t i = 0; i < EACH; i++) ((double *)f->local.data)[i] = value(global_of(f, i), salt);
}

static void end(fixture *f)
{
  dap_array_release(&f->local);
  dap_layout_destroy(&f->layout);
}

static dap_status get(const fixture *f, const row_options *o, row_view *row, dap_error *err)
{
  const dap_view_request request = {
      .comm = MPI_COMM_WORLD, .array = {f->layout, &f->local}, .access = DAP_READ_WRITE, .options = o};
  return dap_view_get(&adapter, &request, row, err);
}

/* ---- the row's elements ------------------------------------------------------------------------------ */

/* Returns this process's block of the ghosted row, and the numbers of ghosts before and after it. */
static int block(int ghosts[2])
{
  const int at = test_nprocs() - 1 - test_rank();
  ghosts[0] = at > 0;
  ghosts[1] = at < test_nprocs() - 1;
  return at;
}

static void expect_even(const row_view *row, int salt)
{
  for (int i = 0; i < EACH; i++) EXPECT(row->even[i] == value((int64_t)EACH * test_rank() + i, salt));
}

static void expect_ghosted(const row_view *row, int salt)
{
  int ghosts[2];
  const int at = block(ghosts);
  for (int i = -ghosts[0]; i < EACH + ghosts[1]; i++)
    EXPECT(row->ghosted[ghosts[0] + i] == value((int64_t)EACH * at + i, salt));
}

static void write_row(row_view *row, int even, int ghosted)
{
  int ghosts[2];
  const int at = block(ghosts);
  for (int i = 0; i < EACH; i++) row->even[i] = value((int64_t)EACH * test_rank() + i, even);
  for (int i = -ghosts[0]; i < EACH + ghosts[1]; i++)
    row->ghosted[ghosts[0] + i] = i < 0 || i >= EACH ? -1 : value((int64_t)EACH * at + i, ghosted);
}

static void expect_stored(const fixture *f, int even, int ghosted)
{
  const int64_t begin = f->size - test_nprocs();
  for (int64_t i = 0; i < EACH; i++) {
    const int64_t g = global_of(f, i), from = g / (EACH - 1) * EACH + 1 + g % (EACH - 1);
    const double want = g < begin ? value(from, even) : value(g - begin, ghosted);
    EXPECT(((double *)f->local.data)[i] == want);
  }
}

/* ---- tests ------------------------------------------------------------------------------------------- */

static void test_phases(void **state)
{
  (void)state;
  fixture f = make();
  row_view row;
  dap_error err = {.rank = -1};
  fill(&f, 1);
  EXPECT_OK(get(&f, NULL, &row, &err), &err);
  expect_even(&row, 1);
  expect_ghosted(&row, 1);
  write_row(&row, 2, 3);
  EXPECT_OK(dap_view_halo(&adapter, &row, &err), &err);
  expect_even(&row, 2);
  expect_ghosted(&row, 3);
  EXPECT_OK(dap_view_store(&adapter, &row, &err), &err);
  expect_stored(&f, 2, 3);
  fill(&f, 4);
  const int64_t before = row.moved_bytes;
  EXPECT_OK(dap_view_load(&adapter, &row, &err), &err);
  EXPECT(row.moved_bytes > before);
  expect_even(&row, 4);
  expect_ghosted(&row, 4);
  write_row(&row, 5, 6);
  EXPECT_OK(dap_view_restore(&adapter, &row, &err), &err);
  expect_stored(&f, 5, 6);
  end(&f);
  SETTLE();
}

/* If a kept form's plans are broken on one process, all processes must make them again. */
static void test_broken(void **state)
{
  (void)state;
  if (test_nprocs() == 1) return;
  fixture f = make();
  row_view row;
  dap_error err = {.rank = -1};
  MPI_Comm comm;
  const int before = planned;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  const dap_view_request request = {.comm = comm, .array = {f.layout, &f.local}, .access = DAP_READ};
  are_apart = true;
  for (int i = 0; i < 4; i++) {
    fill(&f, i);
    waits_fail = i == 1 && test_rank() == 0;
    const dap_status s = dap_view_get(&adapter, &request, &row, &err);
    EXPECT(!waits_fail);
    EXPECT_FAIL(s, i == 1 ? DAP_ERR_LIBRARY : DAP_OK, &err, i == 1 ? "plan failed" : "");
    if (s) continue;
    expect_ghosted(&row, i);
    EXPECT_OK(dap_view_discard(&adapter, &row, &err), &err);
  }
  EXPECT_INT(planned, before + 2);
  are_apart = false;
  MPI_Comm_free(&comm);
  end(&f);
  SETTLE();
}

/* Plans one move more than a phase can have. */
static void test_too_many(void **state)
{
  (void)state;
  fixture f = make();
  row_view row;
  dap_error err = {.rank = -1};
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  const row_options o = {.moves = 12};
  const dap_view_request request = {
      .comm = comm, .array = {f.layout, &f.local}, .access = DAP_READ, .options = &o};
  EXPECT_FAIL(dap_view_get(&adapter, &request, &row, &err), DAP_ERR_ARG, &err, "more than 12");
  EXPECT(!row.even && !row.handle.view);
  MPI_Comm_free(&comm);
  end(&f);
  SETTLE();
}

static void test_behind(void **state)
{
  (void)state;
  fixture f = make();
  row_view row, copy, none = {0};
  dap_error err = {.rank = -1};
  EXPECT_OK(get(&f, NULL, &row, &err), &err);
  const dap_view *view = dap_view_of(&adapter, &row);
  EXPECT(view && view->adapter == &adapter && view->dtype == DAP_F8 && view->access == DAP_READ_WRITE);
  EXPECT(view && view->memory[EVEN] == row.even && view->memory[GHOSTED] == row.ghosted);
  EXPECT(view && view->shape[0] == f.size && view->nprocs == test_nprocs() && view->member == test_rank());
  EXPECT(view && !view->targets[EVEN].shared &&
         dap_layout_nprocs(view->targets[GHOSTED].layout) == test_nprocs());
  copy = row;
  EXPECT(!dap_view_of(&adapter, &copy) && !dap_view_of(&adapter, &none) && !dap_view_of(&adapter, NULL));
  EXPECT_FAIL(dap_view_discard(&other, &row, &err), DAP_ERR_ARG, &err, "row|column");
  EXPECT_OK(dap_view_discard(&adapter, &row, &err), &err);
  EXPECT(!dap_view_of(&adapter, &row));
  end(&f);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_phases),
    cmocka_unit_test(test_broken),
    cmocka_unit_test(test_too_many),
    cmocka_unit_test(test_behind),
};
MPI_TEST_MAIN(tests)
