/* Tests matrices with so many rows on a process that ScaLAPACK's 32-bit integers could wrap. The workspace
 * and the index of a process's last element are checked. Memory is only reserved, and its zeros are never
 * written. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS; NOLINT(bugprone-reserved-identifier) */
#include "mpi_test.h"

#include <dapbridge/linalg.h>
#include <dapbridge/linalg_rank.h>
#include <dapbridge/scalapack.h>
#include <inttypes.h>
#include <math.h>
#include <sys/mman.h>

/* ---- memory -------------------------------------------------------------------------------------------- */

/* An array of an operand, with elements in reserved memory. */
typedef struct reserved {
  dap_layout *layout;
  dap_array array;
  size_t bytes;
} reserved;

/* `apart`: elements from one column to the next in F order; 0: as many as a column has. */
static void reserve(reserved *r, int64_t rows, int64_t cols, bool whole, dap_order order, int64_t apart)
{
  const dap_dtype dtype = DAP_F4;
  const int64_t mine = whole ? rows : rows / test_nprocs();
  const dap_dist dists[2] = {whole ? dap_dist_local(rows) : dap_dist_even(rows, test_nprocs()),
                             whole ? dap_dist_cyclic(cols, test_nprocs(), cols) : dap_dist_local(cols)};
  dap_error err = {.text = ""};
  r->bytes = (size_t)((apart > 0 ? apart : mine) * cols * dap_dtype_size(dtype));
  void *at = mmap(NULL, r->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  EXPECT(at != MAP_FAILED);
  EXPECT_OK(dap_layout_create(2, dists, &r->layout, &err), &err);
  EXPECT_OK(dap_array_init(&r->array, r->layout, test_rank(), dtype, order, at, &err), &err);
  if (apart > 0) r->array.strides[1] = apart * dap_dtype_size(dtype);
}

static void release(reserved *r)
{
  void *at = r->array.data;
  dap_array_release(&r->array);
  dap_layout_destroy(&r->layout);
  (void)munmap(at, r->bytes);
}

/* ---- calls --------------------------------------------------------------------------------------------- */

/* A (m, n), Q (m, n), R (n, n), B (m, 1), X (n, 1). */
typedef struct operands {
  reserved a, q, r, b, x;
} operands;

typedef dap_status function(const operands *o, dap_error *err);

static dap_darray of(const reserved *r)
{
  return (dap_darray){r->layout, &r->array};
}

static const dap_darray none;

static dap_status qr(const operands *o, dap_error *err)
{
  return dap_linalg_qr(MPI_COMM_WORLD, of(&o->a), of(&o->q), of(&o->r), NULL, err);
}

static dap_status qr_r(const operands *o, dap_error *err)
{
  return dap_linalg_qr(MPI_COMM_WORLD, of(&o->a), none, of(&o->r), NULL, err);
}

static dap_status qr_pivoted(const operands *o, dap_error *err)
{
  return dap_linalg_qr_pivoted(MPI_COMM_WORLD, -1, of(&o->a), of(&o->q), of(&o->r), none, NULL, NULL, err);
}

static dap_status least_squares(const operands *o, dap_error *err)
{
  return dap_linalg_least_squares(MPI_COMM_WORLD, of(&o->a), of(&o->b), of(&o->x), NULL, err);
}

static dap_status least_squares_rank(const operands *o, dap_error *err)
{
  return dap_linalg_least_squares_rank(MPI_COMM_WORLD, -1, of(&o->a), of(&o->b), of(&o->x), NULL, NULL, err);
}

static float singular[4]; /* on process 0 */

static dap_status svd_values(const operands *o, dap_error *err)
{
  const int64_t n = o->a.array.shape[1];
  const dap_dist line = dap_dist_cyclic(n, test_nprocs(), n);
  dap_layout *layout = NULL;
  dap_array array = {0};
  EXPECT_OK(dap_layout_create(1, &line, &layout, err), err);
  EXPECT_OK(dap_array_init(&array, layout, test_rank(), DAP_F4, DAP_ORDER_C, singular, err), err);
  const dap_status status =
      dap_linalg_svd(MPI_COMM_WORLD, of(&o->a), none, (dap_darray){layout, &array}, none, NULL, err);
  dap_array_release(&array);
  dap_layout_destroy(&layout);
  return status;
}

static dap_status norm(const operands *o, dap_error *err)
{
  double value;
  return dap_linalg_norm(MPI_COMM_WORLD, '1', of(&o->a), &value, NULL, err);
}

/* ---- too many rows ------------------------------------------------------------------------------------- */

typedef struct row {
  const char *why;
  function *call;
  double rows; /* of a process */
  int64_t cols;
  dap_order order;
  int64_t apart; /* elements between A's columns; 0: none are left out */
} row;

static void make(operands *o, const row *r)
{
  const int64_t rows = (int64_t)r->rows * test_nprocs();
  reserve(&o->a, rows, r->cols, false, r->order, r->apart);
  reserve(&o->q, rows, r->cols, false, r->order, 0);
  reserve(&o->r, r->cols, r->cols, true, r->order, 0);
  reserve(&o->b, rows, 1, false, r->order, 0);
  reserve(&o->x, r->cols, 1, true, r->order, 0);
}

static void end(operands *o)
{
  reserved *const all[] = {&o->a, &o->q, &o->r, &o->b, &o->x};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) release(all[k]);
  SETTLE();
}

