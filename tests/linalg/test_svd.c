/* dap_linalg_svd() by what singular vectors are, and against the singular values of serial LAPACK; all
 * memory is between guards. */
#include "guards.h"
#include "svd_test.h"

#include <string.h>

/* Writes at such distances from memory of 40 bytes are found. */
static void guards_are_looked_at(void **state)
{
  (void)state;
  static const struct {
    const char *why;
    int64_t at, before, behind;
  } rows[] = {{"nothing", 0, 0, 0},     {"the last byte", 39, 0, 0},   {"one behind", 40, 0, 1},
              {"one before", -1, 1, 0}, {"far behind", 9999, 0, 9960}, {"far before", -4096, 4096, 0}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    TEST_CASE("%s", rows[i].why);
    guards_start();
    unsigned char *memory = calloc(5, 8);
    if (!EXPECT(memory)) continue;
    unsigned char *volatile anywhere = memory; /* sanitizers know what was allocated */
    if (i > 0) anywhere[rows[i].at] = 1;
    free(memory);
    const guards_found found = guards_stop();
    EXPECT_INT(found.freed, 1);
    EXPECT_INT(found.broken, rows[i].before + rows[i].behind > 0);
    EXPECT(found.before == rows[i].before && found.behind == rows[i].behind);
  }
  SETTLE();
}

static void everywhere(void **state)
{
  (void)state;
  for (trial t = {0}; trial_next(&t, TRIALS_ANY);) {
    guards_start();
    const int keep = (t.number % 7 == 0 ? SVD_KEEP : 0) | (t.number % 5 == 1 ? SVD_GESVD : 0);
    svd_check(&t, SVD_LEFT | SVD_RIGHT | SVD_ALIKE | keep, entry_any, "svd");
    if (t.number % 2)
      svd_check(&t, SVD_LEFT | SVD_RIGHT | (t.number % 3 ? SVD_GESDD : SVD_GESVD), entry_any,
                "svd elsewhere");
    if (t.number % 3 == 0) svd_check(&t, t.number % 2 ? SVD_LEFT : SVD_RIGHT, entry_any, "svd, one kind");
    if (t.number % 4 == 0) svd_check(&t, keep, entry_any, "svd, values");
    EXPECT_GUARDS();
    SETTLE();
  }
}

/* ---- all small extents --------------------------------------------------------------------------- */

static void small(void **state)
{
  enum { MOST = 7, ROWS = 3 };
  (void)state;
  static const int rows[ROWS] = {0, 1, 4};
  const int grids[2][2] = {{test_nprocs(), 1}, {1, test_nprocs()}};
  const int step = test_scale() > 1 ? 5 : 1; /* to all rows and types */
  for (int i = 0; i < MOST * MOST; i += step) {
    trial t = {.number = i, .source = &sources[rows[i % ROWS]], .type = &element_types[i % ELEMENT_TYPES]};
    t.size[0] = i / MOST + 1, t.size[1] = i % MOST + 1;
    memcpy(t.grid, grids[(i / 2) % 2], sizeof t.grid);
    TEST_CASE("%d x %d %s, %s over %d x %d", (int)t.size[0], (int)t.size[1], t.type->name, t.source->name,
              t.grid[0], t.grid[1]);
    guards_start();
    for (int how = 0; how <= (SVD_LEFT | SVD_RIGHT); how++)
      for (int solver = SVD_GESVD; solver <= SVD_GESDD; solver *= 2)
        svd_check(&t, how | solver | SVD_ALIKE, entry_any, "svd, small");
    EXPECT_GUARDS();
    SETTLE();
  }
}

/* ---- refusals ------------------------------------------------------------------------------------ */

static const struct {
  const char *why;
  int64_t a[2], u[2], s, vt[2];
  bool same; /* U in A's buffer */
  dap_sharing sharing;
  int row; /* A's source */
  formula *entry;
  dap_status status;
  const char *parts;
} refusals[] = {
    {"U too wide", {7, 4}, {7, 5}, 4, {4, 4}, false, 0, 0, entry_any, DAP_ERR_ARG, "U|7 x 4|7 x 5"},
    {"S too long", {7, 4}, {7, 4}, 7, {4, 4}, false, 0, 0, entry_any, DAP_ERR_ARG, "S|4 x 1|7 x 1"},
    {"VT not transposed", {4, 7}, {4, 4}, 4, {7, 4}, false, 0, 0, entry_any, DAP_ERR_ARG, "VT|4 x 7|7 x 4"},
    {"U is A", {7, 4}, {7, 4}, 4, {4, 4}, true, 0, 0, entry_any, DAP_ERR_ARG, "A and U overlap in memory"},
    {"NaN", {7, 4}, {7, 4}, 4, {4, 4}, false, 0, 0, entry_nan, DAP_ERR_NUMERIC, "not finite|(0, 0)"},
    {"NaN in little",
     {1, 1},
     {1, 1},
     1,
     {1, 1},
     false,
     0,
     1,
     entry_nan,
     DAP_ERR_NUMERIC,
     "not finite|(0, 0)"},
    {"gaps", {33, 21}, {33, 21}, 21, {21, 21}, false, DAP_SHARE_OR_FAIL, 19, entry_any, DAP_ERR_SHARE, ""},
};

static void refused(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
    TEST_CASE("%s", refusals[i].why);
    const int grid[2] = {test_nprocs(), 1};
    const element_type *type = &element_types[i % ELEMENT_TYPES], *real = element_type_of(type->real);
    matrix a = matrix_make(&sources[refusals[i].row], type, 2, refusals[i].a, grid, refusals[i].entry);
    matrix u = matrix_make(&sources[0], type, 2, refusals[i].u, grid, entry_nans);
    matrix s =
        matrix_make(&vector_sources[0], real, 1, (const int64_t[2]){refusals[i].s, 1}, grid, entry_nans);
    matrix vt = matrix_make(&sources[0], type, 2, refusals[i].vt, grid, entry_nans);
    const dap_linalg_options options = {.sharing = refusals[i].sharing};
    dap_error err = {0};
    const dap_status status =
        dap_linalg_svd(MPI_COMM_WORLD, matrix_operand(&a), matrix_operand(refusals[i].same ? &a : &u),
                       matrix_operand(&s), matrix_operand(&vt), &options, &err);
    expect_same_error(MPI_COMM_WORLD, status, &err, refusals[i].status, refusals[i].parts);
    EXPECT(expect_same(&a) && expect_same(&u) && expect_same(&s) && expect_same(&vt));
    matrix_free(&vt), matrix_free(&s), matrix_free(&u), matrix_free(&a);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(guards_are_looked_at),
                                          cmocka_unit_test(everywhere), cmocka_unit_test(small),
                                          cmocka_unit_test(refused)};
LINALG_TEST_MAIN(tests)
