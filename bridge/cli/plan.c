/* dapbridge plan: the cost of moving an array from one layout to another. */
#include "traffic_impl.h"

/* One of the two layouts, as it is found. */
typedef struct taken {
  dap_layout *layout;
  dap_dtype type; /* of the document's buffers; DAP_NONE: it has none */
} taken;

static cli_exit take(cli_case *c)
{
  taken *t = c->context;
  document_parts parts;
  if (c->number > 0) {
    (void)fprintf(stderr, "dapbridge: %s: FROM and TO have one document each\n", c->where);
    return CLI_UNREADABLE;
  }
  c->findings = stderr;
  cli_exit result = cli_join_parts(c, &parts, &t->layout);
  if (t->layout && parts.arrays) t->type = parts.arrays[0].dtype;
  if (!t->layout && result == CLI_FINE) result = cli_part_only(c);
  document_parts_release(&parts);
  return result;
}

static cli_exit say(const cli_options *options, const traffic *t)
{
  if (options->output) return traffic_draw(options, t);
  if (options->json ? traffic_print_json(t) : traffic_print(t)) return CLI_FINE;
  cli_complain_memory(options, "dapbridge: ", "plan", "no memory to print it");
  return CLI_UNREADABLE;
}

static cli_exit plan(const cli_options *options, const taken from, const taken to)
{
  const dap_dtype known = from.type ? from.type : to.type, type = options->type ? options->type : known;
  traffic t;
  dap_error err = {0};
  const dap_status s = traffic_init(from.layout, to.layout, type ? type : DAP_F8, options->node, &t, &err);
  cli_exit result = CLI_REFUSED;
  if (!s)
    result = say(options, &t);
  else if (s == DAP_ERR_NOMEM)
    cli_complain_memory(options, "dapbridge: ", "plan", err.text);
  else
    (void)fprintf(stderr, "dapbridge: plan: %s\n", err.text);
  traffic_release(&t);
  return s == DAP_ERR_NOMEM ? CLI_UNREADABLE : result;
}

cli_exit cli_plan(const cli_options *options)
{
  taken sides[2] = {{0}};
  cli_exit result = CLI_FINE;
  for (int i = 0; i < 2; i++) {
    const cli_exit of_one = cli_walk_one(options, options->files[i], &sides[i], take);
    if (of_one > result) result = of_one;
  }
  if (result == CLI_FINE) result = plan(options, sides[0], sides[1]);
  for (int i = 0; i < 2; i++) dap_layout_destroy(&sides[i].layout);
  return result;
}
