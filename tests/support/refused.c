#include "refused.h"

#include "allocations.h"
#include "mpi_test.h"
#include "random.h"

#include <inttypes.h>

refusal refusal_of(int64_t number, dap_status status)
{
  int seen[2] = {number > 0 && allocations_count() >= number, status != DAP_OK};
  allocations_start(0);
  MPI_Allreduce(MPI_IN_PLACE, seen, 2, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
  EXPECT(!seen[1] || seen[0]);
  return (refusal){.was_met = seen[0], .failed = seen[1]};
}

void refuse_each(const char *why, bool (*refuse)(const void *trial, int64_t number), const void *trial)
{
  const int last = test_nprocs() - 1;
  for (int victim = 0; victim <= last; victim += last > 0 ? last : 1) {
    /* Between nodes each try takes messages; other processes begin with another one. */
    const int64_t step = test_nodes() > 1 ? 5 : test_scale() > 1 ? 3 : 1;
    int64_t number = 1 - step + (test_nprocs() + victim) % step;
    for (bool more = true; more;) {
      number += step;
      TEST_CASE("%s: allocation %" PRId64 " of rank %d is refused", why, number, victim);
      more = refuse(trial, test_rank() == victim ? number : 0);
      SETTLE();
    }
    EXPECT_MSG(number > 5, "only %" PRId64 " allocations", number);
  }
}
