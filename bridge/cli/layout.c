/* dapbridge layout: prints the document of a layout given in its short form. */
#include "check.h"
#include "cli_impl.h"

#include <ctype.h>
#include <dapbridge/json.h>
#include <dapbridge/parse.h>
#include <stdlib.h>

/* Makes the part of process `rank`: extents, strides as if it were in memory, and the dictionaries. */
static dap_status make_part(const cli_options *options, const dap_layout *layout, int rank, dap_array *part,
                            dap_error *err)
{
  static char nothing;
  const dap_dtype type = options->type ? options->type : DAP_U1;
  const dap_order order = options->is_fortran ? DAP_ORDER_F : DAP_ORDER_C;
  int coords[DAP_MAX_NDIM];
  dap_status s = dap_array_init(part, layout, rank, type, order, &nothing, err);
  part->dtype = options->type;
  if (s || !options->protocol) return s;
  const char *version = dap_dialect_find(options->protocol)->exported;
  (void)snprintf(part->version, sizeof part->version, "%s", version);
  dap_layout_coords(layout, rank, coords);
  for (int k = 0; k < dap_layout_ndim(layout) && !s; k++)
    s = dap_layout_dim(layout, version, k, coords[k], &part->dims[k], err);
  if (s) dap_array_release(part);
  return s;
}

static dap_status print_part(const cli_options *options, const dap_layout *layout, int rank,
                             const char *before, dap_error *err)
{
  dap_array part;
  size_t length = 0;
  DAP_TRY(make_part(options, layout, rank, &part, err));
  dap_status s = dap_array_json(&part, NULL, 0, &length, err);
  char *text = s ? NULL : malloc(length + 1);
  if (!s && !text) s = dap_fail(err, DAP_ERR_NOMEM, "no memory for %zu bytes of text", length);
  if (!s) s = dap_array_json(&part, text, length + 1, &length, err);
  if (!s) printf("%s%s", before, text);
  free(text);
  dap_array_release(&part);
  return s;
}

/* Prints the list of all parts, a line each or with --json in one line; or with --rank one part. */
static dap_status print_parts(const cli_options *options, const dap_layout *layout, dap_error *err)
{
  const char *between = options->json ? ", " : ",\n ";
  const int nprocs = dap_layout_nprocs(layout);
  dap_status s = DAP_OK;
  if (options->rank >= nprocs)
    s = dap_fail(err, DAP_ERR_ARG, "--rank %ld: the layout has processes 0 .. %d", options->rank, nprocs - 1);
  else if (options->rank >= 0)
    s = print_part(options, layout, (int)options->rank, "", err);
  for (int r = 0; r < nprocs && options->rank < 0 && !s && !ferror(stdout); r++)
    s = print_part(options, layout, r, r == 0 ? "[" : between, err);
  if (!s) printf(options->rank < 0 ? "]\n" : "\n");
  return s;
}

static cli_exit complain(const cli_options *options, const char *text, dap_status status,
                         const dap_error *err)
{
  char where[128];
  (void)snprintf(where, sizeof where, "%.100s", text);
  for (char *c = where; *c; c++)
    if (iscntrl((unsigned char)*c)) *c = ' ';
  const cli_exit result = cli_complain(options, status, where, err->text);
  return status == DAP_ERR_NOMEM ? result : CLI_REFUSED;
}

static cli_exit print_layout(const cli_options *options, const char *text)
{
  dap_layout *layout = NULL;
  dap_error err = {0};
  dap_status s = dap_layout_parse(text, &layout, &err);
  if (!s) s = print_parts(options, layout, &err);
  dap_layout_destroy(&layout);
  return s ? complain(options, text, s, &err) : CLI_FINE;
}

cli_exit cli_layout(const cli_options *options)
{
  cli_exit result = CLI_FINE;
  for (int i = 0; i < options->count; i++) {
    const cli_exit one = print_layout(options, options->files[i]);
    result = one > result ? one : result;
  }
  return result;
}
