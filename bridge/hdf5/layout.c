/* Stores the layout as an attribute of the dataset: a string of variable length, as h5py writes it. */
#include "hdf5_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char attribute_name[] = "dap_layout";

static hid_t make_string(H5T_cset_t set)
{
  hid_t type = H5Tcopy(H5T_C_S1);
  if (type < 0) return type;
  if (H5Tset_size(type, H5T_VARIABLE) >= 0 && H5Tset_cset(type, set) >= 0) return type;
  (void)H5Tclose(type);
  return H5I_INVALID_HID;
}

dap_status dap_hdf5_layout_write(hid_t dataset, const dap_file_name *name, const char *text, dap_error *err)
{
  hid_t type = make_string(H5T_CSET_UTF8), space = H5Screate(H5S_SCALAR);
  hid_t attribute = H5Acreate2(dataset, attribute_name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  dap_status status = DAP_OK;
  if (attribute < 0 || H5Awrite(attribute, type, &text) < 0)
    status = dap_hdf5_fail(name, "the attribute dap_layout cannot be written", err);
  if (attribute >= 0) (void)H5Aclose(attribute);
  if (space >= 0) (void)H5Sclose(space);
  if (type >= 0) (void)H5Tclose(type);
  return status;
}

/* Reads the text. Other programs may have written it with a fixed length, or in ASCII. */
static void read_variable(hid_t attribute, H5T_cset_t set, char *text, size_t capacity)
{
  hid_t type = make_string(set);
  char *found = NULL;
  if (H5Aread(attribute, type, &found) >= 0 && found && strlen(found) < capacity)
    (void)snprintf(text, capacity, "%s", found);
  if (found) (void)H5free_memory(found);
  if (type >= 0) (void)H5Tclose(type);
}

static void read_fixed(hid_t attribute, hid_t type, char *text, size_t capacity)
{
  const size_t size = H5Tget_size(type);
  char *found = size < capacity ? calloc(size + 1, 1) : NULL;
  if (found && H5Aread(attribute, type, found) >= 0) (void)snprintf(text, capacity, "%s", found);
  free(found);
}

void dap_hdf5_layout_read(hid_t dataset, char *text, size_t capacity)
{
  if (capacity > 0) text[0] = '\0';
  if (H5Aexists(dataset, attribute_name) <= 0) return;
  hid_t attribute = H5Aopen(dataset, attribute_name, H5P_DEFAULT);
  if (attribute < 0) return;
  hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
  if (H5Tget_class(type) == H5T_STRING && H5Sget_simple_extent_npoints(space) == 1) {
    if (H5Tis_variable_str(type) > 0)
      read_variable(attribute, H5Tget_cset(type), text, capacity);
    else
      read_fixed(attribute, type, text, capacity);
  }
  if (space >= 0) (void)H5Sclose(space);
  if (type >= 0) (void)H5Tclose(type);
  (void)H5Aclose(attribute);
}
