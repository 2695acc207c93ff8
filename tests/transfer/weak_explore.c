/* Goes through all turns of two processes (weak.h). Each run begins anew and repeats the earlier choices,
 * except the last one that has another way. Then it goes on from there. */
#include "weak.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { STACK = 1 << 18, DEPTH = 1024, TABLE = 1 << 20 };

/* A point at which one of several things can happen. */
typedef struct fork_point {
  int choice, choices;
} fork_point;

static struct {
  const weak_program *program;
  weak_slip slip;
  weak_result *result;
  ucontext_t scheduler, contexts[WEAK_PROCESSES];
  char stacks[WEAK_PROCESSES][STACK];
  weak_access *pending[WEAK_PROCESSES]; /* NULL: the process has ended */
  int running;
  fork_point path[DEPTH];
  int depth;
  uint64_t *met; /* [TABLE] states, 0: free */
  bool ordered[WEAK_ATOMICS][2];
} here = {.running = -1};

int weak_process(void)
{
  return here.running;
}

void weak_fail(const char *fault)
{
  if (!here.result) {
    (void)fprintf(stderr, "%s\n", fault);
    abort();
  }
  (void)snprintf(here.result->fault, sizeof here.result->fault, "%s", fault);
  if (here.running >= 0) (void)swapcontext(&here.contexts[here.running], &here.scheduler); /* for good */
}

void weak_expect(bool holds, const char *what)
{
  if (!holds) weak_fail(what);
}

/* ---- turns ------------------------------------------------------------------------------------------- */

void weak_turn(weak_access *access)
{
  const int p = here.running;
  if (access->is_ordered) here.ordered[access->atomic][access->is_store] = true;
  if (access->atomic == here.slip.atomic && access->is_store == here.slip.is_store)
    access->is_ordered = false;
  here.pending[p] = access;
  (void)swapcontext(&here.contexts[p], &here.scheduler);
}

/* A fence takes no turn: it changes only what the process itself knows. */
void weak_fence(bool acquires, bool releases)
{
  const bool is_left_out = here.slip.is_fence;
  if (here.running < 0) return;
  weak_memory_fence(here.running, acquires && !(is_left_out && !here.slip.is_store),
                    releases && !(is_left_out && here.slip.is_store));
}

static void body(void)
{
  const int p = here.running;
  here.program->run(p);
  here.pending[p] = NULL;
}

/* Until its next turn, or its end. */
static void let_run(int p)
{
  here.running = p;
  (void)swapcontext(&here.scheduler, &here.contexts[p]);
  here.running = -1;
}

static void start(int p)
{
  ucontext_t *context = &here.contexts[p];
  (void)getcontext(context);
  context->uc_stack.ss_sp = here.stacks[p];
  context->uc_stack.ss_size = STACK;
  context->uc_link = &here.scheduler;
  makecontext(context, body, 0);
  let_run(p);
}

/* ---- states ------------------------------------------------------------------------------------------ */

/* What two processes have done and read makes a state, whoever came first. */
static bool is_new(void)
{
  uint64_t state = weak_log(0) * 3 + (weak_log(1) ^ (weak_log(1) << 17)) + 1;
  state = (state ^ (state >> 31)) * UINT64_C(0xd6e8feb86659fd93);
  state ^= state >> 32;
  state += state == 0;
  size_t at = (size_t)state % TABLE;
  while (here.met[at] && here.met[at] != state) at = (at + 1) % TABLE;
  if (here.met[at]) return false;
  here.met[at] = state;
  if (++here.result->states > TABLE / 2) weak_fail("too many states");
  return true;
}

static int count_choices(int p)
{
  return here.pending[p] ? weak_choices(p, here.pending[p]) : 0;
}

/* One thing happens; false: none can. */
static bool step(int level)
{
  const int own = count_choices(0), all = own + count_choices(1);
  if (all == 0) return false;
  if (level == DEPTH) weak_fail("too many turns");
  if (level == here.depth) here.path[here.depth++] = (fork_point){.choices = all};
  int choice = here.path[level].choice;
  const int p = choice < own ? 0 : 1;
  if (p == 1) choice -= own;
  weak_make(p, choice, here.pending[p]);
  let_run(p);
  return true;
}

static bool is_faulty(void)
{
  return here.result->fault[0] != '\0';
}

/* From the start until all have ended, or a fault or a state that was met. */
static void run(void)
{
  int level = 0;
  here.result->runs++;
  weak_memory_reset(here.program);
  for (int p = 0; p < WEAK_PROCESSES && !is_faulty(); p++) start(p);
  while (!is_faulty()) {
    const bool is_behind = level >= here.depth;
    if (is_behind && !is_new()) return;
    if (!step(level++)) break;
  }
  if (!is_faulty() && (here.pending[0] || here.pending[1])) weak_fail("both wait for ever");
}

/* The next of the ways that are left; false: there is none. */
static bool turn_back(void)
{
  while (here.depth > 0 && here.path[here.depth - 1].choice + 1 == here.path[here.depth - 1].choices)
    here.depth--;
  if (here.depth > 0) here.path[here.depth - 1].choice++;
  return here.depth > 0;
}

void weak_orders(bool ordered[WEAK_ATOMICS][2])
{
  memcpy(ordered, here.ordered, sizeof here.ordered);
}

weak_result weak_explore(const weak_program *program, weak_slip slip)
{
  weak_result result = {0};
  here.program = program;
  here.slip = slip;
  here.result = &result;
  here.depth = 0;
  memset(here.ordered, 0, sizeof here.ordered);
  here.met = calloc(TABLE, sizeof *here.met);
  if (!here.met) weak_fail("no memory");
  do
    if (!is_faulty()) run();
  while (!is_faulty() && turn_back());
  free(here.met);
  here.result = NULL;
  return result;
}
