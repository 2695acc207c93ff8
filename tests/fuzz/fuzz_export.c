/* Joins the dictionaries that a layout exports. */
#include "fuzz.h"

#include <string.h>

typedef struct exported {
  const dap_layout *layout;
  const char *version;
} exported;

static dap_status give(void *context, int rank, dap_array *array, dap_error *err)
{
  const exported *from = context;
  static char element;
  int coords[DAP_MAX_NDIM];
  dap_layout_coords(from->layout, rank, coords);
  *array = (dap_array){.abi = DAP_ARRAY_ABI, .dtype = DAP_U1, .data = &element};
  array->dim_count = array->ndim = dap_layout_ndim(from->layout);
  memcpy(array->version, from->version, strlen(from->version) + 1);
  for (int k = 0; k < array->ndim; k++) {
    const dap_status s = dap_layout_dim(from->layout, from->version, k, coords[k], &array->dims[k], err);
    if (s) return s;
    array->shape[k] = dap_layout_extent(from->layout, k, coords[k]);
  }
  return DAP_OK;
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
  static const char *const versions[] = {"0.10.0", "0.9.0", "0.0.1"};
  for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) join_again(layout, versions[i]);
}
