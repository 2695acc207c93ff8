/* Draws operands. All processes draw the same. */
#include "edges.h"

enum { SALTS = 1 << 20 };

/* ---- contents ------------------------------------------------------------------------------------------ */

typedef enum content {
  ANY,
  DOMINANT,
  ZERO,
  ONES,
  IDENTITY,
  ANTI,     /* ones from one corner to the other */
  LOW_RANK, /* of rank 1 or 2 */
  TWICE,    /* each second row and column is the one before */
  PATH,     /* the Laplacian of a path: singular, known eigenvalues */
  ONE,      /* a single element that is not 0 */
  ROWS_GRADED,
  COLUMNS_GRADED,
  BOTH_GRADED,
  ONE_NAN,
  ONE_INFINITE,
  CONTENTS
} content;

static const char *const names[CONTENTS] = {
    "any",  "dominant",    "0",           "ones",           "identity",    "anti", "low rank", "twice",
    "path", "one element", "rows graded", "columns graded", "both graded", "NaN",  "infinity"};

/* The operand that is drawn. Formulas have no arguments of their own. */
static struct {
  content what;
  drawn_form form;
  int64_t rows, cols, salt, at; /* at: of ONE, ONE_NAN, ONE_INFINITE */
  int step;                     /* binary orders from row to row, where graded */
  int exponent;
  const double complex *given; /* [rows * cols], or NULL */
} now;

static double complex low_rank(int64_t i, int64_t j)
{
  const double complex one = entry_any(i, now.salt) * entry_any(now.salt, j);
  return now.salt % 2 ? one : one + entry_any(i, now.salt + 1) * entry_any(now.salt + 1, j);
}

static double complex path(int64_t i, int64_t j)
{
  const int64_t last = (now.rows < now.cols ? now.rows : now.cols) - 1;
  if (i == j) return i == 0 || i == last ? 1 : 2;
  return i == j + 1 || j == i + 1 ? -1 : 0;
}

static double complex plain(int64_t i, int64_t j)
{
  const double complex any = entry_any(i + now.salt, j + now.salt);
  switch (now.what) {
  case ZERO:
    return 0;
  case ONES:
    return 1;
  case IDENTITY:
    return i == j;
  case ANTI:
    return i + j == now.cols - 1;
  case LOW_RANK:
    return low_rank(i, j);
  case TWICE:
    return entry_any(i / 2 + now.salt, j / 2 + now.salt);
  case PATH:
    return path(i, j);
  case ONE:
    return i == now.at && j == now.at ? 0.75 : 0;
  case DOMINANT:
    return any + (i == j ? 4 : 0);
  default:
    return any;
  }
}

static double complex graded(int64_t i, int64_t j)
{
  const bool rows = now.what == ROWS_GRADED || now.what == BOTH_GRADED;
  const bool columns = now.what == COLUMNS_GRADED || now.what == BOTH_GRADED;
  const int down = (int)((rows ? i : 0) + (columns ? j : 0)) * now.step;
  const double complex v = plain(i, j);
  return CMPLX(ldexp(creal(v), -down), ldexp(cimag(v), -down));
}

static double complex formed(int64_t i, int64_t j)
{
  if (now.form == DRAWN_ANY) return graded(i, j);
  if (now.form == DRAWN_REGULAR)
    return entry_any(i + now.salt, j + now.salt) + (i == j ? 2. * (double)now.rows : 0);
  const double complex v = i < j ? graded(i, j) : i > j ? conj(graded(j, i)) : creal(graded(i, i));
  const bool strong = now.form == DRAWN_DEFINITE && (now.what == ANY || now.what >= ROWS_GRADED);
  const int down = now.what == BOTH_GRADED ? (int)(2 * i) * now.step : 0;
  return i == j && strong ? v + ldexp(1.5 * (double)now.rows, -down) : v;
}

static double complex entry_now(int64_t i, int64_t j)
{
  const double complex v = now.given ? now.given[i + j * now.rows] : formed(i, j);
  if (now.what == ONE_NAN && i == now.at && j == now.at) return CMPLX(NAN, 0);
  if (now.what == ONE_INFINITE && i == now.at && j == now.at) return CMPLX(INFINITY, 0);
  return CMPLX(ldexp(creal(v), now.exponent), ldexp(cimag(v), now.exponent));
}

