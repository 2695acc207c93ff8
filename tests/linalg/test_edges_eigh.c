/* Tests eigenvalues of Hermitian matrices and of pairs of them. The tests cover each algorithm, the
 * complete spectrum, parts by index and by value, which operands are shared, and requests that cannot be
 * met. */
#include "eigh_test.h"

dap_status eigh_by_linalg(edge *e, char uplo, const drawn *a, const drawn *b, const drawn *w, const drawn *z)
{
  const dap_darray vectors = z ? matrix_operand(&z->held) : (dap_darray){0},
                   values = matrix_operand(&w->held);
  if (b)
    return UNDER_TRAPS(dap_linalg_eigh_generalized(MPI_COMM_WORLD, uplo, matrix_operand(&a->held),
                                                   matrix_operand(&b->held), values, vectors, &e->options,
                                                   &e->err));
  return UNDER_TRAPS(
      dap_linalg_eigh(MPI_COMM_WORLD, uplo, matrix_operand(&a->held), values, vectors, &e->options, &e->err));
}

/* Some matrices are larger than ELPA's band of two stages. */
static int64_t draw_order(edge *e)
{
  const int64_t n = edge_size(e);
  return !e->row && edge_one_in(e, 8) ? 70 : n;
}

/* Draws which of `n` eigenvalues are asked for, and returns their number. A row's second size is the
 * solver; 0: any. */
static int64_t draw_range(edge *e, int64_t n)
{
  dap_eigh_options *o = &e->options.eigh;
  const int64_t fixed = e->row ? edge_size(e) : 0,
                any = test_random_int(&e->random, DAP_EIGH_AUTO, DAP_EIGH_EVR);
  o->solver = (dap_eigh_solver)(fixed ? fixed : any);
  o->range = e->row || edge_one_in(e, 2) ? DAP_EIGH_ALL : DAP_EIGH_BY_INDEX;
  o->start = o->range == DAP_EIGH_ALL || edge_one_in(e, 3) ? 0 : test_random_int(&e->random, 0, n);
  o->stop = o->range == DAP_EIGH_ALL ? n : test_random_int(&e->random, o->start, n);
  edge_say(e, ", solver %d, %d to %d", (int)o->solver, (int)o->start, (int)o->stop);
  return o->stop - o->start;
}

/* Sets the bounds of a range of values that has the eigenvalues start .. stop of `want` [n]. Returns false if
 * the eigenvalues on either side of a bound are too close to each other. */
static bool range_by_value(edge *e, const drawn *a, const double complex *want, double scale)
{
  dap_eigh_options *o = &e->options.eigh;
  const int64_t n = a->rows, from = o->start, to = o->stop;
  const double gap = 1000 * (double)(n + 1) * scale, far = 2 * whole_norm('1', n, n, a->whole) + 1;
  const double low = from > 0 ? creal(want[from - 1]) : -far, first = from < n ? creal(want[from]) : far;
  const double last = to > 0 ? creal(want[to - 1]) : -far, high = to < n ? creal(want[to]) : far;
  o->above = ldexp((low + first) / 2, a->exponent), o->up_to = ldexp((last + high) / 2, a->exponent);
  return from < to && first - low > gap && high - last > gap && isfinite(o->above) && isfinite(o->up_to);
}

/* ---- checks -------------------------------------------------------------------------------------------- */

/* `want` [n] has all eigenvalues. W must have those of the range, and NaN behind them. Z must have their
 * vectors, and zeros behind them. */
static void check_pairs(const edge *e, const drawn *a, const double complex *want, double scale,
                        const drawn *w, const drawn *z)
{
  const int64_t n = a->rows, first = e->options.eigh.start, k = e->options.eigh.stop - first;
  double complex *values = edge_whole(w, a->exponent), *vectors = z ? edge_whole(z, 0) : NULL;
  edge_bound("eigenvalues", whole_distance(k, 1, values, want + first), n, scale);
  for (int64_t i = 1; i < k; i++)
    EXPECT_MSG(creal(values[i]) >= creal(values[i - 1]), "eigenvalue %d is less than the one before", (int)i);
  for (int64_t i = k; i < w->rows; i++) EXPECT(isnan(creal(values[i])));
  for (int64_t i = n * k; i < n * w->rows && vectors; i++) EXPECT(vectors[i] == 0);
  if (vectors) {
    const bool by_mrrr = e->report.solver == DAP_EIGH_EVR; /* each pair may be off by n eps */
    edge_bound("Z^H Z - I", whole_skew(n, k, vectors), by_mrrr ? n * k : n + k, e->type->eps);
    double complex *az = serial_multiply('N', 'N', n, k, n, a->whole, vectors);
    whole_scale(n, k, vectors, values);
    edge_bound("A Z - Z W", whole_distance(n, k, az, vectors), n, scale);
    free(az);
  }
  free(vectors), free(values);
}

