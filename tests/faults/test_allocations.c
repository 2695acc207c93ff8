/* An allocation that one process alone is refused in any function of the public headers (the rows of
 * tests/calls, which calls.complete holds to the headers, and more of them): each in turn, of the first
 * process and of the last. All learn of it, in the same words; what is no workspace keeps its elements;
 * nothing that was allocated is left; and the next call on the same communicator does what it always did. */
#include "allocation_rows.h"
#include "allocations.h"
#include "any.h"
#include "comm_impl.h"
#include "mpi_test.h"
#include "watchdog.h"

#include <inttypes.h>
#include <math.h>

enum { PATIENCE = 120 /* seconds, of one trial */ };

/* ---- arrays -------------------------------------------------------------------------------------------- */

/* The arguments', then the rows' own; those at the end are none. */
enum { ARRAY_COUNT = 24, NUMBERS = 160 /* of 8 bytes, of one on one process, at most */ };
typedef struct content {
  bool is_computed; /* by floating-point numbers */
  union {
    double numbers[NUMBERS];
    unsigned char bytes[8 * NUMBERS];
  };
} content;
typedef content snapshot[ARRAY_COUNT];

static const dap_array *array_of(const call_arguments *g, int i)
{
  return i < ARRAYS ? &g->own[i] : allocation_operand(i - ARRAYS);
}

static void take(const call_arguments *g, snapshot s)
{
  memset(s, 0, sizeof(snapshot));
  for (int i = 0; array_of(g, i); i++) {
    const dap_array *array = array_of(g, i);
    const int64_t bytes = dap_array_bytes(array);
    if (!EXPECT(i < ARRAY_COUNT && bytes <= (int64_t)sizeof s[i].bytes)) return;
    s[i].is_computed = array->dtype == DAP_F8 || array->dtype == DAP_C16;
    if (bytes > 0) memcpy(s[i].bytes, array->data, (size_t)bytes);
  }
}

/* Numbers that were computed twice need not be the same bits. */
static bool is_near(double a, double b)
{
  return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-8 * fmax(1, fabs(b));
}

static bool is_alike(const content *a, const content *b, bool any_sign)
{
  if (!a->is_computed) return !memcmp(a->bytes, b->bytes, sizeof a->bytes);
  for (int e = 0; e < NUMBERS; e++)
    if (!is_near(a->numbers[e], b->numbers[e]) &&
        !(any_sign && is_near(fabs(a->numbers[e]), fabs(b->numbers[e]))))
      return false;
  return true;
}

static int first_other(const snapshot a, const snapshot b, unsigned but, bool any_sign)
{
  for (int i = 0; i < ARRAY_COUNT; i++)
    if (!(but >> i & 1) && !is_alike(&a[i], &b[i], any_sign)) return i;
  return -1;
}

/* Arrays that a function may have overwritten where it fails, as its header says: workspace; of those that
 * find eigenvalues and singular values also vectors that are shared. By a row's name, or its function's. */
static unsigned workspace_of(const call *row)
{
  enum {
    a = 1 << A,
    b = 1 << B,
    c = 1 << C,
    own = ((1 << (ARRAY_COUNT - ARRAYS)) - 1) << ARRAYS /* the rows' own */
  };
  static const struct {
    const char *name;
    unsigned arrays;
  } rows[] = {
      {"dap_linalg_solve, with a copy", 0},
      {"dap_linalg_solve", a},
      {"dap_linalg_cholesky_solve", a},
      {"dap_linalg_least_squares, of least norm", own},
      {"dap_linalg_least_squares", a | b},
      {"dap_linalg_least_squares_rank, rank 1", b | own},
      {"dap_linalg_least_squares_rank", a | b},
      {"dap_linalg_determinant", a},
      {"dap_linalg_condition", a},
      {"dap_linalg_lu", a},
      {"dap_linalg_cholesky", a},
      {"dap_linalg_qr, in place", 0},
      {"dap_linalg_qr", a},
      {"dap_linalg_qr_pivoted", a},
      {"dap_linalg_eigh", a | b},
      {"dap_linalg_eigh_generalized", a | b | c},
      {"dap_linalg_svd, tall", own},
      {"dap_linalg_svd", a | b | c},
      {"dap_elpa_eigh", a | b},
      {"dap_elpa_eigh_generalized", a | b | c},
  };
  const size_t function = strcspn(row->name, ",");
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    if (!strcmp(rows[i].name, row->name)) return rows[i].arrays;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    if (strlen(rows[i].name) == function && !strncmp(rows[i].name, row->name, function))
      return rows[i].arrays;
  return 0;
}

/* ---- one trial ----------------------------------------------------------------------------------------- */

/* Where a call is made. */
typedef struct place {
  const char *name;
  bool is_known; /* it was made there before */
  dap_order order;
  int hosts;
  enum { NO_LISTS, KNOWN, ASSEMBLED } lists; /* of the arrays: only what takes arrays is called then */
} place;

