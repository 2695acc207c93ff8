/* dapbridge/join.h: the parts of all processes checked and put together in one process, without MPI. */
#ifndef DAPBRIDGE_JOIN_H
#define DAPBRIDGE_JOIN_H

#include <dapbridge/array.h>
#include <dapbridge/layout.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where dap_layout_join() finds the parts, and where it tells what is wrong with them. */
typedef struct dap_join {
  int nprocs;
  void *context; /* given to both functions */
  /* Sets *array to the part of process `rank`. Asked several times, with the same answer; the indices of 'u'
   * axes must stay where they are until dap_layout_join() returns. Nothing is released. */
  dap_status (*part)(void *context, int rank, dap_array *array, dap_error *err);
  /* Told every broken rule: finding->rank is the process, finding->rule the rule. NULL: nobody. */
  void (*tell)(void *context, dap_status status, const dap_error *finding);
  const char *rules;    /* version of the protocol to read by, whatever the parts say; NULL: by theirs */
  bool without_buffers; /* only the dictionaries are there: shape, strides, data and dtype do not count */
} dap_join;

/* Makes the layout of the array whose parts join->part gives, as dap_layout_assemble() does on many processes
 * but knowing everything, 'u' indices included. The caller owns *layout. Not collective; needs no MPI.
 * With join->tell it goes on after a broken rule as far as what is left makes sense, so that it names them
 * all; the status and *err are those of the first. Texts begin with "rank R: " as those of collective
 * functions do. One part of several (nprocs 1, and a larger grid) is told as such (DAP_ERR_LAYOUT, rule 6) and
 * checked as dap_array_check() does.
 * Errors: DAP_ERR_ARG (NULL, nprocs < 1), those of join->part, of dap_array_check() and of
 * dap_layout_assemble(). On error *layout is NULL. */
DAP_API dap_status dap_layout_join(const dap_join *join, dap_layout **layout, dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
