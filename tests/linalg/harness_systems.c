/* Linear systems in every layout. */
#include "systems.h"

char system_letter(const system_kind *kind, int number)
{
  return kind->letters[(size_t)number % strlen(kind->letters)];
}

matrix system_matrix(const system_kind *kind, const trial *t, char letter, formula *entry)
{
  matrix a = trial_matrix(t, t->size[0], t->size[0], entry);
  if (kind->triangle) matrix_set_triangle(&a, letter == 'L' ? 'U' : 'L', CMPLX(NAN, NAN));
  return a;
}

void system_grid(int axis, int grid[2])
{
  const int nprocs = test_nprocs();
  int rows = 1;
  for (int f = 1; f * f <= nprocs; f++)
    if (nprocs % f == 0) rows = f;
  grid[0] = axis < 0 ? rows : axis == 0 ? nprocs : 1;
  grid[1] = nprocs / grid[0];
}

/* ---- one system ---------------------------------------------------------------------------------- */

typedef struct wanted {
  int a, b; /* whether it is shared: 1, 0, -1: either */
} wanted;

/* Solves, and checks all that the call has touched. Frees *b. */
static void check(const system_kind *kind, const trial *t, matrix *b, wanted want, const char *label)
{
  const int64_t n = t->size[0], nrhs = b->size[1];
  const char letter = system_letter(kind, t->number);
  matrix a = system_matrix(kind, t, letter, kind->entry);
  double complex *whole_a = whole_make(n, n, kind->entry, t->type), *whole_b = matrix_whole(b);
  dap_linalg_report report = {0};
  const dap_linalg_options options = {.report = &report};
  dap_error err = {.rank = -7};
  EXPECT_OK(kind->solve(MPI_COMM_WORLD, letter, matrix_operand(&a), matrix_operand(b), &options, &err), &err);
  EXPECT_MSG(err.rank == -7 && !err.text[0], "the error was written without one: %s", err.text);

  double complex *x = matrix_whole(b);
  const double r = residual_solve(kind->triangle ? 'N' : letter, n, nrhs, whole_a, x, whole_b, t->type->eps);
  expect_residual("op(A) X - B", r);
  EXPECT_INT(report.count, 2);
  EXPECT_INT(report.info, 0);
  expect_use(&report, 0, "A", &a, want.a);
  expect_use(&report, 1, "B", b, want.b);
  expect_work(&a, &report.uses[0], false, true);
  expect_padding(&a);
  expect_padding(b);
  log_trial(label, t, &report, r);
  free(x);
  free(whole_a);
  free(whole_b);
  matrix_free(&a);
  matrix_free(b);
  SETTLE();
}

/* ---- every layout --------------------------------------------------------------------------------- */

void systems_everywhere(const system_kind *kind)
{
  char beside[40], elsewhere[40], vector[40];
  snprintf(beside, sizeof beside, "%s beside", kind->name);
  snprintf(elsewhere, sizeof elsewhere, "%s elsewhere", kind->name);
  snprintf(vector, sizeof vector, "%s (n,)", kind->name);
  static const int64_t widths[] = {3, 1, 0, 20};
  for (trial t = {0}; trial_next(&t, TRIALS_SQUARE);) {
    const int64_t n = t.size[0], nrhs = widths[t.number % 4];
    const int a = source_shares(t.source, t.size, t.grid);
    matrix b = trial_matrix(&t, n, nrhs, entry_any);
    check(kind, &t, &b, (wanted){a, nrhs == 20 && n >= 13 ? a : -1}, beside);
    b = trial_other(&t, n, nrhs, entry_any);
    check(kind, &t, &b, (wanted){a, -1}, elsewhere);
    b = trial_vector(&t, n, false, entry_any);
    check(kind, &t, &b, (wanted){a, -1}, vector);
  }
}

/* ---- shared pairs --------------------------------------------------------------------------------- */

typedef struct pair {
  const char *name, *why;
  char order_a;
  int axis_a; /* along which all processes lie; -1: the squarest grid */
  char order_b;
  int axis_b;
  int64_t nrhs; /* 0: a vector (n,) */
  source_cut cut_a, cut_b;
  int block_b; /* A's are 5 x 5 */
} pair;

