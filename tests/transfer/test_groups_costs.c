/* What a plan between two groups takes: how many collective calls of MPI its making needs beyond those of one
 * within a communicator of both. */
#include "mpi_test.h"
#include "two_groups.h"

#include "comm_impl.h"

/* ---- counted ------------------------------------------------------------------------------------------ */

static int calls;

int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
  calls++;
  return PMPI_Bcast(buffer, count, type, root, comm);
}

int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
  calls++;
  return PMPI_Allreduce(from, to, count, type, op, comm);
}

int MPI_Allgather(const void *from, int count, MPI_Datatype type, void *to, int to_count,
                  MPI_Datatype to_type, MPI_Comm comm)
{
  calls++;
  return PMPI_Allgather(from, count, type, to, to_count, to_type, comm);
}

/* ---- plans -------------------------------------------------------------------------------------------- */

static random_array arrays[2];

typedef enum cut { EVEN, CYCLIC, COPIES } cut;

/* Rows on all processes of a group: of few axes, which a broadcast takes; or of as many as there can be. */
static test_side make_side(const two_groups *g, int group, int ndim, cut kind, test_random *random)
{
  const int procs = g->size[group];
  dap_dist dists[DAP_MAX_NDIM];
  dists[0] = kind == EVEN     ? dap_dist_even(24, procs)
             : kind == CYCLIC ? dap_dist_cyclic(24, procs, 1)
                              : dap_dist_replicated(24, procs);
  for (int k = 1; k < ndim; k++) dists[k] = dap_dist_even(1 + k % 2, 1);
  (void)array_deal(ndim, dists, NULL, &arrays[group]);
  return side_make(&arrays[group], CREATED, g->members[group], 8, FORM_C, random);
}

static void move(dap_plan *plan, const test_side *from, const test_side *to, int shift)
{
  dap_error err = {0};
  side_fill(from, shift, COPIES_RIGHT);
  side_poison(to);
  if (plan && EXPECT_OK(dap_plan_run(plan, side_data(from), side_data(to), &err), &err))
    side_check(to, shift, COPIES_RIGHT, PADDING_POISON);
}

static dap_status create_between(const two_groups *g, const test_side *from, const test_side *to,
                                 const dap_plan_options *o, dap_plan **plan, dap_error *err)
{
  dap_side a = side_of(from), b = side_of(to);
  a.ranks = b.ranks = NULL;
  a.dtype = b.dtype = DAP_F8;
  return dap_plan_create(g->inter, g->own == 0 ? &a : NULL, g->own == 1 ? &b : NULL, 0, o, plan, err);
}

static dap_status create_within(MPI_Comm comm, const test_side *from, const test_side *to,
                                const dap_plan_options *o, dap_plan **plan, dap_error *err)
{
  dap_side a = side_of(from), b = side_of(to);
  a.dtype = b.dtype = DAP_F8;
  return dap_plan_create(comm, &a, &b, 0, o, plan, err);
}

/* Each process on a host of its own, so that nothing goes through memory uncounted. The first plan on a
 * communicator makes what that keeps. */
static void compare(const two_groups *g, MPI_Comm comm, int ndim, const dap_plan_options *o, int more)
{
  test_random random = test_random_init(940);
  int between = 0, within = 0;
  dap_error err = {0};
  test_side from = make_side(g, 0, ndim, EVEN, &random);
  test_side to = make_side(g, 1, ndim, o->combine ? COPIES : CYCLIC, &random); /* which get the sums later */
  for (int i = 0; i < 2; i++) {
    dap_plan *plans[2] = {NULL, NULL};
    calls = 0;
    EXPECT_OK(create_between(g, &from, &to, o, &plans[0], &err), &err);
    between = calls;
    calls = 0;
    EXPECT_OK(create_within(comm, &from, &to, o, &plans[1], &err), &err);
    within = calls;
    for (int k = 0; k < 2; k++) move(plans[k], &from, &to, 2 * i + k);
    for (int k = 0; k < 2; k++) dap_plan_destroy(&plans[k]);
  }
  EXPECT(within > 0);
  EXPECT_INT(between - within, more);
  side_free(&from);
  side_free(&to);
}

/* A reduction for who brings what, and a broadcast of each side; of long ones a reduction and another one. */
static void few_calls(void **state)
{
  (void)state;
  static const struct {
    const char *why;
    int ndim, more;
    dap_plan_options options;
  } rows[] = {{"one axis", 1, 3, {0}},
              {"two axes", 2, 3, {0}},
              {"long descriptions", DAP_MAX_NDIM, 7, {0}},
              {"two passes", 1, 3, {.combine = DAP_COMBINE_SUM}}};
  for (int first = 1; first < test_nprocs(); first++) {
    MPI_Comm comm;
    two_groups g = two_groups_make(first, (group_order)(first % GROUP_ORDERS));
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    EXPECT(dap_node_pretend(comm, test_rank()) && dap_node_pretend(g.inter, test_rank()));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
      TEST_CASE("%s, group 0 of %d", rows[i].why, first);
      compare(&g, comm, rows[i].ndim, &rows[i].options, rows[i].more);
      SETTLE();
    }
    MPI_Comm_free(&comm);
    two_groups_free(&g);
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(few_calls)};
MPI_TEST_MAIN(tests)
