/* Tests faults on one process in each public function. The calls are those of tests/calls, which
 * calls.complete compares with the headers, and those of rows*.c.
 *
 * An allocation is refused, or a call of MPI fails. Calls of MPI fail only in the core, in views, and where
 * tall matrices are factored.
 *
 * No process may wait for ever, and all must get the same error. Arrays that are not workspace must keep
 * their elements, and no allocated memory may be left. The next call on the same communicator must work as
 * usual. Private: hosts are pretended. */
#include "allocations.h"
#include "comm_impl.h"
#include "contents.h"
#include "faults.h"
#include "mpi_test.h"

#include <inttypes.h>

enum { LONG = 60 /* seconds */ };

/* A place is where calls are made. */
typedef struct place {
  const char *name;
  const fault *fault;
  int hosts;
  bool is_known;   /* the function has been called there before */
  bool is_fortran; /* arrays are in Fortran order */
  enum {
    NO_LISTS,
    KNOWN,
    ASSEMBLED
  } lists;      /* which lists the arrays have; with lists, only functions that take arrays are called */
  double limit; /* of waits, in seconds; with a limit, steps send messages */
} place;

static const place places[] = {
    {"a new communicator", &refused_allocations, .hosts = 1},
    {"a known one, in Fortran order", &refused_allocations, .hosts = 1, .is_known = true, .is_fortran = true},
    /* When MPI copies a communicator, it copies the tests' attribute, which takes memory. So the communicator
     * is known. */
    {"two hosts", &refused_allocations, .hosts = 2, .is_known = true},
    {"lists that all know", &refused_allocations, .hosts = 1, .is_known = true, .lists = KNOWN},
    {"lists that nobody has all of", &refused_allocations, .hosts = 1, .is_known = true, .lists = ASSEMBLED},
    {"one host", &failing_calls, .hosts = 1},
    {"two hosts", &failing_calls, .hosts = 2},
    {"one host, a limit", &failing_calls, .hosts = 1, .limit = 0.2},
    {"two hosts, a limit", &failing_calls, .hosts = 2, .limit = 0.2},
};

static bool is_tall(const call *row)
{
  return strstr(row->name, ", tall") != NULL;
}

static bool is_adapters(const call *row)
{
  static const char *const prefixes[] = {"dap_scalapack_", "dap_linalg_", "dap_elpa_"};
  bool is = false;
  for (int i = 0; i < 3; i++) is = is || !strncmp(row->name, prefixes[i], strlen(prefixes[i]));
  return is;
}

/* Faults of MPI are not tried in functions that call ScaLAPACK or ELPA, except for tall matrices. */
static bool is_wanted(const call *row, const place *p)
{
  const bool takes = row->takes || strstr(row->name, "_assemble");
  if (p->lists) return row->handle == NO_HANDLE && !is_adapters(row) && takes;
  if (p->fault == &refused_allocations) return true;
  return row->needs_mpi &&
         (is_adapters(row) ? is_tall(row) && p->limit == 0 : strchr(row->name, ',') == NULL);
}

/* Returns the status of a row without a fault. It is DAP_OK except in a few rows, which have better
 * variants. */
static dap_status usual_of(const call *row, const place *p)
{
  if (!strcmp(row->name, "dap_scalapack_import"))
    return DAP_ERR_ARG; /* there is no view; see ", of a view" */
  if (!strcmp(row->name, "dap_linalg_positive_banded_solve")) return DAP_ERR_NUMERIC; /* see ", on several" */
  if (!strcmp(row->name, "dap_matrix_local") && p->is_fortran) return DAP_ERR_SHARE;  /* see op 'T' */
  return DAP_OK;
}

/* ---- messages ------------------------------------------------------------------------------------------ */

/* The message of numbers that is in progress on this process, while a tall matrix is factored; plans send
 * bytes. A call must wait for this message before it frees the buffer. */
static MPI_Request message = MPI_REQUEST_NULL;

int MPI_Isend(const void *at, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
  const int code = PMPI_Isend(at, count, type, to, tag, comm, request);
  if (type == MPI_DOUBLE) message = *request;
  return code;
}

