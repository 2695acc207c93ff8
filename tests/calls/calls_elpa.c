/* The table of functions that take ELPA. */
#include "call_rows.h"

#include <dapbridge/elpa.h>

CALL(dap_elpa_get)
{
  dap_elpa_matrix view;
  const dap_status s = dap_elpa_get(g->comm, g->array[A], DAP_READ_WRITE, NULL, &view, err);
  (void)dap_elpa_restore(&view, NULL);
  return s;
}

DIRECT(dap_elpa_eigh, g->comm, 'L', g->array[A], g->array[W], g->array[B], NULL)
DIRECT(dap_elpa_eigh_generalized, g->comm, 'L', g->array[A], g->array[B], g->array[W], g->array[C], NULL)

const call calls_elpa[] = {
    COLLECTIVE(dap_elpa_get, a),
    COLLECTIVE(dap_elpa_eigh, a | b | w),
    COLLECTIVE(dap_elpa_eigh_generalized, a | b | c | w),
    {.name = NULL},
};
