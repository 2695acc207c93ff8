/* Moving between the array and the targets, as the form's plans say. */
#include "view_impl.h"

typedef struct loan {
  void *memory[DAP_VIEW_TARGETS + 1]; /* [1 + target]; [0]: the array's */
  bool lent[DAP_VIEW_TARGETS];
} loan;

static bool takes_part(const dap_view_steps *steps, int target)
{
  for (int i = 0; i < steps->count; i++)
    if (steps->step[i].from == target || steps->step[i].to == target) return true;
  return false;
}

/* The memories of the targets that take part. */
static dap_status lend(dap_view *view, const dap_view_steps *steps, dap_access access, loan *l,
                       dap_error *err)
{
  dap_status first = DAP_OK;
  bool lends = false; /* on any process */
  for (int t = 0; t < view->adapter->targets; t++) {
    l->memory[1 + t] = view->memory[t];
    if (!view->adapter->lend || view->targets[t].shared || !takes_part(steps, t)) continue;
    lends = true;
    const dap_status s = view->adapter->lend(view, t, access, &l->memory[1 + t], first ? NULL : err);
    l->lent[t] = s == DAP_OK;
    if (!first) first = s;
  }
  return lends ? dap_view_agree_call(view, first, err) : first;
}

/* Goes on after an error, so that all is given back. */
static dap_status give_back(dap_view *view, dap_access access, const loan *l, dap_status first,
                            dap_error *err)
{
  for (int t = 0; t < view->adapter->targets; t++) {
    if (!l->lent[t]) continue;
    const dap_status s = view->adapter->give_back(view, t, access, l->memory[1 + t], first ? NULL : err);
    if (!first) first = s;
  }
  return first;
}

static void *at(void *memory, int64_t offset)
{
  return memory ? (char *)memory + offset : NULL;
}

/* Goes on after an error, so that no process is left waiting. */
static dap_status run_plans(dap_view *view, const dap_view_steps *steps, const loan *l, dap_error *err)
{
  dap_status first = DAP_OK;
  for (int i = 0; i < steps->count; i++) {
    const dap_view_step *step = &steps->step[i];
    const dap_status s = dap_plan_run(step->plan, at(l->memory[1 + step->from], step->from_offset),
                                      at(l->memory[1 + step->to], step->to_offset), first ? NULL : err);
    const dap_plan_stats stats = dap_plan_summarize(step->plan);
    const bool is_counted = step->from != DAP_VIEW_ARRAY || step->to != DAP_VIEW_ARRAY;
    if (is_counted && !s) view->moved_bytes += stats.bytes_local + stats.bytes_sent;
    if (!first) first = s;
  }
  return first;
}

/* Shared targets, whose memory was written to. */
static dap_status tell(dap_view *view, dap_status first, dap_error *err)
{
  for (int t = 0; t < view->adapter->targets && view->adapter->changed; t++) {
    if (!view->targets[t].shared) continue;
    const dap_status s = view->adapter->changed(view, t, first ? NULL : err);
    if (!first) first = s;
  }
  return first;
}

static dap_status move(dap_view *view, const dap_view_steps *steps, dap_view_phase phase, dap_error *err)
{
  const dap_access access = phase == DAP_VIEW_IN ? DAP_WRITE : DAP_READ;
  loan l = {.memory = {view->local.data}};
  const dap_status lent = lend(view, steps, access, &l, err);
  const dap_status s = lent ? lent : run_plans(view, steps, &l, err);
  return give_back(view, access, &l, s, err);
}

dap_status dap_view_run(dap_view *view, dap_view_phase phase, dap_error *err)
{
  const dap_view_steps *steps = &dap_live(view)->form->steps[phase];
  const bool tells = view->adapter->changed && (phase != DAP_VIEW_OUT || steps->count > 0);
  if (steps->count == 0 && !tells) return DAP_OK;
  dap_status s = steps->count > 0 ? move(view, steps, phase, err) : DAP_OK;
  if (tells) s = tell(view, s, err);
  return dap_view_agree_call(view, s, err);
}
