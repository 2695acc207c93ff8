/* The driver of all tests of faults on one process: calls of MPI that fail, and allocations that are refused.
 * What goes wrong there is named by its number in the order of time. */
#ifndef DAP_TEST_FAULTS_H
#define DAP_TEST_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct fault {
  const char *what;
  void (*start)(int64_t number); /* number `number` from here on fails on this process; 0: none */
  int64_t (*count)(void);
} fault;
extern const fault failing_calls, refused_allocations;

/* From the start on number `number` fails, and from the stop on nothing. Returns the count between them, of
 * this process. */
void fault_start(const fault *f, int64_t number);
int64_t fault_stop(const fault *f);

/* Whether any process has met its fault. Collective. */
bool fault_was_met(int64_t number, int64_t count);

/* One trial with the fault `number` on this process; 0: on another process or on none. Returns what
 * fault_stop() does. Collective. */
typedef int64_t fault_trial(void *row, const fault *f, int64_t number);

typedef struct fault_sweep {
  const fault *fault;
  bool is_short; /* only the last process has faults, and one in each row; else DAP_TEST_FAULTS says how many
                    faults of a row are tried, spread over all, or all are tried */
  int64_t rows; /* tried so far. The first and the last process have faults, or one of them in turn if not all
                    faults are tried */
  int64_t tried, all;
} fault_sweep;

/* Tries a row without a fault, and then with one after the other. A row that takes long ends the program.
 * Settles. Collective. */
void fault_try_all(fault_sweep *sweep, const char *name, fault_trial *try_one, void *row);

/* ---- calls of MPI -------------------------------------------------------------------------------------- */

/* The calls that can fail are those that the library makes in its comm and transfer layers; CMake reads their
 * names from the sources. A call for messages, or for what MPI knows on this process, fails and does nothing.
 * A collective call takes part, so that MPI itself keeps nobody waiting, and then reports a failure, without a
 * result. */

/* The name whose calls do not fail; NULL: all do. */
extern const char *mpi_failures_spared;

/* The names of all calls that are replaced, and then NULL; how many calls of a name have failed on this
 * process so far, or have come before one that did. */
extern const char *const mpi_failures_names[];
int64_t *mpi_failures_times(const char *name);

/* Ends what failed calls have left with MPI. Collective, as they were. */
void mpi_failures_end(void);

#endif
