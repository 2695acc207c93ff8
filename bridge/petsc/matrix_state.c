/* What a live view of a matrix holds: the arguments, checked, and all that was made of them. */
#include "matrix_impl.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct dap_petsc_matrix_state dap_state;

/* ---- arguments ------------------------------------------------------------------------------------ */

static dap_status check_options(dap_access access, const dap_petsc_matrix_options *o, dap_error *err)
{
  DAP_REQUIRE(access >= DAP_READ && access <= DAP_READ_WRITE, err, DAP_ERR_ARG, "%d is no dap_access",
              (int)access);
  DAP_REQUIRE((unsigned)o->sharing <= DAP_SHARE_NEVER, err, DAP_ERR_ARG, "%d is no dap_sharing",
              (int)o->sharing);
  DAP_REQUIRE((unsigned)o->form <= DAP_PETSC_SCALAPACK, err, DAP_ERR_ARG, "%d is no dap_petsc_form",
              (int)o->form);
  for (int k = 0; k < 2; k++)
    DAP_REQUIRE(o->block_size[k] >= 0 && o->block_size[k] <= INT32_MAX, err, DAP_ERR_ARG,
                "block size %" PRId64 " is outside 0 .. 2^31 - 1", o->block_size[k]);
  return DAP_OK;
}

/* PETSc counts the elements of a MATDENSE that a process has in PetscInt, and would find out on that one alone. */
static dap_status check_range(const dap_state *state, int nprocs, dap_error *err)
{
  const int64_t limit = DAP_BLAS_MAX < PETSC_MAX_INT ? DAP_BLAS_MAX : PETSC_MAX_INT;
  for (int k = 0; k < 2; k++)
    DAP_REQUIRE(state->sizes[k] <= limit, err, DAP_ERR_RANGE,
                "dim %d: %" PRId64 " elements exceed what PETSc and BLAS count, %" PRId64, k, state->sizes[k],
                limit);
  const int64_t rows = state->sizes[0] / nprocs + 1;
  DAP_REQUIRE(state->sizes[1] <= PETSC_MAX_INT / rows, err, DAP_ERR_RANGE,
              "%" PRId64 " rows of %" PRId64
              " elements on one process are more than PetscInt counts, %" PRId64,
              rows, state->sizes[1], (int64_t)PETSC_MAX_INT);
  return DAP_OK;
}

dap_status dap_mat_fill(dap_state *state, MPI_Comm comm, const dap_layout *layout, const dap_array *array,
                        dap_access access, const dap_petsc_matrix_options *options, dap_error *err)
{
  int rank = 0;
  DAP_REQUIRE(layout && array, err, DAP_ERR_ARG, "%s is NULL", layout ? "array" : "layout");
  if (options) state->options = *options;
  DAP_TRY(check_options(access, &state->options, err));
  DAP_REQUIRE(dap_layout_ndim(layout) == 2, err, DAP_ERR_UNSUPPORTED,
              "an array of %d dimensions is no matrix, which has two", dap_layout_ndim(layout));
  DAP_TRY(dap_buffer_check(comm, layout, array, access, state->options.lossy, &rank, err));
  dap_layout_coords(layout, rank, state->coords);
  state->access = access;
  state->layout = dap_layout_retain(layout);
  for (int k = 0; k < 2; k++) state->sizes[k] = dap_layout_size(layout, k);
  const int nprocs = dap_layout_nprocs(layout);
  DAP_TRY(check_range(state, nprocs, err));
  if (state->options.form == DAP_PETSC_SCALAPACK) DAP_TRY(dap_matscalapack_check(state->sizes, nprocs, err));
  return dap_work_take(array, &state->work, err);
}

/* Layouts or options that differ between processes would hang in what follows. */
dap_status dap_mat_check_same(const dap_state *state, dap_error *err)
{
  static const char *const names[] = {"access",
                                      "options: sharing",
                                      "options: form",
                                      "options: block_size[0]",
                                      "options: block_size[1]",
                                      "options: lossy",
                                      "the layout"};
  const dap_petsc_matrix_options *o = &state->options;
  const uint64_t words[] = {(uint64_t)state->access,       (uint64_t)o->sharing,       (uint64_t)o->form,
                            (uint64_t)o->block_size[0],    (uint64_t)o->block_size[1], o->lossy,
                            dap_layout_hash(state->layout)};
  return dap_agree_words(state->comm, words, names, (int)(sizeof words / sizeof words[0]), err);
}

/* ---- the end ---------------------------------------------------------------------------------------- */

/* What needs other processes. */
static dap_status part(dap_state *state, dap_error *err)
{
  dap_status s = DAP_OK;
  PetscBool over = PETSC_FALSE;
  dap_plan_destroy(&state->out);
  if (state->mat && PetscFinalized(&over) == 0 && !over) {
    dap_catch caught;
    dap_catch_begin(&caught);
    s = dap_catch_end(&caught, MatDestroy(&state->mat), "destroying the matrix", err);
  }
  if (state->comm == MPI_COMM_NULL) return s;
  s = dap_agree(state->comm, s, err);
  const dap_status freed = dap_petsc_mpi(MPI_Comm_free(&state->comm), "MPI_Comm_free", err);
  return s ? s : freed;
}

/* Without MPI what communicators held is lost, and the plan stays. */
dap_status dap_mat_destroy(dap_state *state, dap_error *err)
{
  const dap_status s = dap_petsc_has_mpi() ? part(state, err) : DAP_OK;
  dap_work_release(&state->work);
  dap_layout_destroy(&state->layout);
  free(state);
  return s;
}
