/* Plans carried in each way that there is, one after the other: whatever is moved, by whatever is allowed,
 * on one host and on several that are pretended, every element comes where it belongs, and the estimate
 * comes back as it was. The seed is printed, and DAP_TEST_SEED repeats a run. */
#include "mpi_test.h"
#include "pair.h"
#include "placements.h"
#include "plan_rows.h"
#include "task.h"

#include "transfer_impl.h"

#include <inttypes.h>

enum { CASES = 20 };

static pair drawn;
static task drawn_task;

/* Nothing is left of the way before. */
static void expect_fresh(const dap_channel *channel)
{
  EXPECT((channel->ring != NULL) == (channel->transport == DAP_TRANSPORT_STAGED));
  EXPECT((channel->requests != NULL) == (channel->transport == DAP_TRANSPORT_MESSAGES));
  EXPECT(channel->emptied == 0 && channel->pace.chunks == 0 && channel->pace.cost[0] <= 0);
  EXPECT(!channel->state.tile && !channel->state.is_fetched && !channel->state.pulls &&
         !channel->state.pushes);
}

/* All passes are carried so. */
static void check_carried(const dap_plan *plan, const dap_way *way)
{
  for (const dap_plan *pass = plan; pass; pass = pass->follow) {
    EXPECT(pass->schedule.way == way && !(pass->schedule.transports & way->without));
    for (int x = 0; x < pass->schedule.exchange_count; x++) {
      const dap_exchange *exchange = &pass->schedule.exchanges[x];
      for (int i = 0; i < exchange->send.count; i++) expect_fresh(&exchange->send.channels[i]);
      for (int i = 0; i < exchange->receive.count; i++) expect_fresh(&exchange->receive.channels[i]);
    }
  }
}

/* False: it is not for these options. */
static bool carry(dap_plan *plan, const dap_plan_options *o, const dap_way *way)
{
  dap_error err = {0};
  if (!dap_way_is_allowed(way, o) || !EXPECT_OK(dap_plan_carry(plan, o, way, &err), &err)) return false;
  check_carried(plan, way);
  return true;
}

/* A plan of one process and one that moves nothing know but one way. */
static void expect_estimate(dap_plan *plan, const dap_plan_options *o, uint64_t before)
{
  if (carry(plan, o, &dap_ways[0])) EXPECT(dap_plan_carriage(plan) == before);
}

/* ---- rows that say why they are there ---------------------------------------------------------------- */

static void move(const plan_row *r, const dap_layout *from, const dap_layout *to, test_random *random)
{
  const int rank = test_rank();
  const dap_plan_options options = {0};
  test_buffer source = test_buffer_make(from, rank, r->itemsize, r->from_form, random);
  test_buffer target = test_buffer_make(to, rank, r->itemsize, r->to_form, random);
  const dap_side a = {.layout = from, .strides = source.strides},
                 b = {.layout = to, .strides = target.strides};
  dap_plan *plan = NULL;
  dap_error err = {0};
  fill_bytes(from, rank, source.data, source.strides, r->itemsize);
  EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &a, &b, r->itemsize, &options, &plan, &err), &err);
  const uint64_t before = plan ? dap_plan_carriage(plan) : 0;
  for (const dap_way *way = dap_ways; way->name && plan; way++) {
    if (!carry(plan, &options, way)) continue;
    for (int i = 0; i < 2; i++) {
      fill_poison(to, rank, target.data, target.strides, r->itemsize);
      EXPECT_OK(dap_plan_run(plan, source.data, target.data, &err), &err);
      if (!check_bytes(to, rank, target.data, target.strides, r->itemsize, PADDING_POISON) ||
          !check_gaps(&target))
        EXPECT_MSG(false, "%s, run %d", way->name, i);
    }
  }
  if (plan) expect_estimate(plan, &options, before);
  dap_plan_destroy(&plan);
  test_buffer_free(&source);
  test_buffer_free(&target);
}

static void rows_in_every_way(void **state)
{
  (void)state;
  test_random random = test_random_init(160);
  for (const plan_row *r = plan_rows; r->why; r++) {
    TEST_CASE("%s", r->why);
    dap_layout *from = plan_row_layout(r, r->from), *to = plan_row_layout(r, r->to);
    move(r, from, to, &random);
    dap_layout_destroy(&from);
    dap_layout_destroy(&to);
    SETTLE();
  }
}

