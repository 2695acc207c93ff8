/* An allocation that one process alone is refused, while a plan or a shared array is made: each in turn.
 * All learn of it, in the same words, and the next plan is none the worse. */
#include "allocations.h"
#include "mpi_test.h"
#include "problem_impl.h"
#include "refused.h"
#include "two_groups.h"

#include <dapbridge/context.h>
#include <dapbridge/shared.h>
#include <inttypes.h>

static random_array arrays[2];

/* What is made while one process is refused memory. */
typedef struct trial {
  test_side from, to;
  dap_plan_options options;
  bool tells, is_halo;
  const two_groups *groups; /* the first sends; NULL: there are none */
} trial;

static dap_side side_given(const trial *t, const test_side *s)
{
  dap_side side = side_of(s);
  if (t->tells && s->process < 0) side = (dap_side){0};
  return side;
}

static dap_status make_plan(MPI_Comm comm, const trial *t, dap_plan **plan, dap_error *err)
{
  const dap_side a = side_given(t, &t->from), b = side_given(t, &t->to);
  const int64_t item = t->from.itemsize;
  if (t->options.padding) {
    dap_side typed = b;
    typed.dtype = DAP_F8;
    return dap_plan_create_halo_reverse(comm, &typed, item, &t->options, plan, err);
  }
  if (t->is_halo) return dap_plan_create_halo(comm, &b, item, &t->options, plan, err);
  if (t->groups) {
    const bool sends = t->groups->own == 0;
    dap_side own = sends ? a : b;
    own.ranks = NULL;
    own.dtype = t->options.combine ? DAP_F8 : DAP_NONE;
    return dap_plan_create(comm, sends ? &own : NULL, sends ? NULL : &own, item, &t->options, plan, err);
  }
  return dap_plan_create(comm, &a, &b, item, &t->options, plan, err);
}

/* A plan that was made in spite of all moves all elements. */
static void run_plan(const trial *t, dap_plan *plan)
{
  dap_error err = {0};
  const bool halos = t->is_halo || t->options.fill_halos;
  const test_side *source = t->is_halo ? &t->to : &t->from;
  side_poison(&t->to);
  if (t->options.padding) { /* bytes that are no numbers, which others' become too */
    EXPECT_OK(dap_plan_run(plan, side_data(&t->to), side_data(&t->to), &err), &err);
    return;
  }
  side_fill(source, 3, COPIES_WRONG);
  if (EXPECT_OK(dap_plan_run(plan, side_data(source), side_data(&t->to), &err), &err))
    side_check(&t->to, 3, COPIES_RIGHT, halos ? PADDING_FILLED : PADDING_POISON);
}

/* On a communicator that has not been seen, so that what it keeps is made as well. Allocation number
 * `number` of this process is refused, or of none if 0. Returns whether there was one on any. */
static bool refuse_one(const void *given, int64_t number)
{
  const trial *t = given;
  dap_plan *plan = NULL;
  dap_error err = {0};
  MPI_Comm comm;
  MPI_Comm_dup(t->groups ? t->groups->inter : MPI_COMM_WORLD, &comm);
  allocations_start(number);
  const dap_status s = make_plan(comm, t, &plan, &err);
  const refusal r = refusal_of(number, s);
  if (r.failed) {
    /* what can only go through shared memory cannot go where there is none */
    const bool staged = t->options.transports == DAP_TRANSPORT_STAGED && s == DAP_ERR_UNSUPPORTED;
    expect_same_error(MPI_COMM_WORLD, s, &err, staged ? DAP_ERR_UNSUPPORTED : DAP_ERR_NOMEM, "memory");
    EXPECT(plan == NULL);
  } else {
    run_plan(t, plan);
  }
  dap_plan_destroy(&plan);
  MPI_Comm_free(&comm);
  return r.was_met;
}

static void allocations_of_one_process(void **state)
{
  (void)state;
  static const struct {
    const char *why;
    side_origin origin;
    bool tells, is_halo, is_listed;
    unsigned transports;
    dap_padding padding; /* of a reverse halo update */
    bool is_whole;       /* the source: replicated on all processes but one */
  } rows[] = {
      {"shared memory", CREATED, false, false, false, DAP_TRANSPORT_STAGED, 0, false},
      {"messages", CREATED, false, false, false, DAP_TRANSPORT_MESSAGES, 0, false},
      {"messages in two phases", CREATED, false, false, false, DAP_TRANSPORT_MESSAGES | DAP_FORCED_TWO_PHASES,
       0, false},
      {"lists that nobody has all of", ASSEMBLED, false, false, true, 0, 0, false},
      {"layouts that are told", CREATED, true, false, false, 0, 0, false},
      {"lists that are told", MIXED, true, false, true, 0, 0, false},
      {"halos", CREATED, true, true, false, 0, 0, false},
      {"halos, added to their owners and cleared", CREATED, true, true, false, 0, DAP_PADDING_CLEAR, false},
      {"lists, added to their owners", ASSEMBLED, false, true, true, 0, DAP_PADDING_REFRESH, false},
      {"copies, to lists", ASSEMBLED, false, false, true, 0, 0, true},
  };
  const int64_t files = open_files(), maps = mapped_files();
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    test_random random = test_random_init(120);
    static random_memory behind[4];
    const int n = test_nprocs(), fewer = rows[i].tells && n > 1 ? n - 1 : n;
    const dap_dist lists[] = {random_lists(&random, fewer, 17, &behind[0]),
                              random_lists(&random, fewer, 17, &behind[1])};
    const dap_dist from[] = {rows[i].is_whole    ? dap_dist_replicated(17, n > 1 ? n - 1 : 1)
                             : rows[i].is_listed ? lists[0]
                                                 : dap_dist_even(17, fewer),
                             dap_dist_even(5, 1)};
    const dap_dist to[] = {rows[i].is_listed ? lists[1]
                           : rows[i].is_halo ? dap_dist_padded(17, fewer, 2)
                                             : dap_dist_cyclic(17, fewer, 2),
                           dap_dist_even(5, 1)};
    TEST_CASE("%s", rows[i].why);
    (void)array_deal(2, from, NULL, &arrays[0]);
    (void)array_deal(2, to, NULL, &arrays[1]);
    trial t = {.options = {.transports = test_joining(rows[i].transports),
                           .padding = rows[i].padding,
                           .allow_empty = true},
               .tells = rows[i].tells,
               .is_halo = rows[i].is_halo};
    t.from = side_make(&arrays[0], rows[i].origin, NULL, 8, FORM_C, &random);
    t.to = side_make(&arrays[1], rows[i].origin, NULL, 8, FORM_F, &random);
    refuse_each(rows[i].why, refuse_one, &t);
    side_free(&t.from);
    side_free(&t.to);
    SETTLE();
  }
  EXPECT(test_same_files(files, open_files()));
  EXPECT_INT(mapped_files(), maps);
  SETTLE();
}

