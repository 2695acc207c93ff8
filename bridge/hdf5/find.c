/* Finds a dataset by its path. If it is missing, the error lists what is there instead. */
#define _DEFAULT_SOURCE /* strtok_r; NOLINT(bugprone-reserved-identifier) */
#include "hdf5_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes the names in a group, at most five: "'u', 'v'". */
static void list_names(hid_t group, char *text, size_t capacity)
{
  char name[64];
  H5G_info_t info = {0};
  size_t length = 0;
  (void)snprintf(text, capacity, "nothing");
  if (H5Gget_info(group, &info) < 0) return;
  for (hsize_t i = 0; i < info.nlinks && i < 5 && length < capacity; i++) {
    if (H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT) < 0)
      return;
    const int added = snprintf(text + length, capacity - length, "%s'%s'", length > 0 ? ", " : "", name);
    length += added > 0 ? (size_t)added : 0;
  }
  if (info.nlinks > 5 && length < capacity) (void)snprintf(text + length, capacity - length, ", ...");
}

static dap_status fail_missing(hid_t group, const char *step, const dap_file_name *name, dap_error *err)
{
  char names[200], where[100] = "";
  list_names(group, names, sizeof names);
  (void)H5Iget_name(group, where, sizeof where);
  return dap_fail(err, DAP_ERR_FILE, "%.300s: the file has no '%s' in '%s', which has %s", name->shown, step,
                  where, names);
}

/* Sets *file and *path, in value[capacity], if the link leads to another file. */
static bool is_external(hid_t group, const char *step, char *value, size_t capacity, const char **file,
                        const char **path)
{
  H5L_info_t link;
  return H5Lget_info(group, step, &link, H5P_DEFAULT) >= 0 && link.type == H5L_TYPE_EXTERNAL &&
         link.u.val_size <= capacity && H5Lget_val(group, step, value, capacity, H5P_DEFAULT) >= 0 &&
         H5Lunpack_elink_val(value, link.u.val_size, NULL, file, path) >= 0;
}

/* HDF5 does not follow an external link by the driver of files that are written. */
static dap_status fail_link(hid_t group, const char *step, const dap_file_name *name, dap_error *err)
{
  char value[2048];
  const char *file, *path;
  const dap_status status = dap_hdf5_fail(name, "the dataset cannot be opened", err);
  if (!is_external(group, step, value, sizeof value, &file, &path)) return status;
  return dap_fail(
      err, status,
      "%.200s: '%.60s' is an external link to '%.100s:%.100s', which cannot be opened by this path; "
      "use its own path",
      name->shown, step, file, path);
}

/* Opens the object `step` in the group *at. Closes the group, and puts the object in its place. */
static dap_status follow(hid_t *at, const char *step, const dap_file_name *name, bool *is_there,
                         dap_error *err)
{
  DAP_REQUIRE(H5Iget_type(*at) == H5I_GROUP, err, DAP_ERR_FILE, "%.300s: '%s' is not in a group", name->shown,
              step);
  const htri_t has_link = H5Lexists(*at, step, H5P_DEFAULT);
  if (has_link == 0) {
    *is_there = false;
    return fail_missing(*at, step, name, err);
  }
  hid_t next = has_link < 0 ? H5I_INVALID_HID : H5Oopen(*at, step, H5P_DEFAULT);
  if (next < 0) return fail_link(*at, step, name, err);
  (void)H5Oclose(*at);
  *at = next;
  return DAP_OK;
}

static dap_status check_type(hid_t object, const dap_file_name *name, dap_error *err)
{
  const H5I_type_t type = H5Iget_type(object);
  DAP_REQUIRE(type == H5I_DATASET, err, DAP_ERR_FILE, "%.300s: this is a %s, not a dataset", name->shown,
              type == H5I_GROUP ? "group" : "named type");
  return DAP_OK;
}

static dap_status fail_unnamed(hid_t root, const dap_file_name *name, dap_error *err)
{
  char names[200];
  list_names(root, names, sizeof names);
  return dap_fail(err, DAP_ERR_ARG, "%.300s: the path has no dataset, as in %s:/name; the file has %s",
                  name->shown, name->file, names);
}

static dap_status find(hid_t *at, const dap_file_name *name, char *path, bool *is_there, dap_error *err)
{
  char *rest = NULL;
  char *step = strtok_r(path, "/", &rest);
  if (!step) return fail_unnamed(*at, name, err);
  for (; step; step = strtok_r(NULL, "/", &rest)) DAP_TRY(follow(at, step, name, is_there, err));
  return check_type(*at, name, err);
}

char *dap_hdf5_copy(const char *text)
{
  const size_t bytes = text ? strlen(text) + 1 : 1;
  char *copy = malloc(bytes);
  if (copy) memcpy(copy, text ? text : "", bytes);
  return copy;
}

dap_status dap_hdf5_find(hid_t file, const dap_file_name *name, hid_t *dataset, bool *is_there,
                         dap_error *err)
{
  char *path = dap_hdf5_copy(name->dataset);
  hid_t at = path ? H5Oopen(file, "/", H5P_DEFAULT) : H5I_INVALID_HID;
  dap_status status = DAP_OK;
  bool ignored;
  if (!is_there) is_there = &ignored;
  *is_there = true;
  if (!path)
    status = dap_fail(err, DAP_ERR_NOMEM, "%.300s: no memory for the path of a dataset", name->shown);
  else if (at < 0)
    status = dap_hdf5_fail(name, "cannot be read", err);
  else
    status = find(&at, name, path, is_there, err);
  free(path);
  if (status && at >= 0) (void)H5Oclose(at);
  *dataset = status ? H5I_INVALID_HID : at;
  return status;
}
