/* Least squares and QR of 1 x 1 to 4 x 4 of every rank, drawn at random, against LAPACK on one process or the
 * definition. Reflectors of one and two elements, blocks of one element, and processes without any are common
 * in such matrices. */
#include "harness.h"

#include <dapbridge/linalg_rank.h>
#include <inttypes.h>

enum { CASES = 700, MOST = 4, MOST_SIDES = 5 };

/* One problem. */
typedef struct tiny {
  trial t;
  int64_t rank, sides;
  dap_linalg_options options;
} tiny;

/* ---- the matrix -------------------------------------------------------------------------------------- */

static double complex drawn[MOST][MOST]; /* what entry_drawn() gives */

static double complex entry_drawn(int64_t i, int64_t j)
{
  return drawn[i][j];
}

static double complex draw_number(test_random *random, bool is_complex, bool is_large)
{
  const double re = (double)test_random_int(random, -1, 1), im = (double)test_random_int(random, -1, 1);
  return CMPLX(re + (is_large ? 6 : 0), is_complex ? im : 0);
}

/* The product of two factors of `rank` independent columns and rows, in small integers. Each row k of the
 * second factor is large in column `at`[k], and each column k of the first one in row `from`[k]. */
static void draw_entries(test_random *random, bool is_complex, int64_t rank, const int64_t size[2])
{
  int from[MOST] = {0, 1, 2, 3}, at[MOST] = {0, 1, 2, 3};
  double complex left[MOST][MOST], right[MOST][MOST];
  test_shuffle(random, (int)size[0], from), test_shuffle(random, (int)size[1], at);
  for (int k = 0; k < rank; k++) {
    for (int i = 0; i < size[0]; i++) left[i][k] = draw_number(random, is_complex, i == from[k]);
    for (int j = 0; j < size[1]; j++) right[k][j] = draw_number(random, is_complex, j == at[k]);
  }
  for (int i = 0; i < size[0]; i++)
    for (int j = 0; j < size[1]; j++) {
      drawn[i][j] = 0;
      for (int k = 0; k < rank; k++) drawn[i][j] += left[i][k] * right[k][j];
    }
}

/* ---- the case ---------------------------------------------------------------------------------------- */

/* A grid of all processes. */
static void draw_grid(test_random *random, int grid[2])
{
  do grid[0] = (int)test_random_int(random, 1, test_nprocs());
  while (test_nprocs() % grid[0] != 0);
  grid[1] = test_nprocs() / grid[0];
}

static tiny draw(test_random *random, int number)
{
  tiny c = {.t = {.number = number}};
  trial *t = &c.t;
  t->source = &sources[test_random_int(random, 0, source_count - 1)];
  t->type = &element_types[test_random_int(random, 0, ELEMENT_TYPES - 1)];
  for (int k = 0; k < 2; k++) t->size[k] = test_random_int(random, 1, MOST);
  if (test_random_one_in(random, 3)) t->size[0] = 1, t->size[1] = 2;
  draw_grid(random, t->grid);
  const int64_t full = t->size[0] < t->size[1] ? t->size[0] : t->size[1];
  c.rank = test_random_one_in(random, 2) ? full : test_random_int(random, 0, full);
  c.sides = test_random_int(random, 1, MOST_SIDES);
  c.options.block_size = test_random_int(random, 0, 3);
  c.options.keep = test_random_one_in(random, 4);
  if (test_random_one_in(random, 3)) c.options.sharing = DAP_SHARE_NEVER;
  draw_entries(random, t->type->is_complex, c.rank, t->size);
  TEST_CASE("seed %" PRIu64
            ", case %d: %d x %d of rank %d, %d right-hand sides, %s, %s on %d x %d processes, "
            "block_size %d%s%s",
            test_seed(), number, (int)t->size[0], (int)t->size[1], (int)c.rank, (int)c.sides, t->type->name,
            t->source->name, t->grid[0], t->grid[1], (int)c.options.block_size,
            c.options.keep ? ", keep" : "", c.options.sharing == DAP_SHARE_NEVER ? ", moved" : "");
  return c;
}

/* ---- least squares ----------------------------------------------------------------------------------- */

static void expect_solution(const tiny *c, const char *what, const matrix *x, const double complex *want)
{
  const int64_t *size = c->t.size;
  double complex *got = matrix_whole(x);
  const double scale = whole_norm('F', size[1], c->sides, want);
  const double r =
      residual_difference(size[1], c->sides, got, want, scale > 0 ? scale : 1, MOST, c->t.type->eps);
  EXPECT_MSG(r <= 100 * RESIDUAL_LIMIT, "%s: %g from the solution", what, r); /* conditions are below 100 */
  free(got);
}