/* Checks that the algorithm is the one that was asked for, or linalg.h's choice. If MRRR's vectors were
 * not good, it is divide and conquer. */
static void check_solver(const edge *e, int64_t n, bool has_vectors)
{
  const dap_eigh_options *o = &e->options.eigh;
  const bool few = has_vectors && o->range == DAP_EIGH_BY_INDEX && o->stop - o->start <= n / 8;
  const dap_eigh_solver usual = eigh_is_backends(e->type) ? DAP_EIGH_BACKEND
                                : few                     ? DAP_EIGH_EVR
                                                          : DAP_EIGH_EVD,
                        want = o->solver == DAP_EIGH_AUTO ? usual : o->solver;
  EXPECT_MSG(e->report.solver == want || (e->report.solver == DAP_EIGH_EVD &&
                                          strstr(e->report.method, "MRRR") && want == DAP_EIGH_EVR),
             "solver %d: %s", (int)e->report.solver, e->report.method);
}

/* ---- calls --------------------------------------------------------------------------------------------- */

static void eigh(edge *e)
{
  const int64_t n = draw_order(e), k = draw_range(e, n);
  int64_t room = k;
  drawn a = edge_draw(e, DRAWN_HERMITIAN, n, n, edge_exponent(e));
  const double scale = edge_eps(e, &a.exponent, 1) * fmax(whole_norm('1', n, n, a.whole), 1);
  double complex *want = a.is_finite ? serial_eigenvalues('L', n, a.whole) : NULL;
  if (want && edge_one_in(e, 2) && range_by_value(e, &a, want, scale)) {
    e->options.eigh.range = DAP_EIGH_BY_VALUE;
    room += test_random_int(&e->random, 0, 2);
    edge_say(e, ", by value, room for %d", (int)room);
  }
  drawn w = edge_result(e, room, -1, e->type->real), z = edge_result(e, n, room, e->type->dtype);
  const char uplo = edge_one_of(e, "LUA");
  const bool vectors = e->row || !edge_one_in(e, 3);
  edge_say(e, vectors ? ", Z" : "");
  edge_spoil(&a, uplo);
  const dap_status status = eigh_call(e, uplo, &a, NULL, &w, vectors ? &z : NULL);
  EXPECT(a.is_finite || k == 0 || status);
  if (edge_status(e, status, !a.is_finite, DAP_ERR_NUMERIC) && want) {
    const bool is_known = e->options.eigh.range == DAP_EIGH_ALL && e->options.eigh.solver == DAP_EIGH_AUTO;
    EXPECT_INT(e->report.found, n > 0 ? k : 0);
    edge_use(e, 0, "A", &a, e->options.keep ? 0 : is_known ? eigh_shares(e, &a) : -1);
    edge_use(e, 1, "W", &w, 0);
    if (vectors) edge_use(e, 2, "Z", &z, -1);
    if (k > 0) expect_work(&a.held, &e->report.uses[0], e->options.keep, false);
    if (k > 0) check_solver(e, n, vectors);
    check_pairs(e, &a, want, scale, &w, vectors ? &z : NULL);
  }
  if (e->options.keep) expect_same(&a.held);
  if (!vectors) expect_same(&z.held);
  free(want);
  drawn_free(&a), drawn_free(&w), drawn_free(&z);
}

static int by_size(const void *a, const void *b)
{
  const double x = creal(*(const double complex *)a), y = creal(*(const double complex *)b);
  return x < y ? -1 : x > y;
}

