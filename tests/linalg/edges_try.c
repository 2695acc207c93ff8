/* Draws calls, each with a generator of its own, and checks results. All processes draw the same calls. */
#define _GNU_SOURCE /* feenableexcept(); NOLINT(bugprone-reserved-identifier) */
#include "edges.h"

#include <fenv.h>

enum { PATIENCE = 60 /* seconds for one call */ };

void edge_say(edge *e, const char *format, ...)
{
  const size_t used = strlen(e->words);
  va_list args;
  va_start(args, format);
  (void)vsnprintf(e->words + used, sizeof e->words - used, format, args);
  va_end(args);
  TEST_CASE("%s", e->words);
}

int64_t edge_size(edge *e)
{
  static const int64_t sizes[] = {0, 1, 1, 2, 2, 3, 4, 5, 7, 12, 20, 33, 33};
  if (e->row) return e->row->sizes[e->sizes++];
  return sizes[test_random_int(&e->random, 0, sizeof sizes / sizeof sizes[0] - 1)];
}

int edge_exponent(edge *e)
{
  static const int singles[] = {-110, -132, 118, -65, 62}, doubles[] = {-980, -1040, 1000, -550, 505};
  const int at = (int)test_random_int(&e->random, 0, 4);
  if (e->row) return e->row->exponents[e->exponents++];
  if (!edge_one_in(e, 3)) return 0;
  return e->type->real == DAP_F4 ? singles[at] : doubles[at];
}

char edge_one_of(edge *e, const char *letters)
{
  const char one = letters[test_random_int(&e->random, 0, (int64_t)strlen(letters) - 1)];
  edge_say(e, " %c", one);
  return one;
}

bool edge_one_in(edge *e, int n)
{
  return test_random_one_in(&e->random, n);
}

/* ---- traps --------------------------------------------------------------------------------------------- */

#ifdef __GLIBC__
enum { TRAPS = FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW };
static bool has_traps; /* of this call: some processors have none */
#endif

void edge_traps_begin(void)
{
#ifdef __GLIBC__
  (void)feclearexcept(FE_ALL_EXCEPT);
  (void)feraiseexcept(FE_UNDERFLOW);
  has_traps = feenableexcept(TRAPS) != -1;
#endif
}

dap_status edge_traps_end(dap_status status)
{
#ifdef __GLIBC__
  const int traps = fegetexcept(), flags = fetestexcept(FE_ALL_EXCEPT);
  (void)fedisableexcept(FE_ALL_EXCEPT);
  EXPECT_MSG(traps == TRAPS || !has_traps, "traps are %d, not %d", traps, TRAPS);
  EXPECT_MSG(flags == FE_UNDERFLOW, "flags are %d, not %d", flags, FE_UNDERFLOW);
#endif
  return status;
}

/* ---- calls --------------------------------------------------------------------------------------------- */

/* Returns how many of `count` calls are made: by day one of `by_day`. On two cores a call on four processes
 * takes as long as eight on two. */
static int fewer(int count, int by_day)
{
  const int one_of = test_scale() == 1 ? 1 : test_nprocs() > 2 ? 2 * by_day : by_day;
  return (count + one_of - 1) / one_of;
}

/* Tries call number k of a stream. Calls of rows are allowed to share arrays. */
static void try_one(const char *name, uint64_t stream, int k, const edge_row *row, void attempt(edge *e))
{
  static const int64_t blocks[] = {0, 0, 1, 1, 2, 3, 5};
  edge e = {.row = row, .random = test_random_init(stream * 65536 + (uint64_t)k)};
  e.type = &element_types[test_random_int(&e.random, 0, ELEMENT_TYPES - 1)];
  if (row) e.type = element_type_of(row->dtype);
  e.options.block_size = blocks[test_random_int(&e.random, 0, 6)];
  e.options.keep = edge_one_in(&e, 4);
  const int sharing = (int)test_random_int(&e.random, 0, 7);
  e.options.sharing = row || sharing > 1 ? DAP_SHARE_IF_POSSIBLE
                      : sharing          ? DAP_SHARE_NEVER
                                         : DAP_SHARE_OR_FAIL;
  edge_say(&e, "%s %d: %s, blocks %d, sharing %d%s", name, k, e.type->name, (int)e.options.block_size,
           (int)e.options.sharing, e.options.keep ? ", kept" : "");
  watchdog(PATIENCE, "%s %d of seed %llu", name, k, (unsigned long long)test_seed());
  e.options.report = &e.report;
  attempt(&e);
  SETTLE();
  watchdog(0, "nothing");
}