int MPI_Irecv(void *at, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request)
{
  const int code = PMPI_Irecv(at, count, type, from, tag, comm, request);
  if (type == MPI_DOUBLE) message = *request;
  return code;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
  if (*request == message) message = MPI_REQUEST_NULL;
  return PMPI_Wait(request, status);
}

/* ---- two calls ----------------------------------------------------------------------------------------- */

/* The outcome of two calls. The first call may meet a fault. */
typedef struct outcome {
  int64_t count; /* allocations, or calls of MPI, of the first call */
  bool was_met;  /* whether any process has met the fault */
  dap_status status[2];
  dap_error err[2];
  contents before, after[2];
  int64_t left; /* bytes that are still allocated at the end */
  int slabs;    /* of the toy library, at the end */
} outcome;

static void call_twice(const call *row, const fault *f, call_arguments *g, int64_t number, outcome *o)
{
  for (int turn = 0; turn < 2; turn++) {
    dap_error err = {.rank = -1};
    calls_fill(g);
    contents_take(row, g, o->before);
    message = MPI_REQUEST_NULL;
    if (turn == 0) fault_start(f, number);
    o->status[turn] = row->run(g, &err);
    if (turn == 0) o->count = fault_stop(f);
    o->err[turn] = err;
    contents_take(row, g, o->after[turn]);
  }
  o->was_met = fault_was_met(number, o->count);
}

static void open_handles(const place *p, call_arguments *g, dap_scalapack_matrix *matrix, toy_matrix *toy)
{
  dap_error err = {.rank = -1};
  if (p->limit > 0) EXPECT_OK(dap_wait_limit(g->comm, LONG, &err), &err);
  EXPECT_OK(calls_open(g, matrix, toy, &err), &err);
}

/* Makes both calls on a new communicator. Makes all live objects first if the call needs one of them. */
static void run(const call *row, const place *p, int64_t number, outcome *o)
{
  call_arguments g;
  dap_scalapack_matrix matrix;
  toy_matrix toy;
  dap_error err = {.rank = -1};
  MPI_Comm comm;
  allocations_start(0);
  PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
  if (p->hosts > 1) EXPECT(dap_node_pretend(comm, test_rank() % p->hosts));
  if (p->lists)
    calls_begin_lists(&g, test_nprocs(), test_rank(), p->lists == ASSEMBLED);
  else
    calls_begin(&g, test_nprocs(), test_rank(), p->is_fortran ? DAP_ORDER_F : DAP_ORDER_C);
  g.comm = comm;
  if (row->handle != NO_HANDLE) open_handles(p, &g, &matrix, &toy);
  if (p->limit > 0) /* without a fault, the limit must be long enough for any disk */
    EXPECT_OK(dap_wait_limit(comm, test_any(number > 0) ? p->limit : LONG, &err), &err);
  if (p->is_known) (void)row->run(&g, NULL);
  mpi_failures_spared =
      p->limit > 0 ? "MPI_Comm_get_attr"
                   : NULL; /* if this failed, the limit would not be found, and MPI would wait without one */
  call_twice(row, p->fault, &g, number, o);
  const dap_status s = row->handle != NO_HANDLE ? calls_close(&g, &err) : DAP_OK;
  if (p->fault == &refused_allocations) EXPECT_OK(s, &err);
  mpi_failures_end();
  calls_end(&g);
  PMPI_Comm_free(&comm);
  o->left = allocations_held();
  o->slabs = toy_alive;
}

/* ---- workspace ----------------------------------------------------------------------------------------- */

#define BIT(i) (UINT64_C(1) << (i))

/* The rows are found by name, or by the name of their function. Functions that find eigenvalues and singular
 * values overwrite shared vectors. */
