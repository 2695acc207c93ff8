/* dap_linalg_eigh() with DAP_EIGH_EVR: singular matrices, clusters and splits, which MRRR finds hard, and
 * what happens where it fails. Eigenvalues are those of serial LAPACK; vectors are checked by what they are.
 * The seed is printed, and DAP_TEST_SEED repeats a run. */
#include "eigh_test.h"
#include "mrrr_fails.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- matrices ------------------------------------------------------------------------------------------ */

/* The matrix that the formulas speak of. */
static int64_t order;
static uint64_t draw;    /* of a random one */
static bool with_phases; /* not of real types: they would lose them */

static double complex entry_path(int64_t i, int64_t j)
{
  if (i != j) return i - j == 1 || j - i == 1 ? -1 : 0;
  return order == 1 ? 0 : i == 0 || i == order - 1 ? 1 : 2;
}

static double complex entry_ones(int64_t i, int64_t j)
{
  (void)i, (void)j;
  return 1;
}

static double complex entry_pairs(int64_t i, int64_t j)
{
  return i / 2 == j / 2;
}

static double complex entry_rank1(int64_t i, int64_t j)
{
  return (double)((i + 1) * (j + 1));
}

static double complex entry_corner(int64_t i, int64_t j)
{
  return i == 0 && j == 0;
}

static double complex entry_graded(int64_t i, int64_t j)
{
  return ldexp(i == j ? 1.5 : 1, (int)(-2 * (i + j) / 3));
}

static double complex entry_negative(int64_t i, int64_t j)
{
  return i == j ? -3 : i - j == 1 || j - i == 1 ? 1 : 0;
}

static double complex entry_wilkinson(int64_t i, int64_t j)
{
  return i == j ? fabs(10.0 - (double)(i % 21)) : i - j == 1 || j - i == 1 ? 1 : 0;
}

static double complex entry_glued(int64_t i, int64_t j)
{
  const int64_t first = i < j ? i : j;
  if (i != j && first % 21 == 20) return i - j == 1 || j - i == 1 ? 0x1p-20 : 0;
  return entry_wilkinson(i, j);
}

static double complex entry_split(int64_t i, int64_t j)
{
  return i == j ? (double)(i % 3) : (i - j == 1 && j % 4) || (j - i == 1 && i % 4) ? 2 : 0;
}

static double complex entry_tiny_path(int64_t i, int64_t j)
{
  return entry_path(i, j) * 0x1p-100;
}

static double complex entry_huge_path(int64_t i, int64_t j)
{
  return entry_path(i, j) * 0x1p100;
}

static const struct {
  const char *why;
  formula *entry;
} hard[] = {{"a singular Laplacian", entry_path},
            {"rank 1, 0 many times", entry_ones},
            {"splits into singular blocks", entry_pairs},
            {"rank 1, graded", entry_rank1},
            {"one element, which is not 0", entry_corner},
            {"zero", entry_zero},
            {"identity", entry_identity},
            {"graded", entry_graded},
            {"negative definite", entry_negative},
            {"pairs that agree to rounding", entry_wilkinson},
            {"clusters of pairs", entry_glued},
            {"splits into singular and other blocks", entry_split},
            {"singular, tiny", entry_tiny_path},
            {"singular, huge", entry_huge_path}};
enum { HARD = sizeof hard / sizeof hard[0] };

/* ---- random matrices ----------------------------------------------------------------------------------- */

static int64_t number(int64_t i, int64_t j, int64_t low, int64_t high)
{
  test_random random = {draw + (uint64_t)i * 1000003 + (uint64_t)j};
  return test_random_int(&random, low, high);
}

/* The matrix D A D^H with i^k in D has A's eigenvalues. */
static double complex turned(double value, int64_t i, int64_t j)
{
  static const double complex units[4] = {1, I, -1, -I};
  const int64_t quarter = with_phases ? number(i, -1, 0, 3) - number(j, -1, 0, 3) + 4 : 0;
  return value * units[quarter % 4];
}

static bool is_edge(int64_t i, int64_t j)
{
  return i != j && number(i < j ? i : j, i < j ? j : i, 0, 4) == 0;
}

static double complex entry_graph(int64_t i, int64_t j) /* a Laplacian: singular once a connected part */
{
  int64_t edges = 0;
  for (int64_t k = 0; k < order && i == j; k++) edges += is_edge(i, k);
  return turned(i == j ? (double)edges : is_edge(i, j) ? -1 : 0, i, j);
}

