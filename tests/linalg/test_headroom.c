/* Memory runs out while ScaLAPACK computes. A function must succeed, or all processes must return an error.
 * Without the library's check, PBLAS, BLACS or BLAS end the job at some of these limits. */
#include "mpi_test.h"

#include <dapbridge/linalg.h>
#include <dapbridge/plan.h>
#include <sys/resource.h>

enum { N = 260, LEAST = 1 << 20, STEP = 256 << 10, MOST = 64 << 20 };

/* ---- the limit ----------------------------------------------------------------------------------------- */

static bool limit_space(int64_t headroom)
{
  struct rlimit limit;
  const int64_t bytes = process_bytes(false);
  if (bytes < 0 || getrlimit(RLIMIT_AS, &limit)) return false;
  limit.rlim_cur = (rlim_t)(bytes + headroom);
  return !setrlimit(RLIMIT_AS, &limit);
}

static void allow_space(void)
{
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit)) return;
  limit.rlim_cur = limit.rlim_max;
  (void)setrlimit(RLIMIT_AS, &limit);
}

/* ---- calls --------------------------------------------------------------------------------------------- */

typedef struct arrays {
  dap_layout *square, *line;
  dap_array a, b, c, w; /* (N, N), three times, and (N) */
} arrays;

static void make(arrays *x)
{
  const dap_dist rows[2] = {dap_dist_even(N, test_nprocs()), dap_dist_even(N, 1)};
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(2, rows, &x->square, &err), &err);
  EXPECT_OK(dap_layout_create(1, rows, &x->line, &err), &err);
  dap_array *const all[] = {&x->a, &x->b, &x->c};
  for (int k = 0; k < 3; k++)
    EXPECT_OK(dap_array_init(all[k], x->square, test_rank(), DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  EXPECT_OK(dap_array_init(&x->w, x->line, test_rank(), DAP_F8, DAP_ORDER_C, NULL, &err), &err);
}

/* A diagonal of N and small numbers beside it; B = A. */
static void fill(const arrays *x)
{
  double *a = x->a.data, *b = x->b.data;
  for (int64_t i = 0; i < x->a.shape[0]; i++)
    for (int64_t j = 0; j < N; j++) {
      const int64_t local[2] = {i, j};
      int64_t global[2] = {0};
      (void)dap_layout_globalize(x->square, test_rank(), local, global, NULL, NULL);
      a[i * N + j] = b[i * N + j] = global[0] == j ? N : (double)((global[0] * 7 + j * 3) % 11) / 11;
    }
}

typedef dap_status operation(const arrays *x, dap_error *err);

static dap_darray of(dap_layout *layout, const dap_array *array)
{
  return (dap_darray){layout, array};
}

static dap_status multiply(const arrays *x, dap_error *err)
{
  return dap_linalg_multiply(MPI_COMM_WORLD, 'N', 'N', NULL, of(x->square, &x->a), of(x->square, &x->b), NULL,
                             of(x->square, &x->c), NULL, err);
}

static dap_status solve(const arrays *x, dap_error *err)
{
  return dap_linalg_solve(MPI_COMM_WORLD, 'N', of(x->square, &x->a), of(x->square, &x->b), NULL, err);
}

static dap_status invert(const arrays *x, dap_error *err)
{
  return dap_linalg_inverse(MPI_COMM_WORLD, of(x->square, &x->a), NULL, err);
}

static dap_status factor(const arrays *x, dap_error *err)
{
  return dap_linalg_qr(MPI_COMM_WORLD, of(x->square, &x->a), of(x->square, &x->b), of(x->square, &x->c), NULL,
                       err);
}

static dap_status decompose(const arrays *x, dap_error *err)
{
  return dap_linalg_svd(MPI_COMM_WORLD, of(x->square, &x->a), (dap_darray){0}, of(x->line, &x->w),
                        (dap_darray){0}, NULL, err);
}

static dap_status diagonalise(const arrays *x, dap_error *err)
{
  return dap_linalg_eigh(MPI_COMM_WORLD, 'L', of(x->square, &x->a), of(x->line, &x->w), of(x->square, &x->c),
                         NULL, err);
}

/* ---- the walk ------------------------------------------------------------------------------------------ */

/* Goes from too little memory to enough, by day in other steps. `who`: the process that is limited; -1:
 * all. */
static void walk(const arrays *x, operation *run, int who)
{
  const int step = test_scale() > 1 ? 2 * STEP : STEP, enough = test_scale() > 1 ? 2 : 4;
  int successes = 0;
  for (int64_t headroom = LEAST; headroom < MOST && successes < enough; headroom += step) {
    dap_error err = {0};
    fill(x);
    const bool is_limited = who >= 0 && who != test_rank() ? true : limit_space(headroom);
    const dap_status status = run(x, &err);
    allow_space();
    EXPECT(is_limited);
    if (status)
      expect_same_error(MPI_COMM_WORLD, status, &err, DAP_ERR_NOMEM, "");
    else
      successes++;
    SETTLE();
  }
  EXPECT_INT(successes, enough);
}

static void memory_that_runs_out(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    operation *run;
  } rows[] = {{"multiply", multiply}, {"inverse", invert}, {"solve", solve},
              {"qr", factor},         {"svd", decompose},  {"eigh", diagonalise}};
  arrays x;
  make(&x);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    TEST_CASE("%s, all processes", rows[i].name);
    walk(&x, rows[i].run, -1);
    TEST_CASE("%s, the last process", rows[i].name);
    walk(&x, rows[i].run, test_nprocs() - 1);
  }
  dap_array_release(&x.a), dap_array_release(&x.b), dap_array_release(&x.c), dap_array_release(&x.w);
  dap_layout_destroy(&x.square), dap_layout_destroy(&x.line);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(memory_that_runs_out)};
MPI_TEST_MAIN(tests)
