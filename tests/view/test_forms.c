/* Tests an adapter with features that the toy lacks: several targets in memory of the view, votes, words,
 * kept forms, and a communicator of the part's processes. */
#include "buffers.h"
#include "mpi_test.h"

#include <dapbridge/adapter.h>
#include <stddef.h>

/* ---- a library that keeps a matrix twice, by rows and by columns ------------------------------------ */

enum { ROWS, COLUMNS, TARGETS };

typedef struct sheet {
  double *data[TARGETS];                  /* even ranges of rows in C order, and of columns in F order */
  int64_t first[TARGETS], count[TARGETS]; /* of this process; 0 if shared */
  int64_t size[2];
  bool shared; /* whether rows are shared */
  int members; /* number of the part's processes; 0 on others */
  dap_view_handle handle;
} sheet;

typedef struct sheet_options {
  dap_sharing sharing;
  dap_part part;
  bool rows_only;
  int tag;           /* equal on every process */
  int colour;        /* this process's own; each colour has its own forms */
  const char *fails; /* name of a function that fails, */
  int fails_on;      /* on this rank only */
} sheet_options;

static int prepared, released; /* numbers of forms */
static bool is_kept_usable = true;

static dap_status fail_if_asked(const dap_view *view, const char *where, dap_error *err)
{
  const sheet_options *o = view->options;
  if (!o->fails || strcmp(o->fails, where) != 0 || view->rank != o->fails_on) return DAP_OK;
  return dap_fail(err, DAP_ERR_LIBRARY, "%s fails as asked", where);
}

static dap_status check(dap_view *view, dap_error *err)
{
  (void)err;
  if (((const sheet_options *)view->options)->rows_only) view->wanted = 1u << ROWS;
  return DAP_OK;
}

static int words(const dap_view *view, dap_view_word w[])
{
  const sheet_options *o = view->options;
  w[0] = (dap_view_word){"options: tag", (uint64_t)o->tag};
  w[1] = (dap_view_word){"options: rows_only", o->rows_only};
  w[2] = (dap_view_word){NULL, (uint64_t)o->colour};
  return 3;
}

/* Returns whether the buffer is in C order. */
static uint64_t vote(const dap_view *view)
{
  return dap_array_count(&view->local) == 0 || view->local.strides[1] == sizeof(double);
}

static bool is_usable(const dap_view *view, const void *form)
{
  (void)view, (void)form;
  return is_kept_usable;
}

static dap_status prepare(dap_view *view, dap_error *err)
{
  prepared++;
  return fail_if_asked(view, "prepare", err);
}

static dap_status share(dap_view *view, int target, char reason[], dap_error *why)
{
  if (target == COLUMNS || dap_layout_procs(view->layout, 1) > 1 || !view->votes)
    return dap_fail(why, DAP_ERR_SHARE, "not in rows");
  (void)snprintf(reason, DAP_ERROR_TEXT, "ranges of rows");
  return DAP_OK;
}

static dap_status lay(dap_view *view, int target, dap_error *err)
{
  int procs = 1;
  dap_layout *layout = NULL;
  if (MPI_Comm_size(view->comm, &procs)) return dap_fail(err, DAP_ERR_LIBRARY, "MPI_Comm_size failed");
  const dap_dist dists[2] = {dap_dist_even(view->shape[0], target == ROWS ? procs : 1),
                             dap_dist_even(view->shape[1], target == ROWS ? 1 : procs)};
  dap_status s = dap_layout_create(2, dists, &layout, err);
  if (!s) s = dap_view_lay(view, target, layout, NULL, target == ROWS ? DAP_ORDER_C : DAP_ORDER_F, NULL, err);
  return s;
}

static dap_status plan(dap_view *view, dap_error *err)
{
  const dap_status s = dap_view_plan_usual(view, err);
  return s ? s : dap_agree(view->comm, fail_if_asked(view, "plan", err), err);
}

static void release(void *form)
{
  (void)form;
  released++;
}