/* Eigenvalues of B^-1 A, ascending. Ends with free(). */
static double complex *serial_values_of(const drawn *a, const drawn *b)
{
  const int64_t n = a->rows;
  double *sensitivity = calloc((size_t)n + 1, sizeof *sensitivity);
  double complex *x = serial_solve('N', n, n, b->whole, a->whole);
  double complex *values = serial_general_eigenvalues(n, x, sensitivity);
  qsort(values, (size_t)n, sizeof *values, by_size);
  free(x), free(sensitivity);
  return values;
}

/* Checks a pair whose B has this reciprocal condition number. If Z is NULL, vectors were not asked for. */
static void check_generalized(const edge *e, const drawn *a, const drawn *b, double condition, double eps,
                              const drawn *w, const drawn *z)
{
  const int64_t n = a->rows, k = w->rows;
  const double norm = fmax(whole_norm('1', n, n, a->whole), 1);
  double complex *values = edge_whole(w, a->exponent - b->exponent), *want = serial_values_of(a, b);
  double complex *vectors = z ? edge_whole(z, -b->exponent / 2) : NULL;
  edge_bound("eigenvalues", whole_distance(k, 1, values, want + e->options.eigh.start), n,
             eps * norm / condition / condition);
  for (int64_t i = 1; i < k; i++) EXPECT(creal(values[i]) >= creal(values[i - 1]));
  if (vectors) {
    double complex *az = serial_multiply('N', 'N', n, k, n, a->whole, vectors);
    double complex *bz = serial_multiply('N', 'N', n, k, n, b->whole, vectors);
    double complex *zbz = serial_multiply('C', 'N', k, k, n, vectors, bz);
    for (int64_t i = 0; i < k; i++) zbz[i + i * k] -= 1;
    edge_bound("Z^H B Z - I", whole_norm('1', k, k, zbz), n, eps / condition);
    whole_scale(n, k, bz, values);
    const double scale = norm * fmax(whole_norm('1', n, k, vectors), 1);
    edge_bound("A Z - B Z W", whole_distance(n, k, az, bz), n, eps * scale / condition);
    free(zbz), free(bz), free(az);
  }
  free(vectors), free(want), free(values);
}

/* A z = w B z. B is well conditioned. */
static void eigh_generalized(edge *e)
{
  const int64_t n = edge_size(e), k = draw_range(e, n);
  const int ea = edge_exponent(e), eb = e->row || edge_one_in(e, 3) ? edge_exponent(e) / 2 * 2 : 0;
  drawn a = edge_draw(e, DRAWN_HERMITIAN, n, n, ea), b = edge_draw(e, DRAWN_DEFINITE, n, n, eb);
  drawn w = edge_result(e, k, -1, e->type->real), z = edge_result(e, n, k, e->type->dtype);
  const char uplo = edge_one_of(e, "LU");
  const drawn *vectors = edge_one_in(e, 4) ? NULL : &z;
  const double eps = edge_eps(e, (const int[3]){ea, eb, ea - eb}, 3);
  const double condition = serial_condition('1', n, b.whole);
  const bool good = a.is_finite && edge_definite(&b, eps) == 1 && condition > 0.001 &&
                    edge_is_within(e, ea - eb, (double)n + 1);
  edge_say(e, vectors ? ", Z" : "");
  edge_spoil(&a, uplo), edge_spoil(&b, uplo);
  const dap_status status = eigh_call(e, uplo, &a, &b, &w, vectors);
  if (edge_status(e, status, !good, DAP_ERR_NUMERIC) && good) {
    edge_use(e, 0, "A", &a, e->options.keep ? 0 : -1), edge_use(e, 1, "W", &w, 0);
    edge_use(e, 3, "B", &b, -1);
    if (k > 0) check_solver(e, n, vectors);
    check_generalized(e, &a, &b, condition, eps, &w, vectors);
  }
  if (e->options.keep) expect_same(&a.held), expect_same(&b.held);
  drawn_free(&a), drawn_free(&b), drawn_free(&w), drawn_free(&z);
}

EDGES(eigh)
EDGES(eigh_generalized)

/* ---- calls that have failed ---------------------------------------------------------------------------- */

static void generalized_out_of_range(void **state)
{
  static const edge_row rows[] = {
      {"eigenvalues overflow", DAP_C16, {12}, {505, -550}, {"low rank", "any"}},
      {"eigenvalues overflow", DAP_F4, {7}, {118, -64}, {"any", "any"}},
  };
  (void)state;
  edges_repeat(rows, 2, 8, eigh_generalized);
}

