/* Lists the format's functions in a table. Each keeps HDF5 from printing while it runs. */
#include "hdf5_impl.h"

static dap_status query(const dap_file_format *format, const dap_file_name *name,
                        const dap_file_options *options, dap_file_info *info, char *layout, size_t capacity,
                        dap_error *err)
{
  const dap_hdf5_printing printing = dap_hdf5_silence();
  const dap_status status = dap_hdf5_query(format, name, options, info, layout, capacity, err);
  dap_hdf5_restore(&printing);
  return status;
}

static dap_status open_file(const dap_file_format *format, MPI_Comm comm, const dap_file_name *name,
                            dap_file_access access, int64_t steps, const char *layout, dap_file_info *info,
                            void **state, dap_error *err)
{
  const dap_hdf5_printing printing = dap_hdf5_silence();
  const dap_status status = dap_hdf5_open(format, comm, name, access, steps, layout, info, state, err);
  dap_hdf5_restore(&printing);
  return status;
}

static dap_status transfer(dap_hdf5_file *f, const dap_file_piece *piece, dap_hdf5_memory memory,
                           dap_error *err)
{
  const dap_file_format *raw = dap_file_raw();
  if (piece->count == 0) return DAP_OK;
  if (f->bytes)
    return memory.to ? raw->read(f->bytes, piece, memory.to, err)
                     : raw->write(f->bytes, piece, memory.from, err);
  const dap_hdf5_printing printing = dap_hdf5_silence();
  const dap_status status = dap_hdf5_chunks(f, piece, memory, err);
  dap_hdf5_restore(&printing);
  return status;
}

static dap_status read_piece(void *state, const dap_file_piece *piece, void *data, dap_error *err)
{
  return transfer(state, piece, (dap_hdf5_memory){.to = data}, err);
}

static dap_status write_piece(void *state, const dap_file_piece *piece, const void *data, dap_error *err)
{
  return transfer(state, piece, (dap_hdf5_memory){.from = data}, err);
}

static dap_status close_file(void *state, bool failed, dap_error *err)
{
  const dap_hdf5_printing printing = dap_hdf5_silence();
  const dap_status status = dap_hdf5_close(state, failed, err);
  dap_hdf5_restore(&printing);
  return status;
}

const dap_file_format *dap_file_hdf5(void)
{
  static const dap_file_format format = {
      .version = DAP_FILE_FORMAT_VERSION,
      .name = "hdf5",
      .has_datasets = true,
      .has_attributes = true,
      .can_append = true,
      .is_collective = false,
      .query = query,
      .open = open_file,
      .read = read_piece,
      .write = write_piece,
      .close = close_file,
  };
  return &format;
}
