/* Reads documents as layouts, and prints their errors. */
#include "cli_impl.h"

/* Prints an error, or appends it to the list. Beyond --findings, errors are only counted. */
static void take_finding(void *context, dap_status status, const dap_error *finding)
{
  cli_case *c = context;
  const long most = c->options->findings;
  c->lacks_memory = c->lacks_memory || status == DAP_ERR_NOMEM;
  if (status == DAP_ERR_NOMEM) return; /* it is not an error of the document */
  if (c->found++ == 0 && !c->errors) (void)fprintf(c->findings, "%s: refused\n", c->where);
  if (most > 0 && c->found > most) return;
  if (!c->errors) {
    (void)fprintf(c->findings, "  %s\n", finding->text);
    return;
  }
  json_t *error = json_pack("{so}", "text", cli_json_string(finding->text));
  if (error && finding->rule) (void)json_object_set_new(error, "rule", json_integer(finding->rule));
  if (json_array_append_new(c->errors, error)) c->lacks_memory = true;
}

static void print_rest(const cli_case *c)
{
  const long most = c->options->findings;
  if (most > 0 && c->found > most && !c->errors)
    (void)fprintf(c->findings, "  and %ld more, which --findings 0 shows\n", c->found - most);
}

cli_exit cli_join(cli_case *c, document_parts *parts, dap_layout **layout)
{
  const document_listener listener = {.tell = take_finding, .context = c};
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
  if (s && c->found == 0) take_finding(c, s, &err); /* it is an error that the listener did not get */
  print_rest(c);
  if (s || c->lacks_memory) dap_layout_destroy(layout);
  if (c->lacks_memory) return cli_no_memory(c);
  return s ? CLI_REFUSED : CLI_FINE;
}

cli_exit cli_whole(cli_case *c, cli_telling *tell)
{
  document_parts parts;
  dap_layout *layout = NULL;
  c->findings = stderr;
  cli_exit result = cli_join(c, &parts, &layout);
  if (layout) {
    result = tell(c, &parts, layout);
  } else if (result == CLI_FINE) {
    (void)fprintf(stderr, "%s: one process's part only: the other processes' are needed\n", c->where);
    result = CLI_REFUSED;
  }
  dap_layout_destroy(&layout);
  document_parts_release(&parts);
  return result;
}

static cli_exit visit_whole(cli_case *c)
{
  return cli_whole(c, *(cli_telling *const *)c->context);
}

cli_exit cli_walk_whole(const cli_options *options, cli_telling *tell)
{
  return cli_walk(options, &tell, visit_whole);
}
