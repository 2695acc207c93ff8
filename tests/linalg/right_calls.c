#include "right_calls.h"

bool refused_is_single;

/* A diagonal that makes a band definite: a row of it, or a vector. */
static double complex heavy_row(int64_t i, int64_t j)
{
  return i == 0 ? 64 : entry_any(i, j);
}

static double complex heavy(int64_t i, int64_t j)
{
  (void)i, (void)j;
  return 64;
}

const right_call right_calls[FUNCTIONS] = {
    [SOLVE] = {"solve", "N", "nn nk", "t", {NULL}},
    [CHOLESKY] = {"cholesky_solve", "L", "nn nk", "t", {entry_definite}},
    [REFINED] = {"solve_refined", "N1", "nn nk nk", "t", {NULL}},
    [INVERSE] = {"inverse", "", "nn", "t", {NULL}},
    [DETERMINANT] = {"determinant", "11", "nn", "t", {NULL}},
    [CONDITION] = {"condition", "11", "nn", "t", {NULL}},
    [LU] = {"lu", "1", "nn", "t", {NULL}},
    [KEPT_CHOLESKY] = {"cholesky", "L", "nn", "t", {entry_definite}},
    [FACTORS_SOLVE] = {"factors_solve", "N", "nn nk", "t", {NULL}},
    [FACTORS_INVERSE] = {"factors_inverse", "", "nn nn", "t", {NULL}},
    [FACTORS_NUMBERS] = {"factors_condition, factors_determinant", "11", "nn", "t", {NULL}},
    [NORM] = {"norm", "11", "nn", "t", {NULL}},
    [MULTIPLY] = {"multiply", "NN1", "nn nd nd", "t", {NULL}},
    [RANK_K] = {"rank_k", "HLN1", "nk nn", "t", {NULL}},
    [TRIANGULAR] = {"triangular_multiply", "LLNN1", "nn nk", "t", {NULL}},
    [TRIANGULAR_SOLVE] = {"triangular_solve", "LLNN1", "nn nk", "t", {entry_dominant}},
    [SQUARES] = {"least_squares", "", "mn mk nk", "t", {NULL}},
    [SQUARES_RANK] = {"least_squares_rank", "1", "mn mk nk", "t", {NULL}},
    [QR] = {"qr", "", "mn mn nn", "t", {NULL}},
    [PIVOTED] = {"qr_pivoted", "1", "mn mn nn n1", "ttti", {NULL}},
    [EIGH] = {"eigh", "L", "nn n1 nn", "trt", {entry_hermitian}},
    [EIGH_VALUES] = {"eigh, values", "L", "nn n1", "tr", {entry_hermitian}},
    [GENERALIZED] = {"eigh_generalized", "L", "nn nn n1 nn", "ttrt", {entry_hermitian, entry_definite}},
    [SVD] = {"svd", "", "mn mn n1 nn", "ttrt", {NULL}},
    [SCHUR] = {"schur", "", "nn nn n1", "ttc", {NULL}},
    [EIG] = {"eig", "", "nn n1", "tc", {NULL}},
    [BANDED] = {"banded_solve", "", "kn nk", "t", {NULL}},
    [POSITIVE_BANDED] = {"positive_banded_solve", "L", "kn nk", "t", {heavy_row}},
    [TRIDIAGONAL] = {"tridiagonal_solve", "", "d1 n1 d1 nk", "t", {NULL}},
    [POSITIVE_TRIDIAGONAL] = {"positive_tridiagonal_solve", "", "n1 d1 nk", "t", {heavy}},
};

static const char *letters_of(const refusal *r)
{
  return r->letters ? r->letters : right_calls[r->function].letters;
}

/* ---- calls --------------------------------------------------------------------------------------------- */

/* A factor with an imaginary part, or none. */
static const double *factor(char letter)
{
  static const double turned[2] = {1, 1};
  return letter == 'i' ? turned : NULL;
}

