/* Tests singular values and vectors of drawn and special matrices. Every third time the memory lies between
 * guards. Tall and wide matrices are factored by rows first. */
#include "edges.h"

/* ---- guards around memory of calloc() ------------------------------------------------------------------ */

/* Guards show that a foreign library writes outside its memory, which no sanitizer detects. */
enum {
  GUARD = 1 << 16, /* bytes on either side: more than a window of blocks */
  HEAD = 64,       /* bytes, so that what is guarded is as aligned as any memory */
  MARK = 0xA5
};

/* Stands before the first guard. */
typedef struct block {
  struct block *next;
  size_t bytes;
} block;

static block *blocks; /* blocks that are guarded now; only one thread uses them */
static bool is_on;
static int freed, broken; /* since guards_start(): freed pieces, and pieces that were written outside */

/* The linker's names. NOLINTBEGIN(bugprone-reserved-identifier) */
void *__real_calloc(size_t items, size_t size);
void *__real_realloc(void *memory, size_t size);
void __real_free(void *memory);
void *__wrap_calloc(size_t items, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void __wrap_free(void *memory);

static unsigned char *memory_of(block *b)
{
  return (unsigned char *)b + HEAD + GUARD;
}

static struct {
  size_t bytes;
  int before, behind; /* how far it was written on either side */
} first;              /* the first broken piece */

/* Returns how far a guard was written. Its byte i is i bytes away from the memory, and steps are 1 or -1. */
static int reach(const unsigned char *guard, int step)
{
  int i = GUARD;
  while (i > 0 && guard[(i - 1) * step] == MARK) i--;
  return i;
}

/* Takes the block with that memory off the list, and looks at it; NULL: it has no guards. */
static block *take(const void *memory)
{
  block **at = &blocks;
  while (*at && memory_of(*at) != memory) at = &(*at)->next;
  block *b = *at;
  if (!b) return NULL;
  *at = b->next;
  freed++;
  const int before = reach(memory_of(b) - 1, -1), behind = reach(memory_of(b) + b->bytes, 1);
  if (before + behind == 0 || broken++ > 0) return b;
  first.bytes = b->bytes;
  first.before = before;
  first.behind = behind;
  return b;
}

void *__wrap_calloc(size_t items, size_t size)
{
  if (!is_on || (size > 0 && items > (SIZE_MAX / 2) / size)) return __real_calloc(items, size);
  block *b = malloc(HEAD + 2 * (size_t)GUARD + items * size);
  if (!b) return NULL;
  *b = (block){blocks, items * size};
  memset(memory_of(b) - GUARD, MARK, 2 * (size_t)GUARD + b->bytes);
  blocks = b;
  return memset(memory_of(b), 0, b->bytes);
}

void __wrap_free(void *memory)
{
  block *b = take(memory);
  __real_free(b ? (void *)b : memory);
}

/* Memory that changes its size has no guards any more. */
void *__wrap_realloc(void *memory, size_t size)
{
  block *b = take(memory);
  if (!b) return __real_realloc(memory, size);
  void *other = test_must(malloc(size + 1));
  memcpy(other, memory, b->bytes < size ? b->bytes : size);
  __real_free(b);
  return other;
}
/* NOLINTEND(bugprone-reserved-identifier) */

static void guards_start(void)
{
  freed = broken = 0;
  is_on = true;
}

/* Whether some memory was freed, whose guards were then looked at, and nothing was written outside. */
static bool guards_stop(void)
{
  is_on = false;
  return EXPECT(freed > 0) && EXPECT_MSG(broken == 0, "%d pieces: %d bytes before and %d behind one of %zu",
                                         broken, first.before, first.behind, first.bytes);
}

/* ---- sizes --------------------------------------------------------------------------------------------- */

static int64_t smaller(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b)
{
  return a > b ? a : b;
}

/* Whether LAPACK decomposes it on process 0: it is smaller than the grid, or has one row or column of two. */
static bool is_tiny(int64_t m, int64_t n)
{
  return larger(m, n) < test_nprocs() || m * n == 2;
}

/* Whether its rows, or those of its transpose, are factored first. */
static bool is_tall(int64_t m, int64_t n)
{
  return smaller(m, n) > 0 && larger(m, n) >= 4 * smaller(m, n) * test_nprocs();
}

/* ---- checks -------------------------------------------------------------------------------------------- */

/* Vectors of a tall matrix of any length are orthonormal to some eps, if nrm2 of a chunk's columns is that
 * accurate. In single precision it is accurate to some hundred eps. */
static void check_orthonormal(const edge *e, const char *what, int64_t m, int64_t k, const double complex *q)
{
  edge_bound(what, whole_skew(m, k, q), is_tall(m, k) ? smaller(m, 40) + k : m + k, e->type->eps);
}

/* Checks U or VT alone. The lengths of the rows of U^H A, or of the columns of A V, are the singular
 * values. */
static void check_lengths(const drawn *a, const double complex *u, const double complex *s,
                          const double complex *vt, double eps)
{
  const int64_t m = a->rows, n = a->cols, k = smaller(m, n);
  double complex *x =
      u ? serial_multiply('C', 'N', k, n, m, u, a->whole) : serial_multiply('N', 'C', m, k, n, a->whole, vt);
  double complex *gram =
      u ? serial_multiply('N', 'C', k, k, n, x, x) : serial_multiply('C', 'N', k, k, m, x, x);
  for (int64_t i = 0; i < k; i++) gram[i + i * k] -= s[i] * s[i];
  const double norm = fmax(whole_norm('F', m, n, a->whole), 1);
  edge_bound("lengths", whole_norm('M', k, k, gram), m + n, eps * norm * norm);
  free(gram), free(x);
}

static void check_svd(const edge *e, const drawn *a, const drawn *u, const drawn *s, const drawn *vt)
{
  const int64_t m = a->rows, n = a->cols, k = smaller(m, n);
  const double eps = edge_eps(e, &a->exponent, 1), norm = fmax(whole_norm('1', m, n, a->whole), 1);
  double complex *values = edge_whole(s, a->exponent), *want = serial_singular_values(m, n, a->whole);
  edge_bound("singular values", whole_distance(k, 1, values, want), m + n, eps * norm);
  for (int64_t i = 1; i < k; i++)
    EXPECT_MSG(creal(values[i]) <= creal(values[i - 1]), "s[%d] is larger", (int)i);
  double complex *left = u ? edge_whole(u, 0) : NULL, *right = vt ? edge_whole(vt, 0) : NULL;
  if (left) check_orthonormal(e, "U^H U - I", m, k, left);
  if (right) {
    double complex *turned = whole_op('C', k, n, right);
    check_orthonormal(e, "VT VT^H - I", n, k, turned);
    free(turned);
  }
  if (left && right) {
    whole_scale(m, k, left, values);
    double complex *product = serial_multiply('N', 'N', m, n, k, left, right);
    edge_bound("U S VT - A", whole_distance(m, n, product, a->whole), m + n, eps * norm * (double)(k + 1));
    free(product);
  } else if (left || right) {
    check_lengths(a, left, values, right, eps);
  }
  free(left), free(right), free(values), free(want);
}

static void check_method(const edge *e, int64_t m, int64_t n)
{
  const char *solver = e->options.svd.solver == DAP_SVD_GESVD ? "QR iteration" : "divide and conquer";
  char wanted[DAP_ERROR_TEXT];
  if (is_tall(m, n))
    (void)snprintf(wanted, sizeof wanted, "QR of rows, %s of R on process 0", solver);
  else
    (void)snprintf(wanted, sizeof wanted, "%s", is_tiny(m, n) ? "LAPACK on process 0" : solver);
  const bool may_differ = is_tall(m, n) && e->options.sharing == DAP_SHARE_OR_FAIL;
  EXPECT_MSG(may_differ || strcmp(e->report.method, wanted) == 0, "by %s", e->report.method);
}

/* ---- calls --------------------------------------------------------------------------------------------- */

/* Some matrices have more than 25 singular values, because LAPACK does not divide smaller ones
 * (SRC/ilaenv.f). Some have four rows for each column and process; lists of indices have at most 256. */
static void draw_sizes(edge *e, int64_t *m, int64_t *n)
{
  *m = edge_size(e), *n = edge_size(e);
  if (e->row) return;
  if (edge_one_in(e, 8)) *m = larger(*m, 60);
  if (edge_one_in(e, 8)) *n = larger(*n, 40);
  if (edge_one_in(e, 4)) {
    const int64_t least = (int64_t)4 * test_nprocs();
    *n = smaller(*n, 160 / least), *m = *m % 34 + least * *n;
    if (edge_one_in(e, 2)) {
      const int64_t rows = *m;
      *m = *n, *n = rows;
    }
  }
}

static const dap_darray none = {NULL, NULL};

static void svd(edge *e)
{
  int64_t m, n;
  draw_sizes(e, &m, &n);
  const int64_t k = smaller(m, n);
  drawn a = edge_draw(e, DRAWN_ANY, m, n, edge_exponent(e));
  drawn u = edge_result(e, m, k, e->type->dtype), vt = edge_result(e, k, n, e->type->dtype);
  drawn s = edge_result(e, k, -1, e->type->real);
  const bool left = !edge_one_in(e, 3), right = !edge_one_in(e, 3);
  e->options.svd.solver = (dap_svd_solver)test_random_int(&e->random, DAP_SVD_AUTO, DAP_SVD_GESDD);
  edge_say(e, "%s%s, solver %d", left ? ", U" : "", right ? ", VT" : "", (int)e->options.svd.solver);
  const bool is_guarded = k > 0 && edge_one_in(e, 3); /* a look at all guards takes as long as the call */
  if (is_guarded) guards_start();
  const dap_status status = UNDER_TRAPS(
      dap_linalg_svd(MPI_COMM_WORLD, matrix_operand(&a.held), left ? matrix_operand(&u.held) : none,
                     matrix_operand(&s.held), right ? matrix_operand(&vt.held) : none, &e->options, &e->err));
  if (is_guarded) (void)guards_stop();
  EXPECT(a.is_finite || status);
  if (edge_status(e, status, !a.is_finite, DAP_ERR_NUMERIC)) {
    check_svd(e, &a, left ? &u : NULL, &s, right ? &vt : NULL);
    if (k > 0) check_method(e, m, n);
    edge_use(e, 0, "A", &a, is_tall(m, n) ? -1 : e->options.keep ? 0 : edge_shares(e, &a));
    edge_use(e, 2, "S", &s, 0);
  }
  const bool is_work =
      !is_tall(m, n) || e->options.sharing == DAP_SHARE_OR_FAIL; /* another algorithm may have worked in A */
  if (e->options.keep || !is_work) expect_same(&a.held);
  drawn_free(&a), drawn_free(&u), drawn_free(&s), drawn_free(&vt);
}

EDGES(svd)

/* ---- rows ---------------------------------------------------------------------------------------------- */

/* ScaLAPACK makes no reflector of two elements in one row that are on two processes. */
static void two_elements(void **state)
{
  static const edge_row rows[] = {
      {"a row of two", DAP_F8, {1, 2}, {0}, {"any"}},
      {"a row of two", DAP_C16, {1, 2}, {0}, {"any"}},
      {"a column of two", DAP_F4, {2, 1}, {0}, {"any"}},
      {"a column of two", DAP_C8, {2, 1}, {0}, {"any"}},
  };
  (void)state;
  edges_repeat(rows, 4, 8, svd);
}

/* Large enough for divide and conquer to divide. */
static void special_matrices(void **state)
{
  static const edge_row rows[] = {
      {"repeated", DAP_F8, {32, 32}, {0}, {"repeated"}},
      {"all equal", DAP_F4, {32, 32}, {0}, {"signs"}},
      {"clusters", DAP_C16, {40, 36}, {0}, {"signs"}},
      {"graded", DAP_F8, {40, 30}, {0}, {"both graded"}},
      {"splits", DAP_C8, {32, 34}, {0}, {"upper"}},
      {"low rank, broad", DAP_F8, {30, 60}, {0}, {"low rank"}},
      {"zeros, tall", DAP_F4, {60, 27}, {0}, {"0"}},
      {"squares underflow", DAP_F8, {60, 30}, {-500}, {"any"}},
      {"squares overflow", DAP_C16, {30, 60}, {500}, {"any"}},
  };
  (void)state;
  edges_repeat(rows, sizeof rows / sizeof rows[0], 3, svd);
}

/* Writes at these distances from memory of 40 bytes are found. */
static void guards_are_looked_at(void **state)
{
  (void)state;
  static const struct {
    const char *why;
    int64_t at;
    bool is_found;
  } rows[] = {{"the last byte", 39, false},
              {"one behind", 40, true},
              {"one before", -1, true},
              {"far behind", 9999, true},
              {"far before", -4096, true}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    TEST_CASE("%s", rows[i].why);
    guards_start();
    unsigned char *memory = calloc(5, 8);
    if (!EXPECT(memory)) continue;
    unsigned char *volatile anywhere = memory; /* sanitizers know what was allocated */
    anywhere[rows[i].at] = 1;
    free(memory);
    EXPECT(rows[i].is_found ? !test_quiet(guards_stop()) : guards_stop());
  }
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(guards_are_looked_at),
                                          cmocka_unit_test(two_elements), cmocka_unit_test(special_matrices),
                                          cmocka_unit_test(svd_at_edges)};
MPI_TEST_MAIN(tests)