/* ---- pairs, all kinds of memory ----------------------------------------------------------------------- */

static bool is_joinable(const dap_plan_options *o, const traffic *t)
{
  return !t->is_foreign || !o->transports || (o->transports & DAP_TRANSPORT_MESSAGES);
}

static void move_pair(MPI_Comm comm, const pair *c, const dap_plan_options *o, const int hosts[])
{
  const dap_side a = as_given(c, &c->from), b = as_given(c, &c->to);
  const traffic t = traffic_count(&c->from, &c->to, o->fill_halos, hosts);
  dap_plan *plan = NULL;
  dap_error err = {0};
  if (!is_joinable(o, &t)) return;
  EXPECT_OK(dap_plan_create(comm, &a, &b, c->from.itemsize, o, &plan, &err), &err);
  const uint64_t before = plan ? dap_plan_carriage(plan) : 0;
  for (const dap_way *way = dap_ways; way->name && plan; way++) {
    if (!carry(plan, o, way)) continue;
    const int first = (int)(way - dap_ways);
    for (int i = 0; i < 2; i++) run_in(c, plan, o, &memories[(first + i) % MEMORIES], &t, first + i);
    EXPECT(dap_plan_summarize(plan).bytes_buffer <= INT64_C(64) << 20);
  }
  if (plan) expect_estimate(plan, o, before);
  dap_plan_destroy(&plan);
}

/* In place. */
static void update_pair(MPI_Comm comm, const pair *c, const dap_plan_options *o, const int hosts[])
{
  const dap_side both = as_given(c, &c->to);
  const traffic t = traffic_of_halo(&c->to, hosts);
  dap_plan *plan = NULL;
  dap_error err = {0};
  if (!is_joinable(o, &t)) return;
  EXPECT_OK(dap_plan_create_halo(comm, &both, c->to.itemsize, o, &plan, &err), &err);
  for (const dap_way *way = dap_ways; way->name && plan; way++) {
    const test_side *s = (way - dap_ways) % 2 ? &c->alloc_to.side : &c->to;
    if (!carry(plan, o, way)) continue;
    side_poison(s);
    side_fill(s, 3, COPIES_ALL_WRONG);
    EXPECT_OK(dap_plan_run(plan, side_data(s), side_data(s), &err), &err);
    if (!side_check(s, 3, COPIES_RIGHT, PADDING_FILLED)) EXPECT_MSG(false, "%s", way->name);
  }
  dap_plan_destroy(&plan);
}

static void pairs_in_every_way(void **state)
{
  (void)state;
  test_random random = test_random_init(161);
  for (int p = 0; p < PLACEMENTS; p++) {
    int hosts[BRUTE_PROCS] = {0};
    MPI_Comm comm = comm_at(&placements[p], hosts);
    for (int i = 0; i < (p == 0 ? CASES : CASES / 4); i++) {
      draw_pair(&random, comm, &drawn);
      dap_plan_options options = draw_options(&random);
      if (i < WAYS) options.transports = ways[WAYS - 1 - i]; /* all of them first */
      label(placements[p].why, i, &drawn, &options);
      move_pair(comm, &drawn, &options, hosts);
      SETTLE();
      label("halo update", i, &drawn, &options);
      update_pair(comm, &drawn, &options, hosts);
      free_pair(&drawn);
      SETTLE();
    }
    MPI_Comm_free(&comm);
  }
}

/* ---- options, and what follows in a second pass ------------------------------------------------------- */

static void options_in_every_way(void **state)
{
  (void)state;
  test_random random = test_random_init(162);
  for (int i = 0; i < 2 * CASES; i++) {
    task *t = &drawn_task;
    dap_plan *plan = NULL;
    dap_error err = {0};
    task_draw(t, &(task_wish){.is_plain = i % 5 == 0, .is_all = i % 4 == 0}, &random);
    TEST_CASE("seed %" PRIu64 ", case %d: %s", test_seed(), i, task_text(t));
    const dap_side from = task_from(t), to = task_to(t);
    EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &from, &to, task_itemsize(t), &t->options, &plan, &err), &err);
    for (const dap_way *way = dap_ways; way->name && plan; way++) {
      if (!carry(plan, &t->options, way)) continue;
      task_fill(t);
      EXPECT_OK(dap_plan_run(plan, side_data(&t->from), side_data(&t->to), &err), &err);
      if (!task_check(t)) EXPECT_MSG(false, "%s", way->name);
    }
    dap_plan_destroy(&plan);
    task_free(t);
    SETTLE();
  }
}

