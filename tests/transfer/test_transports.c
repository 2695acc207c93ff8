/* The ways from one process to another, each alone and mixed: direct from and to memory of the library's, slots,
 * messages; cut in chunks of a few bytes and within little memory; on one host, and on several that are pretended.
 * Each plan runs several times, its buffers in private memory and in the library's in turns. The seed is printed, and
 * DAP_TEST_SEED repeats a run. */
#include "comm_impl.h"
#include "lent.h"
#include "mpi_test.h"

#include <inttypes.h>

enum { CASES = 36, MOST = 500 /* elements */, FLIGHTS = 6, PLANS = 4 };

static const unsigned ways[] = {DAP_TRANSPORT_DIRECT,
                                DAP_TRANSPORT_STAGED,
                                DAP_TRANSPORT_MESSAGES,
                                DAP_TRANSPORT_DIRECT | DAP_TRANSPORT_STAGED,
                                DAP_TRANSPORT_DIRECT | DAP_TRANSPORT_MESSAGES,
                                DAP_TRANSPORT_STAGED | DAP_TRANSPORT_MESSAGES,
                                0};
enum { WAYS = sizeof ways / sizeof ways[0] };

/* Where the processes are. */
typedef struct place {
  const char *why;
  int (*host)(int rank);
} place;

static int one_host(int rank)
{
  return rank * 0;
}

static int pairs(int rank)
{
  return rank / 2;
}

static int turns(int rank)
{
  return rank % 2;
}

static int uneven(int rank)
{
  return rank == 0 ? 7 : 3;
}

static int own_host(int rank)
{
  return rank;
}

static const place places[] = {
    {"one host: all share memory", one_host},
    {"two on each host: of one plan some flows are messages and others are not", pairs},
    {"two hosts that ranks take turns on: places on a node are no ranks", turns},
    {"one process alone, the others together: its plan has no memory of the node", uneven},
    {"each on its own host: nothing but messages", own_host},
};
enum { PLACES = sizeof places / sizeof places[0] };

/* A communicator of all processes, as if they were there; hosts [processes]. */
static MPI_Comm comm_at(const place *p, int hosts[])
{
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (int r = 0; r < test_nprocs(); r++) hosts[r] = p->host(r);
  EXPECT(dap_node_pretend(comm, hosts[test_rank()]));
  return comm;
}

/* ---- a case ---------------------------------------------------------------------------------------- */

/* Both sides, in private memory and in the library's. */
typedef struct pair {
  random_array arrays[2];
  test_side from, to;
  lent_side lent_from, lent_to;
  bool tells; /* processes outside a side give no layout */
} pair;

static pair cases[PLANS];

static test_side draw_side(test_random *random, int ndim, const int64_t size[], int64_t itemsize,
                           random_array *array)
{
  const int P = test_nprocs();
  const int nprocs = test_random_one_in(random, 3) ? (int)test_random_int(random, 1, P) : P;
  int ranks[BRUTE_PROCS];
  random_array_draw(random, nprocs, ndim, size, array);
  const int *given = random_part(random, nprocs, ranks);
  const side_origin origin = (side_origin)test_random_int(random, CREATED, MIXED);
  return side_make(array, origin, given, itemsize, (test_form)test_random_int(random, 0, FORM_COUNT - 1),
                   random);
}

static void draw_pair(test_random *random, MPI_Comm comm, pair *c)
{
  static const int64_t itemsizes[] = {1, 2, 3, 4, 8, 12, 16, 24};
  const int ndim = (int)test_random_int(random, 1, 3);
  const int64_t itemsize = itemsizes[test_random_int(random, 0, 7)];
  int64_t size[DAP_MAX_NDIM];
  random_shape(random, ndim, MOST, size);
  c->from = draw_side(random, ndim, size, itemsize, &c->arrays[0]);
  c->to = draw_side(random, ndim, size, itemsize, &c->arrays[1]);
  c->lent_from = lend(comm, &c->from);
  c->lent_to = lend(comm, &c->to);
  c->tells = test_random_one_in(random, 2);
}

static void free_pair(pair *c)
{
  lent_free(&c->lent_from);
  lent_free(&c->lent_to);
  side_free(&c->from);
  side_free(&c->to);
}

static dap_side as_given(const pair *c, const test_side *s)
{
  dap_side side = side_of(s);
  if (c->tells && s->process < 0) side = (dap_side){0};
  return side;
}