static void solve(const tiny *c, bool of_any_rank)
{
  const trial *t = &c->t;
  const double tolerance = 1e-4; /* single precision has seven digits */
  matrix a = trial_matrix(t, t->size[0], t->size[1], entry_drawn),
         b = trial_other(t, t->size[0], c->sides, entry_any),
         x = trial_other(t, t->size[1], c->sides, entry_nans);
  double complex *whole_a = matrix_whole(&a), *whole_b = matrix_whole(&b);
  int64_t rank = c->rank, wanted;
  dap_error err = {0};
  const dap_status status =
      of_any_rank
          ? dap_linalg_least_squares_rank(MPI_COMM_WORLD, tolerance, matrix_operand(&a), matrix_operand(&b),
                                          matrix_operand(&x), &rank, &c->options, &err)
          : dap_linalg_least_squares(MPI_COMM_WORLD, matrix_operand(&a), matrix_operand(&b),
                                     matrix_operand(&x), &c->options, &err);
  EXPECT_OK(status, &err);
  double complex *want =
      serial_least_squares_rank(t->size[0], t->size[1], c->sides, whole_a, whole_b, tolerance, &wanted);
  EXPECT_INT(wanted, c->rank);
  EXPECT_INT(rank, wanted);
  expect_solution(c, of_any_rank ? "least_squares_rank" : "least_squares", &x, want);
  EXPECT(!c->options.keep || (expect_same(&a) && expect_same(&b)));
  expect_padding(&a), expect_padding(&b), expect_padding(&x);
  free(want), free(whole_b), free(whole_a);
  matrix_free(&x), matrix_free(&b), matrix_free(&a);
}

/* ---- QR ---------------------------------------------------------------------------------------------- */

/* The columns of `a` in the order of `p`, a vector of all columns on each process. */
static double complex *permuted(const tiny *c, const double complex *a, const int32_t p[])
{
  const int64_t m = c->t.size[0], n = c->t.size[1];
  double complex *moved = whole_copy(m, n, a);
  int seen[MOST] = {0};
  for (int64_t j = 0; j < n; j++) {
    const bool is_new = p[j] >= 0 && p[j] < n && !seen[p[j]]++;
    EXPECT_MSG(is_new, "P(%d) is %d", (int)j, (int)p[j]);
    if (is_new) memcpy(&moved[j * m], &a[p[j] * m], (size_t)m * sizeof *a);
  }
  return moved;
}

static void expect_factors(const tiny *c, const char *what, const matrix *q, const matrix *r,
                           const double complex *a)
{
  const int64_t m = c->t.size[0], n = c->t.size[1], k = m < n ? m : n;
  double complex *whole_q = matrix_whole(q), *whole_r = matrix_whole(r);
  const double orthogonal = residual_orthogonal(m, k, whole_q, c->t.type->eps);
  const double product = residual_product('N', 'N', m, n, k, whole_q, whole_r, a, c->t.type->eps);
  EXPECT_MSG(orthogonal <= RESIDUAL_LIMIT, "%s: Q^H Q - I: residual %g", what, orthogonal);
  EXPECT_MSG(product <= RESIDUAL_LIMIT, "%s: Q R - A: residual %g", what, product);
  EXPECT_MSG(below_diagonal(k, n, whole_r) == 0, "%s: %g below R's diagonal", what,
             below_diagonal(k, n, whole_r));
  free(whole_r), free(whole_q);
}

static void factor(const tiny *c, bool pivoting)
{
  const trial *t = &c->t;
  const int64_t m = t->size[0], n = t->size[1], k = m < n ? m : n;
  matrix a = trial_matrix(t, m, n, entry_drawn), q = trial_other(t, m, k, entry_nans),
         r = t->number % 2 ? trial_matrix(t, k, n, entry_nans) : trial_other(t, k, n, entry_nans);
  double complex *whole = matrix_whole(&a), *moved = whole_copy(m, n, whole);
  const dap_dist everywhere = dap_dist_replicated(n, test_nprocs());
  dap_layout *layout;
  dap_array order;
  int64_t rank = c->rank;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(1, &everywhere, &layout, &err), &err);
  EXPECT_OK(dap_array_init(&order, layout, test_rank(), DAP_I4, DAP_ORDER_C, NULL, &err), &err);
  if (pivoting) {
    EXPECT_OK(dap_linalg_qr_pivoted(MPI_COMM_WORLD, 1e-4, matrix_operand(&a), matrix_operand(&q),
                                    matrix_operand(&r), (dap_darray){layout, &order}, &rank, &c->options,
                                    &err),
              &err);
    free(moved);
    moved = permuted(c, whole, order.data);
  } else {
    EXPECT_OK(dap_linalg_qr(MPI_COMM_WORLD, matrix_operand(&a), matrix_operand(&q), matrix_operand(&r),
                            &c->options, &err),
              &err);
  }
  EXPECT_INT(rank, c->rank);
  expect_factors(c, pivoting ? "qr_pivoted" : "qr", &q, &r, moved);
  EXPECT(!c->options.keep || expect_same(&a));
  expect_padding(&a), expect_padding(&q), expect_padding(&r);
  dap_array_release(&order), dap_layout_destroy(&layout);
  free(moved), free(whole);
  matrix_free(&r), matrix_free(&q), matrix_free(&a);
}

static void tiny_matrices(void **state)
{
  (void)state;
  test_random random = test_random_init(4001);
  for (int i = 0; i < test_cases(CASES); i++) {
    const tiny c = draw(&random, i + 1);
    solve(&c, true);
    if (c.rank == c.t.size[0] || c.rank == c.t.size[1]) solve(&c, false);
    factor(&c, false);
    factor(&c, true);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(tiny_matrices)};
MPI_TEST_MAIN(tests)
