/* The views of a call: which leads, and how the others follow. */
#include "elpa_impl.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- taken ------------------------------------------------------------------------------------------- */

static void report_view(const dap_elpa_call *call, int i)
{
  const dap_elpa_operand *o = &call->operands[i];
  const dap_scalapack_matrix *view = &call->views[i].matrix;
  o->use->shared = view->shared;
  (void)snprintf(o->use->reason, sizeof o->use->reason, "%s",
                 o->kept && call->options.keep ? "to keep its values: options.keep"
                 : o->kept                     ? "to keep its values: its buffer is read-only"
                                               : view->reason);
}

/* The first of all, without `like`, is not shared in slow blocks where it may be moved. */
static dap_status take(dap_elpa_call *call, int i, dap_sharing sharing, const dap_elpa_matrix *like, char op)
{
  const dap_elpa_operand *o = &call->operands[i];
  const bool fast = !like && call->options.sharing == DAP_SHARE_IF_POSSIBLE;
  dap_elpa_options options = {.sharing = sharing, .like = like, .op = op};
  if (o->kept) {
    DAP_REQUIRE(sharing != DAP_SHARE_OR_FAIL, call->err, DAP_ERR_SHARE,
                "%s is workspace and must keep its values, which takes a copy", o->name);
    options.sharing = DAP_SHARE_NEVER;
  }
  if (!like) {
    options.block_size = call->options.block_size;
    options.vectors = call->operands[DAP_ELPA_Z].given ? (int)call->wanted : 0;
  }
  DAP_TRY(dap_elpa_query(call->comm, o->array, i == DAP_ELPA_Z ? DAP_WRITE : DAP_READ, &options, fast,
                         &call->views[i], call->err));
  call->order[call->count++] = i;
  report_view(call, i);
  return DAP_OK;
}

/* Whether the blocks make it worth while to move a matrix that is shared. */
static bool is_slow(const dap_elpa_matrix *m)
{
  const int64_t size[2] = {m->size, m->size}, block[2] = {m->block_size, m->block_size};
  return dap_matrix_check_speed(size, block, m->grid[0] * m->grid[1], NULL) != DAP_OK;
}

/* The first of all: where the others are moved to. */
static dap_status lead(dap_elpa_call *call)
{
  static const int order[] = {DAP_ELPA_A, DAP_ELPA_Z, DAP_ELPA_B};
  const dap_sharing sharing = call->options.sharing;
  for (size_t k = 0; k < sizeof order / sizeof order[0] && sharing == DAP_SHARE_IF_POSSIBLE; k++) {
    const int i = order[k];
    const bool cannot = !call->operands[i].given || (i == DAP_ELPA_Z && call->wanted < call->size);
    if (cannot || call->operands[i].kept) continue;
    const dap_status status = take(call, i, DAP_SHARE_OR_FAIL, NULL, i == DAP_ELPA_Z ? 'N' : 0);
    if (status != DAP_ERR_SHARE && (status || !is_slow(&call->views[i]))) return status;
    if (!status) DAP_TRY(dap_elpa_discard(&call->views[call->order[--call->count]], call->err));
  }
  return take(call, DAP_ELPA_A, sharing, NULL, 0);
}

/* A and B go with one op, as both are seen conjugated or none; vectors are columns. */
dap_status dap_elpa_take(dap_elpa_call *call)
{
  static const int order[] = {DAP_ELPA_A, DAP_ELPA_B, DAP_ELPA_Z};
  DAP_TRY(lead(call));
  const dap_elpa_matrix *leader = &call->views[call->order[0]];
  for (size_t k = 0; k < sizeof order / sizeof order[0]; k++) {
    const int i = order[k];
    if (!call->operands[i].given || i == call->order[0]) continue;
    DAP_TRY(take(call, i, call->options.sharing, leader, i == DAP_ELPA_Z ? 'N' : leader->matrix.op));
  }
  call->report->block_size = leader->block_size;
  for (int k = 0; k < 2; k++) call->report->grid[k] = leader->grid[k];
  return DAP_OK;
}

/* ---- ended ------------------------------------------------------------------------------------------- */

static dap_status end_view(dap_elpa_call *call, int i, bool writes, dap_error *err)
{
  dap_elpa_matrix *view = &call->views[i];
  const dap_status status = writes ? dap_elpa_restore(view, err) : dap_elpa_discard(view, err);
  call->operands[i].use->moved_bytes += view->matrix.moved_bytes;
  return status;
}

dap_status dap_elpa_end(dap_elpa_call *call, dap_status status)
{
  while (call->count > 0) {
    const dap_status ended = end_view(call, call->order[--call->count], !status, status ? NULL : call->err);
    if (!status) status = ended;
  }
  free(call->values);
  free(call->scratch);
  return status;
}
