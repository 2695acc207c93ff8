/* The view layer: the lifecycle of every adapter's views.
 *
 * get: request.c checks on each process, compare.c agrees, form.c decides and plans or finds what was
 * kept, view.c opens, move.c moves. The words: a target is one memory of the foreign library; a form is
 * all that views of one kind have in common, verdicts and plans; a phase is a list of moves that run
 * together. */
#ifndef DAP_VIEW_IMPL_H
#define DAP_VIEW_IMPL_H

#include "comm_impl.h"
#include <dapbridge/adapter.h>

enum {
  DAP_VIEW_MOVES = 12,
  DAP_VIEW_PHASES = 3,
  DAP_VIEW_COMBINES = 3, /* values of dap_combine, without DAP_COMBINE_NONE */
  DAP_VIEW_PADDINGS = 3  /* values of dap_padding */
};

/* A planned move. */
typedef struct dap_view_step {
  dap_plan *plan;
  int from, to;                   /* targets, or DAP_VIEW_ARRAY */
  int64_t from_offset, to_offset; /* bytes */
} dap_view_step;

typedef struct dap_view_steps {
  int count;
  dap_view_step step[DAP_VIEW_MOVES];
} dap_view_steps;

/* Properties that two views of the same form share on this process. They are compared byte by byte. */
typedef struct dap_view_kind {
  const dap_adapter *adapter;
  uint64_t words; /* of all that is the same on every process, hashed */
  uint64_t own;   /* of the adapter's words without a name */
  uint64_t alignment, is_null, swapped, member;
  int64_t strides[DAP_MAX_NDIM];
} dap_view_kind;

typedef struct dap_view_form {
  int users;         /* views, and who keeps it */
  uint64_t last_use; /* the number of its last use among those of all kept forms; 0: not kept */
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
  dap_plan *reverse[DAP_VIEW_COMBINES][DAP_VIEW_PADDINGS];
  void *own; /* the adapter's, dap_view.form */
} dap_view_form;

/* A view with what its adapter need not see. */
typedef struct dap_live_view {
  dap_view view; /* first */
  dap_view_form *form;
  dap_view_kind kind;
  uint64_t request;     /* all that must be the same on every process, hashed */
  void *own;            /* memory of options and state */
  const char *function; /* the public one that is running, until its first agreement; else NULL */
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

/* ---- request.c: what is asked for, checked on this process --------------------------------------- */

/* Fills the view but for form and state, and asks the adapter's check. Not collective. */
dap_status dap_view_check(dap_view *view, const dap_view_request *request, const void *object,
                          dap_error *err);

/* DAP_ERR_SHARE if the elements are not the library's. Not collective. */
dap_status dap_view_check_elements(const dap_view *view, dap_error *why);

/* ---- compare.c: and between processes ------------------------------------------------------------ */

/* Sets view's kind and request. Not collective. */
void dap_view_classify(dap_view *view, const dap_view_request *request);

/* Sets again what is this process's own of it. Not collective. */
void dap_view_classify_own(dap_view *view);

/* Agrees on `s`, on the sameness of all arguments, on the votes, and on which of the kept forms in *kept all
 * can use, in one reduction when all is well, two where processes differ in votes or *kept; it is the first
 * agreement of `function`. `view` may be NULL with a failed `s`. Collective on the caller's communicator. */
dap_status dap_view_agree(dap_view *view, const dap_view_request *request, const char *function, dap_status s,
                          uint64_t *kept, dap_error *err);

/* Agrees on `s`, for the first time in the view's function if it has one. Collective on the view's. */
dap_status dap_view_agree_call(dap_view *view, dap_status s, dap_error *err);

/* The same on a function's arguments, too. */
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

/* ---- keep.c: forms that a communicator's context keeps, for views of the same kind -------------------- */

/* Those of the view's kind that this process can use, a bit each, none of whose plans it knows to be broken;
 * they have the same bits on every process. Not collective. */
uint64_t dap_view_form_find(const dap_view *view);

/* Uses the first of `kept`, which is not 0. */
void dap_view_form_reuse(dap_view *view, uint64_t kept);

/* Keeps the view's form if it is new and its adapter wants that; those that are over go, and where there
 * are too many the one that was not used for longest. Collective; agreed. */
dap_status dap_view_form_keep(dap_view *view, dap_error *err);

/* ---- move.c: moving ------------------------------------------------------------------------------ */

/* Runs the moves of a phase. Collective; agreed. */
dap_status dap_view_run(dap_view *view, dap_view_phase phase, dap_error *err);

/* Runs a plan of the array, in place. Collective; agreed. */
dap_status dap_view_run_in_place(dap_view *view, dap_plan *plan, dap_error *err);

#endif