static const pair pairs[] = {
    {"F | F", "alike: from the left", 'F', -1, 'F', -1, 20, CUT_CYCLIC, CUT_CYCLIC, 5},
    {"C | C", "alike: from the right", 'C', -1, 'C', -1, 20, CUT_CYCLIC, CUT_CYCLIC, 5},
    {"C | C, (n, 1)", "most processes have no part of B", 'C', -1, 'C', -1, 1, CUT_CYCLIC, CUT_CYCLIC, 5},
    {"F | F by 3", "blocks of its own, left", 'F', -1, 'F', -1, 20, CUT_CYCLIC, CUT_CYCLIC, 3},
    {"C | C by 3", "blocks of its own, right", 'C', -1, 'C', -1, 20, CUT_CYCLIC, CUT_CYCLIC, 3},
    {"C last | C last", "one permuted grid", 'C', -1, 'C', -1, 20, CUT_ROTATED, CUT_ROTATED, 5},
    {"F | F last", "B begins elsewhere, left", 'F', -1, 'F', -1, 20, CUT_CYCLIC, CUT_ROTATED, 5},
    {"C last | C", "B begins elsewhere, right", 'C', -1, 'C', -1, 20, CUT_ROTATED, CUT_CYCLIC, 5},
    {"C rows | F columns", "M has A's rows as columns", 'C', 0, 'F', 1, 20, CUT_CYCLIC, CUT_CYCLIC, 5},
    {"F rows | C columns", "S has B's columns as rows", 'F', 0, 'C', 1, 20, CUT_CYCLIC, CUT_CYCLIC, 5},
    {"C rows | F columns by 2", "unlike, blocks differ", 'C', 0, 'F', 1, 20, CUT_CYCLIC, CUT_CYCLIC, 2},
    {"F rows | (n,)", "a column", 'F', 0, 'C', 0, 0, CUT_CYCLIC, CUT_CYCLIC, 5},
    {"C rows | (n,)", "a row", 'C', 0, 'C', 0, 0, CUT_CYCLIC, CUT_CYCLIC, 5},
    {"F columns | (n,)", "a row", 'F', 1, 'C', 0, 0, CUT_CYCLIC, CUT_CYCLIC, 5},
    {"C columns | (n,)", "a column", 'C', 1, 'C', 0, 0, CUT_CYCLIC, CUT_CYCLIC, 5},
    {"C rows | (n,) by 4", "a row in blocks of its own", 'C', 0, 'C', 0, 0, CUT_CYCLIC, CUT_CYCLIC, 4},
    {"C rows last | (n,) last", "one permuted grid", 'C', 0, 'C', 0, 0, CUT_ROTATED, CUT_ROTATED, 5},
};

static void try_pair(const system_kind *kind, const pair *p, const element_type *type, int number)
{
  enum { N = 33 };
  char label[40];
  snprintf(label, sizeof label, "%s pairs", kind->name);
  const source on_a = {.name = p->name, .axes = {{p->cut_a, 5}, {p->cut_a, 5}}, .order = p->order_a};
  const source on_b = {.axes = {{p->cut_b, p->block_b}, {p->cut_b, p->block_b}}, .order = p->order_b};
  trial t = {.number = number, .source = &on_a, .type = type, .size = {N, N}};
  TEST_CASE("%s (%s), %s, '%c'", p->name, p->why, type->name, system_letter(kind, number));
  int grid[2];
  system_grid(p->axis_a, t.grid);
  system_grid(p->axis_b, grid);
  matrix b = matrix_make(&on_b, type, p->nrhs ? 2 : 1, (const int64_t[2]){N, p->nrhs}, grid, entry_any);
  check(kind, &t, &b, (wanted){1, 1}, label);
}

void systems_shared(const system_kind *kind)
{
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
    for (int type = 0; type < ELEMENT_TYPES; type++)
      for (int letter = 0; letter < (int)strlen(kind->letters); letter++)
        try_pair(kind, &pairs[i], &element_types[type], letter);
}
