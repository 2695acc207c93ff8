/* Draws operands. All processes draw the same ones. */
#include "edges.h"

enum { SALTS = 1 << 20 };

/* ---- contents ------------------------------------------------------------------------------------------ */

/* Elements (i, j) of a matrix. `any` is irregular. Matrices from BLOCKS to FULL_ROW are hard for estimates
 * and for algorithms that compute eigenvalues and singular values. */
#define CONTENTS(ROW)                                                                                        \
  ROW(ANY, "any", any)                                                                                       \
  ROW(DOMINANT, "dominant", any + (i == j ? 4 : 0))                                                          \
  ROW(ZERO, "0", 0)                                                                                          \
  ROW(ONES, "ones", 1)                                                                                       \
  ROW(IDENTITY, "identity", i == j)                                                                          \
  ROW(ANTI, "anti", i + j == now.cols - 1)  /* ones from one corner to the other */                          \
  ROW(LOW_RANK, "low rank", low_rank(i, j)) /* 1 or 2 */                                                     \
  ROW(TWICE, "twice",                                                                                        \
      entry_any(i / 2 + now.salt, j / 2 + now.salt)) /* each second row and column is the one before */      \
  ROW(PATH, "path", path(i, j)) /* the Laplacian of a path: singular, known eigenvalues */                   \
  ROW(ONE, "one element", i == now.at && j == now.at ? 0.75 : 0)                                             \
  ROW(BLOCKS, "blocks", i / 4 != j / 4 ? 0 : i == j ? 1.25 : 0.25) /* two values, each many times */         \
  ROW(PAIRS, "pairs", i / 2 == j / 2)                              /* splits into singular blocks */         \
  ROW(WILKINSON, "wilkinson", wilkinson(i, j)) /* pairs of values that agree to rounding */                  \
  ROW(GLUED, "glued", glued(i, j))             /* clusters of such pairs */                                  \
  ROW(SPLIT, "split",                                                                                        \
      i == j ? (double)(i % 3) / 2 : is_beside(i, j) && (i < j ? i : j) % 4) /* into blocks */               \
  ROW(NEGATIVE, "negative", i == j ? -3 : is_beside(i, j))                   /* definite */                  \
  ROW(REPEATED, "repeated", i == j ? (double)(i % 3 + 1) : 0)                /* on the diagonal */           \
  ROW(SIGNS, "signs", signs(i, j)) /* of a Hadamard matrix: all singular values of 64 rows are equal */      \
  ROW(UPPER, "upper", i == j ? 1 : j == i + 1 && i % 7 != 3 ? 0.5 : 0) /* bidiagonal, split */               \
  ROW(BLIND, "blind", blind(i, j)) /* a walk over unit vectors does not find the norm of its inverse */      \
  ROW(SHIFT, "shift", j == (i + 1) % now.rows)             /* its eigenvalues are the roots of unity */      \
  ROW(SKEW, "skew", is_beside(i, j) ? (double)(j - i) : 0) /* imaginary ones */                              \
  ROW(ROTATIONS, "rotations", rotations(i, j))             /* pairs differ from those of the transpose */    \
  ROW(FULL_ROW, "full row", full_row(i, j)) /* norms '1' and 'I' have other condition numbers */             \
  ROW(ROWS_GRADED, "rows graded", any)                                                                       \
  ROW(COLUMNS_GRADED, "columns graded", any)                                                                 \
  ROW(BOTH_GRADED, "both graded", any)                                                                       \
  ROW(ONE_NAN, "NaN", any)                                                                                   \
  ROW(ONE_INFINITE, "infinity", any)

#define NUMBER(what, name, element) what,
typedef enum content { CONTENTS(NUMBER) CONTENT_COUNT } content;

#define NAME(what, name, element) name,
static const char *const names[] = {CONTENTS(NAME)};

/* The operand that is drawn. Formulas have no arguments of their own. */
static struct now {
  content what;
  drawn_form form;
  int64_t rows, cols, salt;
  bool is_vector;
  int64_t at, beside; /* row of ONE, ONE_NAN, ONE_INFINITE, and column of the last two */
  int step;           /* binary orders from row to row, where graded */
  int exponent;
  const double complex *given; /* [rows * cols], or NULL */
} now;

/* Of rank 1, if salt is odd, or 2. */
FORMULA(low_rank, entry_any(i, now.salt) * entry_any(now.salt, j) +
                      (now.salt % 2 ? 0 : entry_any(i, now.salt + 1) * entry_any(now.salt + 1, j)))

static bool is_beside(int64_t i, int64_t j)
{
  return i == j + 1 || j == i + 1;
}

FORMULA(path, i != j                                                           ? -is_beside(i, j)
              : i == 0 || i == (now.rows < now.cols ? now.rows : now.cols) - 1 ? 1
                                                                               : 2)
FORMULA(wilkinson, i == j ? fabs(10.0 - (double)(i % 21)) / 8 : is_beside(i, j) ? 0.125 : 0)
FORMULA(glued, i != j && (i < j ? i : j) % 21 == 20 ? 0x1p-20 * is_beside(i, j) : wilkinson(i, j))

FORMULA(signs, __builtin_parityll((uint64_t)i &(uint64_t)j) ? -1 : 1)

/* 1 - u v^T / 2, where u is 1, -1, 1, .. in rows 1 .. 16, and v is the same in rows 17 .. 32. The inverse
 * is 1 + u v^T / 2, and its norm is 9. A walk over unit vectors that begins with equal elements finds 1,
 * because the elements of u and of v sum up to 0. No rows are exchanged. */
FORMULA(blind, i >= 1 && i <= 16 && j >= 17 && j <= 32 ? ((i + j) % 2 ? 0.5 : -0.5) : i == j)

