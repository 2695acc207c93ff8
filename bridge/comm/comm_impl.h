/* The comm layer: the only place where processes agree and where layouts are assembled. */
#ifndef DAP_COMM_IMPL_H
#define DAP_COMM_IMPL_H

#include "model_impl.h"
#include <dapbridge/comm.h>

/* agree.c */
/* What no collective can agree on is refused before it starts: no communicator, or an intercommunicator. */
dap_status dap_comm_check(MPI_Comm comm, dap_error *err);
/* The status of an MPI call: DAP_OK, or DAP_ERR_LIBRARY with `what` and MPI's own text. */
dap_status dap_mpi_check(int code, const char *what, dap_error *err);
/* Collective: a private duplicate of `comm` that returns its errors instead of aborting. */
dap_status dap_comm_private(MPI_Comm comm, MPI_Comm *own, dap_error *err);

/* counts.c */
/* `value` as the int that MPI takes; DAP_ERR_RANGE naming `what` when it does not fit. */
dap_status dap_to_int(int64_t value, const char *what, int *result, dap_error *err);

#endif
