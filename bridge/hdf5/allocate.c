/* Has HDF5 allocate the storage of a dataset, after which each process can write elements independently. HDF5
 * allocates a chunk when an element of it is written, so one element is written with the value that it
 * has. */
#include "hdf5_impl.h"

enum { ELEMENT = 64 /* bytes: more than any element that dapbridge has */ };

typedef struct storage {
  hid_t dataset, space, type;
  hid_t memory; /* dataspace of one element */
  int ndim;
  hsize_t shape[H5S_MAX_RANK], chunk[H5S_MAX_RANK];
} storage;

static bool touch(const storage *s, const hsize_t at[], void *element)
{
  return (s->ndim == 0 || H5Sselect_elements(s->space, H5S_SELECT_SET, 1, at) >= 0) &&
         H5Dread(s->dataset, s->type, s->memory, s->space, H5P_DEFAULT, element) >= 0 &&
         H5Dwrite(s->dataset, s->type, s->memory, s->space, H5P_DEFAULT, element) >= 0;
}

/* Goes to the first element of the next chunk, in the dataset's order. Returns false after the last one. */
static bool next_chunk(const storage *s, hsize_t first, hsize_t at[])
{
  for (int k = s->ndim - 1; k >= 0; k--) {
    at[k] += s->chunk[k];
    if (at[k] < s->shape[k]) return true;
    at[k] = k == 0 ? first : 0;
  }
  return false;
}

static bool touch_all(const storage *s, int64_t first)
{
  hsize_t at[H5S_MAX_RANK] = {0};
  unsigned char element[ELEMENT];
  bool done = H5Tget_size(s->type) <= sizeof element;
  at[0] = (hsize_t)first;
  for (bool has_more = true; done && has_more; has_more = next_chunk(s, (hsize_t)first, at))
    done = touch(s, at, element);
  return done;
}

static dap_status check_storage(hid_t made, const dap_file_name *name, dap_error *err)
{
  const H5D_layout_t layout = H5Pget_layout(made);
  const char *words = layout == H5D_COMPACT                                         ? "is compact"
                      : layout == H5D_VIRTUAL                                       ? "is virtual"
                      : layout == H5D_CONTIGUOUS && H5Pget_external_count(made) > 0 ? "is in other files"
                      : layout == H5D_CHUNKED && H5Pget_nfilters(made) > 0
                          ? "is compressed or has other filters"
                          : NULL;
  DAP_REQUIRE(!words, err, DAP_ERR_UNSUPPORTED,
              "%.300s: the dataset %s, and cannot be changed in place; save it under another name",
              name->shown, words);
  return DAP_OK;
}

static bool open_storage(hid_t dataset, hid_t made, storage *s)
{
  const hsize_t one = 1;
  s->dataset = dataset;
  s->space = H5Dget_space(dataset);
  s->type = H5Dget_type(dataset);
  s->memory = H5Screate_simple(1, &one, NULL);
  s->ndim = H5Sget_simple_extent_dims(s->space, s->shape, NULL);
  for (int k = 0; k < s->ndim; k++) s->chunk[k] = s->shape[k];
  if (H5Pget_layout(made) == H5D_CHUNKED && H5Pget_chunk(made, H5S_MAX_RANK, s->chunk) < 0) return false;
  return s->space >= 0 && s->type >= 0 && s->memory >= 0 && s->ndim >= 0;
}

static void close_storage(const storage *s)
{
  if (s->memory >= 0) (void)H5Sclose(s->memory);
  if (s->type >= 0) (void)H5Tclose(s->type);
  if (s->space >= 0) (void)H5Sclose(s->space);
}

static bool is_empty(const storage *s, int64_t first)
{
  for (int k = 0; k < s->ndim; k++)
    if (s->shape[k] == 0) return true;
  return s->ndim > 0 && s->shape[0] <= (hsize_t)first;
}

dap_status dap_hdf5_allocate(hid_t dataset, const dap_file_name *name, int64_t first, dap_error *err)
{
  storage s;
  H5D_space_status_t found = H5D_SPACE_STATUS_ERROR;
  hid_t made = H5Dget_create_plist(dataset);
  if (made < 0) return dap_hdf5_fail(name, "the dataset cannot be read", err);
  dap_status status = check_storage(made, name, err);
  (void)H5Dget_space_status(dataset, &found);
  if (!status && found != H5D_SPACE_STATUS_ALLOCATED) {
    if (!open_storage(dataset, made, &s) || (!is_empty(&s, first) && !touch_all(&s, first)))
      status = dap_hdf5_fail(name, "storage of the dataset cannot be allocated", err);
    close_storage(&s);
  }
  (void)H5Pclose(made);
  return status;
}
