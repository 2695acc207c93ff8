/* Moves elements between the array and the targets by the form's plans. */
#include "view_impl.h"

typedef struct memories {
  void *memory[DAP_VIEW_TARGETS + 1]; /* [1 + target]; [0]: the array's */
  bool got[DAP_VIEW_TARGETS];
} memories;

static bool takes_part(const dap_view_steps *steps, int target)
{
  for (int i = 0; i < steps->count; i++)
    if (steps->step[i].from == target || steps->step[i].to == target) return true;
  return false;
}

/* Gets the memories of the targets that take part. */
static dap_status get_memory(dap_view *view, const dap_view_steps *steps, dap_access access, memories *m,
                             dap_error *err)
{
  dap_status first = DAP_OK;
  bool gets = false; /* on any process */
  for (int t = 0; t < view->adapter->targets; t++) {
    m->memory[1 + t] = view->memory[t];
    if (!view->adapter->get_memory || view->targets[t].shared || !takes_part(steps, t)) continue;
    gets = true;
    const dap_status s = view->adapter->get_memory(view, t, access, &m->memory[1 + t], first ? NULL : err);
    m->got[t] = s == DAP_OK;
    if (!first) first = s;
  }
  return gets ? dap_view_agree_call(view, first, err) : first;
}

/* Restores all memories, also after an error. */
static dap_status restore_memory(dap_view *view, dap_access access, const memories *m, dap_status first,
                                 dap_error *err)
{
  for (int t = 0; t < view->adapter->targets; t++) {
    if (!m->got[t]) continue;
    const dap_status s = view->adapter->restore_memory(view, t, access, m->memory[1 + t], first ? NULL : err);
    if (!first) first = s;
  }
  return first;
}

static void *at(void *memory, int64_t offset)
{
  return memory ? (char *)memory + offset : NULL;
}

/* Runs all plans, also after an error, so that no process waits for ever. */
static dap_status run_plans(dap_view *view, const dap_view_steps *steps, const memories *m, dap_error *err)
{
  dap_status first = DAP_OK;
  for (int i = 0; i < steps->count; i++) {
    const dap_view_step *step = &steps->step[i];
    const dap_status s = dap_plan_run(step->plan, at(m->memory[1 + step->from], step->from_offset),
                                      at(m->memory[1 + step->to], step->to_offset), first ? NULL : err);
    const dap_plan_stats stats = dap_plan_summarize(step->plan);
    const bool is_counted = step->from != DAP_VIEW_ARRAY || step->to != DAP_VIEW_ARRAY;
    if (is_counted && !s) view->moved_bytes += stats.bytes_local + stats.bytes_sent;
    if (!first) first = s;
  }
  return first;
}

/* Tells the adapter that the memory of shared targets has changed. */
static dap_status notify_targets(dap_view *view, dap_status first, dap_error *err)
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
  memories m = {.memory = {view->local.data}};
  dap_status s = get_memory(view, steps, access, &m, err);
  if (!s) s = run_plans(view, steps, &m, err);
  return restore_memory(view, access, &m, s, err);
}

dap_status dap_view_run(dap_view *view, dap_view_phase phase, dap_error *err)
{
  const dap_view_steps *steps = &dap_live(view)->form->steps[phase];
  const bool notifies = view->adapter->changed && (phase != DAP_VIEW_OUT || steps->count > 0);
  if (steps->count == 0 && !notifies) return DAP_OK;
  dap_status s = steps->count > 0 ? move(view, steps, phase, err) : DAP_OK;
  if (notifies) s = notify_targets(view, s, err);
  return dap_view_agree_call(view, s, err);
}

dap_status dap_view_run_in_place(dap_view *view, dap_plan *plan, dap_error *err)
{
  dap_status s = dap_plan_run(plan, view->local.data, view->local.data, err);
  if (view->adapter->changed) s = notify_targets(view, s, err);
  return dap_view_agree_call(view, s, err);
}
