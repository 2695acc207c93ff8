/* Defines the calls of functions that take ELPA's objects. */
#include "call_rows.h"

#include <dapbridge/elpa.h>

VIEWS(dap_elpa, dap_elpa_get, "", COLLECTIVE(a), g->array[A], 0)

DIRECT(dap_elpa_eigh, COLLECTIVE(a | b | w), g->comm, 'L', g->array[A], g->array[W], g->array[B], NULL)
DIRECT(dap_elpa_eigh_generalized, COLLECTIVE(a | b | c | w), g->comm, 'L', g->array[A], g->array[B],
       g->array[W], g->array[C], NULL)

DIRECT(dap_elpa_discard, OF(ELPA), g->elpa)
DIRECT(dap_elpa_restore, OF(ELPA), g->elpa)
