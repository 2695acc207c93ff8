/* Tests dap_elpa_eigh() and dap_elpa_eigh_generalized(): how many stages they use, which layouts are
 * moved, and which arguments are refused. elpa_edges_eigh draws problems in every layout. */
#include "elpa_test.h"

#include <dapbridge/eigh_backend.h>
#include <string.h>

/* The smallest eigenvalues and vectors of A, or of A and B. */
typedef struct operands {
  matrix a, b, w, z;
} operands;

/* On all processes along an axis; -1: on a grid. */
static operands make(const source *on, int along, const element_type *type, int64_t n, int64_t values,
                     int64_t vectors, formula *entry, formula *entry_b)
{
  int grid[2];
  set_grid(along, grid);
  return (operands){.a = matrix_make(on, type, n, n, grid, entry),
                    .b = matrix_make(on, type, n, n, grid, entry_b),
                    .w = vector_make(0, element_type_of(type->real), values, entry_nans),
                    .z = matrix_make(on, type, n, vectors, grid, entry_nans)};
}

static void end(operands *o)
{
  matrix_free(&o->z), matrix_free(&o->w), matrix_free(&o->b), matrix_free(&o->a);
  SETTLE();
}

static dap_status solve(const operands *o, char uplo, const dap_elpa_solve_options *options, dap_error *err)
{
  return dap_elpa_eigh(MPI_COMM_WORLD, uplo, matrix_operand(&o->a), matrix_operand(&o->w),
                       matrix_operand(&o->z), options, err);
}

/* `worst` limits Z^H Z - I. The library accepts 64 n eps for vectors of two stages. */
static void check(const operands *o, const double complex *a, double worst)
{
  const int64_t n = o->a.size[0], k = o->w.size[0];
  const double eps = o->a.type->eps;
  double complex *w = matrix_whole(&o->w), *z = matrix_whole(&o->z), *want = serial_eigenvalues('L', n, a);
  const double norm = whole_norm('M', n, 1, want);
  expect_residual("eigenvalues", residual_difference(k, 1, w, want, norm, n, eps));
  expect_residual("A Z - Z W", residual_eigen(n, k, a, w, z, norm, eps));
  const double skew = whole_skew(n, k, z) / ((double)n * eps);
  EXPECT_MSG(skew <= worst, "Z^H Z - I: %g", skew);
  free(want), free(z), free(w);
}

/* ---- stages and blocks --------------------------------------------------------------------------------- */

/* One eigenvalue is n, the others are 0. */
FORMULA(entry_rank1, 1)

static const source slabs = {{"slabs", 2, .cut = {CUT_CEIL}}, .form = FORM_F};
static const source gaps = {{"slabs with gaps", 2, .cut = {CUT_CEIL}}, .form = FORM_GAPS};
static const source swapped = {{"swapped slabs", 2, .cut = {CUT_CEIL}}, .form = FORM_F, .swapped = true};

/* ELPA is slow if each process has one wide block. */
static const struct {
  const char *why;
  const source *on;
  int along;
  dap_dtype dtype;
  int64_t n;
  int stages, used; /* used: 0: it depends */
  formula *entry;
  const char *reason; /* if the blocks are wide */
} rows[] = {
    {"one stage", &sources[0], 0, DAP_F8, 70, 0, 1, entry_hermitian, NULL},
    {"two stages", &sources[1], 0, DAP_C16, 70, 2, 2, entry_hermitian, NULL},
    {"two stages, and smaller than a band", &sources[0], 0, DAP_F8, 20, 2, 1, entry_hermitian, NULL},
    {"larger by one, of which ELPA's vectors are wrong", &sources[2], 0, DAP_C16, 33, 2, 1, entry_hermitian,
     NULL},
    {"vectors of two stages are not orthogonal with some BLAS", &sources[1], -1, DAP_C16, 64, 2, 0,
     entry_rank1, NULL},
    {"the same in rows", &sources[2], -1, DAP_F8, 64, 2, 0, entry_rank1, NULL},
    {"wide blocks could be shared", &slabs, 0, DAP_F8, 520, 0, 1, entry_hermitian, "moved for speed"},
    {"they cannot be shared anyway, and that is said", &gaps, 0, DAP_F8, 520, 0, 1, entry_hermitian,
     "contiguous"},
    {"nor in the other byte order", &swapped, 0, DAP_F8, 520, 0, 1, entry_hermitian, "byte order"},
};

static void stages_and_blocks(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const int64_t n = rows[i].n, block = (n + test_nprocs() - 1) / test_nprocs();
    TEST_CASE("%s", rows[i].why);
    operands o = make(rows[i].on, rows[i].along, element_type_of(rows[i].dtype), n, n, n, rows[i].entry,
                      entry_definite);
    double complex *a = matrix_whole(&o.a);
    dap_elpa_report report = {0};
    const dap_elpa_solve_options options = {.report = &report, .stages = rows[i].stages};
    dap_error err = {0};
    EXPECT_OK(solve(&o, 'L', &options, &err), &err);
    check(&o, a, rows[i].used ? RESIDUAL_LIMIT : 64 * (double)n);
    if (rows[i].used) EXPECT_INT(report.stages, rows[i].used);
    if (rows[i].reason && test_nprocs() > 1 && block > 128)
      EXPECT_MSG(!report.uses[0].shared && test_contains(report.uses[0].reason, rows[i].reason), "%s",
                 report.uses[0].reason);
    free(a);
    end(&o);
  }
}

/* ---- processes without a part -------------------------------------------------------------------------- */

/* ScaLAPACK accepts these layouts. If a process row or column is empty, ELPA fails or waits for ever, so
 * such layouts are moved. */
