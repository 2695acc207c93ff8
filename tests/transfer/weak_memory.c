/* Models the memory of weakly ordered processors. See weak.h. */
#include "weak.h"

#include <stdio.h>
#include <string.h>

enum { VALUES = 64, BYTES = 1 << 14 };

/* What a process knows of: values of the variables, by number; and how far the other had come. */
typedef struct knowledge {
  int value[WEAK_ATOMICS];
  int time[WEAK_PROCESSES];
} knowledge;

/* One of those that a variable has had, and what a process learns that loads it with acquire. */
typedef struct value {
  uint64_t value;
  knowledge carried;
} value;

typedef struct variable {
  const char *at, *name;
  int writer, count;
  value values[VALUES];
} variable;

typedef struct process {
  knowledge known;
  knowledge released;   /* known at the last fence with release */
  knowledge loaded;     /* carried by what relaxed loads have taken: known behind a fence with acquire */
  int last;             /* variable that the last access loaded; -1: it was a store */
  uint64_t log, before; /* `before`: without the last access */
} process;

/* When a byte was written, and read by each: the process's own time; 0: never. */
typedef struct byte {
  int writer, written, read[WEAK_PROCESSES];
} byte;

static struct {
  char *base;
  size_t size;
  byte bytes[BYTES];
  variable variables[WEAK_ATOMICS];
  int count;
  process processes[WEAK_PROCESSES];
} all;

/* ---- said before ------------------------------------------------------------------------------------- */

void weak_forget(void)
{
  all.base = NULL;
  all.size = 0;
  all.count = 0;
}

void weak_share(void *memory, size_t bytes)
{
  if (bytes > BYTES) weak_fail("weak_share: too much memory");
  all.base = memory;
  all.size = bytes;
}

void weak_atomic(const void *at, int writer, const char *name)
{
  if (all.count == WEAK_ATOMICS) weak_fail("weak_atomic: too many variables");
  all.variables[all.count++] = (variable){.at = at, .name = name, .writer = writer};
}

int weak_atomics(void)
{
  return all.count;
}

const char *weak_name(int atomic)
{
  return all.variables[atomic].name;
}

int weak_writer(int atomic)
{
  return all.variables[atomic].writer;
}

bool weak_is_shared(const void *at)
{
  const uintptr_t offset = (uintptr_t)at - (uintptr_t)all.base;
  return offset < all.size;
}

int weak_find(const volatile void *at)
{
  for (int i = 0; i < all.count; i++)
    if (all.variables[i].at == (const volatile char *)at) return i;
  return -1;
}

void weak_memory_reset(const weak_program *program)
{
  program->reset();
  memset(all.bytes, 0, all.size * sizeof *all.bytes);
  memset(all.processes, 0, sizeof all.processes);
  for (int p = 0; p < WEAK_PROCESSES; p++) {
    all.processes[p].known.time[p] = 1;
    all.processes[p].last = -1;
  }
  for (int i = 0; i < all.count; i++) {
    variable *v = &all.variables[i];
    v->count = 1;
    memset(&v->values[0], 0, sizeof v->values[0]);
    memcpy(&v->values[0].value, v->at, sizeof v->values[0].value);
  }
}

/* ---- plain accesses ---------------------------------------------------------------------------------- */

static void fail_race(int p, size_t offset, bool is_write, bool with_write)
{
  char text[128];
  (void)snprintf(text, sizeof text, "race: process %d %s byte %zu, which the other %s", p,
                 is_write ? "writes" : "reads", offset, with_write ? "writes" : "reads");
  weak_fail(text);
}

void weak_plain(int p, const void *at, size_t bytes, bool is_write)
{
  const int *known = all.processes[p].known.time;
  if (!weak_is_shared(at)) return;
  for (size_t i = 0; i < bytes; i++) {
    const char *here = (const char *)at + i;
    if (!weak_is_shared(here)) continue;
    const size_t offset = (size_t)(here - all.base);
    byte *b = &all.bytes[offset];
    if (b->written > known[b->writer]) fail_race(p, offset, is_write, true);
    for (int q = 0; q < WEAK_PROCESSES && is_write; q++)
      if (b->read[q] > known[q]) fail_race(p, offset, is_write, false);
    if (is_write) {
      b->writer = p;
      b->written = known[p];
    } else {
      b->read[p] = known[p];
    }
  }
}

/* ---- atomic accesses --------------------------------------------------------------------------------- */

static int larger(int a, int b)
{
  return a > b ? a : b;
}

static void learn(knowledge *mine, const knowledge *carried)
{
  for (int i = 0; i < all.count; i++) mine->value[i] = larger(mine->value[i], carried->value[i]);
  for (int q = 0; q < WEAK_PROCESSES; q++) mine->time[q] = larger(mine->time[q], carried->time[q]);
}

/* The oldest value that a load may take; a repeated one only what is newer. */
static int oldest(int p, int atomic)
{
  const process *me = &all.processes[p];
  return me->known.value[atomic] + (me->last == atomic);
}

int weak_choices(int p, const weak_access *access)
{
  return access->is_store ? 1 : all.variables[access->atomic].count - oldest(p, access->atomic);
}

static void store(int p, const weak_access *access)
{
  process *me = &all.processes[p];
  variable *v = &all.variables[access->atomic];
  if (v->writer != p) weak_fail("a variable is stored by who is not its only writer");
  if (v->count == VALUES) weak_fail("a variable has too many values");
  me->known.value[access->atomic] = v->count;
  value *made = &v->values[v->count++];
  memset(made, 0, sizeof *made);
  made->value = access->value;
  made->carried = access->is_ordered ? me->known : me->released;
  me->known.time[p]++;
}

static void load(int p, int taken, weak_access *access)
{
  process *me = &all.processes[p];
  const value *v = &all.variables[access->atomic].values[taken];
  me->known.value[access->atomic] = taken;
  access->value = v->value;
  learn(access->is_ordered ? &me->known : &me->loaded, &v->carried);
}

void weak_memory_fence(int p, bool acquires, bool releases)
{
  process *me = &all.processes[p];
  if (acquires) learn(&me->known, &me->loaded);
  if (!releases) return;
  me->released = me->known;
  me->known.time[p]++; /* plain accesses behind the fence are not released by it */
}

/* All that a process does follows from what it has loaded; a repeated load stands for those before it. */
static void note(process *me, const weak_access *access, int taken)
{
  const int last = access->is_store ? -1 : access->atomic;
  const uint64_t number = ((uint64_t)access->atomic * 2 + access->is_store) * VALUES + (uint64_t)taken;
  if (last < 0 || last != me->last) me->before = me->log;
  me->log = (me->before ^ (number + 1)) * UINT64_C(0x9e3779b97f4a7c15);
  me->log ^= me->log >> 29;
  me->last = last;
}

void weak_make(int p, int choice, weak_access *access)
{
  const int taken = access->is_store ? 0 : oldest(p, access->atomic) + choice;
  if (access->is_store)
    store(p, access);
  else
    load(p, taken, access);
  note(&all.processes[p], access, taken);
}

uint64_t weak_log(int p)
{
  return all.processes[p].log;
}
