/* Keeps forms, that is plans and verdicts, in a communicator's context. All processes keep the same ones in
 * the same slots. Objects of the foreign library (a DMDA, a matrix) are not kept. */
#include "view_impl.h"

#include <string.h>

enum { MOST_KEPT = 60, MOST_OF_ONE = 16 /* of one adapter */ };

typedef struct keeper {
  dap_view_form *forms[MOST_KEPT];
  uint64_t uses; /* of all forms so far */
} keeper;

static void forget_all(void *object, bool mpi_ends)
{
  (void)mpi_ends;
  for (int i = 0; i < MOST_KEPT; i++) dap_view_form_release(((keeper *)object)->forms[i]);
}

static const dap_kept_kind kind = {sizeof(keeper), forget_all};

static bool is_broken(const dap_view_form *form)
{
  for (int p = 0; p < DAP_VIEW_PHASES; p++)
    for (int i = 0; i < form->steps[p].count; i++)
      if (dap_plan_is_broken(form->steps[p].step[i].plan)) return true;
  for (int i = 0; i < DAP_VIEW_REVERSES; i++)
    if (form->reverse[i] && dap_plan_is_broken(form->reverse[i])) return true;
  return false;
}

uint64_t dap_view_form_find(const dap_view *view)
{
  const dap_view_kind *wanted = &dap_live((dap_view *)view)->kind;
  const bool keeps = view->keep && view->adapter->keeps_forms;
  dap_context *context = keeps ? dap_context_find(view->caller) : NULL;
  uint64_t found = 0;
  if (!context) return 0;
  const keeper *kept = dap_context_keep(context, &kind);
  for (int i = 0; kept && i < MOST_KEPT; i++) {
    const dap_view_form *form = kept->forms[i];
    if (!form || memcmp(&form->kind, wanted, sizeof *wanted) != 0 || is_broken(form)) continue;
    if (!view->adapter->is_usable || view->adapter->is_usable(view, form->own)) found |= UINT64_C(1) << i;
  }
  return found;
}

void dap_view_form_reuse(dap_view *view, uint64_t kept)
{
  int first = 0;
  while (!(kept >> first & 1)) first++;
  keeper *k = dap_context_keep(dap_context_find(view->caller), &kind); /* exists: form_find() has found it */
  k->forms[first]->users++;
  k->forms[first]->last_use = ++k->uses;
  dap_view_form_use(view, k->forms[first]);
}

static bool is_older(const dap_view_form *form, const dap_view_form *than)
{
  return form && (!than || form->last_use < than->last_use);
}

/* Returns an empty slot, unless the adapter has used its share; else that of the least recently used form. */
static int slot_for(const keeper *kept, const dap_adapter *adapter)
{
  int own = 0, oldest = 0, oldest_own = 0, empty = -1;
  for (int i = MOST_KEPT - 1; i >= 0; i--) {
    const dap_view_form *form = kept->forms[i];
    if (!form) empty = i;
    if (is_older(form, kept->forms[oldest])) oldest = i;
    if (!form || form->kind.adapter != adapter) continue;
    if (own++ == 0 || is_older(form, kept->forms[oldest_own])) oldest_own = i;
  }
  if (own >= MOST_OF_ONE) return oldest_own;
  return empty >= 0 ? empty : oldest;
}

/* Returns the slots of forms that no view can use any more, as far as this process knows. */
static uint64_t find_over(const keeper *kept)
{
  uint64_t over = 0;
  for (int i = 0; i < MOST_KEPT; i++) {
    const dap_view_form *form = kept->forms[i];
    if (form && form->kind.adapter->is_over && form->kind.adapter->is_over(form->own))
      over |= UINT64_C(1) << i;
  }
  return over;
}

static void forget(keeper *kept, int slot)
{
  dap_view_form_release(kept->forms[slot]);
  kept->forms[slot] = NULL;
}

dap_status dap_view_form_keep(dap_view *view, dap_error *err)
{
  dap_view_form *form = dap_live(view)->form;
  if (!view->keep || !view->adapter->keeps_forms || form->last_use > 0) return DAP_OK;
  keeper *kept = dap_context_keep(form->context, &kind);
  enum { SLOTS };
  dap_agreement over = {.bits = {[SLOTS] = kept ? find_over(kept) : 0}};
  if (!kept) over.status = dap_fail(err, DAP_ERR_NOMEM, "no memory to keep a form");
  DAP_TRY(dap_context_agree(form->context, &over, err));
  for (int i = 0; i < MOST_KEPT; i++)
    if (over.bits[SLOTS] >> i & 1) forget(kept, i);
  const int slot = slot_for(kept, view->adapter);
  forget(kept, slot);
  dap_view_classify_own(view);
  form->kind = dap_live(view)->kind;
  kept->forms[slot] = form;
  form->users++;
  form->last_use = ++kept->uses;
  return DAP_OK;
}
