/* Runs random programs with plans of all kinds, within one communicator or between two groups. Several
 * plans are alive and in progress at once, are begun and ended in any order, and are destroyed in another
 * order on each process. Every byte of every buffer is checked against a serial model.
 *
 * The seed is printed, and DAP_TEST_SEED repeats a run. DAP_TEST_CASES sets the number of programs. Private:
 * hosts are pretended, and fan-out and phases are forced. */
#include "comm_impl.h"
#include "mpi_test.h"
#include "placements.h"
#include "problem_impl.h"
#include "task.h"

#include <inttypes.h>

enum { PROGRAMS = 210, PLANS = 6, STEPS = 60, KINDS = 8, KINDS_OF_GROUPS = 4 /* the first kinds */ };

static const struct {
  const char *name;
  task_wish wish;
} kinds[KINDS] = {
    {"move", {.kind = TASK_MOVE}},
    {"move of all holders' values", {.kind = TASK_MOVE, .combines = true}},
    {"move of addends", {.kind = TASK_MOVE, .is_partial = true}},
    {"move from owners", {.kind = TASK_MOVE, .from_owners = true}},
    {"halo update", {.kind = TASK_HALO}},
    {"reverse halo update", {.kind = TASK_REVERSE}},
    {"gather", {.kind = TASK_GATHER}},
    {"scatter", {.kind = TASK_SCATTER}},
};

typedef struct program_plan {
  dap_plan *plan; /* NULL: there is none */
  int kind;
  bool is_under_way;
  MPI_Comm memory; /* its processes share memory */
  task task;
  task_run run; /* that is in progress */
} program_plan;

static program_plan plans[PLANS];
static int ended[KINDS], phased; /* runs of each kind; plans with several phases */
static int nth;                  /* number of the program */
static two_groups groups;        /* of programs that have two groups */
static bool has_groups;

static void label(const program_plan *p)
{
  TEST_CASE("seed %" PRIu64 ", program %d%s, %s, run %" PRId64 ": %s", test_seed(), nth,
            has_groups ? " of two groups" : "", kinds[p->kind].name, p->task.salt, task_text(&p->task));
}

/* ---- one plan ----------------------------------------------------------------------------------------- */

/* Draws the options that every kind of plan has. */
static void draw_options(task *t, int place, test_random *random)
{
  static const int64_t lengths[] = {0, 0, 1, 9, 64, 4096};
  static const unsigned phases[] = {0, DAP_FORCED_ONE_PHASE, DAP_FORCED_TWO_PHASES};
  static const int64_t counts[] = {1, 1, 1, 2, 2, 2, 3, 3, 3, 5, 16, MANY_MOST};
  dap_plan_options *o = &t->options;
  const bool is_small = t->to->itemsize < 100;
  const int64_t count = counts[test_random_int(random, 0, is_small ? 11 : 8)];
  o->arrays = count == 1 && test_random_one_in(random, 2) ? 0 : count;
  o->transports = task_way(place, (int)test_random_int(random, 0, TASK_WAYS - 1));
  o->message_bytes = lengths[test_random_int(random, 0, 5)];
  if (test_random_one_in(random, 2))
    o->transports |= DAP_FORCED_FAN_OUT * (unsigned)test_random_int(random, 1, 3);
  if (test_random_one_in(random, 3) && is_small) o->memory_bytes = 30000;
  o->transports |= phases[test_random_int(random, 0, 2)];
}

/* The communicator is placed as placed_host() says. */
static void create(program_plan *p, MPI_Comm comm, int place, test_random *random)
{
  dap_error err = {0};
  p->kind = (int)test_random_int(random, 0, has_groups ? KINDS_OF_GROUPS - 1 : KINDS - 1);
  p->memory = has_groups ? MPI_COMM_WORLD : comm;
  p->is_under_way = false;
  task_draw(&p->task, &kinds[p->kind].wish, has_groups ? &groups : NULL, random);
  draw_options(&p->task, place, random);
  label(p);
  if (EXPECT_OK(task_create(&p->task, comm, &p->plan, &err), &err)) {
    task_check_plan(&p->task, p->plan);
    phased += dap_plan_summarize(p->plan).phases > 1;
  } else
    task_free(&p->task);
}

