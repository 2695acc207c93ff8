/* Counts the collective calls that making a plan between two groups needs, beyond those of a plan within
 * one communicator. Programs that cannot understand each other must find this out before anything else.
 * Private: hosts are pretended, and so is another wire format. */
#include "mpi_test.h"
#include "two_groups.h"

#include "comm_impl.h"
#include <dapbridge/parse.h>
#include <dapbridge/version.h>
#include <inttypes.h>
#include <stdlib.h>

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

int MPI_Iallreduce(const void *mine, void *all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request *request)
{
  calls++;
  return PMPI_Iallreduce(mine, all, count, type, op, comm, request);
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

/* Rows of a matrix on all processes of a group. The layout has a few axes, which a broadcast takes, or as
 * many as possible. */
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

/* Each process is on its own host, so that nothing goes through memory without being counted. The first plan
 * on a communicator makes objects that it keeps. */
static void compare(const two_groups *g, MPI_Comm comm, int ndim, const dap_plan_options *o, int more)
{
  test_random random = test_random_init(940);
  int between = 0, within = 0;
  dap_error err = {0};
  test_side from = make_side(g, 0, ndim, EVEN, &random);
  test_side to = make_side(g, 1, ndim, o->combine ? COPIES : CYCLIC, &random); /* these get the sums later */
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

/* There is a reduction on who brings what, a broadcast of each side, and a reduction on whether these have
 * arrived. A long side needs another broadcast. */
static void few_calls(void **state)
{
  (void)state;
  static const struct {
    const char *why;
    int ndim, more;
    dap_plan_options options;
  } rows[] = {{"one axis", 1, 4, {0}},
              {"two axes", 2, 4, {0}},
              {"long descriptions", DAP_MAX_NDIM, 8, {0}},
              {"two passes", 1, 4, {.combine = DAP_COMBINE_SUM}}};
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

/* ---- releases ----------------------------------------------------------------------------------------- */

/* Whatever numbers the processes of the two groups have, all must learn the lowest and the highest number. */
static void formats_are_compared(void **state)
{
  (void)state;
  const int n = test_nprocs();
  dap_error err = {0};
  for (int odd = 0; odd < n; odd++) {
    const int format = test_rank() == odd ? 9 : 7;
    TEST_CASE("rank %d has another release", odd);
    expect_same_error(MPI_COMM_WORLD, dap_groups_compare(MPI_COMM_WORLD, format, &err), &err,
                      n > 1 ? DAP_ERR_UNSUPPORTED : DAP_OK, "cannot be coupled|(format 7)|(format 9)");
    EXPECT_OK(dap_groups_compare(MPI_COMM_WORLD, 7, &err), &err);
    SETTLE();
  }
}

/* Does by hand what a program of another release does first. What it sends is fixed. */
static void be_of_another_release(const two_groups *g, int64_t format)
{
  MPI_Comm both;
  int64_t ends[] = {format << 40, -(format << 40)};
  MPI_Intercomm_merge(g->inter, 0, &both);
  PMPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_INT64_T, MPI_MIN, both);
  EXPECT((ends[0] >> 40) + (-ends[1] >> 40) == format + DAP_WIRE_FORMAT);
  MPI_Comm_free(&both);
}

static void other_releases_are_refused(void **state)
{
  (void)state;
  test_random random = test_random_init(941);
  for (int i = 0; i < 4 && test_nprocs() > 1; i++) {
    const int64_t format = i % 2 ? 0 : DAP_WIRE_FORMAT + 1;
    two_groups g = two_groups_make(test_nprocs() / 2, LOW_FIRST);
    test_side from = make_side(&g, 0, 1, EVEN, &random), to = make_side(&g, 1, 1, CYCLIC, &random);
    dap_plan *plan = NULL;
    dap_error err = {0};
    char parts[200];
    TEST_CASE("group %d has format %d", i / 2, (int)format);
    (void)snprintf(parts, sizeof parts, "cannot be coupled|(format %d)|(format %d)|%s", (int)format,
                   DAP_WIRE_FORMAT, dap_version());
    if (g.own == i / 2)
      be_of_another_release(&g, format);
    else
      expect_same_error(g.group, create_between(&g, &from, &to, NULL, &plan, &err), &err, DAP_ERR_UNSUPPORTED,
                        parts);
    EXPECT(!plan);
    SETTLE();
    EXPECT_OK(create_between(&g, &from, &to, NULL, &plan, &err), &err); /* now both are of one release */
    move(plan, &from, &to, i);
    dap_plan_destroy(&plan);
    side_free(&from);
    side_free(&to);
    two_groups_free(&g);
    SETTLE();
  }
}

/* If the form of packed layouts changes, their last word changes. Then DAP_WIRE_FORMAT needs a new number,
 * and both must be written here. */
static void a_format_has_one_form_of_layouts(void **state)
{
  (void)state;
  dap_layout *layout = NULL;
  int64_t *words = NULL, count = 0;
  dap_error err = {0};
  const int one = 1;
  EXPECT_OK(dap_layout_parse("8x9x4x6x2 on 2x2x2x1x1: b(ceil, halo 1, boundary 1 2), c(2, first 1), "
                             "u[0,3,~1][1,2], r, p; ranks 7 6 5 4 3 2 1 0",
                             &layout, &err),
            &err);
  EXPECT_OK(dap_layout_pack(layout, &words, &count, &err), &err);
  const bool is_little_endian = *(const char *)&one == 1;
  EXPECT_INT(DAP_WIRE_FORMAT, 10);
  EXPECT_MSG(!is_little_endian || words[count - 1] == INT64_C(0x75e539de86f5b2ab), "0x%" PRIx64,
             words[count - 1]);
  free(words);
  dap_layout_destroy(&layout);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(few_calls),
    cmocka_unit_test(formats_are_compared),
    cmocka_unit_test(other_releases_are_refused),
    cmocka_unit_test(a_format_has_one_form_of_layouts),
};
MPI_TEST_MAIN(tests)
