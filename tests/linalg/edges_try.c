/* Draws calls, each with a generator of its own. All processes draw the same calls. */
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

/* Call number k of a stream. Those of rows may share. */
static edge begin(const char *name, uint64_t stream, int k, const edge_row *row)
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
  return e;
}

/* ---- traps --------------------------------------------------------------------------------------------- */

#ifdef __GLIBC__
enum { TRAPS = FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW };
static bool has_traps; /* of this call: some processors have none */

void edge_traps_begin(void)
{
  (void)feclearexcept(FE_ALL_EXCEPT);
  (void)feraiseexcept(FE_UNDERFLOW);
  has_traps = feenableexcept(TRAPS) != -1;
}

dap_status edge_traps_end(dap_status status)
{
  const int traps = fegetexcept(), flags = fetestexcept(FE_ALL_EXCEPT);
  (void)fedisableexcept(FE_ALL_EXCEPT);
  EXPECT_MSG(traps == TRAPS || !has_traps, "traps are %d, not %d", traps, TRAPS);
  EXPECT_MSG(flags == FE_UNDERFLOW, "flags are %d, not %d", flags, FE_UNDERFLOW);
  return status;
}
#else
void edge_traps_begin(void)
{
}

dap_status edge_traps_end(dap_status status)
{
  return status;
}
#endif

/* ---- calls --------------------------------------------------------------------------------------------- */

/* One call in so many is tried by day. On two cores one on four processes takes as long as eight on two. */
static int by_day(int usual)
{
  return test_scale() == 1 ? 1 : test_nprocs() > 2 ? 2 * usual : usual;
}

void edges_try(const char *name, int usual, void attempt(edge *e))
{
  uint64_t stream = 0;
  for (const char *c = name; *c; c++) stream = stream * 31 + (unsigned char)*c;
  const int count = (test_cases(usual) + by_day(1) - 1) / by_day(1);
  for (int k = 0; k < count; k++) {
    edge e = begin(name, stream, k, NULL);
    e.options.report = &e.report;
    attempt(&e);
    SETTLE();
  }
  watchdog(0, "nothing");
}

void edges_repeat(const edge_row rows[], int count, int times, void attempt(edge *e))
{
  const int least = by_day(2);
  times = (times + least - 1) / least;
  for (int k = 0; k < count * times; k++) {
    edge e = begin(rows[k / times].why, 0, k, &rows[k / times]);
    e.options.report = &e.report;
    attempt(&e);
    SETTLE();
  }
  watchdog(0, "nothing");
}
