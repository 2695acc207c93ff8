/* Moving elements between the array and a MATDENSE of PETSc's. */
#include "matrix_impl.h"

typedef struct dap_petsc_matrix_state dap_state;

static dap_side array_side(const dap_state *state)
{
  return (dap_side){.layout = state->layout, .strides = state->work.array.strides};
}

/* Plans the move from the array to `dense`, or back. */
static dap_status plan(const dap_state *state, Mat dense, bool back, dap_plan **made, dap_error *err)
{
  dap_layout *layout = NULL;
  int64_t strides[2];
  dap_status s = dap_agree(state->comm, dap_dense_layout(dense, &layout, strides, err), err);
  const dap_side array = array_side(state), matrix = {.layout = layout, .strides = strides};
  if (!s)
    s = dap_plan_create(state->comm, back ? &matrix : &array, back ? &array : &matrix,
                        (int64_t)sizeof(PetscScalar), &(dap_plan_options){.fill_halos = back}, made, err);
  dap_layout_destroy(&layout);
  return s;
}

static PetscErrorCode borrow(Mat dense, bool back, void **memory)
{
  if (back) return MatDenseGetArrayRead(dense, (const PetscScalar **)memory);
  return MatDenseGetArrayWrite(dense, (PetscScalar **)memory);
}

/* Marks a matrix that was written to as changed. */
static PetscErrorCode give_back(Mat dense, bool back, void **memory)
{
  if (back) return MatDenseRestoreArrayRead(dense, (const PetscScalar **)memory);
  return MatDenseRestoreArrayWrite(dense, (PetscScalar **)memory);
}

/* Runs a plan to `dense`, or back from it. */
static dap_status run(const dap_state *state, dap_plan *plan_made, Mat dense, bool back, int64_t *moved,
                      dap_error *err)
{
  void *memory = NULL;
  dap_catch caught;
  dap_catch_begin(&caught);
  dap_status s = dap_catch_end(&caught, borrow(dense, back, &memory), "borrowing a matrix' memory", err);
  const bool borrowed = s == DAP_OK;
  s = dap_agree(state->comm, s, err);
  if (!s) {
    void *const array = state->work.array.data;
    s = dap_plan_run(plan_made, back ? memory : array, back ? array : memory, err);
    const dap_plan_stats stats = dap_plan_stats_get(plan_made);
    *moved += stats.bytes_local + stats.bytes_sent;
  }
  dap_catch_begin(&caught);
  const PetscErrorCode code = borrowed ? give_back(dense, back, &memory) : 0;
  const dap_status given = dap_catch_end(&caught, code, "giving a matrix' memory back", s ? NULL : err);
  return dap_agree(state->comm, s ? s : given, err);
}

dap_status dap_mat_read(const dap_state *state, Mat dense, int64_t *moved, dap_error *err)
{
  dap_plan *in = NULL;
  dap_status s = plan(state, dense, false, &in, err);
  if (!s) s = run(state, in, dense, false, moved, err);
  dap_plan_destroy(&in);
  return s;
}

static bool has_halo(const dap_layout *layout)
{
  for (int k = 0; k < 2; k++)
    for (int c = 0; c < dap_layout_procs(layout, k); c++) {
      int64_t width[2] = {0};
      dap_layout_halo(layout, k, c, width);
      if (width[0] > 0 || width[1] > 0) return true;
    }
  return false;
}

dap_status dap_mat_plan(dap_state *state, Mat dense, dap_error *err)
{
  if (dense) return plan(state, dense, true, &state->out, err);
  if (!has_halo(state->layout)) return DAP_OK;
  const dap_side array = array_side(state);
  return dap_plan_create_halo(state->comm, &array, (int64_t)sizeof(PetscScalar), NULL, &state->out, err);
}

/* What the plan left in a copy goes back to the caller's buffer too. */
dap_status dap_mat_write(const dap_state *state, Mat dense, int64_t *moved, dap_error *err)
{
  void *const data = state->work.array.data;
  if (!state->out) return DAP_OK;
  if (!dense) return dap_agree(state->comm, dap_plan_run(state->out, data, data, err), err);
  DAP_TRY(run(state, state->out, dense, true, moved, err));
  *moved += dap_work_bytes(&state->work);
  return dap_agree(state->comm, dap_work_give(&state->work, err), err);
}
