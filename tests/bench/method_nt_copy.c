/* Measures the limit: all processes copy their local bytes at once, past the caches. */
#include "fail.h"
#include "redistribute.h"
#include "stream.h"

#include <stdlib.h>
#include <string.h>

/* ---- the method --------------------------------------------------------------------------------------- */

/* Small copies stay in the caches, where plain stores are faster. */
enum { SMALL = 1 << 20 };

/* Returns the size of the source's buffer, or of the elements that a halo update moves. */
static int64_t copied(const bench_job *job)
{
  return job->c->halo ? bench_payload(job->c) : job->c->from.bytes;
}

static void prepare(bench_job *job)
{
  const int64_t bytes = (copied(job) / BENCH_LINE + 1) * BENCH_LINE;
  job->state = aligned_alloc(BENCH_LINE, (size_t)bytes);
  if (!job->state) bench_fail("no memory for %lld bytes", (long long)bytes);
  memset(job->state, 0, (size_t)bytes);
}

static void run(bench_job *job)
{
  const int64_t bytes = copied(job), lines = bytes < SMALL ? 0 : bytes - bytes % BENCH_LINE;
  char *to = job->state;
  bench_stream(to, job->from.data, lines);
  memcpy(to + lines, job->from.data + lines, (size_t)(bytes - lines));
}

static void destroy(bench_job *job)
{
  free(job->state);
}

static int64_t wrong(bench_job *job)
{
  return memcmp(job->state, job->from.data, (size_t)copied(job)) != 0;
}

const bench_method bench_nt_copy = {"nt_copy", BENCH_LIMIT,        NULL,          NULL, run,
                                    destroy,   .prepare = prepare, .wrong = wrong};