static double complex entry_low_rank(int64_t i, int64_t j)
{
  double sum = 0;
  const int64_t rank = number(0, -2, 1, 3);
  for (int64_t k = 0; k < rank; k++) sum += (double)(number(i, -3 - k, -2, 2) * number(j, -3 - k, -2, 2));
  return turned(sum, i, j);
}

static double complex entry_beads(int64_t i, int64_t j) /* tridiagonal with few different elements */
{
  const int64_t first = i < j ? i : j;
  if (i == j) return (double)number(i, -2, -1, 1);
  if (i - j != 1 && j - i != 1) return 0;
  return turned((double)number(first, -3, 0, 1) * ldexp(1, (int)(-8 * number(first, -4, 0, 3))), i, j);
}

static double complex entry_any_graded(int64_t i, int64_t j)
{
  const int64_t first = i < j ? i : j, last = i < j ? j : i;
  return turned(ldexp((double)number(first, last, -8, 8), (int)-(i + j) / 2), i, j);
}

static formula *const random_ones[] = {entry_graph, entry_low_rank, entry_beads, entry_any_graded};

/* ---- one call ------------------------------------------------------------------------------------------ */

/* Which vectors are wanted. */
typedef struct wanted {
  dap_eigh_range range;
  int64_t first, count;
} wanted;

static double between(const double complex *values, int64_t n, int64_t k)
{
  return k == 0 ? -INFINITY : k == n ? INFINITY : creal(values[k - 1] + values[k]) / 2;
}

static dap_eigh_options options_for(const wanted *p, int64_t n, const double complex *values)
{
  dap_eigh_options o = {.solver = DAP_EIGH_EVR, .range = p->range};
  o.start = p->first, o.stop = p->first + p->count;
  o.above = between(values, n, o.start), o.up_to = between(values, n, o.stop);
  return o;
}

/* LAPACK makes vectors of eigenvalues whose relative gap is 1e-3 orthogonal to eps / 1e-3 (SRC/dstemr.f:
 * MINRGP). */
enum { MOST_ANGLE = 1000 };

static void check_orthogonal(const trial *t, int64_t count, const double complex *z)
{
  double complex *products = serial_multiply('C', 'N', count, count, t->size[0], z, z);
  double most = 0;
  for (int64_t i = 0; i < count * count; i++) {
    const double one = cabs(products[i] - (i / count == i % count ? 1 : 0));
    if (!(one <= most) && !isnan(most)) most = one;
  }
  EXPECT_MSG(most <= MOST_ANGLE * t->type->eps, "Z^H Z - I has an element of %g eps", most / t->type->eps);
  free(products);
}

static void check_results(const trial *t, const wanted *p, const double complex *a,
                          const double complex *want, const double complex *w, const double complex *z)
{
  const int64_t n = t->size[0];
  const double eps = t->type->eps, norm = largest(n, want), scale = norm > 0 ? norm : 1;
  expect_residual("eigenvalues", residual_difference(p->count, 1, w, want + p->first, scale, n, eps));
  for (int64_t k = 1; k < p->count; k++)
    EXPECT_MSG(creal(w[k]) >= creal(w[k - 1]), "eigenvalue %d is less than the one before", (int)k + 1);
  expect_residual("A Z - Z W", residual_pairs(n, p->count, a, NULL, w, z, scale, eps));
  check_orthogonal(t, p->count, z);
}

/* Returns what the report says of the algorithm. */
static dap_linalg_report find(const trial *t, formula *entry, wanted p)
{
  const int64_t n = t->size[0];
  const char uplo = "LU"[t->number % 2];
  matrix a = trial_matrix(t, n, n, entry);
  double complex *whole = matrix_whole(&a), *want = serial_eigenvalues(uplo, n, whole);
  dap_linalg_report report = {0};
  const dap_linalg_options options = {.report = &report, .eigh = options_for(&p, n, want)};
  if (p.range == DAP_EIGH_BY_VALUE && p.count > 0 && !(options.eigh.above < options.eigh.up_to))
    p.range = DAP_EIGH_ALL, p.first = 0, p.count = n;
  matrix w = trial_vector(t, p.count, true, entry_nans), z = trial_matrix(t, n, p.count, entry_nans);
  matrix_set_triangle(&a, uplo == 'L' ? 'U' : 'L', NAN);
  dap_error err = {0};
  EXPECT_OK(dap_linalg_eigh(MPI_COMM_WORLD, uplo, matrix_operand(&a), matrix_operand(&w), matrix_operand(&z),
                            &options, &err),
            &err);
  double complex *values = matrix_whole(&w), *vectors = matrix_whole(&z);
  check_results(t, &p, whole, want, values, vectors);
  free(vectors), free(values), free(want), free(whole);
  matrix_free(&z), matrix_free(&w), matrix_free(&a);
  return report;
}

