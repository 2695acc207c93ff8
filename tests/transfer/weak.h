/* Tries many sequences of two processes on weakly ordered processors.
 *
 * The library's own functions and the test are compiled with -fsanitize=thread, so the compiler puts a call
 * before each access to memory. Here these calls are the checker. So the checker tests the real code, with
 * the memory order that is written at each access.
 *
 * The memory is that of C11 without cycles of relaxed loads. Each atomic variable keeps all its earlier
 * values. A load can return any value that is not older than what the process knows. If a load with acquire
 * returns a value that was stored with release, the process learns all that the storing process knew. A fence
 * with release has this effect for later relaxed stores, and a fence with acquire for earlier relaxed loads.
 * A process learns nothing else. Plain accesses of both processes to one byte, of which one is a write, must
 * be ordered in this way, or they are a race. So the checker notices when an element could be read too early.
 *
 * The two processes take turns at each atomic access. Turns and the values that loads return are drawn. A
 * repeated load returns a newer value, because the same value tells nothing. So no wait is endless, but both
 * processes are stuck if neither has a newer value. */
#ifndef DAP_WEAK_H
#define DAP_WEAK_H

#include <stdbool.h>
#include <stddef.h>

/* weak_share() names the memory that both processes see, and forgets all earlier names. weak_atomic() names a
 * variable of 8 bytes in that memory whose accesses have an order, and the only process that stores it. Other
 * atomic variables are hints, and are not checked. Variable 0 stands for all fences. */
void weak_share(void *memory, size_t bytes);
void weak_atomic(const void *at, int writer, const char *name);

/* Runs a program many times: reset() sets all memory of both processes to its first state, and run() runs one
 * process. Returns the first fault, or NULL if there is none. Loads or stores of the variable `slip` are
 * relaxed; for variable 0, acquire or release fences are left out. With -1, all orders are as written. */
const char *weak_explore(void (*reset)(void), void (*run)(int process), int slip, bool is_store);

/* Returns the name of a variable if its loads or stores had an order in the last exploration without slip.
 * Returns NULL if they had none, or if there is no such variable. */
enum { WEAK_VARIABLES = 16 };
const char *weak_ordered(int variable, bool is_store);

/* Functions for run(). They return the process that runs, and say what must hold. */
int weak_process(void);
void weak_expect(bool holds, const char *what);

#endif