static dap_plan_options draw_options(test_random *random)
{
  static const int64_t lengths[] = {0, 1, 7, 64, 4096};
  return (dap_plan_options){.fill_halos = test_random_one_in(random, 2),
                            .message_bytes = lengths[test_random_int(random, 0, 4)],
                            .transports = ways[test_random_int(random, 0, WAYS - 1)]};
}

static void label(const char *what, int number, const pair *c, const dap_plan_options *o)
{
  char from[200];
  (void)snprintf(from, sizeof from, "%s", random_array_text(&c->arrays[0]));
  TEST_CASE("seed %" PRIu64 ", %s, case %d, transports %#x, message_bytes %" PRId64 ", memory_bytes %" PRId64
            ", %" PRId64 " bytes: %s; to %s",
            test_seed(), what, number, o->transports, o->message_bytes, o->memory_bytes, c->from.itemsize,
            from, random_array_text(&c->arrays[1]));
}

/* ---- one plan, all kinds of memory ------------------------------------------------------------------- */

/* Which of a run's buffers are the library's. */
typedef struct memory {
  const char *why;
  bool from, to;
} memory;

static const memory memories[] = {
    {"none", false, false},
    {"the source: others read it", true, false},
    {"none again: nothing is remembered of where buffers were", false, false},
    {"the destination: others write it", false, true},
    {"both", true, true},
};
enum { MEMORIES = sizeof memories / sizeof memories[0] };

/* With nothing but direct copies private memory is refused, by all; and what would refuse it if all were lent. */
static bool is_refused(const dap_plan_options *o, const memory *m, const traffic *t)
{
  return o->transports == DAP_TRANSPORT_DIRECT && !m->from && !m->to && t->crosses;
}

static void check_run(const pair *c, const dap_plan_options *o, const memory *m, int64_t shift)
{
  const test_side *from = m->from ? &c->lent_from.side : &c->from, *to = m->to ? &c->lent_to.side : &c->to;
  bool good = side_check(to, shift, COPIES_RIGHT, o->fill_halos ? PADDING_FILLED : PADDING_POISON);
  good = good && side_check(from, shift, COPIES_WRONG, PADDING_POISON);
  if (!good) EXPECT_MSG(false, "memory of the library's: %s", m->why);
}

/* Elements of both sides are there, then run. */
static void run_in(const pair *c, dap_plan *plan, const dap_plan_options *o, const memory *m,
                   const traffic *t, int64_t shift)
{
  const test_side *from = m->from ? &c->lent_from.side : &c->from, *to = m->to ? &c->lent_to.side : &c->to;
  dap_error err = {0};
  side_fill(from, shift, COPIES_WRONG);
  side_poison(to);
  EXPECT_OK(dap_plan_begin(plan, side_data(from), side_data(to), &err), &err);
  const dap_status s = dap_plan_end(plan, &err);
  if (is_refused(o, m, t))
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "rank |only direct|dap_array_alloc()");
  else if (EXPECT_OK(s, &err))
    check_run(c, o, m, shift);
}

/* What the plan says of itself is what it has to do. */
static void check_stats(const pair *c, const dap_plan *plan, const dap_plan_options *o, const traffic *t)
{
  const dap_plan_stats stats = dap_plan_stats_get(plan);
  const int64_t item = c->from.itemsize, most = o->message_bytes > item ? o->message_bytes : item;
  EXPECT_INT(stats.bytes_local, t->kept * item);
  EXPECT_INT(stats.bytes_received, t->received * item);
  int64_t sums[] = {stats.bytes_sent, stats.bytes_received, stats.messages_sent, stats.messages_received};
  MPI_Allreduce(MPI_IN_PLACE, sums, 4, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_INT(sums[0], sums[1]);
  EXPECT_INT(sums[2], sums[3]);
  if (o->message_bytes > 0)
    EXPECT_MSG(stats.messages_received * most >= stats.bytes_received,
               "%" PRId64 " messages of at most %" PRId64 " bytes for %" PRId64, stats.messages_received,
               most, stats.bytes_received);
  EXPECT(stats.bytes_buffer <= (o->memory_bytes ? o->memory_bytes : INT64_C(64) << 20));
}

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

static void update_in(const test_side *s, dap_plan *plan, int64_t shift)
{
  dap_error err = {0};
  side_poison(s);
  side_fill(s, shift, COPIES_WRONG);
  if (EXPECT_OK(dap_plan_run(plan, side_data(s), side_data(s), &err), &err))
    side_check(s, shift, COPIES_WRONG, PADDING_FILLED);
}

/* In place, in private memory and in the library's. */
static void update(MPI_Comm comm, const pair *c, const dap_plan_options *o, const int hosts[])
{
  const dap_side both = as_given(c, &c->to);
  const traffic t = traffic_of_halo(&c->to, hosts);
  dap_plan *plan = NULL;
  dap_error err = {0};
  const dap_status s = dap_plan_create_halo(comm, &both, c->to.itemsize, o, &plan, &err);
  if (!is_joinable(o, &t))
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_UNSUPPORTED, "share no memory|transports");
  else if (EXPECT_OK(s, &err)) {
    update_in(&c->lent_to.side, plan, 3);
    if (o->transports != DAP_TRANSPORT_DIRECT || !t.crosses) update_in(&c->to, plan, 4);
    update_in(&c->lent_to.side, plan, 5);
  }
  dap_plan_destroy(&plan);
}

