/* Fuzzes layouts in short texts of any bytes: reads, writes and describes them. An error must name its
 * place. For libFuzzer; a contradiction ends the run. */
#include "fuzz.h"

#include <dapbridge/parse.h>
#include <string.h>

enum { PROCS = 256 /* most processes of a layout that is inspected */, ELEMENTS = 1 << 20 };

static void check_error(const char *text, const dap_error *err)
{
  unsigned long column = 0;
  FUZZ_REQUIRE(sscanf(err->text, "column %lu: ", &column) == 1);
  FUZZ_REQUIRE(column >= 1 && column <= strlen(text) + 1);
}

/* Returns whether dictionaries describe the layout completely. They cannot say
 * which process owns a copied element, or that copies are replicas. */
static bool is_sayable(const dap_layout *layout)
{
  for (int k = 0; k < dap_layout_ndim(layout); k++) {
    const dap_axis axis = dap_layout_axis(layout, k);
    if (axis.owners_given || axis.replicated || axis.partial) return false;
  }
  return dap_layout_count(layout) <= ELEMENTS;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char *text = malloc(size + 1);
  dap_layout *layout = NULL;
  dap_error err = {0};
  if (!text) return 0;
  if (size > 0) memcpy(text, data, size);
  text[size] = '\0';
  const dap_status s = dap_layout_parse(text, &layout, &err);
  FUZZ_REQUIRE((s == DAP_OK) == (layout != NULL));
  if (s && s != DAP_ERR_NOMEM) check_error(text, &err);
  if (layout && dap_layout_nprocs(layout) <= PROCS) {
    fuzz_format(layout);
    if (is_sayable(layout)) fuzz_export(layout);
  }
  dap_layout_destroy(&layout);
  free(text);
  return 0;
}
