/* Fuzzes documents of any bytes: reads, joins and describes them. A layout that can be exported must come
 * back equal. For libFuzzer; a contradiction ends the run. Private: the reader of documents is part of the
 * command only. */
/* fmemopen() is POSIX. */
#define _POSIX_C_SOURCE 200809L

#include "document.h"
#include "fuzz.h"

#include <dapbridge/json.h>
#include <string.h>

/* Checks that all arrays that were read can be written. */
static void write_again(const document_parts *parts)
{
  for (int r = 0; r < parts->doc->nprocs; r++) {
    size_t length = 0;
    if (!parts->is_read[r]) continue;
    FUZZ_REQUIRE(dap_array_json(&parts->arrays[r], NULL, 0, &length, NULL) == DAP_OK && length > 0);
  }
}

static void read_one(const json_t *json, const char *rules)
{
  document doc;
  document_parts parts;
  dap_layout *layout = NULL;
  dap_error err = {0};
  fuzz_heard heard = {0};
  const document_listener listener = {.tell = fuzz_listen, .context = &heard};
  if (document_open(&doc, json, rules, &err)) {
    FUZZ_REQUIRE(err.text[0] != '\0');
    return;
  }
  dap_status s = document_parts_init(&parts, &doc, &listener, &err);
  if (parts.is_read) {
    write_again(&parts);
    s = document_parts_join(&parts, &listener, &layout, &err);
  }
  FUZZ_REQUIRE(!layout || !s);
  FUZZ_REQUIRE((s != DAP_OK) == (heard.count > 0));
  FUZZ_REQUIRE(!s || !strcmp(err.text, heard.first));
  if (layout) {
    (void)document_parts_compare(&parts, layout, &listener, NULL);
    const fuzz_arrays arrays = {doc.nprocs, parts.arrays, doc.has_buffers, doc.has_values && !doc.rules};
    fuzz_layout(&arrays, layout);
  }
  dap_layout_destroy(&layout);
  document_parts_release(&parts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  /* Uses the document's own rules, or those that its first byte selects: no JSON document of interest
   * begins with a digit. */
  const bool named = size > 0 && data[0] >= '1' && data[0] <= '3';
  const char *as = named ? fuzz_versions[data[0] - '1'] : NULL;
  FILE *stream = size > named ? fmemopen((void *)(uintptr_t)(data + named), size - named, "r") : NULL;
  document_file file;
  dap_error err = {0};
  if (!stream) return 0;
  if (document_file_init(&file, stream, DOCUMENT_LIMIT, &err) == DAP_OK)
    for (document_place place; document_file_next(&file, &place, &err);) {
      FUZZ_REQUIRE(place.json || err.text[0] != '\0');
      if (place.json) read_one(place.json, as);
    }
  document_file_release(&file);
  (void)fclose(stream);
  return 0;
}