/* A trial in square blocks, or in any layout. */
static trial trial_of(int number, int64_t n)
{
  const int nprocs = test_nprocs();
  int rows = 1;
  for (int k = 1; k * k <= nprocs; k++)
    if (nprocs % k == 0) rows = k;
  const int grids[3][2] = {{1, nprocs}, {nprocs, 1}, {rows, nprocs / rows}};
  const int *grid = grids[number % 3];
  return (trial){.number = number,
                 .source = &sources[number % source_count],
                 .type = &element_types[number % ELEMENT_TYPES],
                 .size = {n, n},
                 .grid = {grid[0], grid[1]}};
}

static wanted wanted_of(int number, int64_t n)
{
  const wanted all = {DAP_EIGH_ALL, 0, n}, cut = {DAP_EIGH_BY_INDEX, n / 3, (n + 1) / 2},
               last = {DAP_EIGH_BY_INDEX, n - 1, 1}, first = {DAP_EIGH_BY_INDEX, 0, (n + 4) / 5};
  const wanted choices[] = {all, cut, all, last, first};
  return choices[number % 5];
}

/* ---- tests --------------------------------------------------------------------------------------------- */

static void hard_matrices(void **state)
{
  static const int64_t sizes[] = {1, 2, 3, 4, 5, 8, 13, 20, 50};
  (void)state;
  int number = 0;
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
    for (size_t i = 0; i < HARD; i++) {
      const trial t = trial_of(++number, order = sizes[s]);
      TEST_CASE("%s, n = %d, %s, %s, %d x %d", hard[i].why, (int)order, t.type->name, t.source->name,
                t.grid[0], t.grid[1]);
      find(&t, hard[i].entry, wanted_of(0, order));
      find(&t, hard[i].entry, wanted_of(number, order));
      SETTLE();
    }
}

static void random_matrices(void **state)
{
  enum { CASES = 200 };
  (void)state;
  test_random random = test_random_init(40);
  int divided = 0;
  const int cases = test_cases(CASES);
  for (int k = 0; k < cases; k++) {
    const size_t kind = (size_t)test_random_int(&random, 0, 3);
    const trial t = trial_of((int)test_random_int(&random, 1, 1000), test_random_int(&random, 1, 40));
    draw = test_random_bits(&random), order = t.size[0], with_phases = t.type->is_complex;
    wanted p = wanted_of((int)test_random_int(&random, 0, 4), order);
    if (kind == 3 && test_random_one_in(&random, 2)) p.range = DAP_EIGH_BY_VALUE;
    TEST_CASE("case %d: kind %d, n = %d, %s, %s, %d x %d, %d .. %d", k, (int)kind, (int)order, t.type->name,
              t.source->name, t.grid[0], t.grid[1], (int)p.first, (int)(p.first + p.count));
    divided += find(&t, random_ones[kind], p).solver != DAP_EIGH_EVR;
    SETTLE();
  }
  if (test_rank() == 0)
    printf("divide and conquer took the place of MRRR in %d of %d cases\n", divided, cases);
}

/* Eigenvalues near 1 .. n. */
static double complex entry_apart(int64_t i, int64_t j)
{
  return i == j ? (double)(i + 1) : 1. / 128;
}

/* MRRR is good at matrices whose eigenvalues are far from each other. */
static void is_used(void **state)
{
  (void)state;
  for (int k = 1; k <= 8; k++) {
    const trial t = trial_of(k, order = 33);
    TEST_CASE("%s", t.type->name);
    const dap_linalg_report report = find(&t, entry_apart, wanted_of(k, order));
    EXPECT_INT(report.solver, DAP_EIGH_EVR);
    EXPECT_MSG(strcmp(report.method, "MRRR") == 0, "%s", report.method);
    SETTLE();
  }
}