static dap_status refine(const char *letters, const dap_darray of[], const dap_linalg_options *o,
                         dap_error *err)
{
  double forward[3];
  dap_linalg_refinement refinement = {.rcond = 5};
  const bool is_left_out = letters[1] == '0' && test_rank() == 0;
  const dap_status s = dap_linalg_solve_refined(MPI_COMM_WORLD, letters[0], of[0], of[1], of[2],
                                                is_left_out ? NULL : forward, NULL, &refinement, o, err);
  EXPECT(!s || refinement.rcond == 5);
  return s;
}

/* Numbers by functions that return them by pointer: of a matrix, or with `factors` of these. */
static dap_status numbers(refused_function f, const char *letters, dap_darray a, dap_linalg_factors *factors,
                          const dap_linalg_options *o, dap_error *err)
{
  double sign[2] = {5, 5}, log = 5, value = 5, *of_value = letters[1] == '0' ? NULL : &value,
         *of_sign = letters[0] == '0' ? NULL : sign, *of_log = letters[1] == '0' ? NULL : &log;
  dap_status s = DAP_OK;
  if (f == NORM) s = dap_linalg_norm(MPI_COMM_WORLD, letters[0], a, of_value, o, err);
  if (f == CONDITION) s = dap_linalg_condition(MPI_COMM_WORLD, letters[0], a, of_value, o, err);
  if (f == DETERMINANT) s = dap_linalg_determinant(MPI_COMM_WORLD, a, of_sign, of_log, o, err);
  if (factors && letters[0] != 'd') s = dap_linalg_factors_condition(factors, letters[0], of_value, err);
  if (factors && letters[0] == 'd') s = dap_linalg_factors_determinant(factors, sign, of_log, err);
  EXPECT(!s || (sign[0] == 5 && sign[1] == 5 && log == 5 && value == 5));
  return s;
}

/* Factors of the first operand, and a use of them. */
static dap_status by_factors(refused_function f, const char *letters, const dap_darray of[],
                             const dap_linalg_options *o, dap_error *err)
{
  const bool is_cholesky = f == KEPT_CHOLESKY, is_left_out = f == LU && letters[0] == '0';
  dap_linalg_factors *factors = NULL, **at = is_left_out ? NULL : &factors;
  dap_status s = is_cholesky ? dap_linalg_cholesky(MPI_COMM_WORLD, letters[0], of[0], o, at, err)
                             : dap_linalg_lu(MPI_COMM_WORLD, of[0], o, at, err);
  EXPECT((s == DAP_OK) == (factors != NULL));
  if (!s && f == FACTORS_SOLVE) s = dap_linalg_factors_solve(factors, letters[0], of[1], o, err);
  if (!s && f == FACTORS_INVERSE) s = dap_linalg_factors_inverse(factors, of[1], o, err);
  if (!s && f == FACTORS_NUMBERS) s = numbers(f, letters, of[0], factors, o, err);
  dap_linalg_factors_destroy(&factors);
  return s;
}

/* Functions that return a rank. */
static dap_status by_rank(refused_function f, char letter, const dap_darray of[], const dap_linalg_options *o,
                          dap_error *err)
{
  int64_t rank = 5;
  const double tolerance = letter == 'n' ? NAN : -1;
  const dap_status s =
      f == PIVOTED
          ? dap_linalg_qr_pivoted(MPI_COMM_WORLD, tolerance, of[0], of[1], of[2], of[3], &rank, o, err)
          : dap_linalg_least_squares_rank(MPI_COMM_WORLD, tolerance, of[0], of[1], of[2], &rank, o, err);
  EXPECT(!s || rank == 5);
  return s;
}

static dap_status by_bands(const refusal *r, const char *letters, const dap_darray of[],
                           const dap_linalg_options *o, dap_error *err)
{
  const int last = r->is_last && test_rank() == test_nprocs() - 1;
  const bool is_usual = r->lower == 0 && r->upper == 0;
  const int64_t lower = is_usual ? 1 : r->lower, upper = is_usual ? 1 : r->upper;
  switch (r->function) {
  case BANDED:
    return dap_linalg_banded_solve(MPI_COMM_WORLD, lower + last, upper - last, of[0], of[1], o, err);
  case POSITIVE_BANDED:
    return dap_linalg_positive_banded_solve(MPI_COMM_WORLD, letters[0], of[0], of[1], o, err);
  case TRIDIAGONAL:
    return dap_linalg_tridiagonal_solve(MPI_COMM_WORLD, of[0], of[1], of[2], of[3], o, err);
  default:
    return dap_linalg_positive_tridiagonal_solve(MPI_COMM_WORLD, of[0], of[1], of[2], o, err);
  }
}

