/* dapbridge plan: prints what it takes to move an array from one layout to another. */
#include "traffic_impl.h"

/* One of the two layouts. */
typedef struct side {
  dap_layout *layout;
  dap_dtype type; /* of the document's buffers; DAP_NONE: it has none */
} side;

static cli_exit take_layout(const cli_case *c, const document_parts *parts, const dap_layout *layout)
{
  side *taken = c->context;
  taken->layout = dap_layout_retain(layout);
  if (parts->arrays) taken->type = parts->arrays[0].dtype;
  if (c->file) taken->type = c->file->dtype;
  return CLI_FINE;
}

static cli_exit take(cli_case *c)
{
  if (c->number == 0) return cli_whole(c, take_layout);
  return cli_complain(c->options, DAP_ERR_ARG, c->where, "FROM and TO have one document each");
}

static cli_exit print(const cli_options *options, const traffic *t)
{
  if (options->output) return traffic_draw(options, t);
  if (options->json ? traffic_print_json(t) : traffic_print(t)) return CLI_FINE;
  return cli_complain(options, DAP_ERR_NOMEM, "plan", "no memory to print it");
}

static cli_exit plan(const cli_options *options, const side from, const side to)
{
  const dap_dtype known = from.type ? from.type : to.type, type = options->type ? options->type : known;
  traffic t;
  dap_error err = {0};
  const dap_status s = traffic_init(from.layout, to.layout, type ? type : DAP_F8, options->node, &t, &err);
  cli_exit result = s ? cli_complain(options, s, "plan", err.text) : print(options, &t);
  if (s && s != DAP_ERR_NOMEM) result = CLI_REFUSED;
  traffic_release(&t);
  return result;
}

cli_exit cli_plan(const cli_options *options)
{
  side sides[2] = {{0}};
  cli_exit result = CLI_FINE;
  for (int i = 0; i < 2; i++) {
    const cli_exit of_one = cli_walk_one(options, options->files[i], &sides[i], take);
    if (of_one > result) result = of_one;
  }
  if (result == CLI_FINE) result = plan(options, sides[0], sides[1]);
  for (int i = 0; i < 2; i++) dap_layout_destroy(&sides[i].layout);
  return result;
}
