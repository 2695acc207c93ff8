/* Plans within less and less memory, by all transports, on one host and on several that are pretended. The
 * seed is printed, and DAP_TEST_SEED repeats a run. */
#include "mpi_test.h"
#include "pair.h"
#include "placements.h"

#include <inttypes.h>

static pair drawn;

/* The same plan within `bytes`; 0: as much as it likes. False if that is too little, which all say alike. */
static bool fits(MPI_Comm comm, const pair *c, dap_plan_options o, int64_t bytes, const traffic *t,
                 int64_t *used)
{
  const dap_side a = as_given(c, &c->from), b = as_given(c, &c->to);
  dap_plan *plan = NULL;
  dap_error err = {0};
  o.memory_bytes = bytes;
  const dap_status s = dap_plan_create(comm, &a, &b, c->from.itemsize, &o, &plan, &err);
  if (s) {
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "memory_bytes|too little|takes");
    return false;
  }
  check_stats(c, plan, &o, t);
  *used = dap_plan_summarize(plan).bytes_buffer;
  for (int i = 0; i < MEMORIES; i++)
    if (memories[i].from == memories[i].to) run_in(c, plan, &o, &memories[i], t, i);
  dap_plan_destroy(&plan);
  return true;
}

/* Less and less, until it is refused: it must be in the end if anything crosses, and never come back. */
static void shrink(MPI_Comm comm, const pair *c, const dap_plan_options *o, const int hosts[])
{
  const traffic t = traffic_count(&c->from, &c->to, o->fill_halos, hosts);
  int64_t used = 0;
  if (!EXPECT(fits(comm, c, *o, 0, &t, &used))) return;
  MPI_Allreduce(MPI_IN_PLACE, &used, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  EXPECT((used > 0) == t.crosses);
  bool fit = true;
  for (int64_t bytes = used; bytes > 0; bytes = bytes * 4 / 5) {
    int64_t now = 0;
    const bool still = fits(comm, c, *o, bytes, &t, &now);
    EXPECT_MSG(fit || !still, "%" PRId64 " bytes are enough, but more were not", bytes);
    EXPECT_MSG(still || bytes < used, "refused what it took by itself: %" PRId64 " bytes", bytes);
    fit = still;
  }
  EXPECT_MSG(!fit || used == 0, "1 byte is enough");
}

static void stays_within_its_memory(void **state)
{
  (void)state;
  test_random random = test_random_init(70);
  for (int i = 0; i < 3 * PLACEMENTS; i++) {
    const placement *p = &placements[i % PLACEMENTS];
    int hosts[BRUTE_PROCS] = {0};
    MPI_Comm comm = comm_at(p, hosts);
    pair *c = &drawn;
    draw_pair(&random, comm, c);
    const dap_plan_options options = {.fill_halos = i % 2};
    label(p->why, i, c, &options);
    shrink(comm, c, &options, hosts);
    free_pair(c);
    MPI_Comm_free(&comm);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(stays_within_its_memory),
};

MPI_TEST_MAIN(tests)