static const struct {
  const char *name;
  uint64_t arrays;
} workspaces[] = {
    {"dap_view_halo_reverse, of a new view", BIT(PADDED)}, /* which is updated before */
    {"dap_linalg_solve, with a copy", 0},
    {"dap_linalg_qr, in place", 0},
    {"dap_linalg_least_squares, of least norm", BIT(WIDE) | BIT(NARROW)},
    {"dap_linalg_least_squares_rank, rank 1", BIT(B) | BIT(EQUAL)},
    {"dap_linalg_solve", BIT(A)},
    {"dap_linalg_cholesky_solve", BIT(A)},
    {"dap_linalg_least_squares", BIT(A) | BIT(B)},
    {"dap_linalg_least_squares_rank", BIT(A) | BIT(B)},
    {"dap_linalg_determinant", BIT(A)},
    {"dap_linalg_condition", BIT(A)},
    {"dap_linalg_lu", BIT(A)},
    {"dap_linalg_cholesky", BIT(A)},
    {"dap_linalg_qr", BIT(A)},
    {"dap_linalg_qr_pivoted", BIT(A)},
    {"dap_linalg_eigh", BIT(A) | BIT(B)},
    {"dap_linalg_eigh_generalized", BIT(A) | BIT(B) | BIT(C)},
    {"dap_linalg_svd", BIT(A) | BIT(B) | BIT(C)},
    {"dap_elpa_eigh", BIT(A) | BIT(B)},
    {"dap_elpa_eigh_generalized", BIT(A) | BIT(B) | BIT(C)},
};

/* Returns the arrays that a function may overwrite if it fails. The header of the function says so. */
static uint64_t workspace_of(const call *row)
{
  if (is_tall(row)) /* the results */
    return BIT(TALL_Q) | BIT(TALL_X) | BIT(TALL_R) | BIT(TALL_VALUES) | BIT(TALL_ORDER);
  for (size_t i = 0; i < sizeof workspaces / sizeof workspaces[0]; i++) {
    const size_t length = strlen(workspaces[i].name);
    const char next = strncmp(workspaces[i].name, row->name, length) ? 'x' : row->name[length];
    if (next == '\0' || next == ',') return workspaces[i].arrays;
  }
  return 0;
}

/* ---- what is expected ---------------------------------------------------------------------------------- */

typedef struct subject {
  const call *row;
  const place *place;
  bool is_known; /* the outcome without a fault is known: */
  outcome usual;
} subject;

static void expect_refused(const subject *s, const outcome *o)
{
  const dap_status usual = s->usual.status[0];
  EXPECT(o->was_met);
  if (!test_any(o->status[0] != usual)) return;
  if (s->row->needs_mpi)
    expect_same_error(MPI_COMM_WORLD, o->status[0], &o->err[0], DAP_ERR_NOMEM, "memory");
  else if (o->status[0] != usual)
    EXPECT_MSG(o->status[0] == DAP_ERR_NOMEM, "status %d: %s", (int)o->status[0], o->err[0].text);
}

/* A run of a plan may fail on some processes only, and all learn of it in the next run. A reduction by the
 * caller is not an agreement. If there is a limit, processes that give up leave the communicator. */
static void expect_failed(const subject *s, const outcome *o, int turn)
{
  const call_handle handle = s->row->handle;
  const dap_status got = o->status[turn];
  if (handle != PLAN && handle != CONTEXT && s->place->limit == 0) {
    EXPECT_MSG(got, "DAP_OK, but not on all processes");
    expect_same_error(MPI_COMM_WORLD, got, &o->err[turn], got, "");
  }
  if (got)
    EXPECT_MSG(got == DAP_ERR_LIBRARY || got == DAP_ERR_NOMEM, "status %d: %s", (int)got, o->err[turn].text);
}

/* Checks the next call after the first has failed. Returns true if it may differ from usual. A run that
 * failed has broken the plan on all processes that learn of it, and also the plan of a view. */
static bool expect_broken(const subject *s, const outcome *o)
{
  const bool ends = strstr(s->row->name, "_restore") || strstr(s->row->name, "_discard");
  const dap_status next = o->status[1];
  if (s->place->limit > 0)
    expect_failed(s, o, 1);
  else if (s->row->handle == PLAN && (o->status[0] || next))
    EXPECT_FAIL(next, DAP_ERR_LIBRARY, &o->err[1], "plan failed");
  else if (s->row->handle == TOY && !ends && test_any(next != DAP_OK))
    expect_failed(s, o, 1);
  else
    EXPECT_OK(next, &o->err[1]);
  return s->row->handle != NO_HANDLE || s->place->limit > 0;
}

