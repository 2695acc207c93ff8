/* A document as a layout, and what is wrong with it. */
#include "cli_impl.h"

/* Beyond --findings they are only counted. */
static void note_finding(cli_case *c, const dap_error *finding)
{
  const long most = c->options->findings;
  c->found++;
  if (most > 0 && c->found > most) return;
  json_t *error = json_pack("{so}", "text", cli_json_string(finding->text));
  if (error && finding->rule) (void)json_object_set_new(error, "rule", json_integer(finding->rule));
  if (json_array_append_new(c->errors, error)) c->lacks_memory = true;
}

static void print_finding(void *context, dap_status status, const dap_error *finding)
{
  cli_case *c = context;
  c->lacks_memory = c->lacks_memory || status == DAP_ERR_NOMEM;
  if (status == DAP_ERR_NOMEM) return; /* says nothing about the document */
  if (c->errors) {
    note_finding(c, finding);
    return;
  }
  if (c->found++ == 0) (void)fprintf(c->findings, "%s: refused\n", c->where);
  if (c->options->findings == 0 || c->found <= c->options->findings)
    (void)fprintf(c->findings, "  %s\n", finding->text);
}

static void print_rest(const cli_case *c)
{
  const long most = c->options->findings;
  if (most > 0 && c->found > most && !c->errors)
    (void)fprintf(c->findings, "  and %ld more, which --findings 0 shows\n", c->found - most);
}

cli_exit cli_join_parts(cli_case *c, document_parts *parts, dap_layout **layout)
{
  const document_listener listener = {.tell = print_finding, .context = c};
  dap_error err = {0};
  *layout = NULL;
  if (c->layout) {
    *parts = (document_parts){.doc = c->doc};
    *layout = dap_layout_retain(c->layout);
    return CLI_FINE;
  }
  dap_status s = document_parts_init(parts, c->doc, &listener, &err);
  if (parts->is_read && !c->lacks_memory) s = document_parts_join(parts, &listener, layout, &err);
  if (*layout) s = document_parts_compare(parts, *layout, &listener, &err);
  if (s && c->found == 0) print_finding(c, s, &err); /* what was not told */
  print_rest(c);
  if (s || c->lacks_memory) dap_layout_destroy(layout);
  if (c->lacks_memory) return cli_no_memory(c);
  return s ? CLI_REFUSED : CLI_FINE;
}

cli_exit cli_join(cli_case *c, dap_layout **layout)
{
  document_parts parts;
  const cli_exit result = cli_join_parts(c, &parts, layout);
  document_parts_release(&parts);
  return result;
}

cli_exit cli_part_only(const cli_case *c)
{
  (void)fprintf(stderr, "%s: one process's part only: the other processes' are needed\n", c->where);
  return CLI_REFUSED;
}

cli_exit cli_whole(cli_case *c, cli_telling *tell)
{
  dap_layout *layout = NULL;
  c->findings = stderr;
  cli_exit result = cli_join(c, &layout);
  if (layout)
    result = tell(c, layout);
  else if (result == CLI_FINE)
    result = cli_part_only(c);
  dap_layout_destroy(&layout);
  return result;
}
