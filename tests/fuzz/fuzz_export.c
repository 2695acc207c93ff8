/* Joins the dictionaries that a layout exports. */
#include "fuzz.h"

#include <string.h>

const char *const fuzz_versions[] = {"0.10.0", "0.9.0", "0.0.1"};

typedef struct exported {
  const dap_layout *layout;
  const char *version;
} exported;

dap_status fuzz_array(const dap_layout *layout, const char *version, int rank, dap_array *array,
                      dap_error *err)
{
  static char element;
  int coords[DAP_MAX_NDIM];
  dap_layout_coords(layout, rank, coords);
  *array = (dap_array){.abi = DAP_ARRAY_ABI, .dtype = DAP_U1, .data = &element};
  array->dim_count = array->ndim = dap_layout_ndim(layout);
  memcpy(array->version, version, strlen(version) + 1);
  for (int k = 0; k < array->ndim; k++) {
    const dap_status s = dap_layout_dim(layout, version, k, coords[k], &array->dims[k], err);
    if (s) return s;
    array->shape[k] = dap_layout_extent(layout, k, coords[k]);
  }
  return DAP_OK;
}

static dap_status give(void *context, int rank, dap_array *array, dap_error *err)
{
  const exported *from = context;
  return fuzz_array(from->layout, from->version, rank, array, err);
}

/* Checks that the dictionaries give the same layout, if the version can describe it. */
static void join_again(const dap_layout *layout, const char *version)
{
  exported from = {.layout = layout, .version = version};
  const dap_join join = {.nprocs = dap_layout_nprocs(layout), .context = &from, .part = give};
  dap_layout *again = NULL;
  dap_error err = {.text = ""};
  const dap_status s = dap_layout_join(&join, &again, &err);
  if (s == DAP_ERR_UNSUPPORTED) return;
  if (s) (void)fprintf(stderr, "%s: %s\n", version, err.text);
  FUZZ_REQUIRE(!s);
  FUZZ_REQUIRE(dap_layout_is_equal(layout, again));
  FUZZ_REQUIRE(dap_layout_hash(layout) == dap_layout_hash(again));
  dap_layout_destroy(&again);
}

void fuzz_export(const dap_layout *layout)
{
  for (size_t i = 0; i < sizeof fuzz_versions / sizeof fuzz_versions[0]; i++)
    join_again(layout, fuzz_versions[i]);
}