static void destroy(program_plan *p)
{
  if (!p->plan) return;
  dap_plan_destroy(&p->plan);
  task_free(&p->task);
}

/* If only direct copies are allowed, all buffers must be shared. */
static void begin(program_plan *p, test_random *random)
{
  many_memory memory[2];
  for (int side = 0; side < 2; side++) {
    const many_memory drawn = (many_memory)test_random_int(random, 0, MANY_KINDS - 1);
    const bool is_direct = (p->task.options.transports & DAP_TRANSPORTS) == DAP_TRANSPORT_DIRECT;
    memory[side] = is_direct ? MANY_SHARED : drawn;
  }
  label(p);
  task_begin(&p->task, p->plan, p->memory, memory, &p->run);
  p->is_under_way = true;
}

static void end(program_plan *p)
{
  label(p);
  task_end(&p->task, p->plan, &p->run);
  p->is_under_way = false;
  ended[p->kind]++;
}

/* ---- programs ----------------------------------------------------------------------------------------- */

/* Some processes come late, each at other times. */
static void dawdle(void)
{
  static test_random own;
  if (own.state == 0) own = test_random_init(900 + (uint64_t)test_rank());
  if (!test_random_one_in(&own, 8)) return;
  for (int64_t turns = test_random_int(&own, 0, 50000); turns > 0; turns--) (void)test_random_bits(&own);
}

/* Destroys, every second time, plans that are not in progress. Each process has its own order. */
static void destroy_some(test_random *random)
{
  const int64_t chosen = test_random_int(random, 0, (1 << PLANS) - 1);
  for (int i = 0; i < PLANS; i++) {
    const int p = (i + test_rank()) % PLANS;
    if ((chosen >> p & 1) && !plans[p].is_under_way) destroy(&plans[p]);
  }
}

/* Takes one step of a plan that is drawn. Most plans have the same communicator, so that they could take
 * messages and memory of each other. */
static void step(int place, test_random *random)
{
  program_plan *p = &plans[test_random_int(random, 0, PLANS - 1)];
  const int elsewhere = test_random_one_in(random, 4),
            there = has_groups ? place : (place + elsewhere) % PLACEMENTS;
  dawdle();
  if (!p->plan)
    create(p, has_groups ? groups.inter : placed_comms[there], there, random);
  else if (p->is_under_way)
    end(p);
  else if (test_random_one_in(random, 6))
    destroy_some(random);
  else
    begin(p, random);
}

/* Plans live longer than an intercommunicator. Groups of every size occur in every order. If a program
 * fails, shorter ones are tried. */
static void run_program(int number, test_random *random)
{
  const int n = test_nprocs(), place = number % PLACEMENTS;
  nth = number;
  has_groups = nth % 3 == 2 && n > 1;
  if (has_groups) {
    groups = two_groups_make(1 + nth / 3 % (n - 1), (group_order)(nth / 3 / (n - 1) % GROUP_ORDERS));
    EXPECT(dap_node_pretend(groups.inter, placed_host(place, test_rank())));
  }
  for (int i = 0; i < STEPS && i < test_most; i++) step(place, random);
  if (has_groups) two_groups_free(&groups);
  for (int i = 0; i < PLANS; i++) {
    if (plans[i].plan && !plans[i].is_under_way) begin(&plans[i], random);
    if (plans[i].plan) end(&plans[i]);
  }
  for (int i = 0; i < PLANS; i++) destroy(&plans[(i + test_rank()) % PLANS]);
}

static void random_programs(void **state)
{
  (void)state;
  test_each(test_cases(PROGRAMS), 1000, run_program);
  EXPECT_MSG(test_nprocs() == 1 || phased > 0, "no plan in two phases");
  for (int k = 0; k < KINDS; k++) EXPECT_MSG(ended[k] > 0, "no run of a %s", kinds[k].name);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(place_processes),
    cmocka_unit_test(random_programs),
    cmocka_unit_test(free_places),
};
MPI_TEST_MAIN(tests)
