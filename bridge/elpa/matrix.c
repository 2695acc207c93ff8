/* A matrix of ELPA's as a view: the adapter's table, and the functions of elpa.h for views. */
#include "elpa_impl.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void release(void *form)
{
  dap_elpa_form *f = form;
  dap_layout_destroy(&f->layout);
  free(f->ranks);
}

static void *data_of(const dap_view *view)
{
  void *data;
  int64_t lld;
  if (!view->targets[0].shared) return view->memory[0];
  (void)dap_elpa_place(view, &data, &lld, NULL); /* was found possible */
  return data;
}

static void show(const dap_view *view, bool lives, void *object)
{
  dap_elpa_matrix *matrix = object;
  const dap_elpa_form *form = dap_elpa_form_of(view);
  const dap_elpa_state *state = dap_elpa_state_of(view);
  matrix->shared = view->targets[0].shared;
  matrix->moved_bytes = view->moved_bytes;
  memcpy(matrix->reason, view->targets[0].reason, sizeof matrix->reason);
  if (!lives) return;
  matrix->data = state->rows > 0 ? data_of(view) : NULL;
  matrix->handle = state->handle;
  matrix->size = (int)form->size;
  matrix->block_size = (int)form->block;
  for (int k = 0; k < 2; k++) {
    matrix->grid[k] = form->procs[k];
    matrix->place[k] = state->place[k];
  }
  matrix->local_nrows = state->rows;
  matrix->local_ncols = state->cols;
  matrix->op = form->op;
}

static int describe(const dap_view *view, char *text, size_t capacity)
{
  const dap_elpa_form *form = dap_elpa_form_of(view);
  return snprintf(text, capacity,
                  "%" PRId64 " x %" PRId64 " matrix of ELPA's, op '%c', blocks of %" PRId64
                  " on a %d x %d grid",
                  form->size, form->size, form->op, form->block, form->procs[0], form->procs[1]);
}

const dap_adapter dap_elpa_adapter = {
    .name = "matrix",
    .function = "dap_elpa_get",
    .object_size = sizeof(dap_elpa_matrix),
    .handle = offsetof(dap_elpa_matrix, view),
    .options_size = sizeof(dap_elpa_request),
    .form_size = sizeof(dap_elpa_form),
    .state_size = sizeof(dap_elpa_state),
    .targets = 1,
    .keeps_forms = true,
    .check = dap_elpa_check,
    .words = dap_elpa_words,
    .vote = dap_elpa_vote,
    .prepare = dap_elpa_prepare,
    .share = dap_elpa_share,
    .lay = dap_elpa_lay,
    .plan = dap_elpa_plan,
    .release = release,
    .open = dap_elpa_open,
    .close = dap_elpa_close,
    .show = show,
    .describe = describe,
};

dap_status dap_elpa_ask(MPI_Comm comm, dap_darray array, dap_access access, const dap_elpa_request *asked,
                        dap_elpa_matrix *matrix, dap_error *err)
{
  const dap_view_request request = {.comm = comm,
                                    .array = array,
                                    .access = access,
                                    .sharing = asked->options.sharing,
                                    .part = asked->options.part,
                                    .options = asked};
  return dap_view_get(&dap_elpa_adapter, &request, matrix, err);
}

dap_status dap_elpa_get(MPI_Comm comm, dap_darray array, dap_access access, const dap_elpa_options *options,
                        dap_elpa_matrix *matrix, dap_error *err)
{
  dap_elpa_request own = {0};
  if (options) own.options = *options;
  return dap_elpa_ask(comm, array, access, &own, matrix, err);
}

DAP_VIEW_FUNCTIONS(dap_elpa, dap_elpa_matrix, dap_elpa_adapter)
