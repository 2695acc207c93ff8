/* Tests arrays as ELPA's matrices. Every element must be where the handle says, and must return to the
 * array. Wrong requests are refused. */
#define _POSIX_C_SOURCE 200112L /* NOLINT(bugprone-reserved-identifier): setenv() */
#include "elpa_test.h"

#include <elpa/elpa.h>
#include <stdlib.h>
#include <string.h>

static int entry_of(const dap_elpa_matrix *m, const char *name)
{
  int value = -1, code = ELPA_OK;
  elpa_get_integer(m->handle, name, &value, &code);
  EXPECT_MSG(code == ELPA_OK, "%s: %s", name, elpa_strerr(code));
  return value;
}

/* Checks what the elpa_t says of the matrix. */
static void check_handle(const dap_elpa_matrix *m, int vectors)
{
  const bool inside = m->place[0] >= 0;
  int count = inside;
  MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_INT(count, m->grid[0] * m->grid[1]);
  EXPECT(!m->handle == !inside && !m->matrix.data == !inside);
  if (!inside) return;
  EXPECT_INT(entry_of(m, "na"), m->size);
  EXPECT_INT(entry_of(m, "nev"), vectors);
  EXPECT_INT(entry_of(m, "nblk"), m->block_size);
  EXPECT_INT(entry_of(m, "local_nrows"), m->local_nrows);
  EXPECT_INT(entry_of(m, "local_ncols"), m->local_ncols);
  EXPECT_INT(entry_of(m, "process_row"), m->place[0]);
  EXPECT_INT(entry_of(m, "process_col"), m->place[1]);
  EXPECT_INT(entry_of(m, "num_process_rows"), m->grid[0]);
  EXPECT_INT(entry_of(m, "num_process_cols"), m->grid[1]);
}

/* Checks this process's elements. The block-cyclic map is that of ScaLAPACK's numroc. */
static void check_elements(const dap_elpa_matrix *m, const matrix *a, int64_t columns,
                           const double complex *whole)
{
  const int64_t item = dap_dtype_size(a->type->dtype), n = m->size;
  int64_t cols = 0;
  if (!m->matrix.data) return;
  for (int64_t j = 0; j < n; j++) {
    if (j / m->block_size % m->grid[1] != m->place[1]) continue;
    int64_t rows = 0;
    for (int64_t i = 0; i < n; i++) {
      if (i / m->block_size % m->grid[0] != m->place[0]) continue;
      const char *at = (const char *)m->matrix.data + (cols * m->local_nrows + rows) * item;
      const double complex got = element_load(a->type->dtype, at);
      const double complex want = j >= columns          ? 0
                                  : m->matrix.op == 'N' ? whole[j * n + i]
                                                        : whole[i * n + j];
      EXPECT_MSG(got == want, "(%d, %d) is %g, not %g", (int)i, (int)j, creal(got), creal(want));
      rows++;
    }
    EXPECT_MSG(rows >= 1 && rows <= m->local_nrows, "%d rows", (int)rows);
    cols++;
  }
  EXPECT_INT(cols, m->local_ncols);
}

/* Doubles each element of the array's columns. */
static void twice(const dap_elpa_matrix *m, const matrix *a)
{
  const int64_t item = dap_dtype_size(a->type->dtype);
  int64_t rows = 0;
  for (int64_t i = 0; i < m->size; i++) rows += i / m->block_size % m->grid[0] == m->place[0];
  for (int64_t e = 0; m->matrix.data && e < rows * m->local_ncols; e++) {
    char *at = (char *)m->matrix.data + (e / rows * m->local_nrows + e % rows) * item;
    element_store(a->type->dtype, 2 * element_load(a->type->dtype, at), at);
  }
}

static void check(const trial *t)
{
  const int64_t n = t->size[0];
  if (!has_type(t->type)) return;
  matrix a = trial_matrix(t, n, n, entry_any);
  double complex *whole = matrix_whole(&a);
  dap_elpa_matrix m;
  dap_error err = {0};
  const int vectors = t->number % 2 ? (int)(n + 1) / 2 : 0;
  const dap_elpa_options options = {.vectors = vectors};
  EXPECT_OK(dap_elpa_get(MPI_COMM_WORLD, matrix_operand(&a), DAP_READ_WRITE, &options, &m, &err), &err);
  const int wanted = shares(t->source, &a, t->grid);
  EXPECT_MSG(wanted < 0 || m.matrix.shared == wanted, "%s: %s", m.matrix.shared ? "shared" : "moved",
             m.matrix.reason);
  for (int k = 0; k < 2; k++) EXPECT((m.grid[k] - 1) * m.block_size < m.size);
  check_handle(&m, vectors ? vectors : (int)n);
  check_elements(&m, &a, n, whole);
  twice(&m, &a);
  EXPECT_OK(dap_elpa_restore(&m, &err), &err);
  EXPECT(!m.matrix.data && !m.handle);
  double complex *after = matrix_whole(&a);
  for (int64_t e = 0; e < n * n; e++) EXPECT(after[e] == 2 * whole[e]);
  expect_padding(&a);
  free(after), free(whole);
  matrix_free(&a);
}