/* Counts the part's processes by communication. */
static dap_status open(dap_view *view, dap_error *err)
{
  int one = 1;
  if (view->part == MPI_COMM_NULL) return DAP_OK;
  if (MPI_Allreduce(&one, view->state, 1, MPI_INT, MPI_SUM, view->part))
    return dap_fail(err, DAP_ERR_LIBRARY, "MPI_Allreduce failed");
  return DAP_OK;
}

static void show(const dap_view *view, bool lives, void *object)
{
  sheet *m = object;
  m->shared = view->targets[ROWS].shared;
  if (!lives) return;
  m->members = *(int *)view->state;
  for (int k = 0; k < 2; k++) m->size[k] = view->shape[k];
  for (int t = 0; t < TARGETS; t++) {
    const dap_view_target *target = &view->targets[t];
    m->data[t] = view->memory[t];
    if (!target->layout || target->member < 0) continue;
    for (int i = 0; i < target->member; i++) m->first[t] += dap_layout_owned(target->layout, t, i);
    m->count[t] = dap_layout_owned(target->layout, t, target->member);
  }
}

static const dap_adapter adapter = {
    .name = "sheet",
    .object_size = sizeof(sheet),
    .handle = offsetof(sheet, handle),
    .options_size = sizeof(sheet_options),
    .state_size = sizeof(int),
    .targets = TARGETS,
    .target_names = {"rows", "columns"},
    .dtype = DAP_F8,
    .dtype_name = "a sheet's double",
    .part_comm = true,
    .keeps_forms = true,
    .check = check,
    .words = words,
    .vote = vote,
    .is_usable = is_usable,
    .prepare = prepare,
    .share = share,
    .lay = lay,
    .plan = plan,
    .release = release,
    .open = open,
    .show = show,
};

/* ---- views ---------------------------------------------------------------------------------------- */

static dap_status try_get(MPI_Comm comm, const fixture *f, dap_access access, const sheet_options *o,
                          sheet *m, dap_error *err)
{
  const dap_view_request request = {.comm = comm,
                                    .array = {f->layout, &f->local},
                                    .access = access,
                                    .sharing = o->sharing,
                                    .part = o->part,
                                    .options = o};
  return dap_view_get(&adapter, &request, m, err);
}

static bool get(MPI_Comm comm, const fixture *f, dap_access access, const sheet_options *o, sheet *m)
{
  dap_error err = {.rank = -1};
  return EXPECT_OK(try_get(comm, f, access, o, m, &err), &err);
}

static void restore(sheet *m)
{
  dap_error err = {.rank = -1};
  EXPECT_OK(dap_view_restore(&adapter, m, &err), &err);
}

static fixture make_rows(dap_order order)
{
  return fixture_make(DAP_F8, order, "12x7 on %dx1");
}

static MPI_Comm new_comm(void)
{
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  return comm;
}

/* Checks that element (i, j) of the matrix is element origin + i * step[0] + j * step[1] of the array, in
 * C order. */
static void check_values(const sheet *m, int64_t origin, const int64_t step[2])
{
  for (int t = 0; t < TARGETS; t++) {
    EXPECT((m->data[t] != NULL) == (m->count[t] * m->size[1 - t] > 0));
    EXPECT_INT((uintptr_t)m->data[t] % 64, 0);
    for (int64_t a = 0; a < m->count[t]; a++)
      for (int64_t b = 0; b < m->size[1 - t]; b++) {
        const double want = (double)(origin + (m->first[t] + a) * step[t] + b * step[1 - t] + 1);
        EXPECT(m->data[t][a * m->size[1 - t] + b] == want);
      }
  }
}

/* Takes one index of a distributed axis. The part's processes communicate among themselves, and both
 * targets must have the part's elements. */
