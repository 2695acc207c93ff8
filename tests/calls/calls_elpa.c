/* The table of functions that take ELPA. */
#include "call_rows.h"

#include <dapbridge/elpa.h>
#include <stdlib.h>

CALL(dap_elpa_get)
{
  dap_elpa_matrix view;
  const dap_status s = dap_elpa_get(g->comm, g->array[A], DAP_READ_WRITE, NULL, &view, err);
  (void)dap_elpa_restore(&view, NULL);
  return s;
}

DIRECT(dap_elpa_eigh, g->comm, 'L', g->array[A], g->array[W], g->array[B], NULL)
DIRECT(dap_elpa_eigh_generalized, g->comm, 'L', g->array[A], g->array[B], g->array[W], g->array[C], NULL)

DIRECT(dap_elpa_discard, g->elpa)
DIRECT(dap_elpa_restore, g->elpa)

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

const call calls_elpa[] = {
    COLLECTIVE(dap_elpa_get, a),
    OF(ELPA, dap_elpa_discard),
    OF(ELPA, dap_elpa_restore),
    COLLECTIVE(dap_elpa_eigh, a | b | w),
    COLLECTIVE(dap_elpa_eigh_generalized, a | b | c | w),
    {.name = NULL},
};