void edges_try(const char *name, int usual, void attempt(edge *e))
{
  uint64_t stream = 0;
  for (const char *c = name; *c; c++) stream = stream * 31 + (unsigned char)*c;
  const int count = fewer(test_cases(usual), 1);
  for (int k = 0; k < count; k++) try_one(name, stream, k, NULL, attempt);
}

void edges_repeat(const edge_row rows[], int count, int times, void attempt(edge *e))
{
  times = fewer(times, 2);
  for (int k = 0; k < count * times; k++) try_one(rows[k / times].why, 0, k, &rows[k / times], attempt);
}

/* ---- checks -------------------------------------------------------------------------------------------- */

void edge_scale(int64_t count, double complex values[], int exponent)
{
  for (int64_t k = 0; k < count; k++) values[k] = times_power(values[k], exponent);
}

double complex *edge_whole(const drawn *d, int exponent)
{
  double complex *whole = matrix_whole(&d->held);
  expect_padding(&d->held);
  edge_scale(d->rows * d->cols, whole, -exponent);
  return whole;
}

double edge_eps(const edge *e, const int exponents[], int count)
{
  const int smallest = e->type->real == DAP_F4 ? -149 : -1074;
  double eps = e->type->eps;
  for (int k = 0; k < count; k++) eps += ldexp(1, smallest - exponents[k]);
  return eps;
}

bool edge_is_within(const edge *e, int exponent, double size)
{
  enum { ROOM = 8 };
  const bool single = e->type->real == DAP_F4;
  int of_size = 0;
  if (!isfinite(size)) return false;
  (void)frexp(size, &of_size);
  return exponent + of_size < (single ? 128 : 1024) - ROOM && exponent > (single ? -149 : -1074) + ROOM;
}

bool edge_status(edge *e, dap_status status, bool may_fail, dap_status other)
{
  int both[2] = {(int)status, -(int)status};
  MPI_Allreduce(MPI_IN_PLACE, both, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  EXPECT_MSG(both[0] == -both[1], "the status is %d here, up to %d and from %d", (int)status, both[0],
             -both[1]);
  const bool is_unshared = status == DAP_ERR_SHARE && e->options.sharing == DAP_SHARE_OR_FAIL;
  EXPECT_MSG(!status || is_unshared || (may_fail && status == other), "%s: %s", dap_status_name(status),
             e->err.text);
  return both[0] == 0;
}

int edge_shares(const edge *e, const drawn *d)
{
  return e->options.sharing == DAP_SHARE_NEVER ? 0 : source_shares(d->source, d->held.size, d->grid);
}

void edge_use(const edge *e, int index, const char *name, const drawn *d, int wanted)
{
  const bool is_empty = d->rows * d->cols == 0;
  if (index < e->report.count && test_contains(e->report.uses[index].reason, "not looked at")) return;
  if (e->report.count > 0) expect_use(&e->report, index, name, is_empty ? NULL : &d->held, wanted);
}

void edge_same_numbers(int count, const double numbers[])
{
  double root[8];
  MPI_Bcast(memcpy(root, numbers, (size_t)count * sizeof *root), count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  EXPECT_MSG(!memcmp(root, numbers, (size_t)count * sizeof *root), "%g here, %g on rank 0", numbers[0],
             root[0]);
}

void edge_bound(const char *what, double error, int64_t terms, double scale)
{
  const double bound = 20 * ((double)terms + 4) * scale;
  EXPECT_MSG(error <= bound, "%s: off by %g, the bound is %g", what, error, bound);
}

int edge_definite(const drawn *a, double eps)
{
  if (!a->is_finite) return -1;
  double complex *w = serial_eigenvalues('L', a->rows, a->whole);
  const double margin = 100 * (double)(a->rows + 1) * eps * whole_norm('M', a->rows, 1, w);
  const int sign = a->rows == 0 || creal(w[0]) > margin ? 1 : creal(w[0]) < -margin ? -1 : 0;
  free(w);
  return sign;
}
