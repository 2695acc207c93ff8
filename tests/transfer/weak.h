/* Explores all possible sequences of two processes on weakly ordered processors.
 *
 * The library's own functions are compiled with -fsanitize=thread, so the compiler puts a call before each
 * access to memory. Here these calls (weak_hooks.c) are the checker. So the checker tests the real code,
 * with the memory order that is written at each access.
 *
 * The memory (weak_memory.c) is that of C11 without cycles of relaxed loads. Each atomic variable keeps all
 * its earlier values. A load can return any value that is not older than what the process knows. If a load
 * with acquire returns a value that was stored with release, the process learns all that the storing
 * process knew. A fence with release has this effect for later relaxed stores, and a fence with acquire for
 * earlier relaxed loads. A process learns nothing else. Plain accesses of both processes to one byte, of
 * which one is a write, must be ordered in this way, or they are a race. So the checker notices when an
 * element could be read too early.
 *
 * The two processes take turns at each atomic access (weak_explore.c). The checker goes through all turns,
 * and through all values that loads can return. It does not continue from a state that it has met before. A
 * repeated load returns a newer value, because the same value tells nothing. So no wait is endless, but
 * both processes are stuck if neither has a newer value. */
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
