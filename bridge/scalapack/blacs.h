/* Prototypes of the BLACS functions that dapbridge calls. Neither BLACS nor ScaLAPACK ships a C header,
 * so they are declared here, once; source: BLACS/SRC/ of ScaLAPACK 2.2. */
#ifndef DAP_BLACS_H
#define DAP_BLACS_H

#include <mpi.h>

/* A number for `comm` that Cblacs_gridmap() takes. Freeing one may renumber the others: never keep it. */
int Csys2blacs_handle(MPI_Comm comm);
void Cfree_blacs_system_handle(int handle);

/* Collective on the handle's communicator. *context: in, the handle; out, the new grid, -1 outside it.
 * map: [ldmap * npcol] ranks, column-major. */
void Cblacs_gridmap(int *context, int *map, int ldmap, int nprow, int npcol);

/* Collective on the grid. Crashes when called twice. */
void Cblacs_gridexit(int context);

#endif
