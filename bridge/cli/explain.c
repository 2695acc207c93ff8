/* dapbridge explain: prints whether ScaLAPACK and PETSc take each document's array as it lies. */
#include "cli_impl.h"

#include <inttypes.h>
#include <stdlib.h>

enum { SHOWN = 16 /* most ownership ranges that are printed */ };

/* Prints PETSc's ownership ranges of an axis, or why there are none. False: no memory. */
static bool print_ranges(const dap_layout *layout, int axis)
{
  const int procs = dap_layout_procs(layout, axis);
  int64_t *ranges = malloc(((size_t)procs + 1) * sizeof *ranges);
  dap_error why = {0};
  if (!ranges) return false;
  if (cli_ranges(layout, axis, ranges, &why)) {
    printf("  PETSc: %s\n", why.text);
  } else {
    printf("  PETSc: axis %d: ownership ranges", axis);
    for (int c = 0; c <= procs && c < SHOWN; c++) printf(" %" PRId64, ranges[c]);
    printf(procs >= SHOWN ? " ...\n" : "\n");
  }
  free(ranges);
  return true;
}

static cli_exit print_all(const cli_case *c, const document_parts *parts, const dap_layout *layout)
{
  dap_error err = {0};
  char *summary = cli_text(dap_layout_summary, layout);
  if (!summary) return cli_no_memory(c);
  printf("%s: %s\n", c->where, summary);
  free(summary);
  const dap_status s = cli_matrix(c, parts, layout, NULL, &err);
  if (s == DAP_ERR_NOMEM) return cli_no_memory(c);
  if (s) printf("  ScaLAPACK: refused: %s\n", err.text);
  for (int k = 0; k < dap_layout_ndim(layout); k++)
    if (!print_ranges(layout, k)) return cli_no_memory(c);
  return CLI_FINE;
}

static cli_exit explain_layout(const cli_case *c, const document_parts *parts, const dap_layout *layout)
{
  return c->options->json ? cli_explain_json(c, parts, layout) : print_all(c, parts, layout);
}

static cli_exit explain(cli_case *c)
{
  return cli_whole(c, explain_layout);
}

cli_exit cli_explain(const cli_options *options)
{
  return cli_walk(options, explain);
}
