/* Plans over intercommunicators: the processes in two groups of all sizes, in any order; layouts of all
 * kinds, made or assembled, each known in its own group alone; both directions; all transports, on one host
 * and on several that are pretended. The seed is printed, and DAP_TEST_SEED repeats a run. */
#include "mpi_test.h"
#include "placements.h"
#include "two_groups.h"

#include "comm_impl.h"

enum { CASES = 10, FEW = 3 };

static pair drawn;

/* Nothing of a side is known in the other group. */
static dap_status create(const two_groups *g, int sender, const pair *c, const dap_plan_options *o,
                         dap_plan **plan, dap_error *err)
{
  test_random own = test_random_init(900 + (uint64_t)test_rank());
  dap_side from, to;
  int ranks[2][BRUTE_PROCS];
  const dap_side *a = side_in_group(g, sender, &c->from, c->tells, &own, &from, ranks[0]);
  const dap_side *b = side_in_group(g, 1 - sender, &c->to, c->tells, &own, &to, ranks[1]);
  return dap_plan_create(g->inter, a, b, c->from.itemsize, o, plan, err);
}

static bool is_joinable(const dap_plan_options *o, const traffic *t)
{
  return !t->is_foreign || !o->transports || (o->transports & DAP_TRANSPORT_MESSAGES);
}

static void move(const two_groups *g, int sender, const pair *c, const dap_plan_options *o, const int hosts[])
{
  const traffic t = traffic_count(&c->from, &c->to, o->fill_halos, hosts);
  dap_plan *plan = NULL;
  dap_error err = {0};
  const dap_status s = create(g, sender, c, o, &plan, &err);
  if (!is_joinable(o, &t))
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_UNSUPPORTED, "share no memory|transports|ing group: ");
  else if (EXPECT_OK(s, &err)) {
    EXPECT_INT(t.kept, 0);
    check_stats(c, plan, o, &t);
    for (int i = 0; i < MEMORIES; i++) run_in(c, plan, o, &memories[i], &t, i);
  }
  dap_plan_destroy(&plan);
}

static void move_all(const two_groups *g, test_random *random, const int hosts[], const char *why)
{
  const int cases = test_scale() > 1 ? FEW : CASES;
  for (int i = 0; i < cases; i++) {
    const int sender = (int)test_random_int(random, 0, 1);
    draw_groups(random, g, sender, &drawn);
    const dap_plan_options options = draw_options(random);
    label(why, i, &drawn, &options);
    move(g, sender, &drawn, &options, hosts);
    free_pair(&drawn);
    SETTLE();
  }
}

static void random_plans_on_one_host(void **state)
{
  (void)state;
  int hosts[BRUTE_PROCS];
  test_random random = test_random_init(930);
  hosts_at(&placements[0], hosts);
  for (int first = 1; first < test_nprocs(); first++)
    for (int order = 0; order < GROUP_ORDERS; order++) {
      two_groups g = two_groups_make(first, (group_order)order);
      move_all(&g, &random, hosts, "one host");
      two_groups_free(&g);
    }
}

static void random_plans_on_several_hosts(void **state)
{
  (void)state;
  test_random random = test_random_init(931);
  for (int p = 1; p < PLACEMENTS; p++)
    for (int first = 1; first < test_nprocs(); first += 2) {
      int hosts[BRUTE_PROCS];
      two_groups g = two_groups_make(first, (group_order)(p % GROUP_ORDERS));
      hosts_at(&placements[p], hosts);
      EXPECT(dap_node_pretend(g.inter, placements[p].host(test_rank())));
      move_all(&g, &random, hosts, placements[p].why);
      two_groups_free(&g);
    }
}

/* Plans in both directions under way together; they live longer than the intercommunicator. */
static void there_and_back(void **state)
{
  (void)state;
  static pair back;
  test_random random = test_random_init(932);
  for (int first = 1; first < test_nprocs(); first++) {
    two_groups g = two_groups_make(first, (group_order)(first % GROUP_ORDERS));
    dap_plan *plans[2] = {NULL, NULL};
    dap_error err = {0};
    draw_groups(&random, &g, 0, &drawn);
    draw_groups(&random, &g, 1, &back);
    const pair *const pairs[] = {&drawn, &back};
    for (int k = 0; k < 2; k++) EXPECT_OK(create(&g, k, pairs[k], NULL, &plans[k], &err), &err);
    for (int shift = 0; shift < 4 && plans[0] && plans[1]; shift++) {
      if (shift == 2) MPI_Comm_free(&g.inter);
      for (int k = 0; k < 2; k++) {
        const pair *c = pairs[k];
        side_fill(&c->from, shift, COPIES_WRONG);
        side_poison(&c->to);
        EXPECT_OK(dap_plan_begin(plans[k], side_data(&c->from), side_data(&c->to), &err), &err);
      }
      for (int k = 0; k < 2; k++) {
        EXPECT_OK(dap_plan_end(plans[k], &err), &err);
        side_check(&pairs[k]->to, shift, COPIES_RIGHT, PADDING_POISON);
      }
    }
    for (int k = 0; k < 2; k++) dap_plan_destroy(&plans[k]);
    free_pair(&drawn);
    free_pair(&back);
    two_groups_free(&g);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(random_plans_on_one_host),
    cmocka_unit_test(random_plans_on_several_hosts),
    cmocka_unit_test(there_and_back),
};
MPI_TEST_MAIN(tests)