static dap_status by_spectra(refused_function f, const char *letters, const dap_darray of[],
                             const dap_linalg_options *o, dap_error *err)
{
  const dap_darray none = {NULL, NULL};
  switch (f) {
  case GENERALIZED:
    return dap_linalg_eigh_generalized(MPI_COMM_WORLD, letters[0], of[0], of[1], of[2], of[3], o, err);
  case SVD:
    return dap_linalg_svd(MPI_COMM_WORLD, of[0], of[1], of[2], of[3], o, err);
  case SCHUR:
    return dap_linalg_schur(MPI_COMM_WORLD, of[0], of[1], none, of[2], o, err);
  case EIG:
    return dap_linalg_eig(MPI_COMM_WORLD, of[0], of[1], none, o, err);
  default:
    return dap_linalg_eigh(MPI_COMM_WORLD, letters[0], of[0], of[1], of[2], o, err);
  }
}

static dap_status by_products(refused_function f, const char *l, const dap_darray of[],
                              const dap_linalg_options *o, dap_error *err)
{
  switch (f) {
  case MULTIPLY:
    return dap_linalg_multiply(MPI_COMM_WORLD, l[0], l[1], factor(l[2]), of[0], of[1], NULL, of[2], o, err);
  case RANK_K:
    return dap_linalg_rank_k(MPI_COMM_WORLD, l[0], l[1], l[2], factor(l[3]), of[0], NULL, of[1], o, err);
  case TRIANGULAR:
    return dap_linalg_triangular_multiply(MPI_COMM_WORLD, l[0], l[1], l[2], l[3], factor(l[4]), of[0], of[1],
                                          o, err);
  default:
    return dap_linalg_triangular_solve(MPI_COMM_WORLD, l[0], l[1], l[2], l[3], factor(l[4]), of[0], of[1], o,
                                       err);
  }
}

/* Numbers that are returned by pointer are not written. */
static dap_status run(const refusal *r, const dap_darray of[], const dap_linalg_options *o, dap_error *err)
{
  const refused_function f = r->function;
  const char *letters = letters_of(r);
  if (f == SOLVE) return dap_linalg_solve(MPI_COMM_WORLD, letters[0], of[0], of[1], o, err);
  if (f == CHOLESKY) return dap_linalg_cholesky_solve(MPI_COMM_WORLD, letters[0], of[0], of[1], o, err);
  if (f == REFINED) return refine(letters, of, o, err);
  if (f == INVERSE) return dap_linalg_inverse(MPI_COMM_WORLD, of[0], o, err);
  if (f == DETERMINANT || f == CONDITION || f == NORM) return numbers(f, letters, of[0], NULL, o, err);
  if (f <= FACTORS_NUMBERS) return by_factors(f, letters, of, o, err);
  if (f <= TRIANGULAR_SOLVE) return by_products(f, letters, of, o, err);
  if (f == SQUARES) return dap_linalg_least_squares(MPI_COMM_WORLD, of[0], of[1], of[2], o, err);
  if (f == QR) return dap_linalg_qr(MPI_COMM_WORLD, of[0], of[1], of[2], o, err);
  if (f <= PIVOTED) return by_rank(f, letters[0], of, o, err);
  if (f <= EIG) return by_spectra(f, letters, of, o, err);
  return by_bands(r, letters, of, o, err);
}

/* ---- the check ----------------------------------------------------------------------------------------- */

/* `letter` is one of those of right_call. */
static int64_t extent_of(char letter, int64_t n)
{
  return letter == 'k' ? 3 : letter == 'm' ? n + 3 : letter == 'd' ? n - 1 : letter == 'n' ? n : -1;
}

/* Returns false if there is no operand k. */
static bool size_of(const refusal *r, int k, int64_t size[2])
{
  const char *shapes = right_calls[r->function].shapes;
  if (3 * k >= (int)strlen(shapes)) return false;
  for (int i = 0; i < 2; i++) size[i] = extent_of(shapes[3 * k + i], r->n ? r->n : 5);
  if (r->operand == k + 1) memcpy(size, r->size, sizeof r->size);
  return size[0] != 0 || size[1] != 0;
}

