/* Matrices that ScaLAPACK takes and ELPA does not: what ELPA itself makes of each, and that the array in the
 * same layout gets right results all the same. Where ELPA waits for ever it is not called. */
#include "elpa_test.h"

#include <elpa/elpa.h>
#include <stdlib.h>

typedef enum outcome { RIGHT, WRONG, ERROR, WAITS } outcome;
typedef enum shape { ONE_ROW, ONE_COLUMN } shape; /* of processes */

static const struct {
  const char *why;
  int64_t n, block;
  shape shape;
  int stages;
  outcome vectors;
  bool empty; /* on three processes and more */
} rows[] = {
    {"every process column has columns", 40, 4, ONE_ROW, 1, RIGHT, false},
    {"every process row has rows", 40, 4, ONE_COLUMN, 2, RIGHT, false},
    {"one block: empty process columns", 20, 20, ONE_ROW, 1, ERROR, true},
    {"one block: empty process columns, two stages", 20, 20, ONE_ROW, 2, ERROR, true},
    {"two blocks: empty process columns", 20, 10, ONE_ROW, 1, ERROR, true},
    {"one block: empty process rows", 20, 20, ONE_COLUMN, 1, RIGHT, true},
    {"two blocks: empty process rows", 20, 10, ONE_COLUMN, 2, RIGHT, true},
    {"fewer columns than processes", 2, 1, ONE_ROW, 1, ERROR, true},
    {"fewer rows than processes", 2, 1, ONE_COLUMN, 1, RIGHT, true},
};

static int grid_of(shape s, int k)
{
  return (s == ONE_ROW) == (k == 1) ? test_nprocs() : 1;
}

/* ---- ELPA itself ---------------------------------------------------------------------------------- */

static elpa_t make_handle(int64_t n, int64_t block, shape s, const int extents[2])
{
  int code = ELPA_OK;
  const int place[2] = {s == ONE_ROW ? 0 : test_rank(), s == ONE_ROW ? test_rank() : 0};
  const struct {
    const char *name;
    int value;
  } settings[] = {{"na", (int)n},
                  {"nev", (int)n},
                  {"nblk", (int)block},
                  {"local_nrows", extents[0]},
                  {"local_ncols", extents[1]},
                  {"mpi_comm_parent", (int)MPI_Comm_c2f(MPI_COMM_WORLD)},
                  {"process_row", place[0]},
                  {"process_col", place[1]}};
  EXPECT(elpa_init(ELPA_API_VERSION) == ELPA_OK);
  elpa_t handle = elpa_allocate(&code);
  for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
    elpa_set_integer(handle, settings[i].name, settings[i].value, &code);
    EXPECT_MSG(code == ELPA_OK, "%s: %s", settings[i].name, elpa_strerr(code));
  }
  EXPECT(elpa_setup(handle) == ELPA_OK);
  return handle;
}

/* A diagonal matrix 1, 2, ..., n. */
static outcome by_elpa(size_t row)
{
  const int64_t n = rows[row].n, block = rows[row].block;
  int extents[2], code = ELPA_OK;
  for (int k = 0; k < 2; k++) {
    const int procs = grid_of(rows[row].shape, k), at = procs > 1 ? test_rank() : 0;
    extents[k] = 0;
    for (int64_t i = 0; i < n; i++) extents[k] += i / block % procs == at;
  }
  const int lld = extents[0] > 0 ? extents[0] : 1; /* or elpa_setup() refuses it on this process alone */
  double *a = calloc((size_t)lld * (size_t)(extents[1] + 1), sizeof *a),
         *q = calloc((size_t)lld * (size_t)(extents[1] + 1), sizeof *q);
  double *w = calloc((size_t)n, sizeof *w);
  for (int64_t i = 0, r = 0; i < n; i++) {
    const bool here = i / block % test_nprocs() == test_rank();
    if (here && rows[row].shape == ONE_ROW) a[r++ * lld + i] = (double)(i + 1);
    if (here && rows[row].shape == ONE_COLUMN) a[i * lld + r++] = (double)(i + 1);
  }
  const int shape_extents[2] = {lld, extents[1]};
  elpa_t handle = make_handle(n, block, rows[row].shape, shape_extents);
  elpa_set_integer(handle, "solver", rows[row].stages == 2 ? ELPA_SOLVER_2STAGE : ELPA_SOLVER_1STAGE, &code);
  elpa_eigenvectors_a_h_a_d(handle, a, w, q, &code);
  int worst = code != ELPA_OK ? ERROR : RIGHT;
  for (int64_t k = 0; k < n && worst == RIGHT; k++)
    if (!(fabs(w[k] - (double)(k + 1)) < 1e-12 * (double)n)) worst = WRONG;
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  elpa_deallocate(handle, &code);
  free(w), free(q), free(a);
  return (outcome)worst;
}

