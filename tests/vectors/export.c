/* Dictionaries that a layout exports, joined again, and compared with those that it was made of. */
#include "vectors.h"

#include <dapbridge/dialect.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- joining ----------------------------------------------------------------------------------- */

static dap_status give(void *context, int rank, dap_array *array, dap_error *err)
{
  (void)err;
  *array = ((const dap_array *)context)[rank];
  return DAP_OK;
}

dap_status join_parts(int nprocs, const dap_array parts[], const char *rules, dap_layout **layout,
                      dap_error *err)
{
  dap_array *copies = malloc((size_t)nprocs * sizeof *copies); /* a context is not const */
  *layout = NULL;
  if (!copies) return dap_fail(err, DAP_ERR_NOMEM, "no memory for %d parts", nprocs);
  memcpy(copies, parts, (size_t)nprocs * sizeof *copies);
  const dap_join join = {.nprocs = nprocs, .context = copies, .part = give, .rules = rules};
  const dap_status s = dap_layout_join(&join, layout, err);
  free(copies);
  return s;
}

/* ---- one export -------------------------------------------------------------------------------- */

/* What process `rank` exports in a version, with a buffer that only has a shape. */
static dap_status export_part(const dap_layout *layout, const char *version, int rank, dap_array *array,
                              dap_error *err)
{
  static char nothing;
  int coords[DAP_MAX_NDIM];
  dap_status s = DAP_OK;
  *array = (dap_array){.abi = DAP_ARRAY_ABI, .dtype = DAP_U1, .data = &nothing};
  strncpy(array->version, version, DAP_VERSION_TEXT - 1);
  array->ndim = array->dim_count = dap_layout_ndim(layout);
  dap_layout_coords(layout, rank, coords);
  for (int k = 0; k < array->ndim && !s; k++) {
    s = dap_layout_dim(layout, version, k, coords[k], &array->dims[k], err);
    array->shape[k] = dap_layout_extent(layout, k, coords[k]);
  }
  return s;
}

static dap_status export_all(const dap_layout *layout, const char *version, dap_array exported[],
                             dap_error *err)
{
  dap_status s = DAP_OK;
  for (int rank = 0; rank < dap_layout_nprocs(layout) && !s; rank++)
    s = export_part(layout, version, rank, &exported[rank], err);
  return s;
}

/* A layout made of its own export is equal to it. */
static dap_status rejoin(const dap_layout *layout, const char *version, const dap_array exported[],
                         dap_error *err)
{
  dap_layout *again = NULL;
  dap_error why = {0};
  const dap_status s = join_parts(dap_layout_nprocs(layout), exported, NULL, &again, &why);
  if (s) return dap_fail(err, s, "its own export in %s is refused: %.400s", version, why.text);
  const bool is_equal = dap_layout_is_equal(layout, again) && dap_layout_is_equal(again, layout) &&
                        dap_layout_hash(layout) == dap_layout_hash(again);
  dap_layout_destroy(&again);
  if (!is_equal) return dap_fail(err, DAP_ERR_LAYOUT, "its own export in %s makes another layout", version);
  return DAP_OK;
}

/* ---- compared with what was given -------------------------------------------------------------- */

static int64_t index_of(const dap_dim *dim, int64_t i)
{
  const unsigned char *at = dim->indices;
  const size_t size = (size_t)dap_dtype_size(dim->indices_dtype);
  const bool is_signed = dap_dtype_name(dim->indices_dtype)[0] == 'i';
  const int64_t one = 1; /* its first byte is 1 where the lowest byte comes first */
  uint64_t word = 0;
  at += (size_t)i * size;
  for (size_t b = 0; b < size; b++) {
    const size_t low = *(const unsigned char *)&one ? b : size - 1 - b;
    word |= (uint64_t)at[low] << (8 * b);
  }
  if (is_signed && size < 8 && word >> (8 * size - 1)) word |= ~(uint64_t)0 << (8 * size);
  return (int64_t)word;
}

static bool is_same_indices(const dap_dim *given, const dap_dim *made)
{
  bool is_same = given->index_count == made->index_count && given->one_to_one == made->one_to_one &&
                 (made->indices || made->index_count == 0);
  for (int64_t i = 0; i < given->index_count && is_same; i++)
    is_same = index_of(given, i) == index_of(made, i);
  return is_same;
}