/* Matrices that are hard for algorithms, and large enough to be split by each algorithm. */
static void hard_matrices(void **state)
{
  static const char *const hard[] = {"path", "blocks", "pairs", "wilkinson", "glued", "split"};
  edge_row rows[18];
  (void)state;
  for (int k = 0; k < 18; k++) {
    const int64_t solver = DAP_EIGH_EV + k % 3;
    rows[k] =
        (edge_row){hard[k / 3], element_types[k % ELEMENT_TYPES].dtype, {50, solver}, {0}, {hard[k / 3]}};
  }
  edges_repeat(rows, 18, 4, eigh);
}

/* ---- operands of a call -------------------------------------------------------------------------------- */

typedef struct operands {
  matrix a, w, z;
} operands;

/* On rows of sources[]. */
static operands make(int on_a, int on_z, const element_type *type, int64_t n, formula *entry)
{
  const int grid[2] = {test_nprocs(), 1};
  return (operands){matrix_make(&sources[on_a], type, n, n, grid, entry),
                    vector_make(0, element_type_of(type->real), n, entry_nans),
                    matrix_make(&sources[on_z], type, n, n, grid, entry_nans)};
}

static void end(operands *o)
{
  matrix_free(&o->z), matrix_free(&o->w), matrix_free(&o->a);
  SETTLE();
}

static dap_status solve(const operands *o, bool vectors, const dap_linalg_options *options, dap_error *err)
{
  return dap_linalg_eigh(MPI_COMM_WORLD, 'L', matrix_operand(&o->a), matrix_operand(&o->w),
                         vectors ? matrix_operand(&o->z) : (dap_darray){0}, options, err);
}

/* ---- how many values ----------------------------------------------------------------------------------- */

/* Asks for no values, for all, and for more than W has room for. */
static void no_values(void **state)
{
  (void)state;
  for (int i = 0; i < ELEMENT_TYPES; i++) {
    TEST_CASE("%s", element_types[i].name);
    operands o = make(ROWS_OF_5, COLUMNS_OF_5, &element_types[i], 9, entry_identity);
    dap_linalg_report report = {0};
    dap_linalg_options options = {.keep = true, .report = &report};
    options.eigh =
        (dap_eigh_options){.range = DAP_EIGH_BY_VALUE, .above = 1.5, .up_to = 2, .backend = eigh_backend(i)};
    dap_error err = {0};
    EXPECT_OK(solve(&o, true, &options, &err), &err);
    EXPECT_INT(report.found, 0);
    options.eigh.above = 0.5;
    EXPECT_OK(solve(&o, true, &options, &err), &err);
    EXPECT_INT(report.found, 9);
    matrix w = vector_make(0, o.w.type, 8, entry_nans);
    const dap_status s = dap_linalg_eigh(MPI_COMM_WORLD, 'L', matrix_operand(&o.a), matrix_operand(&w),
                                         (dap_darray){0}, &options, &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "W|8|9|(0.5, 2]");
    EXPECT_INT(report.found, 9);
    matrix_free(&w);
    end(&o);
  }
}

/* ---- who is shared ------------------------------------------------------------------------------------- */

static const struct {
  const char *why;
  int a, z; /* rows of sources[] */
  bool a_shared, z_shared;
} pairs[] = {
    {"both in columns", COLUMNS_OF_5, COLUMNS_OF_5, true, true},
    {"vectors in rows are moved", ROWS_OF_5, ROWS_OF_5, true, false},
    {"Z leads where A cannot be shared", WITH_GAPS, COLUMNS_OF_5, false, true},
    {"neither", WITH_GAPS, BACKWARDS, false, false},
};

static void shared(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0] * ELEMENT_TYPES; i++) {
    const size_t row = i / ELEMENT_TYPES;
    const element_type *type = &element_types[i % ELEMENT_TYPES];
    TEST_CASE("%s, %s", pairs[row].why, type->name);
    operands o = make(pairs[row].a, pairs[row].z, type, 33, entry_hermitian);
    dap_linalg_report report = {0};
    dap_linalg_options options = {.report = &report, .eigh = {.backend = eigh_backend((int)i)}};
    dap_error err = {0};
    EXPECT_OK(solve(&o, true, &options, &err), &err);
    expect_use(&report, 0, "A", &o.a, pairs[row].a_shared);
    expect_use(&report, 2, "Z", &o.z, pairs[row].z_shared);
    options.sharing = DAP_SHARE_OR_FAIL;
    matrix_fill(&o.a, entry_hermitian);
    const bool both = pairs[row].a_shared && pairs[row].z_shared;
    EXPECT_STATUS(solve(&o, true, &options, &err), both ? DAP_OK : DAP_ERR_SHARE, &err);
    end(&o);
  }
}