/* ---- the array ------------------------------------------------------------------------------------ */

static void by_array(size_t row)
{
  const int64_t n = rows[row].n;
  dap_error err = {0};
  dap_layout *layout = NULL, *whole = NULL;
  dap_array a, w;
  const dap_dist dists[2] = {dap_dist_cyclic(n, grid_of(rows[row].shape, 0), rows[row].block),
                             dap_dist_cyclic(n, grid_of(rows[row].shape, 1), rows[row].block)};
  const dap_dist values = dap_dist_replicated(n, test_nprocs());
  EXPECT_OK(dap_layout_create(2, dists, &layout, &err), &err);
  EXPECT_OK(dap_layout_create(1, &values, &whole, &err), &err);
  EXPECT_OK(dap_array_init(&a, layout, test_rank(), DAP_F8, DAP_ORDER_F, NULL, &err), &err);
  EXPECT_OK(dap_array_init(&w, whole, test_rank(), DAP_F8, DAP_ORDER_F, NULL, &err), &err);
  for (int64_t i = 0; i < a.shape[0]; i++)
    for (int64_t j = 0; j < a.shape[1]; j++) {
      int64_t g[2];
      EXPECT_OK(dap_layout_globalize(layout, test_rank(), (const int64_t[2]){i, j}, g, NULL, &err), &err);
      ((double *)a.data)[j * a.shape[0] + i] = g[0] == g[1] ? (double)(g[0] + 1) : 0;
    }
  const dap_darray operand = {layout, &a};
  const bool empty = rows[row].empty && test_nprocs() > 2;
  dap_elpa_matrix m;
  const dap_elpa_options options = {.sharing = DAP_SHARE_OR_FAIL};
  const dap_status status = dap_elpa_get(MPI_COMM_WORLD, operand, DAP_READ, &options, &m, &err);
  if (test_nprocs() != 2) /* where some of the rows are not empty */
    expect_same_error(MPI_COMM_WORLD, status, &err, empty ? DAP_ERR_SHARE : DAP_OK, "leave process|empty");
  EXPECT_OK(dap_elpa_discard(&m, &err), &err);
  const dap_elpa_solve_options stages = {.stages = rows[row].stages};
  EXPECT_OK(
      dap_elpa_eigh(MPI_COMM_WORLD, 'A', operand, (dap_darray){whole, &w}, (dap_darray){0}, &stages, &err),
      &err);
  for (int64_t k = 0; k < n; k++)
    EXPECT_MSG(fabs(((double *)w.data)[k] - (double)(k + 1)) < 1e-12 * (double)n, "eigenvalue %d is %g",
               (int)k, ((double *)w.data)[k]);
  dap_array_release(&w);
  dap_array_release(&a);
  dap_layout_destroy(&whole);
  dap_layout_destroy(&layout);
}

static void traps(void **state)
{
  (void)state;
  for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
    TEST_CASE("%s", rows[row].why);
    by_array(row);
    if (test_nprocs() > 2 && rows[row].vectors != WAITS) EXPECT_INT(by_elpa(row), rows[row].vectors);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(traps)};
MPI_TEST_MAIN(tests)
