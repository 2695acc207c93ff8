/* Makes parts of arrays. It reads a part as the Fortran module passes it, and makes it an array in the same
 * memory. */
#include "fortran_impl.h"

#include <stdlib.h>

/* ---- which elements ----------------------------------------------------------------------------- */

static dap_status check_count(const char *what, int count, const dap_layout *layout, dap_error *err)
{
  const int ndim = layout ? dap_layout_ndim(layout) : -1;
  if (count < 0 || count == ndim || (!layout && count <= DAP_MAX_NDIM)) return DAP_OK;
  return dap_fail(err, DAP_ERR_ARG, "part: %s has %d numbers, the array's rank is %d", what, count,
                  layout ? ndim : DAP_MAX_NDIM);
}

dap_status dap_f_part_choose(const dap_f_part *given, const dap_layout *layout, dap_f_chosen *chosen,
                             dap_error *err)
{
  dap_status status = DAP_OK;
  if (given->naxes > DAP_MAX_NDIM)
    status = dap_fail(err, DAP_ERR_ARG, "part: %d axes, more than %d", given->naxes, DAP_MAX_NDIM);
  if (!status) status = check_count("start", given->nstart, layout, err);
  if (!status) status = check_count("shape", given->nshape, layout, err);
  if (status) return status;
  for (int k = 0; k < given->naxes; k++) chosen->axes[k] = given->axes[k] - 1;
  for (int k = 0; k < given->nstart; k++) chosen->start[k] = given->start[k] - 1;
  chosen->part = (dap_part){.naxes = given->naxes >= 0 ? given->naxes : 0,
                            .axes = given->naxes >= 0 ? chosen->axes : NULL,
                            .start = given->nstart >= 0 ? chosen->start : NULL,
                            .shape = given->nshape >= 0 ? given->shape : NULL};
  return DAP_OK;
}

/* ---- as an array --------------------------------------------------------------------------------- */

/* A part of all processes is on the whole's communicator, and its layout has the whole's ranks. `places`: the
 * rank in the whole's layout of each process of the part. */
static dap_status keep_ranks(dap_f_array *array, const int places[], dap_error *err)
{
  const int count = dap_layout_nprocs(array->layout);
  bool is_same = true;
  for (int i = 0; i < count; i++) is_same = is_same && places[i] == i;
  if (is_same) return DAP_OK;
  dap_layout *reordered = NULL;
  const dap_status status = dap_layout_reorder(array->layout, places, &reordered, err);
  if (status) return status;
  dap_layout_destroy(&array->layout);
  array->layout = reordered;
  return DAP_OK;
}

/* Finds the ranks of the part's processes in the communicator. A part of some processes is an array with a
 * table of these. */
static dap_status list_ranks(dap_f_array *array, const dap_f_array *whole, const int places[], dap_error *err)
{
  const int count = dap_layout_nprocs(array->layout);
  const bool is_all = count == dap_layout_nprocs(whole->layout);
  array->rank = is_all ? whole->rank : count;
  for (int i = 0; i < count && !is_all; i++)
    if (places[i] == whole->rank) array->rank = i;
  if (is_all && !whole->ranks) return keep_ranks(array, places, err);
  array->ranks = malloc((size_t)count * sizeof *array->ranks);
  if (!array->ranks) return dap_fail(err, DAP_ERR_NOMEM, "no memory for %d ranks", count);
  for (int i = 0; i < count; i++) {
    const int place = is_all ? i : places[i];
    array->ranks[i] = whole->ranks ? whole->ranks[place] : place;
  }
  return is_all ? keep_ranks(array, places, err) : DAP_OK;
}

static dap_status look_into(dap_f_array *array, const dap_f_array *whole, const dap_part *part,
                            dap_error *err)
{
  int *places = malloc((size_t)dap_layout_nprocs(whole->layout) * sizeof *places);
  dap_status status = places ? DAP_OK : dap_fail(err, DAP_ERR_NOMEM, "no memory for ranks");
  if (!status) status = dap_layout_part(whole->layout, part, &array->layout, places, err);
  if (!status && dap_f_array_has_part(whole))
    status = dap_array_part(dap_f_darray(whole), whole->rank, part, &array->local, err);
  if (!status) status = list_ranks(array, whole, places, err);
  free(places);
  return status;
}

/* If the layout of an array is not known here, that of its part is not known either. */
dap_status dap_f_array_part(dap_f_array *whole, const dap_f_part *given, void **variable, dap_error *err)
{
  dap_f_chosen chosen;
  dap_f_array *array = NULL;
  dap_status status = whole ? DAP_OK : dap_fail(err, DAP_ERR_ARG, "the array is not set");
  if (!status) status = dap_f_part_choose(given, whole->layout, &chosen, err);
  if (!status) array = dap_f_new(&dap_f_array_kind, err);
  if (!status && !array) status = DAP_ERR_NOMEM;
  if (!status) {
    array->dtype = whole->dtype;
    array->whole = dap_f_keep(whole);
    if (whole->layout) status = look_into(array, whole, &chosen.part, err);
  }
  return dap_f_array_put(variable, array, status);
}