/* ---- what cannot be done ------------------------------------------------------------------------------- */

/* Every process could store the whole of W, but a reader would add up all these copies. */
static void refused_partial(void **state)
{
  (void)state;
  const dap_dist addends = dap_dist_partial(5, test_nprocs());
  double values[5] = {-1, -1, -1, -1, -1};
  operands o = make(ROWS_OF_5, ROWS_OF_5, element_type_of(DAP_F8), 5, entry_hermitian);
  dap_error err = {0};
  dap_layout *layout = NULL;
  const dap_array w = {.abi = DAP_ARRAY_ABI,
                       .dtype = DAP_F8,
                       .ndim = 1,
                       .shape = {5},
                       .strides = {sizeof values[0]},
                       .data = values};
  EXPECT_OK(dap_layout_create(1, &addends, &layout, &err), &err);
  const dap_status status = dap_linalg_eigh(MPI_COMM_WORLD, 'L', matrix_operand(&o.a),
                                            (dap_darray){layout, &w}, (dap_darray){0}, NULL, &err);
  expect_same_error(MPI_COMM_WORLD, status, &err, DAP_ERR_UNSUPPORTED, "W|axis 0|partial");
  for (int i = 0; i < 5; i++) EXPECT(values[i] == -1);
  EXPECT(expect_same(&o.a));
  dap_layout_destroy(&layout);
  end(&o);
}

static dap_status cannot(const dap_eigh_backend *backend, dap_dtype dtype, dap_error *err)
{
  (void)backend;
  return dap_fail(err, test_rank() == 0 ? DAP_ERR_UNSUPPORTED : DAP_OK, "not with %s", dap_dtype_name(dtype));
}

static dap_status never(const dap_eigh_backend *backend, const dap_eigh_matrices *matrices, dap_error *err)
{
  (void)backend, (void)matrices;
  return dap_fail(err, DAP_ERR_LIBRARY, "a backend that cannot was called");
}

static const dap_eigh_backend fake = {DAP_EIGH_BACKEND_VERSION, "Fake", NULL, cannot, never};

/* The backend is refused if one process cannot use it. If the caller names the backend, all processes
 * return an error. Otherwise another algorithm is used, and the report says why. */
static void a_backend_that_cannot(void **state)
{
  (void)state;
  operands o = make(ROWS_OF_5, ROWS_OF_5, element_type_of(DAP_F8), 5, entry_hermitian);
  dap_linalg_report report = {0};
  dap_linalg_options options = {.keep = true, .report = &report, .eigh = {.backend = &fake}};
  dap_error err = {0};
  EXPECT_OK(solve(&o, false, &options, &err), &err);
  EXPECT_INT(report.solver, DAP_EIGH_EVD);
  EXPECT_MSG(test_contains(report.method, "divide and conquer|Fake|float64"), "%s", report.method);
  options.eigh.solver = DAP_EIGH_BACKEND;
  expect_same_error(MPI_COMM_WORLD, solve(&o, false, &options, &err), &err, DAP_ERR_UNSUPPORTED,
                    "Fake|float64");
  options.eigh.solver = DAP_EIGH_EV;
  EXPECT_OK(solve(&o, false, &options, &err), &err);
  EXPECT_MSG(strcmp(report.method, "QR iteration") == 0, "%s", report.method);
  end(&o);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(generalized_out_of_range),
                                          cmocka_unit_test(hard_matrices),
                                          cmocka_unit_test(eigh_at_edges),
                                          cmocka_unit_test(eigh_generalized_at_edges),
                                          cmocka_unit_test(no_values),
                                          cmocka_unit_test(shared),
                                          cmocka_unit_test(refused_partial),
                                          cmocka_unit_test(a_backend_that_cannot)};
MPI_TEST_MAIN(tests)
