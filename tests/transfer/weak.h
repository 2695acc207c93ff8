/* Two processes on weakly ordered processors: goes through all that can happen.
 *
 * The library's own functions run, compiled with -fsanitize=thread, which puts a call before each access to
 * memory; here these calls (weak_hooks.c) are the checker. So what is checked is the code, each access with
 * the order that is written there.
 *
 * The memory (weak_memory.c) is that of C11 without cycles of relaxed loads: each atomic variable keeps all
 * values it has had; a load may take any that is not older than what the process knows of; one with acquire
 * of a value stored with release learns all that the storing process knew. A fence with release does this for
 * the relaxed stores that follow it, one with acquire for the relaxed loads before it. Nothing else teaches
 * anything.
 * Plain accesses of the two processes to one byte, a write among them, must be ordered so, else it is a race:
 * that is how it is noticed that an element could be read before it is there.
 *
 * The two take turns at each atomic access (weak_explore.c). All turns and all values that loads may take are
 * gone through; what comes to a state that was met before is not followed again. A load that is repeated
 * takes a newer value, as the same one tells nothing; so no wait is endless, but both are stuck if neither
 * has one. */
#ifndef DAP_WEAK_H
#define DAP_WEAK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WEAK_PROCESSES = 2, WEAK_ATOMICS = 16 };

/* What runs: reset() puts all memory of both back to what it was at first, run(p) is process p from then
 * on. */
typedef struct weak_program {
  void (*reset)(void);
  void (*run)(int process);
} weak_program;

/* Memory that both see, whose parts are accessed one by one; and in it the atomic variables that have an
 * order, of 8 bytes, each with one writer. Others, which are hints, are not looked at. To be said before
 * weak_explore(). */
void weak_share(void *memory, size_t bytes);
void weak_atomic(const void *at, int writer, const char *name);
void weak_forget(void);
int weak_atomics(void);
const char *weak_name(int atomic);

/* An access that is made relaxed, or a kind of fence that is left out, whatever is written in the code. */
typedef struct weak_slip {
  int atomic;    /* -1: none */
  bool is_store; /* of a fence: one with release, else one with acquire */
  bool is_fence;
} weak_slip;

typedef struct weak_result {
  char fault[160]; /* the first that was found, "": none */
  long runs, states;
} weak_result;
weak_result weak_explore(const weak_program *program, weak_slip slip);
/* In the last: the accesses to each variable, loads by another than its writer and stores, that had an
 * order. */
void weak_orders(bool ordered[WEAK_ATOMICS][2]);

/* In run(): accesses that the compiler does not see: to any memory; and relaxed ones to an atomic variable,
 * which may be the program's own. And what must hold. */
uint64_t weak_load(const uint64_t *at);
void weak_store(uint64_t *at, uint64_t value);
void weak_read(const void *at, size_t bytes);
void weak_write(void *at, size_t bytes);
void weak_expect(bool holds, const char *what);

/* ---- between the three files ------------------------------------------------------------------------- */

typedef struct weak_access {
  int atomic;
  bool is_store, is_ordered; /* with release or acquire */
  uint64_t value;            /* stored, or once it was made the one loaded */
} weak_access;

/* weak_memory.c */
void weak_memory_reset(const weak_program *program);
bool weak_is_shared(const void *at);
int weak_find(const volatile void *at); /* -1: no variable that has an order */
int weak_writer(int atomic);
void weak_plain(int process, const void *at, size_t bytes, bool is_write);
int weak_choices(int process, const weak_access *access);
void weak_make(int process, int choice, weak_access *access);
void weak_memory_fence(int process, bool acquires, bool releases);
uint64_t weak_log(int process); /* a number of all that the process has done and read */
/* weak_explore.c */
void weak_fence(bool acquires, bool releases);
int weak_process(void); /* that runs; -1: none does */
void weak_turn(weak_access *access);
void weak_fail(const char *fault); /* does not return where a process runs */

#endif