/* Free: the position of an empty section. Outer padding may differ between edge processes, of which the
 * layout keeps what those at coordinate 0 of all other axes said. */
static bool is_same_block(const dap_dim *given, const dap_dim *made, bool is_teller)
{
  bool is_same = given->periodic == made->periodic;
  if (given->start < given->stop || made->start < made->stop)
    is_same = is_same && given->start == made->start && given->stop == made->stop;
  for (int side = 0; side < 2; side++) {
    const bool is_edge = given->proc_grid_rank == (side == 0 ? 0 : given->proc_grid_size - 1);
    is_same = is_same && ((is_edge && !is_teller) || given->padding[side] == made->padding[side]);
  }
  return is_same;
}

/* Free: where an empty section starts at or behind the end; block_size 1 may be absent. */
static bool is_same_cyclic(const dap_dim *given, const dap_dim *made)
{
  const int64_t blocks[2] = {given->block_size == DAP_ABSENT ? 1 : given->block_size,
                             made->block_size == DAP_ABSENT ? 1 : made->block_size};
  const bool is_empty = given->start >= given->size && made->start >= made->size;
  return blocks[0] == blocks[1] && (is_empty || given->start == made->start);
}

static bool is_same_dim(const dap_dim *given, const dap_dim *made, bool is_teller)
{
  if (given->dist_type != made->dist_type) /* 'n' and the empty dictionary may come back spelt out */
    return (given->dist_type == 'n' || given->dist_type == 0) && made->dist_type == 'b' &&
           made->proc_grid_size == 1;
  if (given->dist_type == 'n' || given->dist_type == 0) return true;
  if (given->size != made->size || given->proc_grid_size != made->proc_grid_size ||
      given->proc_grid_rank != made->proc_grid_rank)
    return false;
  return given->dist_type == 'b'   ? is_same_block(given, made, is_teller)
         : given->dist_type == 'c' ? is_same_cyclic(given, made)
                                   : is_same_indices(given, made);
}

static dap_status compare_given(const dap_layout *layout, const dap_array parts[], const dap_array exported[],
                                dap_error *err)
{
  const int ndim = dap_layout_ndim(layout);
  for (int rank = 0; rank < dap_layout_nprocs(layout); rank++) {
    int coords[DAP_MAX_NDIM];
    dap_layout_coords(layout, rank, coords);
    for (int k = 0; k < ndim; k++) {
      bool is_teller = true;
      for (int other = 0; other < ndim; other++) is_teller = is_teller && (other == k || coords[other] == 0);
      if (!is_same_dim(&parts[rank].dims[k], &exported[rank].dims[k], is_teller))
        return dap_fail(err, DAP_ERR_DIM, "axis %d: rank %d's dictionary is exported as another one", k,
                        rank);
    }
  }
  return DAP_OK;
}

/* ---- all versions ------------------------------------------------------------------------------ */

static dap_status compare_version(const dap_layout *layout, const char *version, const dap_array parts[],
                                  bool is_own, dap_array exported[], dap_error *err)
{
  dap_status s = export_all(layout, version, exported, err);
  if (!s) s = rejoin(layout, version, exported, err);
  return s || !is_own ? s : compare_given(layout, parts, exported, err);
}

dap_status export_compare(const dap_layout *layout, const char *rules, const dap_array parts[],
                          dap_error *err)
{
  static const char *const versions[] = {"0.10.0", "0.9.0", "0.0.1"};
  dap_array *exported = calloc((size_t)dap_layout_nprocs(layout), sizeof *exported);
  if (!exported) return dap_fail(err, DAP_ERR_NOMEM, "no memory for exports");
  dap_status s = DAP_OK;
  int said = 0;
  for (size_t i = 0; i < sizeof versions / sizeof versions[0] && !s; i++) {
    const bool is_own = dap_dialect_find(rules ? rules : parts[0].version) == dap_dialect_find(versions[i]);
    s = compare_version(layout, versions[i], parts, is_own, exported, err);
    said += !s;
    if (s == DAP_ERR_UNSUPPORTED && !is_own) s = DAP_OK; /* that version cannot say it */
  }
  free(exported);
  return !s && said == 0 ? dap_fail(err, DAP_ERR_UNSUPPORTED, "no version can say it") : s;
}
