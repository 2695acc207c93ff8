/* The page's adapter. */
#include <dapbridge/adapter.h>
#include <stddef.h>

struct slab;
dap_status slab_get(MPI_Comm comm, dap_darray array, dap_access access, struct slab *s, dap_error *err);
dap_status slab_restore(struct slab *s, dap_error *err);

#include "adapter.inc"
