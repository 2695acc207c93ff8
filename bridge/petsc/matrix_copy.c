/* Matrices of PETSc's own that hold a copy of the array: MATDENSE, and by way of one MATSCALAPACK. */
#include "matrix_impl.h"

typedef struct dap_petsc_matrix_state dap_state;

static dap_status fill_dense(dap_state *state, Mat dense, int64_t *moved, dap_error *err)
{
  if (state->access & DAP_READ) DAP_TRY(dap_mat_read(state, dense, moved, err));
  return state->access & DAP_WRITE ? dap_mat_plan(state, dense, err) : DAP_OK;
}

static dap_status make_dense(MPI_Comm comm, dap_state *state, bool equal, Mat *dense, dap_error *err)
{
  dap_catch caught;
  dap_catch_begin(&caught);
  const PetscErrorCode code = dap_dense_create(comm, state->layout, equal, dense);
  return dap_agree(state->comm, dap_catch_end(&caught, code, "making the matrix", err), err);
}

/* A step with MATSCALAPACK: made; filled from `dense`; read to a new one. */
typedef enum dap_cyclic_step { MADE, FILLED, READ } dap_cyclic_step;

static dap_status step_cyclic(MPI_Comm comm, dap_state *state, dap_cyclic_step step, Mat *dense,
                              dap_error *err)
{
  static const char *const what[] = {"making the matrix", "converting to MATSCALAPACK",
                                     "converting from MATSCALAPACK"};
  dap_catch caught;
  dap_catch_begin(&caught);
  PetscErrorCode code = 0;
  if (step == MADE)
    code = dap_matscalapack_create(comm, state->layout, state->options.block_size, &state->mat);
  if (step == FILLED) code = dap_matscalapack_fill(state->mat, *dense);
  if (step == READ) code = dap_matscalapack_read(state->mat, dense);
  return dap_agree(state->comm, dap_catch_end(&caught, code, what[step], err), err);
}

static dap_status drop(const dap_state *state, Mat *dense, dap_status before, dap_error *err)
{
  dap_catch caught;
  dap_catch_begin(&caught);
  const dap_status s = dap_catch_end(&caught, MatDestroy(dense), "destroying a matrix", before ? NULL : err);
  return dap_agree(state->comm, before ? before : s, err);
}

static bool has_elements(const dap_state *state)
{
  return state->sizes[0] > 0 && state->sizes[1] > 0;
}

/* By way of a MATDENSE; without elements ScaLAPACK takes no descriptor. */
static dap_status make_cyclic(MPI_Comm comm, dap_state *state, int64_t *moved, dap_error *err)
{
  Mat dense = NULL;
  dap_layout *layout = NULL;
  DAP_TRY(step_cyclic(comm, state, MADE, NULL, err));
  if (!has_elements(state)) return DAP_OK;
  dap_status s =
      dap_agree(state->comm, dap_matscalapack_layout(state->mat, &layout, err), err); /* can it be moved? */
  dap_layout_destroy(&layout);
  if (!s) s = make_dense(comm, state, true, &dense, err);
  if (!s) s = fill_dense(state, dense, moved, err);
  if (!s && state->access & DAP_READ) s = step_cyclic(comm, state, FILLED, &dense, err);
  return drop(state, &dense, s, err);
}

dap_status dap_copy_make(MPI_Comm comm, dap_state *state, int64_t *moved, dap_error *err)
{
  *moved += dap_work_bytes(&state->work);
  if (state->options.form == DAP_PETSC_SCALAPACK) return make_cyclic(comm, state, moved, err);
  DAP_TRY(make_dense(comm, state, false, &state->mat, err));
  return fill_dense(state, state->mat, moved, err);
}

/* PETSc asks no other process whether it is; and only one that set values knows that it is not. */
static dap_status check_assembled(const dap_state *state, dap_error *err)
{
  PetscBool assembled = PETSC_FALSE;
  dap_catch caught;
  dap_catch_begin(&caught);
  dap_status s = dap_catch_end(&caught, MatAssembled(state->mat, &assembled), "MatAssembled", err);
  if (!s && !assembled) s = dap_fail(err, DAP_ERR_ARG, "the matrix is not assembled");
  return dap_agree(state->comm, s, err);
}

dap_status dap_copy_write(dap_state *state, int64_t *moved, dap_error *err)
{
  Mat dense = NULL;
  if (!state->out) return DAP_OK;
  DAP_TRY(check_assembled(state, err));
  if (state->options.form != DAP_PETSC_SCALAPACK) return dap_mat_write(state, state->mat, moved, err);
  dap_status s = step_cyclic(MPI_COMM_NULL, state, READ, &dense, err);
  if (!s) s = dap_mat_write(state, dense, moved, err);
  return drop(state, &dense, s, err);
}
