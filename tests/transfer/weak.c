#include "weak.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "random.h"

enum { RUNS = 1000, TURNS = 1000, PROCESSES = 2, VALUES = 64 };
enum { BYTES = 1 << 14, STACK = 1 << 18 };

/* What a process knows: the number of the latest value of each variable that it knows, and behind these how
 * far each process has come. */
typedef struct knowledge {
  int of[WEAK_VARIABLES + PROCESSES];
} knowledge;

/* A value that a variable has had, and what a process learns if it loads the value with acquire. */
typedef struct stored {
  uint64_t value;
  knowledge carried;
} stored;

typedef struct atomic {
  const volatile void *at;
  const char *name;
  int writer, count;
  bool is_ordered[2]; /* whether loads, and stores, have an order */
  stored values[VALUES];
} atomic;

typedef struct process {
  knowledge known;
  knowledge released; /* what was known at the last fence with release */
  knowledge loaded;   /* what relaxed loads have carried, which becomes known at a fence with acquire */
  int last;           /* variable that the last access loaded; -1: it was a store */
  int next;           /* variable of the next access; -1: the process has ended */
  bool is_store;      /* whether the next access is a store */
  int taken;          /* number of the value that the next load returns */
  ucontext_t context;
  char stack[STACK];
} process;

/* When each process has read and written a byte, in its own time. 0: never. */
typedef struct byte {
  int times[2][PROCESSES];
} byte;

static struct {
  char *base;
  size_t size;
  byte bytes[BYTES];
  atomic variables[WEAK_VARIABLES];
  int count;
  process processes[PROCESSES];
  int running; /* -1: no process */
  void (*run)(int process);
  int slip;
  bool slip_is_store;
  ucontext_t scheduler;
  const char *fault; /* NULL: none */
} all = {.running = -1};

/* A process that fails does not go on. */
void weak_expect(bool holds, const char *what)
{
  if (holds) return;
  all.fault = what;
  if (all.running >= 0) (void)swapcontext(&all.processes[all.running].context, &all.scheduler);
}

int weak_process(void)
{
  return all.running;
}

/* ---- named -------------------------------------------------------------------------------------------- */

void weak_share(void *memory, size_t bytes)
{
  if (bytes > BYTES) abort();
  all.base = memory;
  all.size = bytes;
  all.count = 0;
  weak_atomic(memory, -1, "fence");
  all.variables[0].at = NULL;
}

void weak_atomic(const void *at, int writer, const char *name)
{
  if (all.count == WEAK_VARIABLES) abort();
  all.variables[all.count++] = (atomic){.at = at, .writer = writer, .name = name};
}

const char *weak_ordered(int variable, bool is_store)
{
  const atomic *v = &all.variables[variable];
  return variable < all.count && v->is_ordered[is_store] ? v->name : NULL;
}

/* Returns 0 if there is no variable at this address. */
static int find(const volatile void *at)
{
  int i = all.count - 1;
  while (i > 0 && all.variables[i].at != at) i--;
  return i;
}

/* Returns whether an access or a fence keeps its order. */
static bool keeps_order(int variable, bool is_store)
{
  if (all.slip < 0) all.variables[variable].is_ordered[is_store] = true;
  return all.slip != variable || all.slip_is_store != is_store;
}

/* ---- plain accesses ----------------------------------------------------------------------------------- */

static void access_byte(byte *b, bool is_write)
{
  const int p = all.running, *known = all.processes[p].known.of + WEAK_VARIABLES, other = 1 - p;
  weak_expect(b->times[true][other] <= known[other],
              "race: a byte is accessed that the other process writes");
  weak_expect(!is_write || b->times[false][other] <= known[other],
              "race: a byte is written that the other process reads");
  b->times[is_write][p] = known[p];
}

static void access_bytes(const void *at, size_t bytes, bool is_write)
{
  const uintptr_t first = (uintptr_t)at - (uintptr_t)all.base;
  for (size_t i = 0; i < bytes && all.running >= 0; i++)
    if (first + i < all.size) access_byte(&all.bytes[first + i], is_write);
}

/* ---- atomic accesses ---------------------------------------------------------------------------------- */

static void learn(knowledge *mine, const knowledge *carried)
{
  for (int i = 0; i < WEAK_VARIABLES + PROCESSES; i++)
    if (carried->of[i] > mine->of[i]) mine->of[i] = carried->of[i];
}

/* Returns the oldest value that the next access can load. A repeated load returns only a newer value. */
static int oldest(const process *me)
{
  return me->known.of[me->next] + (me->last == me->next);
}

static int count_choices(const process *me)
{
  return me->next < 0 ? 0 : me->is_store ? 1 : all.variables[me->next].count - oldest(me);
}

/* A load by the only writer takes no turn, because the writer knows the value. */
static uint64_t take_turn(const volatile uint64_t *at, bool is_store, uint64_t value, int order)
{
  const int variable = find(at);
  if (all.running < 0 || variable == 0) return is_store ? value : *at;
  process *me = &all.processes[all.running];
  atomic *v = &all.variables[variable];
  if (v->writer == all.running && !is_store) return *at;
  weak_expect(v->writer == all.running || !is_store, "a variable has two writers");
  const bool is_ordered = order != memory_order_relaxed && keeps_order(variable, is_store);
  me->next = variable;
  me->is_store = is_store;
  (void)swapcontext(&me->context, &all.scheduler);
  me->last = is_store ? -1 : variable;
  me->known.of[variable] = is_store ? v->count : me->taken;
  if (is_store) {
    if (v->count == VALUES) abort();
    v->values[v->count++] = (stored){value, is_ordered ? me->known : me->released};
    me->known.of[WEAK_VARIABLES + all.running]++;
    return value;
  }
  learn(is_ordered ? &me->known : &me->loaded, &v->values[me->taken].carried);
  return v->values[me->taken].value;
}

