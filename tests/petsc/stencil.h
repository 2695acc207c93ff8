/* Goes through the matrices of a field's DMDA entry by entry. */
#ifndef DAP_STENCIL_H
#define DAP_STENCIL_H

#include "live.h"

/* The row's field of a new array; true iff it was got. Ended by stencil_end(), in any case. Collective. */
bool stencil_make(live *a, const live_row *row);
void stencil_end(live *a);

/* DMCreateMatrix() gives the matrix that PETSc makes for a DMDA with this stencil, and entries set by stencil
 * indices and by the indices of local vectors are where they belong. Collective. */
void stencil_check(DM dm, int64_t width, bool star, const char *why);

#endif
