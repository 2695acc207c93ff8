/* Defines the calls of functions that take ELPA's objects. */
#include "call_rows.h"

#include <dapbridge/elpa.h>
#include <stdlib.h>

VIEWS(dap_elpa, dap_elpa_get, "", COLLECTIVE(a), g->array[A], 0)

DIRECT(dap_elpa_eigh, COLLECTIVE(a | b | w), g->comm, 'L', g->array[A], g->array[W], g->array[B], NULL)
DIRECT(dap_elpa_eigh_generalized, COLLECTIVE(a | b | c | w), g->comm, 'L', g->array[A], g->array[B],
       g->array[W], g->array[C], NULL)

DIRECT(dap_elpa_discard, OF(ELPA), g->elpa)
DIRECT(dap_elpa_restore, OF(ELPA), g->elpa)

dap_status calls_open_elpa(call_arguments *g, dap_error *err)
{
  const dap_elpa_options moved = {.sharing = DAP_SHARE_NEVER};
  g->elpa = calloc(1, sizeof *g->elpa);
  if (!g->elpa) abort();
  return dap_elpa_get(g->comm, g->array[C], DAP_READ_WRITE, &moved, g->elpa, err);
}

dap_status calls_close_elpa(call_arguments *g, dap_error *err)
{
  const dap_status s = dap_elpa_restore(g->elpa, err);
  free(g->elpa);
  g->elpa = NULL;
  return s;
}