static const struct {
  const char *why;
  int64_t n, block;
  int along, stages; /* the axis along which all processes are */
  bool is_empty;     /* on three processes and more */
} layouts[] = {
    {"every process column has columns", 40, 4, 1, 1, false},
    {"every process row has rows", 40, 4, 0, 2, false},
    {"one block: empty process columns", 20, 20, 1, 1, true},
    {"one block: empty process columns, two stages", 20, 20, 1, 2, true},
    {"two blocks: empty process columns", 20, 10, 1, 1, true},
    {"one block: empty process rows", 20, 20, 0, 1, true},
    {"two blocks: empty process rows", 20, 10, 0, 2, true},
    {"fewer columns than processes", 2, 1, 1, 1, true},
    {"fewer rows than processes", 2, 1, 0, 1, true},
};

static void processes_without_a_part(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
    const int64_t n = layouts[i].n;
    const int64_t block = layouts[i].block;
    const source on = {{layouts[i].why, 2, .cut = {CUT_CYCLIC, CUT_CYCLIC}, .block = {block, block}},
                       .form = FORM_F};
    TEST_CASE("%s", layouts[i].why);
    operands o =
        make(&on, layouts[i].along, element_type_of(DAP_F8), n, n, n, entry_hermitian, entry_definite);
    double complex *a = matrix_whole(&o.a);
    dap_elpa_matrix m;
    dap_error err = {0};
    const dap_elpa_options options = {.sharing = DAP_SHARE_OR_FAIL};
    const dap_status status =
        dap_elpa_get(MPI_COMM_WORLD, matrix_operand(&o.a), DAP_READ, &options, &m, &err);
    const bool is_empty = layouts[i].is_empty && test_nprocs() > 2;
    if (test_nprocs() != 2) /* where some of the rows are not empty */
      expect_same_error(MPI_COMM_WORLD, status, &err, is_empty ? DAP_ERR_SHARE : DAP_OK, "process|empty");
    EXPECT_OK(dap_elpa_discard(&m, &err), &err);
    EXPECT_OK(solve(&o, 'A', &(dap_elpa_solve_options){.stages = layouts[i].stages}, &err), &err);
    check(&o, a, RESIDUAL_LIMIT);
    free(a);
    end(&o);
  }
}

/* ---- refusals ------------------------------------------------------------------------------------------ */

static const struct {
  const char *why;
  char uplo;
  int stages;
  int64_t values, vectors; /* of a matrix of 5 x 5 */
  const char *parts;
} refusals[] = {
    {"no such triangle", 'X', 0, 5, 5, "uplo|'X'"}, {"three stages", 'L', 3, 5, 5, "stages|3"},
    {"W too long", 'L', 0, 6, 6, "W|5 x 1|6 x 1"},  {"W empty", 'L', 0, 0, 0, "W|1 x 1|0 x 1"},
    {"Z too wide", 'U', 0, 4, 5, "Z|5 x 4|5 x 5"},
};

static void refused(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
    TEST_CASE("%s", refusals[i].why);
    const dap_elpa_solve_options options = {.stages = refusals[i].stages};
    operands o = make(&sources[0], 0, element_type_of(DAP_C16), 5, refusals[i].values, refusals[i].vectors,
                      entry_hermitian, entry_definite);
    dap_error err = {0};
    expect_same_error(MPI_COMM_WORLD, solve(&o, refusals[i].uplo, &options, &err), &err, DAP_ERR_ARG,
                      refusals[i].parts);
    EXPECT(expect_same(&o.a) && expect_same(&o.w) && expect_same(&o.z));
    end(&o);
  }
}

/* dap_linalg_eigh() asks the backend only about the types that it takes. A program may ask about any type. */
static void other_types(void **state)
{
  (void)state;
  static const dap_dtype types[] = {DAP_I4, DAP_I8, DAP_BOOL, DAP_NONE};
  const dap_eigh_backend *backend = dap_elpa_backend(1);
  dap_error err = {0};
  EXPECT_OK(backend->can(backend, DAP_F8, &err), &err);
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
    EXPECT_FAIL(backend->can(backend, types[i], &err), DAP_ERR_UNSUPPORTED, &err, dap_dtype_name(types[i]));
  SETTLE();
}

/* The leading minor of order 3 is not positive. */
FORMULA(entry_definite_not, i == 2 && j == 2 ? -512 : entry_definite(i, j))

/* ELPA's own Cholesky factorisation waits for ever here on several processes. */
static void not_definite(void **state)
{
  (void)state;
  for (int row = 0; row < 6; row++) {
    const int64_t n = row % 2 ? 33 : 5;
    TEST_CASE("%s, uplo %c", sources[row].layout.why, "LUA"[row % 3]);
    operands o =
        make(&sources[row], 0, element_type_of(DAP_F8), n, n, n, entry_hermitian, entry_definite_not);
    dap_elpa_report report = {0};
    const dap_elpa_solve_options options = {.report = &report};
    dap_error err = {0};
    const dap_status status =
        dap_elpa_eigh_generalized(MPI_COMM_WORLD, "LUA"[row % 3], matrix_operand(&o.a), matrix_operand(&o.b),
                                  matrix_operand(&o.w), matrix_operand(&o.z), &options, &err);
    expect_same_error(MPI_COMM_WORLD, status, &err, DAP_ERR_NUMERIC, "B|not positive|order 3");
    EXPECT_INT(report.info, 3);
    EXPECT(expect_same(&o.w));
    end(&o);
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(stages_and_blocks), cmocka_unit_test(processes_without_a_part),
    cmocka_unit_test(refused), cmocka_unit_test(other_types), cmocka_unit_test(not_definite)};
MPI_TEST_MAIN(tests)