static void everywhere(void **state)
{
  (void)state;
  static const int64_t sizes[] = {33, 1, 2, 5, 13};
  for (int i = 0; i < 3 * source_count; i++) {
    const int64_t n = sizes[i % 5];
    const trial t = trial_of(i, n, n);
    check(&t);
    SETTLE();
  }
}

/* ---- like another --------------------------------------------------------------------------------- */

static void like_another(void **state)
{
  (void)state;
  for (int i = 0; i < 3 * source_count; i++) {
    const int64_t n = i % 5 ? 13 : 33, k = i % 2 ? n : (n + 1) / 2;
    const trial t = trial_of(i, n, n);
    if (!has_type(t.type)) continue;
    matrix a = trial_matrix(&t, n, n, entry_hermitian), z = trial_other(&t, t.type, n, k, entry_any);
    double complex *whole = matrix_whole(&z);
    dap_elpa_matrix m, v;
    dap_error err = {0};
    EXPECT_OK(dap_elpa_get(MPI_COMM_WORLD, matrix_operand(&a), DAP_READ, NULL, &m, &err), &err);
    const dap_elpa_options options = {.like = &m, .op = 'N'};
    EXPECT_OK(dap_elpa_get(MPI_COMM_WORLD, matrix_operand(&z), DAP_READ_WRITE, &options, &v, &err), &err);
    EXPECT(v.handle == m.handle && v.local_nrows == m.local_nrows && v.local_ncols == m.local_ncols);
    EXPECT(v.block_size == m.block_size && v.place[0] == m.place[0] && v.place[1] == m.place[1]);
    EXPECT(k == n || !v.matrix.shared);
    check_elements(&v, &z, k, whole);
    twice(&v, &z);
    EXPECT_OK(dap_elpa_restore(&v, &err), &err);
    EXPECT_OK(dap_elpa_discard(&m, &err), &err);
    double complex *after = matrix_whole(&z);
    for (int64_t e = 0; e < n * k; e++) EXPECT(after[e] == 2 * whole[e]);
    expect_padding(&z), expect_same(&a);
    free(after), free(whole);
    matrix_free(&z), matrix_free(&a);
    SETTLE();
  }
}

/* ---- options -------------------------------------------------------------------------------------- */

enum { ALL = -1 /* processes, where a grid is asked for */ };

static const struct {
  const char *why;
  int64_t size[2], block;
  int grid[2]; /* 0: not asked for */
  char op;
  int vectors;
  dap_dtype dtype;
  dap_status status;
  const char *parts;
} requests[] = {
    {"one process row", {20, 20}, 0, {1, ALL}, 0, 0, DAP_F8, DAP_OK, ""},
    {"one process column", {20, 20}, 3, {ALL, 1}, 'T', 0, DAP_F8, DAP_OK, ""},
    {"one process", {20, 20}, 64, {1, 1}, 'N', 0, DAP_F8, DAP_OK, ""},
    {"too long a block for some",
     {20, 20},
     20,
     {1, ALL},
     0,
     0,
     DAP_F8,
     DAP_ERR_UNSUPPORTED,
     "blocks of 20 leave process|empty"},
    {"too many rows of processes", {20, 20}, 0, {ALL, 2}, 0, 0, DAP_F8, DAP_ERR_ARG, "options: grid"},
    {"half a grid, all processes along the other axis", {20, 20}, 0, {1, 0}, 0, 0, DAP_F8, DAP_OK, ""},
    {"few vectors", {20, 20}, 0, {0, 0}, 0, 3, DAP_F8, DAP_OK, ""},
    {"negative block", {20, 20}, -1, {0, 0}, 0, 0, DAP_F8, DAP_ERR_ARG, "block_size[0] is -1"},
    {"no such op", {20, 20}, 0, {0, 0}, 'C', 0, DAP_F8, DAP_ERR_ARG, "op is character 67"},
    {"too many vectors", {20, 20}, 0, {0, 0}, 0, 21, DAP_F8, DAP_ERR_ARG, "vectors is 21|0 .. 20"},
    {"not square", {20, 19}, 0, {0, 0}, 0, 0, DAP_F8, DAP_ERR_ARG, "square|20 x 19"},
};