static const element_type *type_of(const refusal *r, int k, int number)
{
  static const element_type integers = {DAP_I4, DAP_I4, "i4", 0, false};
  const char *types = r->types ? r->types : right_calls[r->function].types;
  const char letter = types[k < (int)strlen(types) ? k : (int)strlen(types) - 1];
  const element_type *turn = &element_types[(number + 1) % ELEMENT_TYPES]; /* f8 first */
  if (letter == 'i') return &integers;
  if (letter == 't') return turn;
  if (letter == 'r') return element_type_of(turn->real);
  if (letter == 'c') return element_type_of(turn->real == DAP_F4 ? DAP_C8 : DAP_C16);
  return element_type_of(letter == 's' ? DAP_F4 : letter == 'z' ? DAP_C16 : DAP_F8);
}

static matrix make_operand(const refusal *r, int k, const int64_t size[2], const source *on, int number)
{
  const bool is_vector = size[1] < 0;
  const element_type *type = type_of(r, k, number);
  int grid[2];
  set_grid(is_vector ? 0 : -1, grid);
  formula *usual = k < 2 ? right_calls[r->function].entries[k] : NULL, *entry = k < 2 && r->entries[k]
                                                                                    ? r->entries[k]
                                                                                : usual ? usual
                                                                                        : entry_any;
  matrix m = matrix_make(is_vector ? &vector_sources[0] : on, type, size[0], size[1], grid,
                         type->dtype == DAP_I4 ? entry_zero : entry);
  m.held.array.readonly = r->readonly == k + 1;
  m.held.array.shape[1] += r->longer == k + 1;
  return m;
}

/* Calls with types number `number` on a source. */
void refused_check(const refusal *r, const source *on, int number)
{
  matrix m[REFUSAL_OPERANDS];
  dap_darray of[REFUSAL_OPERANDS] = {{NULL, NULL}};
  const int last = test_nprocs() - 1;
  int64_t size[2];
  refused_is_single = type_of(r, 0, number)->real == DAP_F4;
  TEST_CASE("%s: %s, %s, %s", right_calls[r->function].name, r->why, type_of(r, 0, number)->name,
            on->layout.why);
  for (int k = 0; k < REFUSAL_OPERANDS; k++) {
    if (!size_of(r, k, size)) continue;
    m[k] = make_operand(r, k, size, on, number);
    of[k] = matrix_operand(&m[k]);
  }
  if (r->same) of[r->same - 1] = of[r->with - 1];
  dap_linalg_report report = {0};
  dap_linalg_options options = r->is_last && test_rank() < last ? (dap_linalg_options){0} : r->options;
  options.report = &report;
  dap_error err = {0};
  const dap_status s = run(r, of, &options, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err,
                    r->is_fine  ? DAP_OK
                    : r->status ? r->status
                                : DAP_ERR_ARG,
                    r->parts);
  if (!r->status && !r->least) EXPECT_INT(err.rank, r->is_last ? last : 0);
  if (r->info >= 0) EXPECT_INT(report.info, r->info);
  for (int k = 0; k < REFUSAL_OPERANDS; k++) {
    if (!size_of(r, k, size)) continue;
    m[k].held.array.shape[1] -= r->longer == k + 1;
    EXPECT(k < r->worked ? expect_padding(&m[k]) : expect_same(&m[k]));
    matrix_free(&m[k]);
  }
  SETTLE();
}

/* What is refused for its elements is refused in several layouts, as each has its own places. */
void refused_check_all(const refusal rows[])
{
  static const int some[] = {0, 1, 3, 11, 14, 17, 19, 24, 27};
  for (const refusal *r = rows; r->why; r++) {
    if (test_nprocs() < r->least || (r->is_last && test_nprocs() == 1)) continue;
    const int count = r->status == DAP_ERR_NUMERIC ? (int)(sizeof some / sizeof some[0]) : 1;
    for (int i = 0; i < count; i++) refused_check(r, &sources[r->source ? r->source : some[i]], i);
  }
}
