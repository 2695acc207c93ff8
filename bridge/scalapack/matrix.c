/* A view's life: get, restore, discard. */
#include "scalapack_impl.h"

#include <stdlib.h>
#include <string.h>

/* Frees the state and all that it holds, also a half-made one. Collective. */
static dap_status end(dap_scalapack_state *state, dap_error *err)
{
  if (!state) return DAP_OK;
  dap_plan_destroy(&state->back);
  dap_array_release(&state->copy);
  dap_scalapack_source_release(&state->source);
  const dap_status status = dap_blacs_release(&state->grid, err);
  free(state);
  return status;
}

/* Local part and leading dimension of a moved view. */
static void place_copy(const dap_scalapack_state *state, void **data, dap_scalapack_int *lld)
{
  const dap_array *copy = &state->copy;
  *data = NULL;
  *lld = 1;
  if (copy->ndim == 0) return; /* outside the grid */
  const int64_t rows = copy->shape[dap_scalapack_swap(state->op, 0)];
  if (dap_array_count(copy) > 0) *data = copy->data;
  if (rows > 1) *lld = (dap_scalapack_int)rows; /* <= the axis' size, which was checked */
}

static void fill(const dap_scalapack_request *request, const dap_scalapack_form *form,
                 dap_scalapack_state *state, dap_scalapack_matrix *matrix)
{
  void *data;
  dap_scalapack_int lld, words[2][5]; /* size, block, source, extent asked for, start: all checked to fit */
  if (form->shared)
    (void)dap_scalapack_place(request, form->op, &data, &lld, NULL); /* was found possible */
  else
    place_copy(state, &data, &lld);
  if (form->shared &&
      (form->size[0] == 0 || form->size[1] == 0)) { /* on a grid that need not be the array's */
    data = NULL;
    lld = form->size[0] > 1 ? (dap_scalapack_int)form->size[0] : 1;
  }
  for (int k = 0; k < 2; k++) {
    words[k][0] = (dap_scalapack_int)form->size[k];
    words[k][1] = (dap_scalapack_int)form->block[k];
    words[k][2] = (dap_scalapack_int)form->source[k];
    words[k][3] = (dap_scalapack_int)state->size[k];
    words[k][4] = (dap_scalapack_int)(form->start[k] + 1);
  }
  *matrix = (dap_scalapack_matrix){
      .data = data,
      .desc = {1, state->grid->context, words[0][0], words[1][0], words[0][1], words[1][1], words[0][2],
               words[1][2], lld},
      .m = words[0][3],
      .n = words[1][3],
      .ia = words[0][4],
      .ja = words[1][4],
      .op = form->op,
      .shared = form->shared,
      .moved_bytes = state->moved_bytes,
      .state = state,
  };
  memcpy(matrix->reason, form->reason, sizeof matrix->reason);
}

/* What views that go with this one need to know. */
static void remember(const dap_scalapack_request *request, const dap_scalapack_form *form,
                     dap_scalapack_state *state)
{
  const int procs[2] = {form->map.nprow, form->map.npcol};
  state->op = form->op;
  for (int k = 0; k < 2; k++) {
    state->block[k] = form->block[k];
    state->size[k] = request->shape[dap_scalapack_swap(form->op, k)];
    state->owner[k] = (int)((form->start[k] / form->block[k] + form->source[k]) % procs[k]);
    state->inside[k] = form->start[k] % form->block[k];
  }
}

/* The grid that the options name, if they do. Collective. */
static dap_status take_given(dap_scalapack_request *request, dap_blacs_grid **adopted, dap_error *err)
{
  request->given = request->like ? request->like->grid : NULL;
  if (!request->options.context) return DAP_OK;
  DAP_TRY(dap_blacs_adopt(request->comm, *request->options.context, adopted, err));
  request->given = *adopted;
  return DAP_OK;
}

/* Another view on the grid of `like`, which may be an adopted one. */
static dap_status take_grid(const dap_scalapack_request *request, const dap_scalapack_form *form,
                            dap_scalapack_state *state, dap_error *err)
{
  if (state->grid) return DAP_OK; /* adopted */
  if (!request->like) return dap_blacs_acquire(request->comm, &form->map, &state->grid, err);
  state->grid = dap_blacs_again(request->like->grid);
  return DAP_OK;
}

/* Decides on the form of the view and makes what it needs. Collective. */
static dap_status make(dap_scalapack_request *request, dap_scalapack_form *form, dap_scalapack_state *state,
                       dap_error *err)
{
  DAP_TRY(take_given(request, &state->grid, err));
  DAP_TRY(dap_scalapack_decide(request, form, err));
  remember(request, form, state);
  DAP_TRY(take_grid(request, form, state, err));
  return form->shared ? DAP_OK : dap_scalapack_copy_make(request, form, state, err);
}

/* Checks, agreed on. Collective on a communicator that there is. */
static dap_status check(dap_scalapack_request *request, const dap_layout *layout, const dap_array *array,
                        const dap_scalapack_matrix *matrix, dap_status status, dap_error *err)
{
  if (!status && MPI_Comm_rank(request->comm, &request->rank) != MPI_SUCCESS)
    status = dap_fail(err, DAP_ERR_LIBRARY, "MPI_Comm_rank failed");
  if (!status) status = dap_scalapack_request_check(request, layout, array, matrix, err);
  status = dap_agree(request->comm, status, err);
  return status ? status : dap_scalapack_request_compare(request, layout, array, err);
}

dap_status dap_scalapack_get(MPI_Comm comm, const dap_layout *layout, const dap_array *array,
                             dap_access access, const dap_scalapack_options *options,
                             dap_scalapack_matrix *matrix, dap_error *err)
{
  dap_error text;
  if (!err) err = &text; /* so that texts still travel between processes */
  dap_scalapack_request request = {.comm = comm, .access = access};
  if (options) request.options = *options;
  if (request.options.like) request.like = request.options.like->state;
  dap_scalapack_form form = {0};

  dap_scalapack_state *state = calloc(1, sizeof *state);
  dap_status status = state ? DAP_OK : dap_fail(err, DAP_ERR_NOMEM, "no memory for a view");
  if (comm == MPI_COMM_NULL) {
    status = dap_fail(err, DAP_ERR_ARG, "comm is MPI_COMM_NULL"); /* there is nobody to agree with */
  } else {
    status = check(&request, layout, array, matrix, status, err);
    if (!status) status = make(&request, &form, state, err);
  }
  if (status) {
    if (matrix) *matrix = (dap_scalapack_matrix){0};
    (void)end(state, NULL);
  } else {
    fill(&request, &form, state, matrix);
  }
  dap_blacs_map_free(&form.map);
  dap_scalapack_request_release(&request);
  return status;
}

static dap_status finish(dap_scalapack_matrix *matrix, bool store, dap_error *err)
{
  if (!matrix || !matrix->state) return DAP_OK;
  dap_error text;
  if (!err) err = &text;
  dap_scalapack_state *state = matrix->state;
  const dap_status status = store && state->back ? dap_scalapack_copy_back(state, err) : DAP_OK;
  *matrix = (dap_scalapack_matrix){.moved_bytes = state->moved_bytes};
  const dap_status ended = end(state, status ? NULL : err);
  return status ? status : ended;
}

dap_status dap_scalapack_restore(dap_scalapack_matrix *matrix, dap_error *err)
{
  return finish(matrix, true, err);
}

dap_status dap_scalapack_discard(dap_scalapack_matrix *matrix, dap_error *err)
{
  return finish(matrix, false, err);
}