/* What comes of a row where no memory is refused: DAP_OK but of a few, which other rows do better. */
static dap_status usual_of(const call *row, const place *p)
{
  if (!strcmp(row->name, "dap_scalapack_import")) return DAP_ERR_ARG; /* without a view: ", of a view" */
  if (!strcmp(row->name, "dap_linalg_positive_banded_solve")) return DAP_ERR_NUMERIC; /* ", on several" */
  if (!strcmp(row->name, "dap_matrix_local") && p->order == DAP_ORDER_F) return DAP_ERR_SHARE; /* by op 'T' */
  return DAP_OK;
}

/* What comes of two calls, the first of which may be refused memory. */
typedef struct outcome {
  int64_t count; /* allocations of the first */
  bool was_met;  /* the one that was to be refused, on any process */
  dap_status status[2];
  dap_error err[2];
  snapshot before, after[2];
  int64_t left; /* bytes that are still allocated when all is over */
  int slabs;    /* of the toy library, likewise */
} outcome;

static void fill(call_arguments *g)
{
  calls_fill(g);
  allocation_operands_fill();
}

static void call_twice(const call *row, call_arguments *g, int64_t number, outcome *o)
{
  for (int turn = 0; turn < 2; turn++) {
    dap_error err = {.rank = -1};
    fill(g);
    take(g, o->before);
    const int64_t so_far = allocations_count();
    if (turn == 0 && number > 0) allocations_refuse(number);
    o->status[turn] = row->run(g, &err);
    allocations_refuse(0);
    if (turn == 0) o->count = allocations_count() - so_far;
    o->err[turn] = err;
    take(g, o->after[turn]);
  }
  o->was_met = any(number > 0 && o->count >= number);
}

/* On a communicator of its own; with all that calls need live, if this one needs any of it. */
static void run(const call *row, const place *p, int64_t number, outcome *o)
{
  call_arguments g;
  dap_scalapack_matrix matrix;
  toy_matrix toy;
  dap_error err = {.rank = -1};
  MPI_Comm comm;
  allocations_start(0);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  if (p->hosts > 1) EXPECT(dap_node_pretend(comm, test_rank() % p->hosts));
  if (p->lists)
    calls_begin_lists(&g, test_nprocs(), test_rank(), p->lists == ASSEMBLED);
  else
    calls_begin_as(&g, test_nprocs(), test_rank(), p->order);
  g.comm = comm;
  allocation_operands_fill();
  if (row->handle != NO_HANDLE) EXPECT_OK(calls_open(&g, &matrix, &toy, &err), &err);
  if (p->is_known) (void)row->run(&g, NULL);
  call_twice(row, &g, number, o);
  if (row->handle != NO_HANDLE) EXPECT_OK(calls_close(&g, &err), &err);
  calls_end(&g);
  MPI_Comm_free(&comm);
  o->left = allocations_held();
  o->slabs = toy_alive;
}

static void expect_refused(const call *row, const outcome *o, dap_status usual)
{
  const bool failed = any(o->status[0] != usual);
  if (!failed) return;
  if (row->needs_mpi)
    expect_same_error(MPI_COMM_WORLD, o->status[0], &o->err[0], DAP_ERR_NOMEM, "memory");
  else if (o->status[0] != usual)
    EXPECT_MSG(o->status[0] == DAP_ERR_NOMEM, "status %d: %s", (int)o->status[0], o->err[0].text);
  const int other = first_other(o->before, o->after[0], workspace_of(row), false);
  EXPECT_MSG(other < 0 || !o->status[0], "array %d was written to", other);
}

/* `usual`: what came of it with all memory. The signs of vectors are free: with less memory another algorithm
 * finds them, and BLACS adds in the order in which messages come, which by rounding may turn one round. */
static void expect_alike(const call *row, const outcome *o, const outcome *usual)
{
  const bool is_free =
      !strncmp(row->name, "dap_linalg_svd", 14) || !strcmp(row->name, "dap_linalg_eigh, EVR");
  EXPECT_MSG(o->status[1] == usual->status[1], "the next call gives %d", (int)o->status[1]);
  int other = first_other(o->after[1], usual->after[1], 0, is_free);
  EXPECT_MSG(other < 0, "the next call leaves something else in array %d", other);
  if (o->status[0] == usual->status[0] && !is_free) {
    other = first_other(o->after[0], usual->after[0], 0, false);
    EXPECT_MSG(other < 0, "without some memory, something else is left in array %d", other);
  }
  EXPECT_INT(o->left, usual->left);
  EXPECT_INT(o->slabs, usual->slabs);
}

/* ---- all of them --------------------------------------------------------------------------------------- */

static struct {
  int64_t refused, all;
} total;

/* Allocations that are refused in a call, at most; 0: all. */
static int64_t most_of(void)
{
  const char *text = getenv("DAP_TEST_ALLOCATIONS");
  const int64_t wanted = text ? strtol(text, NULL, 10) : 0;
  return test_nodes() > 1 ? 2 : wanted; /* each takes messages there */
}

