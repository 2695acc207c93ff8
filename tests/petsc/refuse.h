/* Refuses one allocation or one call of PETSc on one process only. A test refuses each of them in turn. */
#ifndef DAP_PETSC_REFUSE_H
#define DAP_PETSC_REFUSE_H

#include "faults.h"
#include "mpi_test.h"

extern const fault refused_calls; /* the calls that CMakeLists.txt lists */
extern bool refuse_ends;          /* true: VecDestroy() is one of them */

/* Is called after fault_start() and a collective call, with the call's status and error. Returns whether some
 * process came to that number. Only then may the call have failed, and alike on all. Stops refusing.
 * Collective on MPI_COMM_WORLD. */
bool refuse_was_met(const fault *f, int64_t number, dap_status s, const dap_error *err);

/* Calls once() with 1, 2, ... on the first process and with 0 on all others, until once() returns false. By
 * day it tries every third number. Then the last process takes the place of the first. PETSc must hold no
 * more memory afterwards. Returns about how many were refused. Collective. */
int64_t refuse_all(const char *why, const fault *f,
                   bool (*once)(const void *trial, const fault *f, int64_t number), const void *trial);

#endif