static void describe(const row *r)
{
  TEST_CASE("%s: %.0f rows of %d on a process, order %d", r->why, r->rows, (int)r->cols, (int)r->order);
}

/* All rows are refused before a process touches its memory. */
static void refused(void **state)
{
  (void)state;
  static const row rows[] = {
      {"qr_pivoted: too many columns to be factored by rows", qr_pivoted, 300e3, 8192, DAP_ORDER_F, 0},
      {"least_squares_rank: too many columns as well", least_squares_rank, 300e3, 8192, DAP_ORDER_F, 0},
      {"norm: a routine in Fortran", norm, 1.2e9, 2, DAP_ORDER_F, 0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    operands o;
    dap_error err = {.text = ""};
    describe(&rows[i]);
    make(&o, &rows[i]);
    expect_same_error(MPI_COMM_WORLD, rows[i].call(&o, &err), &err, DAP_ERR_RANGE, "ScaLAPACK's");
    end(&o);
  }
}

/* ---- results ------------------------------------------------------------------------------------------- */

/* A has the diagonal 1 .. n, and B is its product with 1, 2 .. n. All other elements are 0. Process 0 has
 * these rows. */
static void fill(const operands *o)
{
  float *a = o->a.array.data, *b = o->b.array.data;
  const int64_t n = o->a.array.shape[1], down = o->a.array.strides[0], right = o->a.array.strides[1];
  for (int64_t i = 0; i < n && test_rank() == 0; i++) {
    a[i * (down + right) / (int64_t)sizeof *a] = (float)(i + 1);
    b[i] = (float)((i + 1) * (i + 1));
  }
}

static void check(const operands *o, function *call)
{
  const float *x = o->x.array.data, *r = o->r.array.data;
  const int64_t n = o->a.array.shape[1];
  for (int64_t i = 0; i < n && test_rank() == 0; i++) {
    if (call == least_squares || call == least_squares_rank)
      EXPECT_MSG(fabsf(x[i] - (float)(i + 1)) < 1e-5F, "x %g", (double)x[i]);
    if (call == svd_values)
      EXPECT_MSG(fabsf(singular[i] - (float)(n - i)) < 1e-5F, "s %g", (double)singular[i]);
    for (int64_t j = 0; j < n && (call == qr_r || call == qr || call == qr_pivoted); j++) {
      const float want = i == j ? (float)(i + 1) : 0;
      EXPECT_MSG(fabsf(fabsf(r[i + j * n]) - want) < 1e-5F, "R %d %d: %g", (int)i, (int)j,
                 (double)r[i + j * n]);
    }
  }
}

/* With blocks of 64 columns, the size of ScaLAPACK's workspace wraps from 33.6e6 rows on. Matrices that
 * are factored by rows may have any size. Time grows with the number of elements, so some matrices have
 * few elements, but columns so far from each other that an index exceeds 2^31. Matrices with more than
 * 2^31 elements are factored on one process only. The first rows of the table cover all steps, and only
 * they are tried by day. */
static void computed(void **state)
{
  (void)state;
  enum { APART = 1100000000, FIRST = 4 };
  static const row rows[] = {
      {"qr_pivoted: Q and R", qr_pivoted, 34e6, 1, DAP_ORDER_C, 0},
      {"svd: values", svd_values, 34e6, 1, DAP_ORDER_F, 0},
      {"least_squares: far columns", least_squares, 1e5, 3, DAP_ORDER_F, APART},
      {"qr: R only, far columns", qr_r, 1e5, 3, DAP_ORDER_F, APART},
      {"least_squares", least_squares, 34e6, 1, DAP_ORDER_F, 0},
      {"least_squares_rank", least_squares_rank, 34e6, 1, DAP_ORDER_F, 0},
      {"qr: R only", qr_r, 68e6, 1, DAP_ORDER_F, 0},
      {"qr: Q and R", qr, 34e6, 1, DAP_ORDER_C, 0},
      {"least_squares: more than 2^31 elements", least_squares, 720e6, 3, DAP_ORDER_C, 0},
  };
  const size_t count = test_scale() > 1 ? FIRST : sizeof rows / sizeof rows[0];
  for (size_t i = 0; i < count; i++) {
    operands o;
    dap_error err = {.text = ""};
    if (rows[i].rows > 500e6 && test_nprocs() > 1) continue;
    describe(&rows[i]);
    make(&o, &rows[i]);
    fill(&o);
    EXPECT_OK(rows[i].call(&o, &err), &err);
    check(&o, rows[i].call);
    end(&o);
  }
}

/* ---- views --------------------------------------------------------------------------------------------- */

/* Each process has 4e9 elements. All processes together have fewer than 2^31 rows. */
static void views(void **state)
{
  (void)state;
  static const struct {
    const char *why, *routine;
    dap_sharing sharing;
    dap_status want;
  } rows[] = {
      {"no routine", NULL, DAP_SHARE_IF_POSSIBLE, DAP_ERR_RANGE},
      {"Fortran", "geqrf", DAP_SHARE_IF_POSSIBLE, DAP_ERR_RANGE},
      {"Fortran, by its whole name", "psgeqrf", DAP_SHARE_IF_POSSIBLE, DAP_ERR_RANGE},
      {"Fortran, shared", "geqrf", DAP_SHARE_OR_FAIL, DAP_ERR_SHARE},
      {"Fortran, a copy", "geqrf", DAP_SHARE_NEVER, DAP_ERR_RANGE},
      {"PBLAS has 64 bits", "gemm", DAP_SHARE_OR_FAIL, DAP_OK},
      {"PBLAS, by its whole name", "psgemm", DAP_SHARE_IF_POSSIBLE, DAP_OK},
  };
  reserved a;
  reserve(&a, (int64_t)2000000000 / test_nprocs() * test_nprocs(), (int64_t)2 * test_nprocs(), false,
          DAP_ORDER_F, 0);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const dap_scalapack_options o = {.routine = rows[i].routine, .sharing = rows[i].sharing};
    dap_scalapack_matrix m = {0};
    dap_error err = {.text = ""};
    TEST_CASE("%s", rows[i].why);
    const dap_status status = dap_scalapack_get(MPI_COMM_WORLD, of(&a), DAP_READ, &o, &m, &err);
    expect_same_error(MPI_COMM_WORLD, status, &err, rows[i].want,
                      rows[i].want ? "only PBLAS takes them" : "");
    if (!status) {
      EXPECT(m.shared && m.data == a.array.data);
      EXPECT_OK(dap_scalapack_restore(&m, &err), &err);
    }
    SETTLE();
  }
  release(&a);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(refused), cmocka_unit_test(computed),
                                          cmocka_unit_test(views)};
MPI_TEST_MAIN(tests)