/* A fence takes no turn, because it changes only what the process itself knows. */
static void fence(bool acquires, bool releases)
{
  process *me = &all.processes[all.running];
  if (acquires && keeps_order(0, false)) learn(&me->known, &me->loaded);
  if (!releases || !keeps_order(0, true)) return;
  me->released = me->known;
  me->known.of[WEAK_VARIABLES + all.running]++; /* later plain accesses are not released by this fence */
}

/* ---- runs --------------------------------------------------------------------------------------------- */

static void body(void)
{
  const int p = all.running;
  all.run(p);
  all.processes[p].next = -1;
}

/* Lets a process run until its next turn, or its end. */
static void let_run(int p)
{
  all.running = p;
  (void)swapcontext(&all.scheduler, &all.processes[p].context);
  all.running = -1;
}

static void start(int p)
{
  process *me = &all.processes[p];
  me->known = me->released = me->loaded = (knowledge){{0}};
  me->known.of[WEAK_VARIABLES + p] = 1;
  me->last = -1;
  (void)getcontext(&me->context);
  me->context.uc_stack.ss_sp = me->stack;
  me->context.uc_stack.ss_size = STACK;
  me->context.uc_link = &all.scheduler;
  makecontext(&me->context, body, 0);
  let_run(p);
}

/* Forgets all accesses to the memory. */
static void forget(void)
{
  memset(all.bytes, 0, all.size * sizeof *all.bytes);
  for (int i = 1; i < all.count; i++) {
    atomic *v = &all.variables[i];
    v->count = 1;
    v->values[0] = (stored){.value = *(const volatile uint64_t *)v->at};
  }
}

static void run_once(test_random *random)
{
  forget();
  for (int p = 0; p < PROCESSES && !all.fault; p++) start(p);
  for (int turns = 0; !all.fault; turns++) {
    const int first = count_choices(&all.processes[0]), both = first + count_choices(&all.processes[1]);
    if (both == 0) break;
    weak_expect(turns < TURNS, "both go on for ever");
    const int choice = (int)test_random_int(random, 0, both - 1), p = choice >= first;
    process *me = &all.processes[p];
    me->taken = oldest(me) + choice - (p ? first : 0);
    let_run(p);
  }
  weak_expect(all.fault || (all.processes[0].next < 0 && all.processes[1].next < 0), "both wait for ever");
}

const char *weak_explore(void (*reset)(void), void (*run)(int process), int slip, bool is_store)
{
  test_random random = test_random_init(1);
  all.run = run;
  all.slip = slip;
  all.slip_is_store = is_store;
  all.fault = NULL;
  for (int i = 0; i < RUNS && !all.fault; i++) {
    reset();
    run_once(&random);
  }
  return all.fault;
}

/* ---- what compilers call with -fsanitize=thread -------------------------------------------------------- */

/* The names and arguments are those of the sanitizer's library, and gcc and clang agree about them. If a
 * compiler calls another function, the linker reports that it is missing. Clang calls __tsan_memcpy() and
 * __tsan_memset() to copy and to set memory. gcc calls the C library's functions, which -D in CMakeLists.txt
 * renames. */

/* NOLINTBEGIN(bugprone-reserved-identifier) */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

void __tsan_init(void)
{
}

void __tsan_func_entry(void *caller)
{
  (void)caller;
}

void __tsan_func_exit(void)
{
}

#define PLAIN(name, size, is_write)                                                                          \
  void __tsan_##name(void *at)                                                                               \
  {                                                                                                          \
    access_bytes(at, size, is_write);                                                                        \
  }
#define PLAIN_OF(size)                                                                                       \
  PLAIN(read##size, size, false)                                                                             \
  PLAIN(write##size, size, true)                                                                             \
  PLAIN(read_write##size, size, true)                                                                        \
  PLAIN(unaligned_read##size, size, false)                                                                   \
  PLAIN(unaligned_write##size, size, true)
PLAIN_OF(1)
PLAIN_OF(2)
PLAIN_OF(4)
PLAIN_OF(8)
PLAIN_OF(16)

void __tsan_read_range(void *at, size_t bytes)
{
  access_bytes(at, bytes, false);
}

void __tsan_write_range(void *at, size_t bytes)
{
  access_bytes(at, bytes, true);
}

void *__tsan_memcpy(void *to, const void *from, size_t bytes)
{
  access_bytes(from, bytes, false);
  access_bytes(to, bytes, true);
  return memcpy(to, from, bytes);
}

void *__tsan_memset(void *to, int value, size_t bytes)
{
  access_bytes(to, bytes, true);
  return memset(to, value, bytes);
}

uint64_t __tsan_atomic64_load(const volatile uint64_t *at, int order)
{
  return take_turn(at, false, 0, order);
}

void __tsan_atomic64_store(volatile uint64_t *at, uint64_t value, int order)
{
  *at = take_turn(at, true, value, order);
}

void __tsan_atomic_thread_fence(int order)
{
  if (all.running < 0 || order == memory_order_relaxed) return;
  fence(order != memory_order_release, order != memory_order_acquire);
}

/* Variables of one byte are hints. */
uint8_t __tsan_atomic8_load(const volatile uint8_t *at, int order)
{
  (void)order;
  return *at;
}

void __tsan_atomic8_store(volatile uint8_t *at, uint8_t value, int order)
{
  (void)order;
  *at = value;
}

/* NOLINTEND(bugprone-reserved-identifier) */
