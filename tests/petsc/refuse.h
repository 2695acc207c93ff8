/* Refuses one allocation or one call of PETSc on one process only. Each of them is refused in turn. */
#ifndef DAP_PETSC_REFUSE_H
#define DAP_PETSC_REFUSE_H

#include "mpi_test.h"

/* What is refused: start(number) counts from 0 again, and refuses that one, or none of number 0. */
typedef struct refuser {
  const char *what;
  void (*start)(int64_t number);
  int64_t (*count)(void);
  dap_status status;
  const char *parts;
} refuser;

extern const refuser refuse_allocations;
extern const refuser refuse_calls; /* those of CMakeLists.txt */
extern bool refuse_ends;           /* VecDestroy(), too, which is one of them */

/* After start(number) and a collective call that gave this: whether there was one of that number on any
 * process. Then the call may have failed, alike on all. Refuses no more. Collective on MPI_COMM_WORLD. */
bool refuse_was_met(const refuser *r, int64_t number, dap_status s, const dap_error *err);

/* Calls once() with 1, 2, ... on the first process, then on the last, and with 0 on all others, until it
 * returns false; by day with one in three. PETSc must hold no more than before. Returns about how many there
 * were on both. Collective. */
int64_t refuse_all(const char *why, const refuser *r,
                   bool (*once)(const void *trial, const refuser *r, int64_t number), const void *trial);

#endif
