/* dapbridge plan: prints what it takes to move an array from one layout to another. */
#include "traffic_impl.h"

#include <inttypes.h>
#include <stdlib.h>

enum { SHOWN = 16 /* most processes of a side whose matrix is printed */ };

/* ---- as text ------------------------------------------------------------------------------------------ */

static bool print_layout(const char *what, const dap_layout *layout)
{
  char *summary = cli_text(dap_layout_summary, layout);
  if (!summary) return false;
  printf("%-16s%s\n", what, summary);
  free(summary);
  return true;
}

static void print_share(const traffic *t, const char *what, int64_t bytes)
{
  const int64_t all = t->kept + t->on_node + t->between;
  printf("  %-20s%10s %5.1f %%\n", what, traffic_in_units(bytes).text,
         all > 0 ? 100 * (double)bytes / (double)all : 0);
}

static void print_shares(const traffic *t)
{
  const int64_t all = t->kept + t->on_node + t->between;
  printf("%-16s%s of %s, on %d process%s, %ld on each node\n", "elements", traffic_in_units(all).text,
         dap_dtype_name(t->type), t->nprocs, t->nprocs == 1 ? "" : "es", t->node);
  print_share(t, "stay on a process", t->kept);
  print_share(t, "direct, on a node", t->on_node);
  print_share(t, "between nodes", t->between);
}

static void print_pairs(const traffic *t)
{
  printf("%-16s%" PRId64 " of processes", "pairs", t->pairs);
  if (t->pairs > 0)
    printf("; the largest pair %s, from %d to %d", traffic_in_units(t->most).text, t->largest[0],
           t->largest[1]);
  printf("\n");
}

static void print_messages(const traffic *t)
{
  const int64_t largest = traffic_message(t);
  printf("%-16s%" PRId64 ", at most %" PRId64 " from one process", "messages", t->messages, t->busiest);
  if (t->asked < t->nprocs) printf(" (of %d processes)", t->asked);
  if (largest > 0) printf("; none larger than %s", traffic_in_units(largest).text);
  printf("\n%-16sat most %s for messages and %s for the plan on a process\n", "memory",
         traffic_in_units(t->buffer).text, traffic_in_units(t->plan).text);
  printf("%-16s%" PRId64 "\n", "phases", t->phases);
}

/* Prints a cell. Cells of two processes on one node have a star. */
static void print_cell(const traffic *t, int p, int q)
{
  char text[40] = ".";
  const int64_t bytes = traffic_bytes(t, p, q);
  const char *star = p != q && traffic_on_node(t, p, q) ? "*" : "";
  if (bytes > 0) (void)snprintf(text, sizeof text, "%s%s", star, traffic_in_units(bytes).text);
  printf("%9s", text);
}

static void print_matrix(const traffic *t)
{
  if (t->rows > SHOWN || t->columns > SHOWN) return;
  printf("%s\n%6s", "from each process (rows) to each (columns); *: on one node", "");
  for (int q = 0; q < t->columns; q++) printf("%9d", q);
  printf("\n");
  for (int p = 0; p < t->rows; p++) {
    printf("%6d", p);
    for (int q = 0; q < t->columns; q++) print_cell(t, p, q);
    printf("\n");
  }
}

static bool print_text(const traffic *t)
{
  if (!print_layout("from", t->from) || !print_layout("to", t->to)) return false;
  print_shares(t);
  print_pairs(t);
  print_messages(t);
  printf("%-16sbuffers in private memory; messages, memory and phases with one process a node\n", "assumed");
  print_matrix(t);
  return true;
}

/* ---- as JSON ------------------------------------------------------------------------------------------ */

static json_t *pack_pairs(const traffic *t)
{
  json_t *list = json_array();
  for (int p = 0; list && p < t->rows; p++)
    for (int q = 0; q < t->columns; q++) {
      const json_int_t bytes = traffic_bytes(t, p, q);
      if (bytes > 0 && json_array_append_new(list, json_pack("[iiI]", p, q, bytes))) {
        json_decref(list);
        return NULL;
      }
    }
  return list;
}

static json_t *pack_figures(const traffic *t)
{
  const json_int_t item = dap_dtype_size(t->type), node = t->node;
  return json_pack("{so so ss sI si sI sI sI sI sI sI}", "from", cli_json_text(dap_layout_summary, t->from),
                   "to", cli_json_text(dap_layout_summary, t->to), "type", dap_dtype_name(t->type),
                   "itemsize", item, "processes", t->nprocs, "ranks_per_node", node, "bytes_kept",
                   (json_int_t)t->kept, "bytes_on_node", (json_int_t)t->on_node, "bytes_between_nodes",
                   (json_int_t)t->between, "pairs_sending", (json_int_t)t->pairs, "largest",
                   (json_int_t)t->most);
}

static json_t *pack_messages(const traffic *t)
{
  const json_int_t largest = traffic_message(t);
  return json_pack("{si sI sI so sI sI sI so}", "processes_asked", t->asked, "messages",
                   (json_int_t)t->messages, "messages_most", (json_int_t)t->busiest, "message_most",
                   largest < 0 ? json_null() : json_integer(largest), "buffer_most", (json_int_t)t->buffer,
                   "plan_most", (json_int_t)t->plan, "phases", (json_int_t)t->phases, "pairs", pack_pairs(t));
}

static bool print_json(const traffic *t)
{
  return cli_print_json(cli_json_join(pack_figures(t), pack_messages(t)));
}

/* ---- the two layouts ----------------------------------------------------------------------------------- */

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
  if (options->json ? print_json(t) : print_text(t)) return CLI_FINE;
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
    cli_options one = *options;
    one.files += i;
    one.count = 1;
    const cli_exit of_one = cli_walk(&one, &sides[i], take);
    if (of_one > result) result = of_one;
  }
  if (result == CLI_FINE) result = plan(options, sides[0], sides[1]);
  for (int i = 0; i < 2; i++) dap_layout_destroy(&sides[i].layout);
  return result;
}
