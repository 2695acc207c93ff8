/* ranges.h: parts of arrays by lo <= index < hi along each axis, as the tests have them. */
#ifndef RANGES_H
#define RANGES_H

#include <dapbridge/part.h>

static inline dap_status part_of_layout(const dap_layout *layout, const int64_t lo[], const int64_t hi[],
                                        dap_layout **part, dap_error *err)
{
  int64_t shape[DAP_MAX_NDIM] = {0};
  for (int k = 0; layout && k < dap_layout_ndim(layout); k++) shape[k] = hi[k] - lo[k];
  return dap_layout_part(layout, &(dap_part){.start = lo, .shape = shape}, part, NULL, err);
}

static inline dap_status part_of_array(const dap_array *whole, const dap_layout *layout, int rank,
                                       const int64_t lo[], const int64_t hi[], dap_array *part,
                                       dap_error *err)
{
  int64_t shape[DAP_MAX_NDIM] = {0};
  for (int k = 0; layout && k < dap_layout_ndim(layout); k++) shape[k] = hi[k] - lo[k];
  const dap_part range = {.start = lo, .shape = shape};
  return dap_array_part((dap_darray){layout, whole}, rank, &range, part, err);
}

#endif
