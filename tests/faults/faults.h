/* Drives all tests of faults on one process. A fault is a call of MPI that fails, or an allocation that is
 * refused. Its number counts the calls or allocations in the order of time. */
#ifndef DAP_TEST_FAULTS_H
#define DAP_TEST_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct fault {
  const char *what;
  void (*start)(int64_t number); /* makes number `number` from here on fail on this process; 0: none */
  int64_t (*count)(void);
} fault;
extern const fault failing_calls, refused_allocations;

/* After fault_start(), number `number` fails. After fault_stop(), none fails. fault_stop() returns how many
 * calls or allocations this process has made since fault_start(). */
void fault_start(const fault *f, int64_t number);
int64_t fault_stop(const fault *f);

/* Returns whether any process has met its fault. Collective. */
bool fault_was_met(int64_t number, int64_t count);

/* Makes one trial with the fault `number` on this process; 0: the fault is on another process, or there is
 * none. Returns what fault_stop() returns. Collective. */
typedef int64_t fault_trial(void *row, const fault *f, int64_t number);

/* If is_short, each row has one fault, on the last process. Otherwise all faults of a row are tried, or as
 * many as DAP_TEST_FAULTS says. If not all are tried, the first and the last process have them in turn. */
typedef struct fault_sweep {
  const fault *fault;
  bool is_short;
  int64_t rows;       /* tried so far */
  int64_t tried, all; /* faults */
} fault_sweep;

/* Tries a row without a fault, and then with one fault after the other. Ends the program if a trial takes too
 * long. Settles. Collective. */
void fault_try_all(fault_sweep *sweep, const char *name, fault_trial *try_one, void *row);

/* ---- calls of MPI -------------------------------------------------------------------------------------- */

/* The calls that can fail are those in the sources of the comm and transfer layers, where CMake finds their
 * names. A call for messages, or for something that MPI knows on this process, fails and does nothing. A
 * collective call takes part, so that no other process waits in MPI, and then fails without a result. */

/* The name whose calls do not fail; NULL: all calls can fail. */
extern const char *mpi_failures_spared;

/* The names of all calls that can fail, with NULL behind the last. mpi_failures_times() returns how many
 * calls of a name have failed on this process so far, or have come before a call that failed. */
extern const char *const mpi_failures_names[];
int64_t *mpi_failures_times(const char *name);

/* Ends what failed calls have left in MPI. Collective, because those calls were. */
void mpi_failures_end(void);

#endif
