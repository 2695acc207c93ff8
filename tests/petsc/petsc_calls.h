/* Functions of PETSc's that the library calls, counted, and one call refused: of those that are no business
 * of other processes. */
#ifndef DAP_PETSC_CALLS_H
#define DAP_PETSC_CALLS_H

#include <stdbool.h>
#include <stdint.h>

/* Counts from 0 again. Call number `refused`, from 1 on, fails with "<function> is refused"; 0: none.
 * VecDestroy() counts only if said so. */
void petsc_calls_start(int64_t refused, bool with_vec_destroy);

/* Made since then, the one refused among them. */
int64_t petsc_calls_count(void);

#endif
