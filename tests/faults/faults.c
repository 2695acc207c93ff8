#include "faults.h"

#include "allocations.h"
#include "mpi_test.h"

#include <inttypes.h>

enum { PATIENCE = 120 /* seconds for one trial */ };

const fault refused_allocations = {"allocation", allocations_refuse, allocations_count};

static int64_t before; /* the count at the start */

void fault_start(const fault *f, int64_t number)
{
  before = f->count();
  f->start(number);
}

int64_t fault_stop(const fault *f)
{
  const int64_t count = f->count() - before;
  f->start(0);
  return count;
}

bool fault_was_met(int64_t number, int64_t count)
{
  return test_any(number > 0 && count >= number);
}

void fault_try_all(fault_sweep *sweep, const char *name, fault_trial *try_one, void *row)
{
  const char *const what = sweep->fault->what, *const given = getenv("DAP_TEST_FAULTS");
  static int64_t turn; /* makes the first fault another one each time, if not all faults are tried */
  const int last = test_nprocs() - 1;
  const int64_t most = sweep->is_short    ? 1
                       : test_nodes() > 1 ? 2 /* a trial takes messages there */
                       : given            ? strtol(given, NULL, 10)
                                          : 0;
  const bool is_last = sweep->is_short || sweep->rows++ % 2;
  TEST_CASE("%s", name);
  watchdog(PATIENCE, "%s", name);
  const int64_t own = try_one(row, sweep->fault, 0);
  SETTLE();
  for (int victim = 0; victim <= last; victim += last > 0 ? last : 1) {
    int64_t count = own;
    if (most > 0 && last > 0 && (victim > 0) != is_last) continue;
    MPI_Bcast(&count, 1, MPI_INT64_T, victim, MPI_COMM_WORLD);
    const int64_t step = most > 0 && count > most ? (count + most - 1) / most : 1;
    for (int64_t next = 1 + turn++ % step, number = 0; number < count; sweep->tried++) {
      number = next < count ? next : count; /* the last fault is also tried */
      next += step;
      TEST_CASE("%s: %s %" PRId64 " of rank %d", name, what, number, victim);
      watchdog(PATIENCE, "%s: %s %" PRId64 " of rank %d", name, what, number, victim);
      (void)try_one(row, sweep->fault, test_rank() == victim ? number : 0);
      SETTLE();
    }
    sweep->all += count;
  }
  watchdog(0, "nothing");
}
