/* The ways from one process to another, each alone and mixed: direct from and to memory of the library's,
 * slots, messages; cut in chunks of a few bytes; on one host, and on several that are pretended. Each plan
 * runs several times, its buffers in private memory and in the library's in turns. The seed is printed, and
 * DAP_TEST_SEED repeats a run. */
#include "mpi_test.h"
#include "pair.h"
#include "placements.h"

enum { CASES = 36 };

static pair drawn;

/* ---- one plan, all kinds of memory ------------------------------------------------------------------- */

static bool is_joinable(const dap_plan_options *o, const traffic *t)
{
  return !t->is_foreign || !o->transports || (o->transports & DAP_TRANSPORT_MESSAGES);
}

/* A plan that runs in all kinds of memory; or is refused, as nothing joins two hosts. */
static void move(MPI_Comm comm, const pair *c, const dap_plan_options *o, const int hosts[])
{
  const dap_side a = as_given(c, &c->from), b = as_given(c, &c->to);
  const traffic t = traffic_count(&c->from, &c->to, o->fill_halos, hosts);
  dap_plan *plan = NULL;
  dap_error err = {0};
  const dap_status s = dap_plan_create(comm, &a, &b, c->from.itemsize, o, &plan, &err);
  if (!is_joinable(o, &t))
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_UNSUPPORTED, "share no memory|transports");
  else if (EXPECT_OK(s, &err)) {
    check_stats(c, plan, o, &t);
    for (int i = 0; i < MEMORIES; i++) run_in(c, plan, o, &memories[i], &t, i);
  }
  dap_plan_destroy(&plan);
}

static void moves_at(const placement *p, int count, uint64_t stream)
{
  test_random random = test_random_init(stream);
  int hosts[BRUTE_PROCS] = {0};
  MPI_Comm comm = comm_at(p, hosts);
  for (int i = 0; i < count; i++) {
    pair *c = &drawn;
    draw_pair(&random, comm, c);
    dap_plan_options options = draw_options(&random);
    if (i < WAYS) options.transports = ways[i];
    label(p->why, i, c, &options);
    SETTLE();
    label(p->why, i, c, &options);
    move(comm, c, &options, hosts);
    free_pair(c);
    SETTLE();
  }
  MPI_Comm_free(&comm);
}

static void all_ways_on_one_host(void **state)
{
  (void)state;
  moves_at(&placements[0], CASES, 60);
}

static void all_ways_on_several_hosts(void **state)
{
  (void)state;
  for (int i = 1; i < PLACEMENTS; i++) moves_at(&placements[i], CASES / 3, 60 + (uint64_t)i);
}

/* ---- memory that only some share ---------------------------------------------------------------------- */

/* Sources are shared by every second process, destinations by the first half and the second: some pairs
 * have one of them in common, others both or none. Then some give up their part, and the others still use
 * theirs. */
static void memory_of_some(void **state)
{
  (void)state;
  test_random random = test_random_init(75);
  MPI_Comm turn = MPI_COMM_NULL, half = MPI_COMM_NULL;
  int hosts[BRUTE_PROCS];
  hosts_at(&placements[0], hosts);
  MPI_Comm_split(MPI_COMM_WORLD, test_rank() % 2, 0, &turn);
  MPI_Comm_split(MPI_COMM_WORLD, 2 * test_rank() / test_nprocs(), 0, &half);
  for (int i = 0; i < CASES / 2; i++) {
    pair *c = &drawn;
    draw_pair(&random, MPI_COMM_WORLD, c);
    alloc_side_free(&c->alloc_from);
    alloc_side_free(&c->alloc_to);
    c->alloc_from = alloc_side_make(turn, &c->from);
    c->alloc_to = alloc_side_make(half, &c->to);
    dap_plan_options options = draw_options(&random);
    if (options.transports == DAP_TRANSPORT_DIRECT) options.transports |= DAP_TRANSPORT_STAGED;
    label("memory of some", i, c, &options);
    move(MPI_COMM_WORLD, c, &options, hosts);
    free_pair(c);
    SETTLE();
  }
  MPI_Comm_free(&turn);
  MPI_Comm_free(&half);
}

/* One process after the other gives up its part and goes on in private memory; those that still have theirs
 * are no longer reached there by it. */
static void memory_given_up(void **state)
{
  (void)state;
  test_random random = test_random_init(76);
  for (int i = 0; i < CASES / 3; i++) {
    pair *c = &drawn;
    draw_pair(&random, MPI_COMM_WORLD, c);
    const dap_plan_options options = {.transports = test_joining(ways[3 + i % (WAYS - 3)]),
                                      .fill_halos = i % 2};
    const dap_side a = as_given(c, &c->from), b = as_given(c, &c->to);
    dap_plan *plan = NULL;
    dap_error err = {0};
    label("memory given up", i, c, &options);
    EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &a, &b, c->from.itemsize, &options, &plan, &err), &err);
    for (int gone = 0; gone <= test_nprocs() && plan; gone++) {
      const test_side *from = test_rank() < gone ? &c->from : &c->alloc_from.side;
      const test_side *to = test_rank() < gone && i % 3 ? &c->to : &c->alloc_to.side;
      side_fill(from, gone, COPIES_WRONG);
      side_poison(to);
      if (EXPECT_OK(dap_plan_run(plan, side_data(from), side_data(to), &err), &err))
        side_check(to, gone, COPIES_RIGHT, options.fill_halos ? PADDING_FILLED : PADDING_POISON);
      if (gone == test_rank()) dap_array_release(&c->alloc_from.array);
      if (gone == test_rank() && i % 3) dap_array_release(&c->alloc_to.array);
    }
    dap_plan_destroy(&plan);
    free_pair(c);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(all_ways_on_one_host),
    cmocka_unit_test(all_ways_on_several_hosts),
    cmocka_unit_test(memory_of_some),
    cmocka_unit_test(memory_given_up),
};

MPI_TEST_MAIN(tests)
