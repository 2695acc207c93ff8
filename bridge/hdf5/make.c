/* Makes a new dataset. */
#include "hdf5_impl.h"

#include <string.h>

enum { CHUNK_BYTES = 1 << 20 }; /* HDF5's default cache of chunks */

/* Chooses chunks that are contiguous parts of a step: whole rows of the fastest axes. Steps that are far
 * smaller than a chunk share one. */
static void choose_chunks(const dap_file_info *info, hsize_t chunk[])
{
  int64_t bytes = dap_dtype_size(info->dtype);
  for (int k = info->ndim - 1; k > 0; k--) {
    const int64_t most = CHUNK_BYTES / bytes, extent = info->shape[k] > 0 ? info->shape[k] : 1;
    chunk[k] = (hsize_t)(extent < most ? extent : most > 0 ? most : 1);
    bytes *= (int64_t)chunk[k];
  }
  chunk[0] = bytes >= CHUNK_BYTES / 64 ? 1 : (hsize_t)(CHUNK_BYTES / 64 / bytes);
}

/* Has HDF5 allocate all storage when the dataset is made or extended. It is not filled, because dapbridge
 * writes all elements. */
static hid_t make_properties(const dap_hdf5_change *change, const dap_file_info *info)
{
  hsize_t chunk[DAP_MAX_NDIM];
  hid_t made = H5Pcreate(H5P_DATASET_CREATE);
  if (made < 0) return made;
  choose_chunks(info, chunk);
  if (H5Pset_alloc_time(made, H5D_ALLOC_TIME_EARLY) >= 0 &&
      H5Pset_fill_time(made, H5D_FILL_TIME_NEVER) >= 0 && H5Pset_obj_track_times(made, false) >= 0 &&
      (change->steps < 0 || H5Pset_chunk(made, info->ndim, chunk) >= 0))
    return made;
  (void)H5Pclose(made);
  return H5I_INVALID_HID;
}

static hid_t make_space(const dap_hdf5_change *change, const dap_file_info *info)
{
  hsize_t shape[DAP_MAX_NDIM], limit[DAP_MAX_NDIM];
  for (int k = 0; k < info->ndim; k++) {
    shape[k] = (hsize_t)info->shape[k];
    limit[k] = shape[k] > 0 ? shape[k] : 1; /* at least a chunk */
  }
  if (change->steps >= 0) {
    shape[0] = (hsize_t)change->steps;
    limit[0] = H5S_UNLIMITED;
  }
  return info->ndim == 0 ? H5Screate(H5S_SCALAR)
                         : H5Screate_simple(info->ndim, shape, change->steps >= 0 ? limit : NULL);
}

static hid_t make_links(void)
{
  hid_t links = H5Pcreate(H5P_LINK_CREATE);
  if (links >= 0 && H5Pset_create_intermediate_group(links, 1) >= 0) return links;
  if (links >= 0) (void)H5Pclose(links);
  return H5I_INVALID_HID;
}

static dap_status check(const dap_file_name *name, const dap_file_info *info, dap_error *err)
{
  DAP_REQUIRE(info->order == DAP_ORDER_C, err, DAP_ERR_UNSUPPORTED,
              "%.300s: HDF5's datasets are in C order, so options.order cannot be DAP_ORDER_F", name->shown);
  DAP_REQUIRE(name->dataset && name->dataset[strspn(name->dataset, "/")], err, DAP_ERR_ARG,
              "%.200s: the path has no dataset, as in %.200s:/name", name->shown, name->shown);
  return DAP_OK;
}

dap_status dap_hdf5_make(hid_t file, const dap_file_name *name, const dap_hdf5_change *change,
                         const dap_file_info *info, hid_t *dataset, dap_error *err)
{
  *dataset = H5I_INVALID_HID;
  DAP_TRY(check(name, info, err));
  hid_t type = dap_hdf5_type_make(info->dtype, info->swapped), space = make_space(change, info);
  hid_t links = make_links(), made = make_properties(change, info);
  dap_status status = DAP_OK;
  *dataset = H5Dcreate2(file, name->dataset, type, space, links, made, H5P_DEFAULT);
  if (*dataset < 0) status = dap_hdf5_fail(name, "the dataset cannot be made", err);
  if (made >= 0) (void)H5Pclose(made);
  if (links >= 0) (void)H5Pclose(links);
  if (space >= 0) (void)H5Sclose(space);
  if (type >= 0) (void)H5Tclose(type);
  if (!status && change->layout && *change->layout)
    status = dap_hdf5_layout_write(*dataset, name, change->layout, err);
  return status;
}
