#include "refuse.h"

#include "allocations.h"
#include "petsc_calls.h"
#include "random.h"

#include <inttypes.h>
#include <petscsys.h>

static void start_calls(int64_t number)
{
  petsc_calls_start(number, false);
}

static void start_calls_and_ends(int64_t number)
{
  petsc_calls_start(number, true);
}

const refuser refuse_allocations = {"allocation", allocations_start, allocations_count, DAP_ERR_NOMEM,
                                    "memory"};
const refuser refuse_calls = {"call", start_calls, petsc_calls_count, DAP_ERR_LIBRARY, "is refused"};
const refuser refuse_calls_and_ends = {"call", start_calls_and_ends, petsc_calls_count, DAP_ERR_LIBRARY,
                                       "is refused"};

bool refuse_was_met(const refuser *r, int64_t number, dap_status s, const dap_error *err)
{
  int seen[] = {number > 0 && r->count() >= number, s != DAP_OK};
  r->start(0);
  MPI_Allreduce(MPI_IN_PLACE, seen, 2, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
  if (seen[1]) expect_same_error(MPI_COMM_WORLD, s, err, r->status, r->parts);
  EXPECT(!seen[1] || seen[0]);
  return seen[0];
}

int64_t refuse_all(const char *why, const refuser *r,
                   bool (*once)(const void *trial, const refuser *r, int64_t number), const void *trial)
{
  const int last = test_nprocs() - 1;
  int64_t count = 0;
  for (int victim = 0; victim <= last; victim += last > 0 ? last : 1) {
    PetscLogDouble before = 0, after = 0;
    TEST_CASE("%s", why);
    for (int warm = 0; warm < 2; warm++) (void)once(trial, r, 0);
    EXPECT(!PetscMallocGetCurrentUsage(&before));
    bool more = true;
    /* By day one in three; other processes begin with another one. */
    const int64_t step = test_scale() > 1 ? 3 : 1;
    for (int64_t number = 1 + (test_nprocs() + victim) % step; more; number += step) {
      TEST_CASE("%s: %s %" PRId64 " of rank %d is refused", why, r->what, number, victim);
      more = once(trial, r, test_rank() == victim ? number : 0);
      EXPECT(!PetscMallocGetCurrentUsage(&after));
      EXPECT_MSG(before == after, "PETSc holds %g bytes, not %g", after, before);
      SETTLE();
      count += more ? step : 0;
    }
  }
  return count;
}
