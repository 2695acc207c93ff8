/* MPI or the machine's name places processes on one node, but they do not see each other's memory. Each
 * communicator must find this out once, and then send messages. If memory is only short at the moment, it
 * must be asked for again.
 *
 * Private: hosts are pretended, and the context tells which memory it has. */
#define _POSIX_C_SOURCE 200809L
#include "comm_impl.h"
#include "mpi_test.h"
#include "two_groups.h"

#include <dapbridge/shared.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* ---- the system's memory, as the library sees it ------------------------------------------------------ */

typedef enum sight { SEEN, HIDDEN, FULL } sight;

static sight now;
static int asked; /* how often memory with a name was asked for */

/* The names are those that the linker makes (-Wl,--wrap). NOLINTBEGIN(bugprone-reserved-identifier) */
int __real_shm_open(const char *name, int flags, mode_t mode);
int __wrap_shm_open(const char *name, int flags, mode_t mode);

int __wrap_shm_open(const char *name, int flags, mode_t mode)
{
  const bool creates = flags & O_CREAT;
  asked++;
  if (now == SEEN || (now == HIDDEN && creates)) return __real_shm_open(name, flags, mode);
  errno = now == FULL ? ENOSPC : ENOENT;
  return -1;
}

/* This memory has no name: it is in the folder, or belongs to another process. */
int __real_open(const char *path, int flags, mode_t mode);
int __wrap_open(const char *path, int flags, mode_t mode);

int __wrap_open(const char *path, int flags, mode_t mode)
{
  const bool creates = !strcmp(path, "/dev/shm"), opens = !strncmp(path, "/proc/", 6);
  asked += creates;
  if (!(creates && now == FULL) && !(opens && now == HIDDEN)) return __real_open(path, flags, mode);
  errno = now == FULL ? ENOSPC : ENOENT;
  return -1;
}
/* NOLINTEND(bugprone-reserved-identifier) */

/* ---- plans -------------------------------------------------------------------------------------------- */

enum { SIZE = 60 };

static random_array arrays[2];
static test_side from, to;

/* Elements go from the first group to the second, or from all to all if there is one group. */
static void make_sides(const two_groups *g, test_random *random)
{
  const int senders = g ? g->size[0] : test_nprocs(), receivers = g ? g->size[1] : test_nprocs();
  const dap_dist even = dap_dist_even(SIZE, senders), dealt = dap_dist_cyclic(SIZE, receivers, 1);
  (void)array_deal(1, &even, NULL, &arrays[0]);
  (void)array_deal(1, &dealt, NULL, &arrays[1]);
  from = side_make(&arrays[0], CREATED, g ? g->members[0] : NULL, 8, FORM_C, random);
  to = side_make(&arrays[1], CREATED, g ? g->members[1] : NULL, 8, FORM_C, random);
}

static dap_status make_plan(MPI_Comm comm, const two_groups *g, const dap_plan_options *o, dap_plan **plan,
                            dap_error *err)
{
  dap_side a = side_of(&from), b = side_of(&to);
  if (g) a.ranks = b.ranks = NULL;
  return dap_plan_create(comm, g && g->own == 1 ? NULL : &a, g && g->own == 0 ? NULL : &b, 8, o, plan, err);
}

static void move(MPI_Comm comm, const two_groups *g, int shift)
{
  dap_plan *plan = NULL;
  dap_error err = {0};
  side_fill(&from, shift, COPIES_RIGHT);
  side_poison(&to);
  if (EXPECT_OK(make_plan(comm, g, NULL, &plan, &err), &err) &&
      EXPECT_OK(dap_plan_run(plan, side_data(&from), side_data(&to), &err), &err))
    side_check(&to, shift, COPIES_RIGHT, PADDING_POISON);
  dap_plan_destroy(&plan);
}

/* Slots need shared memory. */
static void try_slots(MPI_Comm comm, const two_groups *g, bool are_there)
{
  const dap_plan_options o = {.transports = DAP_TRANSPORT_STAGED};
  dap_plan *plan = NULL;
  dap_error err = {0};
  const dap_status s = make_plan(comm, g, &o, &plan, &err);
  const bool fails = test_nodes() > 1 || (!are_there && test_nprocs() > 1);
  expect_same_error(MPI_COMM_WORLD, s, &err, fails ? DAP_ERR_UNSUPPORTED : DAP_OK, "share no memory");
  dap_plan_destroy(&plan);
}

static void try_array(MPI_Comm comm, bool is_there)
{
  dap_array array;
  dap_error err = {0};
  bool shared = false;
  if (!EXPECT_OK(dap_array_alloc(comm, to.layout, DAP_F8, DAP_ORDER_C, &array, &shared, &err), &err)) return;
  EXPECT_INT(shared, is_there && test_mates() > 1);
  memset(array.data, 1, 8); /* it must be there */
  dap_array_release(&array);
}

/* Checks what is seen when the context of the communicator is made, and later. */
static void check(MPI_Comm comm, const two_groups *g, sight first, sight later)
{
  test_random random = test_random_init(160);
  const bool again = first != HIDDEN && test_mates() > 1;
  make_sides(g, &random);
  now = first;
  asked = 0;
  move(comm, g, 1);
  EXPECT_INT(asked > 0, test_mates() > 1);
  now = later;
  asked = 0;
  for (int shift = 2; shift < 5; shift++) move(comm, g, shift);
  try_slots(comm, g, first != HIDDEN && later == SEEN);
  if (!g) try_array(comm, first != HIDDEN && later == SEEN);
  if (first != SEEN) EXPECT_INT(asked > 0, again);
  now = SEEN;
  side_free(&from);
  side_free(&to);
}

static void asks_once_where_it_is_hidden(void **state)
{
  (void)state;
  static const struct {
    const char *why;
    sight first, later;
  } rows[] = {{"seen", SEEN, SEEN},
              {"hidden", HIDDEN, HIDDEN},
              {"hidden at first", HIDDEN, SEEN},
              {"nothing left", FULL, FULL},
              {"nothing left at first", FULL, SEEN}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    MPI_Comm comm;
    TEST_CASE("%s", rows[i].why);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    check(comm, NULL, rows[i].first, rows[i].later);
    MPI_Comm_free(&comm);
    SETTLE();
    if (test_nprocs() == 1) continue;
    two_groups g = two_groups_make(test_nprocs() / 2, LOW_FIRST);
    TEST_CASE("%s, two groups", rows[i].why);
    check(g.inter, &g, rows[i].first, rows[i].later);
    two_groups_free(&g);
    SETTLE();
  }
}

/* There is no memory left on one of two nodes. Each plan must ask there again, and the other node must keep
 * its memory. */
static void others_memory_stays(void **state)
{
  (void)state;
  test_random random = test_random_init(161);
  const int host = test_rank() % 2;
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  EXPECT(dap_node_pretend(comm, host));
  make_sides(NULL, &random);
  now = host == 1 ? FULL : SEEN;
  for (int shift = 1; shift < 6; shift++) {
    TEST_CASE("plan %d", shift);
    move(comm, NULL, shift);
    const dap_context *context = dap_context_find(comm);
    EXPECT_INT(context->pool.segment_count, context->node.size > 1 && host == 0);
    SETTLE();
  }
  now = SEEN;
  side_free(&from);
  side_free(&to);
  MPI_Comm_free(&comm);
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(asks_once_where_it_is_hidden),
                                          cmocka_unit_test(others_memory_stays)};
MPI_TEST_MAIN(tests)
