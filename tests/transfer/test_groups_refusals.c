/* Tests what a plan over an intercommunicator refuses. All processes of both groups must get the same text.
 * Functions that do not accept intercommunicators must refuse them.
 *
 * Private: hosts are pretended. */
#include "comm_impl.h"
#include "mpi_test.h"
#include "plans.h"
#include "two_groups.h"

#include <dapbridge/context.h>
#include <dapbridge/shared.h>

enum { SIZE = 12 };

/* The one mistake of a group. */
typedef enum mistake {
  NONE,
  BOTH_SEND,         /* both groups give `from` */
  BOTH_RECEIVE,      /* both groups give `to` */
  NOBODY_RECEIVES,   /* no process has a layout of `to` */
  NOBODY_SENDS,      /* no process has a layout of `from` */
  ONE_BRINGS_BOTH,   /* one group gives both */
  A_PROCESS_DIFFERS, /* one process of the sending group gives `to` */
  TOO_MANY,          /* a layout has more processes than the group */
  RANK_OUTSIDE,      /* a rank is in the other group, or in none */
  RANK_TWICE,
  OTHER_SHAPE,
  OTHER_LAYOUT, /* in the receiving group */
  OTHER_ITEMSIZE,
  OTHER_OPTIONS,
  NO_STRIDES,
  NO_PLAN,
  MISTAKES,
  NO_MESSAGES = MISTAKES /* groups do not share memory, and messages are not allowed */
} mistake;

typedef struct row {
  const char *why, *parts;
  int least[2]; /* fewest processes of the sending and of the receiving group */
} row;

/* clang-format off */
static const row rows[MISTAKES] = {
  [NONE] = {"as it should be", "", {1, 1}},
  [BOTH_SEND] = {"both groups send", "from|both groups", {1, 1}},
  [BOTH_RECEIVE] = {"both groups receive", "to|both groups", {1, 1}},
  [NOBODY_RECEIVES] = {"nobody receives", "to|NULL on every process", {1, 1}},
  [NOBODY_SENDS] = {"nobody sends", "from|NULL on every process", {1, 1}},
  [ONE_BRINGS_BOTH] = {"one group has both", "one group brings|the other none", {1, 1}},
  [A_PROCESS_DIFFERS] = {"one process does as the other group", "to|both groups", {2, 1}},
  [TOO_MANY] = {"a layout for more than the group", "of a group of|from|layout has", {1, 1}},
  [RANK_OUTSIDE] = {"ranks are those of the group", "of a group of|to|ranks[0] = |outside the group", {1, 1}},
  [RANK_TWICE] = {"no rank twice", "of a group of|to|ranks[1] = 0|twice", {1, 2}},
  [OTHER_SHAPE] = {"other extents", "ing group: |axis 0|12|13", {1, 1}},
  [OTHER_LAYOUT] = {"layouts differ in a group", "ing group: |layout of to|not the same", {1, 2}},
  [OTHER_ITEMSIZE] = {"items differ between groups", "ing group: itemsize: not the same everywhere", {1, 1}},
  [OTHER_OPTIONS] = {"options differ between groups", "ing group: |message_bytes", {1, 1}},
  [NO_STRIDES] = {"no form of a buffer", "of the receiving group: |to: no strides", {1, 1}},
  [NO_PLAN] = {"nowhere to put the plan", "plan must not be NULL", {1, 1}}
};
/* clang-format on */

static const int nowhere[6] = {7, 1, 2, 3, 4, 5}, twice[6] = {0, 0, 2, 3, 4, 5};

static dap_layout *line_of(int64_t size, int nprocs, bool cyclic)
{
  const dap_dist dist = cyclic ? dap_dist_cyclic(size, nprocs, 1) : dap_dist_even(size, nprocs);
  return layout_make(1, &dist, NULL);
}

