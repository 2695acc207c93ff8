/* A view's life: get and restore. */
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
static void place_copy(const dap_scalapack_state *state, void **data, int *lld)
{
  const dap_array *copy = &state->copy;
  const int64_t rows = copy->shape[dap_scalapack_swap(state->op, 0)];
  *data = dap_array_count(copy) > 0 ? copy->data : NULL;
  *lld = rows > 1 ? (int)rows : 1; /* <= the axis' size, which was checked */
}

static void fill(const dap_scalapack_request *request, const dap_scalapack_form *form,
                 dap_scalapack_state *state, dap_scalapack_matrix *matrix)
{
  void *data;
  int lld, size[2];
  if (form->shared)
    dap_scalapack_share_buffer(request, form->op, &data, &lld, NULL); /* was found possible */
  else
    place_copy(state, &data, &lld);
  for (int k = 0; k < 2; k++)
    size[k] = (int)dap_layout_size(request->layout, dap_scalapack_swap(form->op, k)); /* checked: fits */
  *matrix = (dap_scalapack_matrix){
      .data = data,
      .desc = {1, state->grid->context, size[0], size[1], state->block[0], state->block[1], 0, 0, lld},
      .op = form->op,
      .shared = form->shared,
      .moved_bytes = state->moved_bytes,
      .state = state,
  };
  memcpy(matrix->reason, form->reason, sizeof matrix->reason);
}

/* Decides on the form of the view and makes what it needs. Collective. */
static dap_status make(const dap_scalapack_request *request, dap_scalapack_form *form,
                       dap_scalapack_state *state, dap_error *err)
{
  DAP_TRY(dap_scalapack_request_compare(request, err));
  DAP_TRY(dap_scalapack_share_decide(request, form, err));
  state->op = form->op;
  for (int k = 0; k < 2; k++) state->block[k] = form->block[dap_scalapack_swap(form->op, k)];
  DAP_TRY(dap_blacs_acquire(request->comm, &form->map, &state->grid, err));
  return form->shared ? DAP_OK : dap_scalapack_copy_make(request, form, state, err);
}

dap_status dap_scalapack_get(MPI_Comm comm, const dap_layout *layout, const dap_array *array,
                             dap_access access, const dap_scalapack_options *options,
                             dap_scalapack_matrix *matrix, dap_error *err)
{
  dap_error text;
  if (!err) err = &text; /* so that texts still travel between processes */
  dap_scalapack_request request = {.comm = comm, .layout = layout, .array = array, .access = access};
  if (options) request.options = *options;
  if (request.options.like) request.like = request.options.like->state;
  dap_scalapack_form form = {0};

  dap_scalapack_state *state = calloc(1, sizeof *state);
  dap_status status = state ? DAP_OK : dap_fail(err, DAP_ERR_NOMEM, "no memory for a view");
  if (comm == MPI_COMM_NULL) {
    status = dap_fail(err, DAP_ERR_ARG, "comm is MPI_COMM_NULL"); /* there is nobody to agree with */
  } else {
    if (!status && MPI_Comm_rank(comm, &request.rank) != MPI_SUCCESS)
      status = dap_fail(err, DAP_ERR_LIBRARY, "MPI_Comm_rank failed");
    if (!status) status = dap_scalapack_request_check(&request, matrix, err);
    status = dap_agree(comm, status, err);
    if (!status) status = make(&request, &form, state, err);
  }
  if (status) {
    if (matrix) *matrix = (dap_scalapack_matrix){0};
    end(state, NULL);
  } else {
    fill(&request, &form, state, matrix);
  }
  return status;
}

dap_status dap_scalapack_restore(dap_scalapack_matrix *matrix, dap_error *err)
{
  if (!matrix || !matrix->state) return DAP_OK;
  dap_error text;
  if (!err) err = &text;
  dap_scalapack_state *state = matrix->state;
  dap_status status = state->back ? dap_scalapack_copy_back(state, err) : DAP_OK;
  *matrix = (dap_scalapack_matrix){.moved_bytes = state->moved_bytes};
  const dap_status ended = end(state, status ? NULL : err);
  return status ? status : ended;
}
