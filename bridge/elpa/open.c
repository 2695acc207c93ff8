/* What a view has of its own: the communicator of the grid, and the elpa_t. */
#include "elpa_impl.h"

static void find_place(const dap_view *view)
{
  const dap_elpa_form *form = dap_elpa_form_of(view);
  dap_elpa_state *state = dap_elpa_state_of(view);
  state->place[0] = state->place[1] = -1;
  for (int i = 0; i < form->procs[0] * form->procs[1]; i++)
    if (form->ranks[i] == view->rank) {
      state->place[0] = i / form->procs[1];
      state->place[1] = i % form->procs[1];
    }
}

/* The leading dimension is that of the buffer, or of the matrix that this one is like. */
static dap_status find_extents(const dap_view *view, dap_error *err)
{
  const dap_elpa_form *form = dap_elpa_form_of(view);
  dap_elpa_state *state = dap_elpa_state_of(view);
  void *data;
  int64_t lld = 1;
  state->rows = state->cols = 0;
  if (state->place[0] < 0 || form->size == 0) return DAP_OK;
  const int64_t rows = dap_layout_owned(form->layout, 0, state->place[0]);
  if (view->targets[0].shared)
    DAP_TRY(dap_elpa_place(view, &data, &lld, err));
  else
    lld = state->like ? dap_elpa_state_of(state->like)->rows : rows;
  state->rows = (int)lld; /* were found to be in range */
  state->cols = (int)dap_layout_owned(form->layout, 1, state->place[1]);
  return DAP_OK;
}

static dap_status make_grid(const dap_view *view, dap_error *err)
{
  const dap_elpa_form *form = dap_elpa_form_of(view);
  dap_elpa_state *state = dap_elpa_state_of(view);
  const bool inside = state->place[0] >= 0;
  const int key = inside ? state->place[0] * form->procs[1] + state->place[1] : 0;
  DAP_REQUIRE(MPI_Comm_split(view->comm, inside ? 0 : MPI_UNDEFINED, key, &state->grid) == MPI_SUCCESS, err,
              DAP_ERR_LIBRARY, "MPI_Comm_split failed");
  if (!inside) return DAP_OK;
  DAP_REQUIRE(MPI_Comm_set_errhandler(state->grid, MPI_ERRORS_RETURN) == MPI_SUCCESS, err, DAP_ERR_LIBRARY,
              "MPI_Comm_set_errhandler failed");
  return DAP_OK;
}

static dap_status allocate(const dap_view *view, dap_error *err)
{
  const dap_elpa_form *form = dap_elpa_form_of(view);
  dap_elpa_state *state = dap_elpa_state_of(view);
  const int vectors = dap_elpa_options_of(view)->vectors;
  if (state->grid == MPI_COMM_NULL || form->size == 0) return DAP_OK;
  const dap_elpa_shape shape = {.size = (int)form->size,
                                .vectors = vectors ? vectors : (int)form->size,
                                .block = (int)form->block,
                                .rows = state->rows,
                                .cols = state->cols,
                                .place = {state->place[0], state->place[1]}};
  return dap_elpa_allocate(state->grid, &shape, &state->handle, err);
}

dap_status dap_elpa_open(dap_view *view, dap_error *err)
{
  dap_elpa_state *state = dap_elpa_state_of(view);
  state->grid = MPI_COMM_NULL;
  find_place(view);
  DAP_TRY(dap_agree(view->comm, find_extents(view, err), err));
  if (state->like) {
    state->grid = dap_elpa_state_of(state->like)->grid;
    state->handle = dap_elpa_state_of(state->like)->handle;
    return DAP_OK;
  }
  state->owns = true;
  DAP_TRY(dap_agree(view->comm, make_grid(view, err), err));
  DAP_TRY(dap_agree(view->comm, allocate(view, err), err));
  if (!state->handle) return DAP_OK;
  const dap_status status = dap_elpa_says(elpa_setup(state->handle), "elpa_setup", err);
  state->is_set_up = !status;
  return status;
}

dap_status dap_elpa_close(dap_view *view, dap_error *err)
{
  dap_elpa_state *state = dap_elpa_state_of(view);
  int code = ELPA_OK;
  if (!state->owns) return DAP_OK;
  if (state->handle && state->is_set_up) elpa_deallocate(state->handle, &code);
  state->handle = NULL;
  dap_status status = dap_elpa_says(code, "elpa_deallocate", err);
  if (state->grid != MPI_COMM_NULL && MPI_Comm_free(&state->grid) != MPI_SUCCESS && !status)
    status = dap_fail(err, DAP_ERR_LIBRARY, "MPI_Comm_free failed");
  return status;
}
