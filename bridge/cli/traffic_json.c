/* Writes the cost of a move as JSON. */
#include "traffic_impl.h"

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

bool traffic_print_json(const traffic *t)
{
  return cli_print_json(cli_json_join(pack_figures(t), pack_messages(t)));
}