/* Checks that a call does the same as without a fault. */
static void expect_alike(const subject *s, const outcome *o, int turn)
{
  EXPECT_MSG(o->status[turn] == s->usual.status[turn], "call %d gives %d: %s", turn, (int)o->status[turn],
             o->err[turn].text);
  const int other = contents_other(o->after[turn], s->usual.after[turn], 0);
  EXPECT_MSG(other < 0, "call %d leaves something else in array %d", turn, other);
}

static void check(const subject *s, const outcome *o)
{
  const bool is_refused = s->place->fault == &refused_allocations,
             is_late = s->place->limit > 0 && o->status[1] != s->usual.status[1],
             failed = test_any(o->status[0] != s->usual.status[0] || is_late);
  const int other = contents_other(o->before, o->after[0], workspace_of(s->row));
  if (is_tall(s->row)) EXPECT_MSG(message == MPI_REQUEST_NULL, "a message is still under way");
  EXPECT_MSG(o->was_met || !failed || s->place->limit > 0, "\"%s\", and nothing had failed", o->err[0].text);
  if (failed && (is_refused || is_tall(s->row))) EXPECT_MSG(other < 0, "array %d was written to", other);
  if (is_refused)
    expect_refused(s, o);
  else if (failed)
    expect_failed(s, o, 0);
  if (!failed) expect_alike(s, o, 0);
  if (is_refused || !failed || !expect_broken(s, o)) expect_alike(s, o, 1);
  if (is_refused) EXPECT_INT(o->left, s->usual.left);
  if (is_refused) EXPECT_INT(o->slabs, s->usual.slabs);
}

/* ---- all of them --------------------------------------------------------------------------------------- */

static int64_t try_one(void *row, const fault *f, int64_t number)
{
  static outcome o;
  subject *s = row;
  (void)f;
  run(s->row, s->place, number, s->is_known ? &o : &s->usual);
  if (s->is_known) check(s, &o);
  for (int turn = 0; turn < 2 && !s->is_known && !s->place->lists; turn++)
    EXPECT_STATUS(s->usual.status[turn], usual_of(s->row, s->place), &s->usual.err[turn]);
  if (!s->is_known && s->place->fault == &refused_allocations) EXPECT_INT(s->usual.left, 0);
  s->is_known = true;
  return s->usual.count;
}

/* If DAP_TEST_CALL is set, only the call of that name is tried. */
static void try_rows(const call *row, const place *p, fault_sweep *sweep)
{
  static subject s;
  char name[128];
  const char *only = getenv("DAP_TEST_CALL");
  if (!is_wanted(row, p) || (only && strcmp(row->name, only) != 0)) return;
  s.row = row;
  s.place = p;
  s.is_known = false;
  (void)snprintf(name, sizeof name, "%s, %s", row->name, p->name);
  fault_try_all(sweep, name, try_one, &s);
}

static void at_place(const place *p)
{
  fault_sweep sweep = {.fault = p->fault, .is_short = p->limit > 0, .rows = p - places};
  const int64_t files = open_files(), maps = mapped_files();
  for (const call *row = calls_first; row; row = row->next) try_rows(row, p, &sweep);
  EXPECT(test_same_files(files, open_files()));
  EXPECT_INT(mapped_files(), maps);
  print_message("%s: %" PRId64 " of %" PRId64 " %ss\n", p->name, sweep.tried, sweep.all, p->fault->what);
  EXPECT(sweep.tried > 0);
  SETTLE();
}

/* Calls each function once, so that objects that are made only once exist before the test begins. */
static void prepare(void **state)
{
  (void)state;
  static outcome unused;
  for (const call *row = calls_first; row; row = row->next) run(row, &places[0], 0, &unused);
  SETTLE();
}

static void everywhere(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
    if (test_nprocs() > 1 || places[i].hosts == 1) at_place(&places[i]);
  EXPECT(test_any(*mpi_failures_times("MPI_Gatherv") > 0)); /* test_plans.c leaves this call to this test */
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(prepare), cmocka_unit_test(everywhere)};
MPI_TEST_MAIN(tests)