static double complex rotations(int64_t i, int64_t j)
{
  const double angle = 0.5 + (double)(i / 4);
  if (i / 2 != j / 2) return i < j ? entry_any(i, j) / 8 : 0;
  return i == j ? cos(angle) : i < j ? sin(angle) : -sin(angle);
}

FORMULA(full_row, i == j ? 2 : entry_any(i, j) / (i == 1 ? 16 : 1024) + (i == 1))

#define ELEMENT(kind, name, element)                                                                         \
  if (now.what == (kind)) return element;

static double complex plain(int64_t i, int64_t j)
{
  const double complex any = entry_any(i + now.salt, j + now.salt);
  CONTENTS(ELEMENT)
  return 0;
}

static double complex graded(int64_t i, int64_t j)
{
  const bool rows = now.what == ROWS_GRADED || now.what == BOTH_GRADED;
  const bool columns = now.what == COLUMNS_GRADED || now.what == BOTH_GRADED;
  const int down = (int)((rows ? i : 0) + (columns ? j : 0)) * now.step;
  return times_power(plain(i, j), -down);
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
  if (now.what == ONE_NAN && i == now.at && j == now.beside) return CMPLX(NAN, 0);
  if (now.what == ONE_INFINITE && i == now.at && j == now.beside) return CMPLX(INFINITY, 0);
  return times_power(v, now.exponent);
}

/* ---- operands ------------------------------------------------------------------------------------------ */

static drawn make(edge *e, const element_type *type, int64_t rows, int64_t cols, formula *entry)
{
  const int nprocs = test_nprocs();
  const bool is_vector = cols < 0;
  drawn d = {.rows = rows, .cols = is_vector ? 1 : cols};
  do d.grid[0] = (int)test_random_int(&e->random, 1, nprocs);
  while (nprocs % d.grid[0] != 0);
  d.grid[1] = nprocs / d.grid[0];
  d.source = &sources[test_random_int(&e->random, 0, (is_vector ? vector_source_count : source_count) - 1)];
  if (is_vector) d.grid[0] = nprocs;
  edge_say(e, " %s", d.source->layout.why);
  if (!is_vector) edge_say(e, " on %d x %d", d.grid[0], d.grid[1]);
  d.held = matrix_make(d.source, type, rows, cols, d.grid, entry);
  return d;
}

/* What `now` says. */
static drawn make_drawn(edge *e)
{
  edge_say(e, "; %dx%d %s 2^%d:", (int)now.rows, (int)now.cols, now.given ? "" : names[now.what],
           now.exponent);
  drawn d = make(e, e->type, now.rows, now.is_vector ? -1 : now.cols, entry_now);
  d.exponent = now.exponent;
  d.whole = whole_make(now.rows, now.cols, entry_now, e->type); /* nothing has been done with the array yet */
  edge_scale(d.rows * d.cols, d.whole, -now.exponent);
  d.is_finite = isfinite(whole_norm('M', d.rows, d.cols, d.whole));
  return d;
}

static void set_now(content what, drawn_form form, int64_t rows, int64_t cols, int exponent)
{
  now = (struct now){.what = what, .form = form, .rows = rows, .step = 1, .exponent = exponent};
  now.cols = cols < 0 ? 1 : cols, now.is_vector = cols < 0;
}

drawn edge_draw(edge *e, drawn_form form, int64_t rows, int64_t cols, int exponent)
{
  const int64_t least = rows < cols ? rows : cols;
  content what = (content)test_random_int(&e->random, 0, CONTENT_COUNT - 1);
  if (form == DRAWN_REGULAR || (what >= ONE_NAN && !edge_one_in(e, 3))) what = ANY;
  if (e->row) {
    const char *name = e->row->contents[e->drawns++];
    for (what = ANY; what < CONTENT_COUNT - 1 && strcmp(names[what], name) != 0;) what++;
    EXPECT_MSG(!strcmp(names[what], name), "no contents are called %s", name);
  }
  set_now(what, form, rows, cols, exponent);
  now.salt = test_random_int(&e->random, 0, SALTS);
  now.at = least > 0 ? test_random_int(&e->random, 0, least - 1) : 0;
  now.beside = form == DRAWN_ANY && cols > 0 ? test_random_int(&e->random, 0, cols - 1) : now.at;
  now.step = (int)test_random_int(&e->random, 1, 6);
  return make_drawn(e);
}

drawn edge_draw_side(edge *e, int64_t rows, int64_t cols, int exponent)
{
  static const content whats[] = {ZERO, ROWS_GRADED, ONE_NAN, ONE_INFINITE};
  set_now(edge_one_in(e, 3) ? whats[test_random_int(&e->random, 0, 3)] : ANY, DRAWN_ANY, rows, cols,
          exponent);
  now.salt = test_random_int(&e->random, 0, SALTS);
  return make_drawn(e);
}

drawn edge_draw_these(edge *e, int64_t rows, int64_t cols, const double complex values[], int exponent)
{
  set_now(ANY, DRAWN_ANY, rows, cols, exponent);
  now.given = values;
  return make_drawn(e);
}

void edge_spoil(drawn *d, char uplo)
{
  if (uplo != 'A') matrix_set(&d->held, uplo == 'L' ? 'U' : 'L', 0, 0, CMPLX(NAN, NAN));
}

drawn edge_result(edge *e, int64_t rows, int64_t cols, dap_dtype dtype)
{
  edge_say(e, "; result:");
  return make(e, element_type_of(dtype), rows, cols, entry_nans);
}

void drawn_free(drawn *d)
{
  free(d->whole);
  matrix_free(&d->held);
}
