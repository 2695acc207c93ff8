/* dapbridge/join.h: checks the parts of all processes, and makes the layout of the whole, in one process
 * without MPI. */
#ifndef DAPBRIDGE_JOIN_H
#define DAPBRIDGE_JOIN_H

#include <dapbridge/array.h>
#include <dapbridge/layout.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The parts for dap_layout_join(), and what is done with errors found. */
typedef struct dap_join {
  int nprocs;
  void *context; /* passed to both functions */
  /* Sets *array to the part of process `rank`. It is called several times and must give the same part each
   * time; indices of 'u' axes must stay valid until dap_layout_join() returns. The array is not released. */
  dap_status (*part)(void *context, int rank, dap_array *array, dap_error *err);
  /* Called for each broken rule; finding->rank is the process, finding->rule the rule. May be NULL. */
  void (*tell)(void *context, dap_status status, const dap_error *finding);
  const char *rules;    /* protocol version by which the parts are interpreted; NULL: their own */
  bool without_buffers; /* the parts are only dictionaries; shape, strides, data and dtype are ignored */
} dap_join;

/* Creates the layout of the array whose parts join->part returns, as dap_layout_assemble() does
 * collectively; but the result knows all indices of 'u' axes. The caller owns *layout. Not collective. With
 * join->tell it continues after a broken rule as far as that makes sense, in order to report all; status
 * and *err are those of the first. Texts begin with "rank R: ", like those of collective functions. A
 * single part of a larger grid (nprocs is 1) is reported as that (DAP_ERR_LAYOUT, rule 6), and checked as
 * by dap_array_check().
 * Errors: DAP_ERR_ARG (NULL, nprocs < 1), those of join->part, of dap_array_check() and of
 * dap_layout_assemble(). On error *layout is NULL. */
DAP_API dap_status dap_layout_join(const dap_join *join, dap_layout **layout, dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