static void asked(void **state)
{
  (void)state;
  const int procs = test_nprocs();
  for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
    const int grid[2] = {procs, 1};
    dap_elpa_options options = {.sharing = DAP_SHARE_NEVER,
                                .block_size = requests[i].block,
                                .op = requests[i].op,
                                .vectors = requests[i].vectors};
    for (int k = 0; k < 2; k++) options.grid[k] = requests[i].grid[k] == ALL ? procs : requests[i].grid[k];
    if (procs == 1 && requests[i].status == DAP_ERR_UNSUPPORTED) continue; /* none is empty */
    TEST_CASE("%s", requests[i].why);
    matrix a = matrix_make(&sources[0], element_type_of(requests[i].dtype), requests[i].size[0],
                           requests[i].size[1], grid, entry_any);
    double complex *whole = matrix_whole(&a);
    dap_elpa_matrix m;
    dap_error err = {0};
    const dap_status status = dap_elpa_get(MPI_COMM_WORLD, matrix_operand(&a), DAP_READ, &options, &m, &err);
    expect_same_error(MPI_COMM_WORLD, status, &err, requests[i].status, requests[i].parts);
    if (!status) {
      for (int k = 0; k < 2; k++) /* of the array's axes */
        EXPECT(!options.grid[k] || m.grid[m.matrix.op == 'N' ? k : 1 - k] == options.grid[k]);
      EXPECT(!options.op || m.matrix.op == options.op);
      check_handle(&m, options.vectors ? options.vectors : 20);
      check_elements(&m, &a, 20, whole);
    }
    EXPECT_OK(dap_elpa_restore(&m, &err), &err);
    free(whole);
    matrix_free(&a);
    SETTLE();
  }
}

/* ELPA has no matrices without elements, so there is no elpa_t. */
static void no_elements(void **state)
{
  (void)state;
  const int grid[2] = {test_nprocs(), 1};
  matrix a = matrix_make(&sources[0], element_type_of(DAP_F8), 0, 0, grid, entry_any);
  dap_elpa_matrix m;
  dap_error err = {0};
  EXPECT_OK(dap_elpa_get(MPI_COMM_WORLD, matrix_operand(&a), DAP_READ_WRITE, NULL, &m, &err), &err);
  EXPECT(m.size == 0 && !m.handle);
  EXPECT_OK(dap_elpa_restore(&m, &err), &err);
  matrix_free(&a);
  SETTLE();
}

/* An ELPA without OpenMP, such as Debian's, ignores the variable. */
static void threads(void **state)
{
  (void)state;
  const int grid[2] = {test_nprocs(), 1};
  int level = MPI_THREAD_SINGLE, code = ELPA_OK;
  matrix a = matrix_make(&sources[0], element_type_of(DAP_F8), 12, 12, grid, entry_any);
  dap_elpa_matrix m;
  dap_error err = {0};
  EXPECT_OK(dap_elpa_get(MPI_COMM_WORLD, matrix_operand(&a), DAP_READ, NULL, &m, &err), &err);
  if (m.handle) elpa_set_integer(m.handle, "omp_threads", 2, &code);
  const bool has_threads = code == ELPA_OK && m.handle;
  EXPECT_OK(dap_elpa_restore(&m, &err), &err);
  EXPECT(!setenv("ELPA_DEFAULT_omp_threads", "2", 1));
  EXPECT(!MPI_Query_thread(&level));
  const dap_status status = dap_elpa_get(MPI_COMM_WORLD, matrix_operand(&a), DAP_READ, NULL, &m, &err);
  const bool refused = has_threads && level < MPI_THREAD_SERIALIZED;
  expect_same_error(MPI_COMM_WORLD, status, &err, refused ? DAP_ERR_LIBRARY : DAP_OK,
                    "MPI_THREAD_SERIALIZED");
  EXPECT_OK(dap_elpa_restore(&m, &err), &err);
  EXPECT(!unsetenv("ELPA_DEFAULT_omp_threads"));
  matrix_free(&a);
  SETTLE();
}

/* Errors name the option that differs between processes, as errors of other views do. */
static void different(void **state)
{
  (void)state;
  const int grid[2] = {test_nprocs(), 1};
  matrix a = matrix_make(&sources[0], element_type_of(DAP_F8), 12, 12, grid, entry_any);
  const dap_elpa_options options = {.block_size = 1 + (test_rank() > 0)};
  dap_elpa_matrix m;
  dap_error err = {0};
  const dap_status status = dap_elpa_get(MPI_COMM_WORLD, matrix_operand(&a), DAP_READ, &options, &m, &err);
  if (test_nprocs() > 1)
    expect_same_error(MPI_COMM_WORLD, status, &err, DAP_ERR_ARG,
                      "options: block_size[0]: not the same as on rank 0");
  EXPECT_OK(dap_elpa_restore(&m, &err), &err);
  matrix_free(&a);
  SETTLE();
}

/* The first grid of `asked` has all processes. Until a process is in a grid, each call of Cblacs_gridmap()
 * allocates BI_Stats and BI_AuxBuff.Aops again, and loses the former ones (BLACS/SRC/blacs_map_.c). */
static const struct CMUnitTest tests[] = {cmocka_unit_test(asked),        cmocka_unit_test(everywhere),
                                          cmocka_unit_test(like_another), cmocka_unit_test(no_elements),
                                          cmocka_unit_test(threads),      cmocka_unit_test(different)};
MPI_TEST_MAIN(tests)