static void test_parts(void **state)
{
  (void)state;
  static const int axes[2] = {0, 2};
  const int n = test_nprocs(), procs[2] = {n % 2 ? 1 : 2, n % 2 ? n : n / 2};
  char format[64];
  snprintf(format, sizeof format, "3x%%dx4 on %dx%dx1", procs[0], procs[1]);
  fixture f = fixture_make(DAP_F8, DAP_ORDER_C, format);
  for (int64_t index = 0; index < n; index++) {
    const int64_t start[3] = {0, index, 0};
    const sheet_options o = {.part = {.naxes = 2, .axes = axes, .start = start}, .sharing = DAP_SHARE_NEVER};
    sheet m;
    int members;
    TEST_CASE("index %d", (int)index);
    if (!get(MPI_COMM_WORLD, &f, DAP_READ, &o, &m)) continue;
    const int here = m.members > 0;
    MPI_Allreduce(&here, &members, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_INT(members, procs[0]);
    EXPECT(!here || m.members == procs[0]);
    check_values(&m, index * 4, (const int64_t[]){(int64_t)n * 4, 1});
    restore(&m);
    SETTLE();
  }
  fixture_end(&f);
}

/* Rows are shared if all buffers have the order. Columns are not made if they are not wanted. */
static void test_votes(void **state)
{
  (void)state;
  const bool last = test_rank() == test_nprocs() - 1;
  for (int row = 0; row < 3; row++) {
    const dap_order orders[] = {DAP_ORDER_C, DAP_ORDER_F, last ? DAP_ORDER_F : DAP_ORDER_C};
    fixture f = fixture_make(DAP_F8, orders[row], "24x7 on %dx1");
    sheet m;
    char text[4 * DAP_ERROR_TEXT];
    TEST_CASE("row %d", row);
    if (get(MPI_COMM_WORLD, &f, DAP_READ, &(sheet_options){.rows_only = true}, &m)) {
      EXPECT(m.shared == (row == 0) && !m.data[COLUMNS]);
      const size_t length = dap_view_describe(&adapter, &m, text, sizeof text);
      EXPECT_INT(length, strlen(text));
      EXPECT_MSG(test_contains(text, "sheet\nrows |\ncolumns not wanted\n"), "%s", text);
      restore(&m);
    }
    fixture_end(&f);
    SETTLE();
  }
}

/* ---- forms that are kept --------------------------------------------------------------------------- */

/* Gets a view `count` times. Returns how many forms were made. */
static int made_by(MPI_Comm comm, const fixture *f, dap_access access, sheet_options o, int count)
{
  const int before = prepared;
  for (int i = 0; i < count; i++) {
    sheet m;
    if (get(comm, f, access, &o, &m)) restore(&m);
  }
  return prepared - before;
}

static void test_kept(void **state)
{
  (void)state;
  const bool last = test_rank() == test_nprocs() - 1;
  MPI_Comm comm = new_comm();
  fixture f = make_rows(DAP_ORDER_C), g = make_rows(DAP_ORDER_F), h = make_rows(DAP_ORDER_C);
  const int was_released = released, was_prepared = prepared;
  const sheet_options never = {.sharing = DAP_SHARE_NEVER};
  EXPECT_INT(made_by(comm, &f, DAP_READ, never, 3), 1);
  EXPECT_INT(made_by(comm, &h, DAP_READ, never, 3), 0); /* another buffer of the same form */
  EXPECT_INT(made_by(comm, &f, DAP_READ_WRITE, never, 2), 1);
  EXPECT_INT(made_by(comm, &g, DAP_READ, never, 2), 1);
  EXPECT_INT(made_by(comm, &f, DAP_READ, (sheet_options){.tag = 0}, 2), 1);
  EXPECT_INT(made_by(comm, &f, DAP_READ, (sheet_options){.tag = 1}, 2), 1);
  EXPECT_INT(made_by(comm, &f, DAP_READ, (sheet_options){.colour = last}, 2),
             1); /* one process's own colour makes new forms on all */
  EXPECT_INT(made_by(comm, &f, DAP_READ, (sheet_options){.rows_only = true}, 2), 1);
  EXPECT_INT(made_by(comm, &f, DAP_READ, never, 1), 0);
  is_kept_usable = !last;
  EXPECT_INT(made_by(comm, &f, DAP_READ, never, 1), 1);
  is_kept_usable = true;
  EXPECT_INT(released, was_released);
  MPI_Comm_free(&comm);
  EXPECT_INT(released - was_released, prepared - was_prepared);
  fixture_end(&f), fixture_end(&g), fixture_end(&h);
  SETTLE();
}

/* Views of one form must have their values during the first view and after it. The communicator may be
 * freed before. */
static void test_kept_values(void **state)
{
  (void)state;
  MPI_Comm comm = new_comm();
  fixture f[3] = {make_rows(DAP_ORDER_C), make_rows(DAP_ORDER_C), make_rows(DAP_ORDER_C)};
  const int was_prepared = prepared, was_released = released;
  sheet m[3];
  for (int i = 0; i < 3; i++)
    if (get(comm, &f[i], DAP_READ, &(sheet_options){.sharing = DAP_SHARE_NEVER}, &m[i]))
      check_values(&m[i], 0, (const int64_t[]){7, 1});
  EXPECT_INT(prepared, was_prepared + 1);
  MPI_Comm_free(&comm);
  for (int i = 0; i < 3; i++) {
    EXPECT_INT(released, was_released);
    restore(&m[(i + 1) % 3]);
    fixture_end(&f[i]);
  }
  EXPECT_INT(released, was_released + 1);
  SETTLE();
}

/* If there are too many forms, the one that was unused for longest is removed. */
static void test_many_kinds(void **state)
{
  (void)state;
  enum { KINDS = 40, MOST_KEPT = 16 };
  MPI_Comm comm = new_comm();
  fixture f = make_rows(DAP_ORDER_C);
  const int was_prepared = prepared, was_released = released;
  for (int i = 0; i < KINDS; i++) {
    (void)made_by(comm, &f, DAP_READ, (sheet_options){.tag = i}, 1);
    EXPECT_INT(made_by(comm, &f, DAP_READ, (sheet_options){.tag = 0}, 1), 0); /* used all the time */
  }
  EXPECT_INT(prepared - was_prepared, KINDS);
  EXPECT_INT(released - was_released, KINDS - MOST_KEPT);
  MPI_Comm_free(&comm);
  EXPECT_INT(released - was_released, KINDS);
  fixture_end(&f);
  SETTLE();
}

/* A named word must be equal on every process. If making a form fails on one process, it fails on all, and
 * the form is not kept. */
static void test_failures(void **state)
{
  (void)state;
  static const char *const where[] = {"prepare", "plan"};
  MPI_Comm comm = new_comm();
  fixture f = make_rows(DAP_ORDER_C);
  sheet m;
  dap_error err = {.rank = -1};
  const dap_status s = try_get(comm, &f, DAP_READ, &(sheet_options){.tag = test_rank()}, &m, &err);
  if (test_nprocs() > 1)
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "rank 1|options: tag|not the same");
  else
    restore(&m);
  for (int i = 0; i < 2; i++) {
    sheet_options o = {
        .tag = 7 + i, .sharing = DAP_SHARE_NEVER, .fails = where[i], .fails_on = test_nprocs() - 1};
    const int was_prepared = prepared, was_released = released;
    TEST_CASE("%s", where[i]);
    expect_same_error(MPI_COMM_WORLD, try_get(comm, &f, DAP_READ, &o, &m, &err), &err, DAP_ERR_LIBRARY,
                      where[i]);
    EXPECT_INT(released - was_released, prepared - was_prepared);
    o.fails = NULL;
    EXPECT_INT(made_by(comm, &f, DAP_READ, o, 2), 1);
    SETTLE();
  }
  MPI_Comm_free(&comm);
  fixture_end(&f);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_parts),       cmocka_unit_test(test_votes),      cmocka_unit_test(test_kept),
    cmocka_unit_test(test_kept_values), cmocka_unit_test(test_many_kinds), cmocka_unit_test(test_failures),
};
MPI_TEST_MAIN(tests)