/* ---- operands ------------------------------------------------------------------------------------------ */

static int64_t smaller(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

static void draw_grid(edge *e, int grid[2])
{
  const int nprocs = test_nprocs();
  do grid[0] = (int)test_random_int(&e->random, 1, nprocs);
  while (nprocs % grid[0] != 0);
  grid[1] = nprocs / grid[0];
}

static void make(edge *e, drawn *d, const element_type *type, int ndim, formula *entry)
{
  draw_grid(e, d->grid);
  const int at = (int)test_random_int(&e->random, 0, (ndim == 2 ? source_count : vector_source_count) - 1);
  d->source = ndim == 2 ? &sources[at] : &vector_sources[at];
  if (ndim == 1) d->grid[0] = test_nprocs();
  edge_say(e, " %s", d->source->name);
  if (ndim == 2) edge_say(e, " on %d x %d", d->grid[0], d->grid[1]);
  d->held = matrix_make(d->source, type, ndim, (const int64_t[2]){d->rows, d->cols}, d->grid, entry);
}

/* What `now` says. */
static drawn make_drawn(edge *e, int ndim)
{
  edge_say(e, "; %dx%d %s 2^%d:", (int)now.rows, (int)now.cols, now.given ? "" : names[now.what],
           now.exponent);
  drawn d = {.rows = now.rows, .cols = now.cols, .exponent = now.exponent};
  make(e, &d, e->type, ndim, entry_now);
  d.whole = edge_whole(&d, now.exponent);
  d.is_finite = edge_all_finite(d.rows * d.cols, d.whole);
  return d;
}

static content content_of(const char *name)
{
  int what = 0;
  while (what < CONTENTS - 1 && strcmp(names[what], name) != 0) what++;
  EXPECT_MSG(!strcmp(names[what], name), "no contents are called %s", name);
  return (content)what;
}

drawn edge_draw(edge *e, drawn_form form, int64_t rows, int64_t cols, int exponent)
{
  now.what = (content)test_random_int(&e->random, 0, CONTENTS - 1);
  if (form == DRAWN_REGULAR || (now.what >= ONE_NAN && !edge_one_in(e, 3))) now.what = ANY;
  if (e->row) now.what = content_of(e->row->contents[e->drawns++]);
  now.form = form;
  now.rows = rows, now.cols = cols;
  now.salt = test_random_int(&e->random, 0, SALTS);
  now.at = smaller(rows, cols) > 0 ? test_random_int(&e->random, 0, smaller(rows, cols) - 1) : 0;
  now.step = (int)test_random_int(&e->random, 1, 6);
  now.exponent = exponent;
  now.given = NULL;
  return make_drawn(e, 2);
}

drawn edge_draw_side(edge *e, int64_t rows, int64_t cols, int exponent)
{
  static const content whats[] = {ZERO, ROWS_GRADED, ONE_NAN, ONE_INFINITE};
  now.what = edge_one_in(e, 3) ? whats[test_random_int(&e->random, 0, 3)] : ANY;
  now.form = DRAWN_ANY;
  now.rows = rows, now.cols = cols < 0 ? 1 : cols;
  now.at = 0;
  now.salt = test_random_int(&e->random, 0, SALTS);
  now.step = 1;
  now.exponent = exponent;
  now.given = NULL;
  return make_drawn(e, cols < 0 ? 1 : 2);
}

drawn edge_draw_these(edge *e, int ndim, int64_t rows, int64_t cols, const double complex values[],
                      int exponent)
{
  now.what = ANY;
  now.rows = rows, now.cols = cols;
  now.exponent = exponent;
  now.given = values;
  return make_drawn(e, ndim);
}

void edge_spoil(drawn *d, char uplo)
{
  if (uplo != 'A') matrix_set_triangle(&d->held, uplo == 'L' ? 'U' : 'L', CMPLX(NAN, NAN));
}

drawn edge_result(edge *e, int ndim, int64_t rows, int64_t cols, dap_dtype dtype)
{
  edge_say(e, "; result:");
  drawn d = {.rows = rows, .cols = ndim == 2 ? cols : 1};
  make(e, &d, element_type_of(dtype), ndim, entry_nans);
  return d;
}

void drawn_free(drawn *d)
{
  free(d->whole);
  matrix_free(&d->held);
}
