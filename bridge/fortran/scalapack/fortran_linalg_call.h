/* Declares the functions and types that the shims of linear algebra share. */
#ifndef DAP_FORTRAN_LINALG_CALL_H
#define DAP_FORTRAN_LINALG_CALL_H

#include "fortran_impl.h"

#include <dapbridge/linalg.h>

/* The outcome of a call. */
typedef struct dap_f_outcome {
  dap_error error;
  dap_linalg_report report;
} dap_f_outcome;

/* The caller's options, with the report that is passed beside them. Eigenvalues are counted from 1 there. */
static inline dap_linalg_options dap_f_with_report(const dap_linalg_options *options, dap_f_outcome *outcome)
{
  dap_linalg_options all = options ? *options : (dap_linalg_options){0};
  all.report = &outcome->report;
  if (all.eigh.range == DAP_EIGH_BY_INDEX) all.eigh.start--;
  return all;
}

/* Adds 1 to each number of a vector of column numbers; p may be NULL. */
void dap_f_count_from_1(const dap_f_array *p);

#endif