/* B is 3 on the diagonal and 1 beside it: its condition number is 5. */
static double complex entry_beside(int64_t i, int64_t j)
{
  return i == j ? 3 : i - j == 1 || j - i == 1 ? 1 : 0;
}

static void solve_pair(const trial *t, formula *entry)
{
  const int64_t n = t->size[0];
  const char uplo = "LU"[t->number % 2];
  matrix a = trial_matrix(t, n, n, entry), b = trial_matrix(t, n, n, entry_beside),
         w = trial_vector(t, n, true, entry_nans), z = trial_matrix(t, n, n, entry_nans);
  double complex *whole_a = matrix_whole(&a), *whole_b = matrix_whole(&b);
  const dap_linalg_options options = {.eigh = {.solver = DAP_EIGH_EVR}};
  dap_error err = {0};
  EXPECT_OK(dap_linalg_eigh_generalized(MPI_COMM_WORLD, uplo, matrix_operand(&a), matrix_operand(&b),
                                        matrix_operand(&w), matrix_operand(&z), &options, &err),
            &err);
  double complex *values = matrix_whole(&w), *vectors = matrix_whole(&z);
  double complex *bz = serial_multiply('N', 'N', n, n, n, whole_b, vectors);
  double complex *products = serial_multiply('C', 'N', n, n, n, vectors, bz);
  const double scale = 1 + whole_norm('1', n, n, whole_a);
  expect_residual("A Z - B Z W",
                  residual_pairs(n, n, whole_a, whole_b, values, vectors, 10 * scale, t->type->eps));
  for (int64_t i = 0; i < n * n; i++)
    EXPECT(cabs(products[i] - (i / n == i % n ? 1 : 0)) <= MOST_ANGLE * t->type->eps);
  free(products), free(bz), free(vectors), free(values), free(whole_b), free(whole_a);
  matrix_free(&z), matrix_free(&w), matrix_free(&b), matrix_free(&a);
}

static void generalized(void **state)
{
  static const int64_t sizes[] = {2, 5, 8, 20};
  enum { SIZES = sizeof sizes / sizeof sizes[0] };
  (void)state;
  for (int k = 0; k < HARD * SIZES; k++) {
    const trial t = trial_of(k, order = sizes[k % SIZES]);
    if (hard[k / SIZES].entry == entry_tiny_path || hard[k / SIZES].entry == entry_huge_path) continue;
    TEST_CASE("%s, n = %d, %s, %s", hard[k / SIZES].why, (int)order, t.type->name, t.source->name);
    solve_pair(&t, hard[k / SIZES].entry);
    SETTLE();
  }
}

static const struct {
  const char *why;
  mrrr_fault fault;
  const char *method;
} faults[] = {
    {"stemr gives up", MRRR_GIVES_UP, "divide and conquer, as MRRR failed: LAPACK's info is 22"},
    {"stemr finds fewer vectors", MRRR_FINDS_FEWER,
     "divide and conquer, as vectors by MRRR were not accurate"},
    {"a vector twice", MRRR_REPEATS, "divide and conquer, as vectors by MRRR were not accurate"},
    {"vectors in another order", MRRR_EXCHANGES, "divide and conquer, as vectors by MRRR were not accurate"},
    {"a vector of NaN", MRRR_GIVES_NAN, "divide and conquer, as vectors by MRRR were not accurate"},
};

/* Where MRRR fails the vectors are those of divide and conquer. */
static void failures_are_mended(void **state)
{
  (void)state;
  int number = 0;
  for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
    for (int k = 0; k < ELEMENT_TYPES; k++) {
      const trial t = trial_of(++number, order = 21);
      TEST_CASE("%s, %s", faults[i].why, t.type->name);
      mrrr_fail(faults[i].fault);
      const dap_linalg_report report = find(&t, entry_hermitian, wanted_of(k, order));
      mrrr_fail(MRRR_NO_FAULT);
      EXPECT_INT(report.solver, DAP_EIGH_EVD);
      EXPECT_MSG(strcmp(report.method, faults[i].method) == 0, "%s", report.method);
      SETTLE();
    }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(hard_matrices), cmocka_unit_test(random_matrices),
                                          cmocka_unit_test(is_used), cmocka_unit_test(generalized),
                                          cmocka_unit_test(failures_are_mended)};
LINALG_TEST_MAIN(tests)