/* Each group knows its side alone; of many axes that takes messages in two parts. */
static void allocations_between_groups(void **state)
{
  (void)state;
  const int64_t files = open_files(), maps = mapped_files();
  for (int i = 0; i < 4 && test_nprocs() > 1; i++) {
    test_random random = test_random_init(121);
    two_groups g = two_groups_make(test_nprocs() / 2, i % 2 ? INTERLEAVED : LOW_FIRST);
    const int ndim = i < 2 ? 2 : DAP_MAX_NDIM;
    for (int group = 0; group < 2; group++) {
      dap_dist dists[DAP_MAX_NDIM];
      dists[0] = group ? dap_dist_cyclic(17, g.size[1], 2) : dap_dist_even(17, g.size[0]);
      for (int k = 1; k < ndim; k++) dists[k] = dap_dist_even(2, 1);
      (void)array_deal(ndim, dists, NULL, &arrays[group]);
    }
    trial t = {.groups = &g, .options = {.combine = i % 2 ? DAP_COMBINE_SUM : DAP_COMBINE_NONE}};
    t.from = side_make(&arrays[0], CREATED, g.members[0], 8, FORM_C, &random);
    t.to = side_make(&arrays[1], CREATED, g.members[1], 8, FORM_F, &random);
    refuse_each(ndim > 2 ? "two groups, many axes" : "two groups", refuse_one, &t);
    side_free(&t.from);
    side_free(&t.to);
    two_groups_free(&g);
    SETTLE();
  }
  EXPECT(test_same_files(files, open_files()));
  EXPECT_INT(mapped_files(), maps);
  SETTLE();
}

/* dap_array_alloc(): refused everywhere, or private memory on all of the node. */
static void shared_arrays_of_one_process(void **state)
{
  (void)state;
  const dap_dist dists[] = {dap_dist_even(40, test_nprocs()), dap_dist_even(50, 1)};
  dap_layout *layout = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(2, dists, &layout, &err), &err);
  dap_context *context = NULL; /* else other nodes have theirs meanwhile, which stay with MPI_COMM_WORLD */
  if (test_nodes() > 1) EXPECT_OK(dap_context_get(MPI_COMM_WORLD, NULL, &context, &err), &err);
  dap_context_release(&context);
  const int64_t files = open_files(), maps = mapped_files();
  const bool is_last = test_rank() == test_nprocs() - 1;
  int was_refused = 1;
  for (int64_t number = 1; was_refused; number++) {
    dap_array array;
    bool shared = false;
    TEST_CASE("allocation %" PRId64 " of the last rank is refused", number);
    allocations_start(is_last ? number : 0);
    const dap_status s = dap_array_alloc(MPI_COMM_WORLD, layout, DAP_F8, DAP_ORDER_C, &array, &shared, &err);
    was_refused = is_last && allocations_count() >= number;
    allocations_start(0);
    const bool is_here = test_is_mate(test_nprocs() - 1); /* other nodes have their memory, or all fail */
    if (!s && !is_here) EXPECT_INT(shared, test_mates() > 1);
    int seen[] = {was_refused, s != DAP_OK, !s && is_here && shared, !s && is_here && !shared};
    MPI_Allreduce(MPI_IN_PLACE, seen, 4, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
    was_refused = seen[0];
    EXPECT_MSG(!(seen[2] && seen[3]), "shared on some processes of the node only");
    if (seen[1]) expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_NOMEM, "memory");
    if (!s) memset(array.data, 1, 8); /* is there */
    dap_array_release(&array);
    SETTLE();
  }
  EXPECT(test_same_files(files, open_files()));
  EXPECT_INT(mapped_files(), maps);
  dap_layout_destroy(&layout);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(allocations_of_one_process),
    cmocka_unit_test(allocations_between_groups),
    cmocka_unit_test(shared_arrays_of_one_process),
};

MPI_TEST_MAIN(tests)