/* Group `sender` sends. The last process of a group makes the mistakes that one process can make. */
static dap_status ask(const two_groups *g, int sender, mistake m, dap_plan **plan, dap_error *err)
{
  const bool sends = g->own == sender;
  const int size = g->size[g->own];
  int rank = 0;
  MPI_Comm_rank(g->group, &rank);
  const bool is_last = rank == size - 1;
  const bool longer = m == OTHER_SHAPE && !sends;
  const bool wider = m == TOO_MANY && sends;
  dap_layout *layout = line_of(SIZE + longer, size + wider, m == OTHER_LAYOUT && !sends && is_last);
  dap_side side = {.layout = layout, .contiguous = !(m == NO_STRIDES && !sends)};
  if (m == RANK_OUTSIDE && !sends) side.ranks = nowhere;
  if (m == RANK_TWICE && !sends) side.ranks = twice;
  bool gives_from = sends, gives_to = !sends;
  if (m == BOTH_SEND) gives_from = true, gives_to = false;
  if (m == BOTH_RECEIVE) gives_from = false, gives_to = true;
  if (m == NOBODY_RECEIVES) gives_to = false;
  if (m == NOBODY_SENDS) gives_from = false;
  if (m == ONE_BRINGS_BOTH) gives_from = gives_to = sends;
  if (m == A_PROCESS_DIFFERS && sends && is_last) gives_from = false, gives_to = true;
  const dap_plan_options options = {.message_bytes = m == OTHER_OPTIONS && sends ? 64 : 0,
                                    .transports = m == NO_MESSAGES ? DAP_TRANSPORT_STAGED : 0};
  const dap_status s = dap_plan_create(g->inter, gives_from ? &side : NULL, gives_to ? &side : NULL,
                                       m == OTHER_ITEMSIZE && !sends ? 4 : 8, &options,
                                       m == NO_PLAN && is_last ? NULL : plan, err);
  dap_layout_destroy(&layout);
  return s;
}

/* Returns the process of the sending group that has this element. */
static int first_sender(int senders, int64_t element)
{
  dap_layout *layout = line_of(SIZE, senders, false);
  int rank = 0;
  for (int64_t end = dap_layout_extent(layout, 0, 0); end <= element;)
    end += dap_layout_extent(layout, 0, ++rank);
  dap_layout_destroy(&layout);
  return rank;
}

/* After a right run, no process of the sending group has its source. Each names itself, and a receiver names
 * its first sender. */
static void moves(const two_groups *g, int sender, dap_plan *plan)
{
  dap_error err = {0};
  double from[SIZE], to[SIZE];
  dap_layout *layout = line_of(SIZE, g->size[g->own], false);
  int rank = 0;
  MPI_Comm_rank(g->group, &rank);
  const int64_t held = dap_layout_extent(layout, 0, rank);
  dap_layout_destroy(&layout);
  int64_t first = 0;
  MPI_Exscan(&held, &first, 1, MPI_INT64_T, MPI_SUM, g->group);
  for (int64_t i = 0; i < held; i++) from[i] = (double)(100 + first + i), to[i] = -1;
  const bool sends = g->own == sender;
  EXPECT_OK(dap_plan_run(plan, sends ? from : NULL, sends ? NULL : to, &err), &err);
  for (int64_t i = 0; i < held && !sends; i++) EXPECT(to[i] == (double)(100 + first + i));
  const int named = sends ? rank : first_sender(g->size[sender], first);
  char parts[100];
  (void)snprintf(parts, sizeof parts, "rank %d of the sending group: |source buffer is NULL", named);
  EXPECT_FAIL(dap_plan_run(plan, NULL, sends ? NULL : to, &err), DAP_ERR_ARG, &err, parts);
  EXPECT_INT(err.rank, named);
}