static void moves_at(const place *p, int count, uint64_t stream)
{
  test_random random = test_random_init(stream);
  int hosts[BRUTE_PROCS] = {0};
  MPI_Comm comm = comm_at(p, hosts);
  for (int i = 0; i < count; i++) {
    pair *c = &cases[0];
    draw_pair(&random, comm, c);
    dap_plan_options options = draw_options(&random);
    if (i < WAYS) options.transports = ways[i];
    label(p->why, i, c, &options);
    SETTLE();
    label(p->why, i, c, &options);
    move(comm, c, &options, hosts);
    SETTLE();
    label("halo update", i, c, &options);
    update(comm, c, &options, hosts);
    free_pair(c);
    SETTLE();
  }
  MPI_Comm_free(&comm);
}

static void all_ways_on_one_host(void **state)
{
  (void)state;
  moves_at(&places[0], CASES, 60);
}

static void all_ways_on_several_hosts(void **state)
{
  (void)state;
  for (int i = 1; i < PLACES; i++) moves_at(&places[i], CASES / 3, 60 + (uint64_t)i);
}

/* ---- little memory ----------------------------------------------------------------------------------- */

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
  *used = dap_plan_stats_get(plan).bytes_buffer;
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
  for (int i = 0; i < 3 * PLACES; i++) {
    const place *p = &places[i % PLACES];
    int hosts[BRUTE_PROCS] = {0};
    MPI_Comm comm = comm_at(p, hosts);
    pair *c = &cases[0];
    draw_pair(&random, comm, c);
    const dap_plan_options options = {.fill_halos = i % 2};
    label(p->why, i, c, &options);
    shrink(comm, c, &options, hosts);
    free_pair(c);
    MPI_Comm_free(&comm);
    SETTLE();
  }
}

/* ---- memory that only some share ---------------------------------------------------------------------- */

/* Sources are shared by every second process, destinations by the first half and the second: some pairs have one of
 * them in common, others both or none. Then some give up their part, and the others still use theirs. */
static void memory_of_some(void **state)
{
  (void)state;
  test_random random = test_random_init(75);
  MPI_Comm turn = MPI_COMM_NULL, half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, test_rank() % 2, 0, &turn);
  MPI_Comm_split(MPI_COMM_WORLD, 2 * test_rank() / test_nprocs(), 0, &half);
  for (int i = 0; i < CASES / 2; i++) {
    pair *c = &cases[0];
    draw_pair(&random, MPI_COMM_WORLD, c);
    lent_free(&c->lent_from);
    lent_free(&c->lent_to);
    c->lent_from = lend(turn, &c->from);
    c->lent_to = lend(half, &c->to);
    dap_plan_options options = draw_options(&random);
    if (options.transports == DAP_TRANSPORT_DIRECT) options.transports |= DAP_TRANSPORT_STAGED;
    label("memory of some", i, c, &options);
    move(MPI_COMM_WORLD, c, &options, NULL);
    free_pair(c);
    SETTLE();
  }
  MPI_Comm_free(&turn);
  MPI_Comm_free(&half);
}

/* One process after the other gives up its part and goes on in private memory; those that still have theirs are no
 * longer reached there by it. */
