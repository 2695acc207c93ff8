/* Declares what the files of the view layer share, which run every adapter's views. get: request.c checks
 * on each process, compare.c agrees, keep.c finds a kept form or form.c makes one, view.c opens, move.c
 * moves. */
#ifndef DAP_VIEW_IMPL_H
#define DAP_VIEW_IMPL_H

#include "comm_impl.h"
#include <dapbridge/adapter.h>

enum {
  DAP_VIEW_MOVES = 12,
  DAP_VIEW_PHASES = 4,
  DAP_VIEW_PADDINGS = 3,                    /* values of dap_padding */
  DAP_VIEW_REVERSES = 3 * DAP_VIEW_PADDINGS /* with the values of dap_combine, without DAP_COMBINE_NONE */
};

/* A planned move. */
typedef struct dap_view_step {
  dap_plan *plan;
  int from, to;                   /* targets, or DAP_VIEW_ARRAY */
  int64_t from_offset, to_offset; /* bytes */
} dap_view_step;

/* The moves of a phase, which run together. */
typedef struct dap_view_steps {
  int count;
  dap_view_step step[DAP_VIEW_MOVES];
} dap_view_steps;

/* Properties that two views of the same form share on this process. They are compared byte by byte. */
typedef struct dap_view_kind {
  const dap_adapter *adapter;
  uint64_t words; /* hash of properties that are the same on every process */
  uint64_t own;   /* hash of the adapter's words without a name */
  uint64_t alignment, is_null, swapped, member;
  int64_t strides[DAP_MAX_NDIM];
} dap_view_kind;

/* The targets, verdicts and plans that views of one kind share. */
typedef struct dap_view_form {
  int users;         /* views, and 1 for a slot that keeps it */
  uint64_t last_use; /* number of its last use among uses of all kept forms; 0: it is not kept */
  dap_view_kind kind;
  dap_context *context;
  MPI_Comm comm, part; /* comm is the context's */
  dap_view_target targets[DAP_VIEW_TARGETS];
  dap_view_steps steps[DAP_VIEW_PHASES];
  bool has_halo_plan; /* the moves of DAP_VIEW_HALO are planned */
  bool halo_is_own;   /* the adapter moves halos, because one plan does not suffice */
  bool out_fills;     /* the moves of DAP_VIEW_OUT fill the array's padding */
  /* Plans of reverse halo updates, one for each way to combine values and to treat padding. NULL: not
   * planned yet. */
  dap_plan *reverse[DAP_VIEW_REVERSES];
  void *own; /* the adapter's, dap_view.form */
} dap_view_form;

/* A view with members that its adapter does not see. */
typedef struct dap_live_view {
  dap_view view; /* first */
  dap_view_form *form;
  dap_view_kind kind;
  uint64_t request;     /* hash of properties that must be the same on every process */
  void *own;            /* memory of options and state */
  const char *function; /* the public function that runs, until its first agreement; else NULL */
} dap_live_view;

static inline dap_live_view *dap_live(dap_view *view)
{
  return (dap_live_view *)(void *)view;
}

/* Returns the dtype of the elements of targets. */
static inline dap_dtype dap_view_dtype(const dap_view *view)
{
  return view->adapter->dtype ? view->adapter->dtype : view->dtype;
}

/* ---- request.c: checks on this process ----------------------------------------------------------- */

/* Fills the view except form and state, and calls the adapter's check. Not collective. */
dap_status dap_view_check(dap_view *view, const dap_view_request *request, const void *object,
                          dap_error *err);

/* Returns DAP_ERR_SHARE if the library cannot use the elements in place. Not collective. */
dap_status dap_view_check_elements(const dap_view *view, dap_error *why);

/* ---- compare.c: checks between processes --------------------------------------------------------- */

/* Sets view's kind and request. Not collective. */
void dap_view_classify(dap_view *view, const dap_view_request *request);

/* Sets this process's own part of the kind again. Not collective. */
void dap_view_classify_own(dap_view *view);

/* Agrees on `s`, on equal arguments, on the votes, and on the kept forms of *kept that all can use: the first
 * agreement of `function`. It takes one reduction, or two if processes differ in votes or *kept. `view` may
 * be NULL with a failed `s`. Collective on the caller's communicator. */
dap_status dap_view_agree(dap_view *view, const dap_view_request *request, const char *function, dap_status s,
                          uint64_t *kept, dap_error *err);

/* Agrees on `s`, as the first agreement of the view's function if it has one. Collective on the view's
 * communicator. */
dap_status dap_view_agree_call(dap_view *view, dap_status s, dap_error *err);

/* Agrees on `s` and on equal arguments of a function. Collective on the view's communicator. */
dap_status dap_view_agree_arguments(dap_view *view, const uint64_t arguments[], const char *const names[],
                                    int count, dap_status s, dap_error *err);

/* ---- form.c: verdicts, targets, plans ------------------------------------------------------------ */

/* Makes the view's form, and uses it. Collective; agreed. */
dap_status dap_view_form_create(dap_view *view, dap_error *err);
void dap_view_form_use(dap_view *view, dap_view_form *form);

/* Ends a use. Collective if it was the last and MPI is there. */
void dap_view_form_release(dap_view_form *form);

/* Plans the update of the array's padding unless it is planned. Collective; agreed. */
dap_status dap_view_plan_halo(dap_view *view, dap_error *err);

/* Plans the reverse update unless it is planned. Collective; agreed. */
dap_status dap_view_plan_reverse(dap_view *view, dap_combine combine, dap_padding padding, dap_plan **plan,
                                 dap_error *err);

/* ---- keep.c: forms that a communicator's context keeps ------------------------------------------------ */

/* Returns a bit for each kept form of the view's kind that this process can use and whose plans are not known
 * to be broken. A form has the same bit on every process. Not collective. */
uint64_t dap_view_form_find(const dap_view *view);

/* Uses the kept form of the lowest bit in `kept`, which is not 0. */
void dap_view_form_reuse(dap_view *view, uint64_t kept);

/* Keeps the view's form if it is new and its adapter wants that. Forms that no view can use are released, and
 * if there are too many, the least recently used one. Collective; agreed. */
dap_status dap_view_form_keep(dap_view *view, dap_error *err);

/* ---- move.c: moving ------------------------------------------------------------------------------ */

/* Runs the moves of a phase. Collective; agreed. */
dap_status dap_view_run(dap_view *view, dap_view_phase phase, dap_error *err);

/* Runs a plan of the array, in place. Collective; agreed. */
dap_status dap_view_run_in_place(dap_view *view, dap_plan *plan, dap_error *err);

#endif
