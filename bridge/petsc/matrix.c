/* An array as a matrix: get and restore. */
#include "matrix_impl.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct dap_petsc_matrix_state dap_state;

/* ---- share or move -------------------------------------------------------------------------------- */

static const char *shared_as(const dap_fit *fit)
{
  if (fit->cut != fit->inner)
    return fit->cut == 0 ? "a shell: rows are contiguous, and spread in ranges"
                         : "a shell: columns are contiguous, and spread in ranges";
  return fit->cut == 0 ? "a MATDENSE: columns are contiguous, rows in ranges"
                       : "a transposed view of a MATDENSE: rows are contiguous, columns in ranges";
}

/* The predicate, and what the caller makes of it. */
static dap_status decide(const dap_state *state, dap_petsc_matrix *matrix, dap_fit *fit, dap_error *err)
{
  const dap_sharing sharing = state->options.sharing;
  dap_error why = {.rank = -1};
  dap_status s = DAP_ERR_SHARE;
  if (sharing == DAP_SHARE_NEVER)
    (void)dap_fail(&why, s, "a copy was asked for");
  else if (state->options.form == DAP_PETSC_SCALAPACK)
    (void)dap_fail(&why, s, "MATSCALAPACK owns its memory");
  else
    s = dap_fit_find(state, fit, &why);
  matrix->shared = s == DAP_OK;
  (void)snprintf(matrix->reason, sizeof matrix->reason, "%s", s ? why.text : shared_as(fit));
  if (s == DAP_OK || (s == DAP_ERR_SHARE && sharing != DAP_SHARE_OR_FAIL)) return DAP_OK;
  (void)dap_fail(err, s, "the matrix cannot share the buffer: %.400s", why.text);
  err->rank = why.rank < 0 ? 0 : why.rank;
  return s;
}

/* ---- shared ----------------------------------------------------------------------------------------- */

static dap_status wrap(MPI_Comm comm, dap_state *state, const dap_fit *fit, dap_error *err)
{
  dap_catch caught;
  dap_catch_begin(&caught);
  const PetscErrorCode code = fit->cut == fit->inner
                                  ? dap_dense_share(comm, state->layout, fit, &state->mat)
                                  : dap_shell_create(comm, state->layout, fit, &state->mat);
  return dap_catch_end(&caught, code, "making the matrix", err);
}

static dap_status make_shared(MPI_Comm comm, dap_state *state, const dap_fit *fit, dap_error *err)
{
  MPI_Comm reordered = MPI_COMM_NULL;
  dap_status s = DAP_OK;
  if (!fit->in_order)
    s = dap_petsc_mpi(MPI_Comm_split(comm, 0, fit->place, &reordered), "MPI_Comm_split", err);
  DAP_TRY(dap_agree(state->comm, s, err));
  s = dap_agree(state->comm, wrap(fit->in_order ? comm : reordered, state, fit, err), err);
  if (reordered != MPI_COMM_NULL) (void)MPI_Comm_free(&reordered); /* PETSc holds a copy */
  if (!s && state->access & DAP_WRITE) s = dap_mat_plan(state, NULL, err);
  return s;
}

/* ---- get and restore ------------------------------------------------------------------------------ */

static dap_status make(MPI_Comm comm, dap_state *state, dap_petsc_matrix *matrix, dap_error *err)
{
  dap_fit fit = {0};
  DAP_TRY(decide(state, matrix, &fit, err));
  DAP_TRY(dap_petsc_start(comm, err));
  return matrix->shared ? make_shared(comm, state, &fit, err)
                        : dap_copy_make(comm, state, &matrix->moved_bytes, err);
}

dap_status dap_petsc_matrix_get(MPI_Comm comm, const dap_layout *layout, const dap_array *array,
                                dap_access access, const dap_petsc_matrix_options *options,
                                dap_petsc_matrix *matrix, dap_error *err)
{
  dap_error text = {.rank = -1};
  if (!err) err = &text;
  if (matrix) *matrix = (dap_petsc_matrix){0};
  DAP_REQUIRE(comm != MPI_COMM_NULL, err, DAP_ERR_ARG, "comm is MPI_COMM_NULL");

  dap_state *state = calloc(1, sizeof *state);
  dap_status s = state ? DAP_OK : dap_fail(err, DAP_ERR_NOMEM, "no memory for a matrix");
  if (state) state->comm = MPI_COMM_NULL;
  if (!s && !matrix) s = dap_fail(err, DAP_ERR_ARG, "matrix is NULL");
  if (!s) s = dap_mat_fill(state, comm, layout, array, access, options, err);
  s = dap_agree(comm, s, err);
  if (!s) s = dap_agree(comm, dap_petsc_comm(comm, &state->comm, err), err);
  if (!s) s = dap_mat_check_same(state, err);
  if (!s) s = make(comm, state, matrix, err);
  if (s) {
    if (state) (void)dap_mat_destroy(state, NULL);
    if (matrix) *matrix = (dap_petsc_matrix){0};
    return s;
  }
  matrix->mat = state->mat;
  matrix->state = state;
  return DAP_OK;
}

dap_status dap_petsc_matrix_restore(dap_petsc_matrix *matrix, dap_error *err)
{
  if (!matrix || !matrix->state) return DAP_OK;
  dap_error text = {.rank = -1};
  if (!err) err = &text;
  dap_state *state = matrix->state;
  dap_status s = dap_petsc_is_there(state->comm, err);
  if (!s && matrix->shared) s = dap_mat_write(state, NULL, &matrix->moved_bytes, err);
  if (!s && !matrix->shared) s = dap_copy_write(state, &matrix->moved_bytes, err);
  const dap_status ended = dap_mat_destroy(state, s ? NULL : err);
  matrix->mat = NULL;
  matrix->state = NULL;
  return s ? s : ended;
}
