/* Linear systems that keep their matrix, are refused, or have no solution. */
#include "systems.h"

/* ---- work space that is kept ---------------------------------------------------------------------- */

typedef struct keeping {
  const char *why;
  bool keep, readonly; /* the option; the last process's buffer of A */
  dap_sharing sharing;
  dap_status status;
  int shared_a, shared_b;
  const char *reason; /* part of A's */
} keeping;

static const keeping keepings[] = {
    {"nothing is asked for", false, false, DAP_SHARE_IF_POSSIBLE, DAP_OK, 1, 1, ""},
    {"the caller's option", true, false, DAP_SHARE_IF_POSSIBLE, DAP_OK, 0, 1, "keep"},
    {"one process's buffer is read-only", false, true, DAP_SHARE_IF_POSSIBLE, DAP_OK, 0, 1, "read-only"},
    {"never shared", false, false, DAP_SHARE_NEVER, DAP_OK, 0, 0, ""},
    {"shared or an error", false, false, DAP_SHARE_OR_FAIL, DAP_OK, 1, 1, ""},
    {"kept in its own buffer", true, false, DAP_SHARE_OR_FAIL, DAP_ERR_SHARE, 0, 0, ""},
};

static void try_keeping(const system_kind *kind, const keeping *k, const source *s)
{
  enum { N = 33, NRHS = 20 };
  trial t = {.source = s, .type = &element_types[3], .size = {N, N}};
  TEST_CASE("%s, %s", k->why, s->name);
  system_grid(-1, t.grid);
  matrix a = system_matrix(kind, &t, system_letter(kind, 0), kind->entry),
         b = trial_matrix(&t, N, NRHS, entry_any);
  a.array.readonly = k->readonly && test_rank() == test_nprocs() - 1;
  double complex *whole_a = whole_make(N, N, kind->entry, t.type), *whole_b = matrix_whole(&b);
  dap_linalg_report report = {0};
  const dap_linalg_options options = {.sharing = k->sharing, .keep = k->keep, .report = &report};
  dap_error err = {0};
  const dap_status status = kind->solve(MPI_COMM_WORLD, system_letter(kind, 0), matrix_operand(&a),
                                        matrix_operand(&b), &options, &err);
  expect_same_error(MPI_COMM_WORLD, status, &err, k->status, "A");
  if (status) {
    expect_same(&b);
  } else {
    double complex *x = matrix_whole(&b);
    expect_residual("A X - B", residual_solve('N', N, NRHS, whole_a, x, whole_b, t.type->eps));
    expect_use(&report, 0, "A", &a, k->shared_a);
    const bool flat = t.grid[0] == 1 || t.grid[1] == 1; /* where a copy of A may lie along the other axis */
    expect_use(&report, 1, "B", &b, k->shared_b && !k->shared_a && flat ? -1 : k->shared_b);
    EXPECT_MSG(strstr(report.uses[0].reason, k->reason), "A: %s", report.uses[0].reason);
    free(x);
  }
  expect_work(&a, &report.uses[0], !k->shared_a, true);
  free(whole_a);
  free(whole_b);
  matrix_free(&a);
  matrix_free(&b);
  SETTLE();
}

void systems_keep(const system_kind *kind)
{
  for (size_t i = 0; i < sizeof keepings / sizeof keepings[0]; i++)
    for (int s = 0; s < 2; s++) try_keeping(kind, &keepings[i], &sources[s]); /* C and F order */
}

/* ---- refusals ------------------------------------------------------------------------------------- */

typedef struct refusal {
  const char *why;
  int64_t size_a[2], rows_b;
  int type_b;
  char letter; /* 0: a good one */
  bool readonly_b;
  dap_sharing sharing;
  int source; /* in sources[] */
  dap_status status;
  const char *parts;
} refusal;

enum { C_BLOCKS = 0, UNEQUAL_BLOCKS = 14 };

static const refusal refusals[] = {
    {"A is wide", {4, 5}, 4, 1, 0, false, 0, C_BLOCKS, DAP_ERR_ARG, "A|square|4 x 5"},
    {"A is tall", {5, 4}, 5, 1, 0, false, 0, C_BLOCKS, DAP_ERR_ARG, "A|square|5 x 4"},
    {"B is too long", {5, 5}, 6, 1, 0, false, 0, C_BLOCKS, DAP_ERR_ARG, "B|5 x 3|6 x 3"},
    {"another type", {5, 5}, 5, 3, 0, false, 0, C_BLOCKS, DAP_ERR_BUFFER, "B|complex128|float64"},
    {"no such letter", {5, 5}, 5, 1, '?', false, 0, C_BLOCKS, DAP_ERR_ARG, "'?'"},
    {"a result that cannot be written", {5, 5}, 5, 1, 0, true, 0, C_BLOCKS, DAP_ERR_BUFFER, "B|read-only"},
    {"blocks that are not square",
     {33, 33},
     33,
     1,
     0,
     false,
     DAP_SHARE_OR_FAIL,
     UNEQUAL_BLOCKS,
     DAP_ERR_SHARE,
     ""},
};

void systems_refuse(const system_kind *kind)
{
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
    const refusal *r = &refusals[i];
    if (r->status == DAP_ERR_SHARE && test_nprocs() < 4) continue; /* the grid is flat: a free block size */
    TEST_CASE("%s", r->why);
    int grid[2];
    system_grid(-1, grid);
    const source *s = &sources[r->source];
    matrix a = matrix_make(s, &element_types[1], 2, r->size_a, grid, kind->entry);
    matrix b =
        matrix_make(s, &element_types[r->type_b], 2, (const int64_t[2]){r->rows_b, 3}, grid, entry_any);
    b.array.readonly = r->readonly_b;
    const dap_linalg_options options = {.sharing = r->sharing};
    dap_error err = {0};
    const dap_status status = kind->solve(MPI_COMM_WORLD, r->letter ? r->letter : kind->letters[0],
                                          matrix_operand(&a), matrix_operand(&b), &options, &err);
    expect_same_error(MPI_COMM_WORLD, status, &err, r->status, r->parts);
    expect_same(&a);
    expect_same(&b);
    matrix_free(&a);
    matrix_free(&b);
    SETTLE();
  }
}

/* ---- no solution ---------------------------------------------------------------------------------- */

void systems_fail(const system_kind *kind, formula *entry, const char *parts, int64_t n, int64_t info)
{
  for (int i = 0; i < source_count; i++) {
    trial t = {.number = i, .source = &sources[i], .type = &element_types[i % ELEMENT_TYPES], .size = {n, n}};
    const char letter = system_letter(kind, i);
    system_grid(i % 3 - 1, t.grid);
    TEST_CASE("%s, %d x %d %s, '%c'", t.source->name, (int)n, (int)n, t.type->name, letter);
    matrix a = system_matrix(kind, &t, letter, entry), b = trial_matrix(&t, n, 3, entry_any);
    dap_linalg_report report = {0};
    const dap_linalg_options options = {.report = &report};
    dap_error err = {0};
    const dap_status status =
        kind->solve(MPI_COMM_WORLD, letter, matrix_operand(&a), matrix_operand(&b), &options, &err);
    expect_same_error(MPI_COMM_WORLD, status, &err, DAP_ERR_NUMERIC, parts);
    EXPECT_INT(report.info, info);
    EXPECT_INT(report.count, 2);
    expect_same(&b);
    expect_work(&a, &report.uses[0], false, false);
    expect_padding(&a);
    matrix_free(&a);
    matrix_free(&b);
    SETTLE();
  }
}