/* One in so many, where the first is another one each time. */
static void refuse_some(const call *row, const place *p, int victim, const outcome *usual)
{
  static outcome o;
  static int turn;
  int64_t count = usual->count;
  MPI_Bcast(&count, 1, MPI_INT64_T, victim, MPI_COMM_WORLD);
  const int64_t most = most_of(), step = most > 0 && count > most ? (count + most - 1) / most : 1;
  for (int64_t number = 1 + turn++ % step; number <= count; number += step) {
    TEST_CASE("%s, %s: allocation %" PRId64 " of rank %d is refused", row->name, p->name, number, victim);
    watchdog(PATIENCE, "%s, %s: allocation %" PRId64 " of rank %d", row->name, p->name, number, victim);
    run(row, p, test_rank() == victim ? number : 0, &o);
    if (EXPECT(o.was_met)) expect_refused(row, &o, usual->status[0]);
    expect_alike(row, &o, usual);
    SETTLE();
    total.refused++;
  }
  total.all += count;
}

/* DAP_TEST_CALL: the only row, to look into it. */
static void refuse_in(const call *row, const place *p)
{
  static outcome usual;
  const char *only = getenv("DAP_TEST_CALL");
  if (only && strcmp(row->name, only) != 0) return;
  const int last = test_nprocs() - 1;
  TEST_CASE("%s, %s", row->name, p->name);
  watchdog(PATIENCE, "%s, %s", row->name, p->name);
  run(row, p, 0, &usual);
  for (int turn = 0; turn < 2; turn++)
    if (!p->lists) EXPECT_STATUS(usual.status[turn], usual_of(row, p), &usual.err[turn]);
  EXPECT_INT(usual.left, 0);
  SETTLE();
  for (int victim = 0; victim <= last; victim += last > 0 ? last : 1) refuse_some(row, p, victim, &usual);
}

/* With lists only what looks at an array, of the core. */
static bool takes_lists(const call *row)
{
  const bool is_adapters = !strncmp(row->name, "dap_scalapack_", 14) ||
                           !strncmp(row->name, "dap_linalg_", 11) || !strncmp(row->name, "dap_elpa_", 9);
  return row->handle == NO_HANDLE && !is_adapters && (row->takes || strstr(row->name, "_assemble"));
}

static void each_row(const place *p)
{
  const call *const more[] = {
      allocation_rows,
      allocation_rows_views,
      allocation_rows_linalg,
#ifdef DAP_TEST_HDF5
      allocation_rows_hdf5,
#endif
  };
  const int64_t files = open_files(), maps = mapped_files();
  for (const call *row = calls_next(NULL); row; row = calls_next(row))
    if (!p->lists || takes_lists(row)) refuse_in(row, p);
  for (size_t t = 0; t < sizeof more / sizeof more[0] && !p->lists; t++)
    for (const call *row = more[t]; row->name; row++) refuse_in(row, p);
  watchdog(0, "nothing");
  EXPECT(test_same_files(files, open_files()));
  EXPECT_INT(mapped_files(), maps);
  print_message("%s: %" PRId64 " of %" PRId64 " allocations refused\n", p->name, total.refused, total.all);
  EXPECT(total.refused > 0);
  total.refused = total.all = 0;
  SETTLE();
}

/* What is made once, of the process and of the tests, is made before. */
static void prepare(void **state)
{
  (void)state;
  static outcome unused;
  const place p = {"before", false, DAP_ORDER_C, 1, NO_LISTS};
  allocation_rows_begin();
  allocation_views_begin();
  allocation_operands_begin();
#ifdef DAP_TEST_HDF5
  allocation_hdf5_begin();
#endif
  for (const call *row = calls_next(NULL); row; row = calls_next(row)) run(row, &p, 0, &unused);
  SETTLE();
}

static void on_a_new_communicator(void **state)
{
  (void)state;
  each_row(&(place){"on a new communicator", false, DAP_ORDER_C, 1, NO_LISTS});
}

static void on_a_known_one(void **state)
{
  (void)state;
  each_row(&(place){"on a known one, in Fortran order", true, DAP_ORDER_F, 1, NO_LISTS});
}

/* As MPI copies a communicator it copies the tests' attribute, which takes memory: so of a known one. */
static void between_two_hosts(void **state)
{
  (void)state;
  if (test_nprocs() > 1) each_row(&(place){"between two hosts", true, DAP_ORDER_C, 2, NO_LISTS});
}

static void of_lists(void **state)
{
  (void)state;
  each_row(&(place){"of lists that all know", true, DAP_ORDER_C, 1, KNOWN});
  each_row(&(place){"of lists that nobody has all of", true, DAP_ORDER_C, 1, ASSEMBLED});
}

static void finish(void **state)
{
  (void)state;
#ifdef DAP_TEST_HDF5
  allocation_hdf5_end();
#endif
  allocation_operands_end();
  allocation_views_end();
  allocation_rows_end();
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(prepare),        cmocka_unit_test(on_a_new_communicator),
    cmocka_unit_test(on_a_known_one), cmocka_unit_test(between_two_hosts),
    cmocka_unit_test(of_lists),       cmocka_unit_test(finish),
};
MPI_TEST_MAIN(tests)