static void memory_given_up(void **state)
{
  (void)state;
  test_random random = test_random_init(76);
  for (int i = 0; i < CASES / 3; i++) {
    pair *c = &cases[0];
    draw_pair(&random, MPI_COMM_WORLD, c);
    const dap_plan_options options = {.transports = ways[3 + i % (WAYS - 3)], .fill_halos = i % 2};
    const dap_side a = as_given(c, &c->from), b = as_given(c, &c->to);
    dap_plan *plan = NULL;
    dap_error err = {0};
    label("memory given up", i, c, &options);
    EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &a, &b, c->from.itemsize, &options, &plan, &err), &err);
    for (int gone = 0; gone <= test_nprocs() && plan; gone++) {
      const test_side *from = test_rank() < gone ? &c->from : &c->lent_from.side;
      const test_side *to = test_rank() < gone && i % 3 ? &c->to : &c->lent_to.side;
      side_fill(from, gone, COPIES_WRONG);
      side_poison(to);
      if (EXPECT_OK(dap_plan_run(plan, side_data(from), side_data(to), &err), &err))
        side_check(to, gone, COPIES_RIGHT, options.fill_halos ? PADDING_FILLED : PADDING_POISON);
      if (gone == test_rank()) dap_array_release(&c->lent_from.array);
      if (gone == test_rank() && i % 3) dap_array_release(&c->lent_to.array);
    }
    dap_plan_destroy(&plan);
    free_pair(c);
    SETTLE();
  }
}

/* ---- several under way ------------------------------------------------------------------------------- */

static void end_one(const pair *c, dap_plan *plan, const dap_plan_options *o, const memory *m, int64_t shift)
{
  dap_error err = {0};
  if (EXPECT_OK(dap_plan_end(plan, &err), &err)) check_run(c, o, m, shift);
}

static void flight(MPI_Comm comm, test_random *random, int number)
{
  dap_plan *plans[PLANS] = {NULL};
  dap_plan_options options[PLANS];
  const memory *where[PLANS];
  dap_error err = {0};
  bool good = true;
  for (int i = 0; i < PLANS; i++) {
    draw_pair(random, comm, &cases[i]);
    options[i] = draw_options(random);
    options[i].transports |= DAP_TRANSPORT_MESSAGES; /* runs wherever it is */
    where[i] = &memories[test_random_int(random, 0, MEMORIES - 1)];
    label("one of several under way", number, &cases[i], &options[i]);
    const dap_side a = as_given(&cases[i], &cases[i].from), b = as_given(&cases[i], &cases[i].to);
    good &=
        EXPECT_OK(dap_plan_create(comm, &a, &b, cases[i].from.itemsize, &options[i], &plans[i], &err), &err);
  }
  for (int round = 0; round < 3 && good; round++) {
    for (int i = 0; i < PLANS; i++) {
      const pair *c = &cases[i];
      const test_side *from = where[i]->from ? &c->lent_from.side : &c->from;
      const test_side *to = where[i]->to ? &c->lent_to.side : &c->to;
      side_fill(from, round, COPIES_WRONG);
      side_poison(to);
      EXPECT_OK(dap_plan_begin(plans[i], side_data(from), side_data(to), &err), &err);
    }
    for (int k = 0; k < PLANS; k++) {
      const int i = round % 2 ? PLANS - 1 - k : k;
      end_one(&cases[i], plans[i], &options[i], where[i], round);
    }
  }
  for (int i = 0; i < PLANS; i++) {
    dap_plan_destroy(&plans[i]);
    free_pair(&cases[i]);
  }
}

/* Ended in the order in which they began, and the other way round. */
static void several_are_under_way(void **state)
{
  (void)state;
  test_random random = test_random_init(80);
  for (int i = 0; i < FLIGHTS; i++) {
    int hosts[BRUTE_PROCS] = {0};
    MPI_Comm comm = comm_at(&places[i % PLACES], hosts);
    flight(comm, &random, i);
    MPI_Comm_free(&comm);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(all_ways_on_one_host),    cmocka_unit_test(all_ways_on_several_hosts),
    cmocka_unit_test(stays_within_its_memory), cmocka_unit_test(memory_of_some),
    cmocka_unit_test(memory_given_up),         cmocka_unit_test(several_are_under_way),
};
MPI_TEST_MAIN(tests)
