/* Writes the report of explain as JSON. */
#include "cli_impl.h"

#include <stdlib.h>

static json_t *pack_integer(const void *values, int i)
{
  return json_integer(((const int64_t *)values)[i]);
}

/* Packs PETSc's ownership ranges of an axis, or why there are none. NULL: no memory. */
static json_t *pack_ranges(const void *of, int axis)
{
  const dap_layout *layout = of;
  const int procs = dap_layout_procs(layout, axis);
  int64_t *ranges = malloc(((size_t)procs + 1) * sizeof *ranges);
  dap_error why = {0};
  if (!ranges) return NULL;
  json_t *json = cli_ranges(layout, axis, ranges, &why)
                     ? json_pack("{so}", "reason", cli_json_string(why.text))
                     : json_pack("{so}", "ranges", cli_json_list(procs + 1, pack_integer, ranges));
  free(ranges);
  return json;
}

static json_t *pack_scalapack(const cli_case *c, const document_parts *parts, const dap_layout *layout)
{
  json_t *list = json_array();
  dap_error err = {0};
  if (!list) return NULL;
  const dap_status s = cli_matrix(c, parts, layout, list, &err);
  const bool is_refused = s && s != DAP_ERR_NOMEM;
  if (is_refused)
    (void)json_array_append_new(
        list, json_pack("{ss so}", "verdict", "refused", "reason", cli_json_string(err.text)));
  if (s != DAP_ERR_NOMEM && json_array_size(list) > 0) return list;
  json_decref(list);
  return NULL;
}

cli_exit cli_explain_json(const cli_case *c, const document_parts *parts, const dap_layout *layout)
{
  return cli_print_result(c, json_pack("{so so so}", "summary", cli_json_text(dap_layout_summary, layout),
                                       "scalapack", pack_scalapack(c, parts, layout), "petsc",
                                       cli_json_list(dap_layout_ndim(layout), pack_ranges, layout)));
}