/* ---- that they are other ways ------------------------------------------------------------------------- */

enum { ROWS = 600, COLUMNS = 700 };

/* 3 MB from rows to columns, between buffers of C order. */
static dap_plan *make_long(const dap_plan_options *o)
{
  const int n = test_nprocs();
  const dap_dist rows[] = {dap_dist_even(ROWS, n), dap_dist_local(COLUMNS)};
  const dap_dist columns[] = {dap_dist_local(ROWS), dap_dist_even(COLUMNS, n)};
  dap_layout *from = NULL, *to = NULL;
  dap_plan *plan = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(2, rows, &from, &err), &err);
  EXPECT_OK(dap_layout_create(2, columns, &to, &err), &err);
  const dap_side a = {.layout = from, .contiguous = true}, b = {.layout = to, .contiguous = true};
  EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &a, &b, 8, o, &plan, &err), &err);
  dap_layout_destroy(&from);
  dap_layout_destroy(&to);
  return plan;
}

/* What a plan says of itself after it has been carried so. */
static const struct {
  const char *way, *says, *not ;
} words[] = {
    {"slots of 64 KiB", "slots in memory of the node", "MPI messages"},
    {"MPI messages of 128 KiB", "MPI messages, as that was fastest", "slots"},
    {"MPI messages of 512 KiB", "direct where a buffer is in memory that the node shares, else MPI", "slots"},
    {"as estimated", "slots in memory of the node, as it is on this node", "MPI messages"},
};

static void they_are_other_ways(void **state)
{
  (void)state;
  char text[8192];
  const dap_plan_options options = {0};
  dap_error err = {0};
  dap_plan *plan = make_long(&options);
  const bool is_one = test_nodes() == 1; /* on several there are messages in every way */
  for (size_t i = 0; is_one && i < sizeof words / sizeof words[0] && plan && test_nprocs() > 1; i++) {
    TEST_CASE("%s", words[i].way);
    const dap_way *way = dap_way_find(words[i].way);
    EXPECT(way && dap_plan_carry(plan, &options, way, &err) == DAP_OK);
    (void)dap_plan_describe(plan, text, sizeof text);
    EXPECT_MSG(strstr(text, words[i].says) && !strstr(text, words[i].not ), "%s", text);
  }
  dap_plan_destroy(&plan);
  EXPECT(!dap_way_find("on foot"));
  SETTLE();
}

/* Ways are left out that use what is not allowed, or are longer than what is. */
static void options_exclude_ways(void **state)
{
  (void)state;
  static const struct {
    dap_plan_options options;
    const char *way;
    bool is_allowed;
  } rows[] = {
      {{0}, "MPI messages of 2 MiB", true},
      {{.message_bytes = 1 << 20}, "MPI messages of 2 MiB", false},
      {{.message_bytes = 1 << 20}, "slots of 1 MiB", true},
      {{.message_bytes = (1 << 20) - 1}, "slots of 1 MiB", false},
      {{.transports = DAP_TRANSPORT_DIRECT}, "as estimated", false},
      {{.transports = DAP_TRANSPORT_DIRECT | DAP_TRANSPORT_STAGED}, "MPI messages of 512 KiB", false},
      {{.transports = DAP_TRANSPORT_MESSAGES}, "MPI messages of 512 KiB", true},
      {{.transports = DAP_TRANSPORT_STAGED | DAP_TRANSPORT_FETCHED}, "slots only", true},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    EXPECT_MSG(dap_way_is_allowed(dap_way_find(rows[i].way), &rows[i].options) == rows[i].is_allowed,
               "%zu: %s", i, rows[i].way);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(rows_in_every_way),    cmocka_unit_test(pairs_in_every_way),
    cmocka_unit_test(options_in_every_way), cmocka_unit_test(they_are_other_ways),
    cmocka_unit_test(options_exclude_ways),
};
MPI_TEST_MAIN(tests)