static void mistakes_are_refused(void **state)
{
  (void)state;
  for (int first = 1; first < test_nprocs(); first++) {
    two_groups g = two_groups_make(first, (group_order)(first % GROUP_ORDERS));
    for (int i = 0; i < 2 * MISTAKES; i++) {
      const int sender = i / MISTAKES, m = i % MISTAKES;
      dap_plan *plan = NULL;
      dap_error err = {0};
      if (g.size[sender] < rows[m].least[0] || g.size[1 - sender] < rows[m].least[1]) continue;
      TEST_CASE("%s, group 0 of %d, group %d sends", rows[m].why, first, sender);
      const dap_status s = ask(&g, sender, (mistake)m, &plan, &err);
      if (m == NONE && EXPECT_OK(s, &err)) moves(&g, sender, plan);
      if (m != NONE) {
        expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, rows[m].parts);
        EXPECT(!plan);
        EXPECT_OK(ask(&g, sender, NONE, &plan, &err), &err);
      }
      dap_plan_destroy(&plan);
      SETTLE();
    }
    two_groups_free(&g);
  }
}

/* Each group is on its own host. */
static void groups_share_no_memory(void **state)
{
  (void)state;
  for (int i = 0; i < 2 * (test_nprocs() - 1); i++) {
    two_groups g = two_groups_make(1 + i / 2, (group_order)(i / 2 % GROUP_ORDERS));
    dap_plan *plan = NULL;
    dap_error err = {0};
    TEST_CASE("group 0 of %d, group %d sends", 1 + i / 2, i % 2);
    EXPECT(dap_node_pretend(g.inter, g.own));
    expect_same_error(MPI_COMM_WORLD, ask(&g, i % 2, NO_MESSAGES, &plan, &err), &err, DAP_ERR_UNSUPPORTED,
                      "this process and rank |ing group share no memory|transports 0x2");
    EXPECT(!plan);
    two_groups_free(&g);
    SETTLE();
  }
}

/* Functions for one group need the communicator of that group. */
static void others_take_none(void **state)
{
  (void)state;
  if (test_nprocs() < 2) return;
  two_groups g = two_groups_make(1, LOW_FIRST);
  dap_layout *layout = line_of(SIZE, g.size[g.own], false);
  const dap_side side = {.layout = layout, .contiguous = true, .dtype = DAP_F8};
  const char *const word = "intercommunicator";
  dap_plan *plan = NULL;
  dap_context *context = NULL;
  dap_array array = {0};
  dap_error err = {0};
  int64_t index = 0, local = 0;
  int rank = 0;
  for (int again = 0; again < 2; again++) { /* also after a plan has been made on it */
    EXPECT_FAIL(dap_plan_create_halo(g.inter, &side, 8, NULL, &plan, &err), DAP_ERR_ARG, &err, word);
    EXPECT_FAIL(dap_plan_create_halo_reverse(g.inter, &side, 8, NULL, &plan, &err), DAP_ERR_ARG, &err, word);
    EXPECT_FAIL(dap_plan_create_gather(g.inter, &side, 0, 8, NULL, &plan, &err), DAP_ERR_ARG, &err, word);
    EXPECT_FAIL(dap_plan_create_scatter(g.inter, 0, &side, 8, NULL, &plan, &err), DAP_ERR_ARG, &err, word);
    EXPECT_FAIL(dap_context_get(g.inter, "a test", &context, &err), DAP_ERR_ARG, &err, word);
    EXPECT_FAIL(dap_layout_lookup(g.inter, layout, 1, &index, &rank, &local, &err), DAP_ERR_ARG, &err, word);
    EXPECT_FAIL(dap_array_alloc(g.inter, layout, DAP_F8, DAP_ORDER_C, &array, NULL, &err), DAP_ERR_ARG, &err,
                word);
    EXPECT_FAIL(dap_replicas_check(g.inter, (dap_darray){layout, &array}, &err), DAP_ERR_ARG, &err, word);
    EXPECT_FAIL(dap_agree(g.inter, DAP_OK, &err), DAP_ERR_ARG, &err, word);
    EXPECT(!plan && !context);
    EXPECT_OK(ask(&g, again, NONE, &plan, &err), &err);
    dap_plan_destroy(&plan);
  }
  dap_layout_destroy(&layout);
  two_groups_free(&g);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(mistakes_are_refused),
    cmocka_unit_test(groups_share_no_memory),
    cmocka_unit_test(others_take_none),
};
MPI_TEST_MAIN(tests)
