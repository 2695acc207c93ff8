/* Reads and writes pieces of a dataset that is not contiguous. HDF5 does it, separately on each process. */
#include "hdf5_impl.h"

/* Opens the file. All chunks that are written have been allocated, so HDF5 changes only elements. It keeps no
 * chunk in memory, so processes may write different elements of one chunk. */
static dap_status open_file(dap_hdf5_file *f, dap_error *err)
{
  if (f->change.access != DAP_FILE_READ) {
    f->faults.only_data = true;
    return dap_hdf5_driver_open(&f->name, false, &f->faults, &f->file, err);
  }
  f->file = H5Fopen(f->name.file, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (f->file < 0) return dap_hdf5_fail(&f->name, "cannot be opened", err);
  return DAP_OK;
}

dap_status dap_hdf5_chunks_open(dap_hdf5_file *f, dap_error *err)
{
  DAP_TRY(open_file(f, err));
  DAP_TRY(dap_hdf5_find(f->file, &f->name, &f->dataset, NULL, err));
  f->type = H5Dget_type(f->dataset);
  if (f->type < 0) return dap_hdf5_fail(&f->name, "the dataset's type cannot be read", err);
  return DAP_OK;
}

/* Reads or writes elements in the file's type, so that HDF5 converts nothing. */
static dap_status transfer(const dap_hdf5_file *f, hid_t there, hid_t here, dap_hdf5_memory memory,
                           dap_error *err)
{
  if (memory.to && H5Dread(f->dataset, f->type, here, there, H5P_DEFAULT, memory.to) < 0)
    return dap_hdf5_fail(&f->name, "elements cannot be read", err);
  if (!memory.to && H5Dwrite(f->dataset, f->type, here, there, H5P_DEFAULT, memory.from) < 0)
    return dap_hdf5_fail(&f->name, "elements cannot be written", err);
  if (f->faults.error) return dap_hdf5_fail_errno(&f->name, "cannot be written", f->faults.error, err);
  return DAP_OK;
}

dap_status dap_hdf5_chunks(dap_hdf5_file *f, const dap_file_piece *piece, dap_hdf5_memory memory,
                           dap_error *err)
{
  hsize_t start[DAP_MAX_NDIM], shape[DAP_MAX_NDIM];
  for (int k = 0; k < piece->ndim; k++) {
    start[k] = (hsize_t)piece->start[k];
    shape[k] = (hsize_t)piece->shape[k];
  }
  hid_t there = H5Dget_space(f->dataset), here = H5Screate_simple(piece->ndim, shape, NULL);
  dap_status status = DAP_OK;
  if (there < 0 || here < 0 ||
      (piece->ndim > 0 && H5Sselect_hyperslab(there, H5S_SELECT_SET, start, NULL, shape, NULL) < 0))
    status = dap_hdf5_fail(&f->name, "elements cannot be selected", err);
  else
    status = transfer(f, there, here, memory, err);
  if (here >= 0) (void)H5Sclose(here);
  if (there >= 0) (void)H5Sclose(there);
  return status;
}
