/* Finds grid indices from dictionaries, and compares the dictionaries of one coordinate. */
#include "model_impl.h"

#include <inttypes.h>

dap_status dap_grid_check(int ndim, const dap_dim dims[], int nprocs, dap_error *err)
{
  int64_t procs = 1;
  DAP_RULE(5, ndim > 0 || nprocs == 1, err, DAP_ERR_LAYOUT,
           "an array without axes is on 1 process, but dim_data is given for %d processes", nprocs);
  for (int k = 0; k < ndim; k++) {
    if (!dap_multiply(procs, dims[k].proc_grid_size, &procs)) procs = INT64_MAX;
    DAP_RULE(6, procs <= nprocs, err, DAP_ERR_LAYOUT,
             "axis %d: proc_grid_size makes a grid of at least %" PRId64
             " processes, but dim_data is given for only %d; add that of the others",
             k, procs, nprocs);
  }
  DAP_RULE(6, procs == nprocs, err, DAP_ERR_LAYOUT,
           "proc_grid_size makes a grid of %" PRId64
           " processes, but dim_data is given for %d; correct proc_grid_size",
           procs, nprocs);
  return DAP_OK;
}

int dap_grid_index(int ndim, const dap_dim dims[])
{
  int index = 0;
  for (int k = 0; k < ndim; k++) index = index * (int)dims[k].proc_grid_size + (int)dims[k].proc_grid_rank;
  return index;
}

dap_status dap_grid_fail(int ndim, const dap_dim dims[], int other, dap_error *err)
{
  char where[DAP_ERROR_TEXT / 2];
  dap_text text = dap_text_start(where, sizeof where);
  for (int k = 0; k < ndim; k++)
    dap_text_add(&text, "%saxis %d: proc_grid_rank %" PRId64, k ? ", " : "", k, dims[k].proc_grid_rank);
  return dap_fail_rule(err, 6, DAP_ERR_LAYOUT, "%s: rank %d has the same place in the process grid", where,
                       other);
}

int dap_grid_root(int ndim, const dap_dim dims[], int axis)
{
  int index = (int)dims[axis].proc_grid_rank;
  for (int k = axis + 1; k < ndim; k++) index *= (int)dims[k].proc_grid_size;
  return index;
}

/* ---- dictionaries of one coordinate ------------------------------------------------------------------- */

static const char *const key_names[DAP_COORD_KEYS] = {"start", "stop", "padding[0]", "padding[1]"};

void dap_coord_keys_fill(const dap_dim *dim, int64_t keys[DAP_COORD_KEYS])
{
  const bool block = dim->dist_type == 'b';
  keys[DAP_COORD_START] = dim->dist_type == 'u' ? dim->index_count : dim->start;
  keys[DAP_COORD_STOP] = block ? dim->stop : 0;
  keys[DAP_COORD_LOW] = block ? dim->padding[0] : 0;
  keys[DAP_COORD_HIGH] = block ? dim->padding[1] : 0;
}

/* Outer padding of edge processes may differ, unless it wraps round: it is boundary padding. */
static bool may_differ(const dap_dialect *dialect, const dap_dim *dim, int word)
{
  if (dialect->periodic_wraps && dim->periodic) return false;
  return (word == DAP_COORD_LOW && dim->proc_grid_rank == 0) ||
         (word == DAP_COORD_HIGH && dim->proc_grid_rank == dim->proc_grid_size - 1);
}

dap_status dap_coord_keys_compare(const dap_dialect *dialect, int axis, const dap_dim *dim,
                                  const int64_t keys[DAP_COORD_KEYS], int root, dap_error *err)
{
  int64_t mine[DAP_COORD_KEYS];
  dap_coord_keys_fill(dim, mine);
  for (int i = 0; i < DAP_COORD_KEYS; i++)
    DAP_RULE(7, mine[i] == keys[i] || may_differ(dialect, dim, i), err, DAP_ERR_LAYOUT,
             "axis %d: %s %" PRId64 " differs from %" PRId64 " on rank %d, whose proc_grid_rank is %" PRId64
             " too",
             axis, dim->dist_type == 'u' ? "number of indices" : key_names[i], mine[i], keys[i], root,
             dim->proc_grid_rank);
  return DAP_OK;
}

dap_status dap_coord_keys_fail_index(int axis, const dap_dim *dim, int64_t i, int64_t theirs, int root,
                                     dap_error *err)
{
  return dap_fail_rule(err, 7, DAP_ERR_LAYOUT,
                       "axis %d: indices[%" PRId64 "] %" PRId64 " differs from %" PRId64
                       " on rank %d, whose proc_grid_rank is %" PRId64 " too",
                       axis, i, dap_dim_index(dim, i), theirs, root, dim->proc_grid_rank);
}

dap_dim dap_coord_keys_dim(const dap_dim *like, int coord, const int64_t keys[DAP_COORD_KEYS])
{
  dap_dim dim = *like;
  dim.proc_grid_rank = coord;
  if (dim.dist_type == 'u')
    dim.index_count = keys[DAP_COORD_START];
  else
    dim.start = keys[DAP_COORD_START];
  dim.stop = keys[DAP_COORD_STOP];
  dim.padding[0] = keys[DAP_COORD_LOW];
  dim.padding[1] = keys[DAP_COORD_HIGH];
  return dim;
}
