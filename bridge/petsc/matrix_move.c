/* Gets the memory of a matrix of PETSc's own. A MATSCALAPACK's elements are moved by way of a MATDENSE,
 * which lives as long as that takes. */
#include "matrix_impl.h"

static bool is_cyclic(const dap_view *view)
{
  const dap_petsc_matrix_options *o = view->options;
  return o->form == DAP_PETSC_SCALAPACK;
}

/* ---- a MATDENSE's memory ----------------------------------------------------------------------------- */

static PetscErrorCode get_memory(Mat dense, bool writes, PetscScalar **memory)
{
  if (writes) return MatDenseGetArrayWrite(dense, memory);
  return MatDenseGetArrayRead(dense, (const PetscScalar **)memory);
}

/* Marks a matrix that was written to as changed. */
static PetscErrorCode restore_memory(Mat dense, bool writes, PetscScalar **memory)
{
  if (writes) return MatDenseRestoreArrayWrite(dense, memory);
  return MatDenseRestoreArrayRead(dense, (const PetscScalar **)memory);
}

static PetscErrorCode query_lead(Mat dense, PetscInt *rows, PetscInt *lead)
{
  PetscCall(MatGetLocalSize(dense, rows, NULL));
  return MatDenseGetLDA(dense, lead);
}

/* Checks that the matrix has the layout of the target, which was chosen before the matrix was made. */
static dap_status check_lead(const dap_view *view, Mat dense, dap_error *err)
{
  const dap_view_target *t = &view->targets[0];
  int coords[DAP_MAX_NDIM];
  PetscInt lead = 0, rows = 0;
  DAP_TRY(DAP_CATCH(query_lead(dense, &rows, &lead), "asking a matrix for its leading dimension", err));
  dap_layout_coords(t->layout, t->member, coords);
  const int64_t expected = dap_layout_owned(t->layout, 0, coords[0]);
  DAP_REQUIRE(rows == expected && (rows == 0 || lead == rows), err, DAP_ERR_LIBRARY,
              "PETSc spreads the rows of a MATDENSE in a way of its own");
  return DAP_OK;
}

static dap_status get_dense(const dap_view *view, Mat dense, bool writes, PetscScalar **memory,
                            dap_error *err)
{
  DAP_TRY(check_lead(view, dense, err));
  return DAP_CATCH(get_memory(dense, writes, memory), "getting a matrix's memory", err);
}

static dap_status take_dense(Mat dense, bool writes, PetscScalar *memory, dap_error *err)
{
  return DAP_CATCH(restore_memory(dense, writes, &memory), "restoring a matrix's memory", err);
}

/* PETSc does not ask other processes. A matrix that is not assembled is only known to processes that set
 * values. */
static dap_status check_assembled(Mat mat, dap_error *err)
{
  PetscBool assembled = PETSC_FALSE;
  DAP_TRY(DAP_CATCH(MatAssembled(mat, &assembled), "MatAssembled", err));
  DAP_REQUIRE(assembled, err, DAP_ERR_ARG, "the matrix is not assembled");
  return DAP_OK;
}

/* ---- by way of a MATDENSE: each step is agreed, because the next is collective ----------------------- */

static PetscErrorCode make_dense(const dap_view *view, bool writes)
{
  dap_petsc_state *state = view->state;
  if (!state->mat) return 0;
  if (!writes) return dap_matscalapack_read(state->mat, &state->dense);
  return dap_dense_create(PetscObjectComm((PetscObject)state->mat), view->shape, true, &state->dense);
}

static dap_status convert(dap_view *view, bool writes, dap_error *err)
{
  const char *what = writes ? "making the matrix" : "converting from MATSCALAPACK";
  return dap_agree(view->comm, DAP_CATCH(make_dense(view, writes), what, err), err);
}

static dap_status drop_dense(dap_view *view, dap_status before, dap_error *err)
{
  dap_petsc_state *state = view->state;
  const dap_status s = DAP_CATCH(MatDestroy(&state->dense), "destroying a matrix", before ? NULL : err);
  return before ? before : s;
}

static dap_status get_cyclic(dap_view *view, bool writes, PetscScalar **memory, dap_error *err)
{
  dap_petsc_state *state = view->state;
  dap_status s = state->mat && !writes ? check_assembled(state->mat, err) : DAP_OK;
  DAP_TRY(dap_agree(view->comm, s, err));
  s = convert(view, writes, err);
  if (!s && state->mat) s = get_dense(view, state->dense, writes, memory, err);
  s = dap_agree(view->comm, s, err);
  return s ? drop_dense(view, s, err) : DAP_OK;
}

static dap_status take_cyclic(dap_view *view, bool writes, PetscScalar *memory, dap_error *err)
{
  dap_petsc_state *state = view->state;
  dap_status s = state->mat ? take_dense(state->dense, writes, memory, err) : DAP_OK;
  s = dap_agree(view->comm, s, err);
  if (!s && writes) {
    if (state->mat)
      s = DAP_CATCH(dap_matscalapack_fill(state->mat, state->dense), "converting to MATSCALAPACK", err);
    s = dap_agree(view->comm, s, err);
  }
  return drop_dense(view, s, err);
}

/* ScaLAPACK refuses descriptors of matrices without elements. Such matrices need no moves. */
static bool has_elements(const dap_view *view)
{
  return view->shape[0] > 0 && view->shape[1] > 0;
}

dap_status dap_mat_get_memory(dap_view *view, int target, dap_access access, void **memory, dap_error *err)
{
  const dap_petsc_state *state = view->state;
  const bool writes = access & DAP_WRITE;
  PetscScalar *elements = NULL;
  dap_status s = DAP_OK;
  (void)target;
  if (is_cyclic(view) && has_elements(view)) {
    s = get_cyclic(view, writes, &elements, err);
  } else if (!is_cyclic(view) && state->mat) {
    if (!writes) s = check_assembled(state->mat, err);
    if (!s) s = get_dense(view, state->mat, writes, &elements, err);
  }
  *memory = elements;
  return s;
}

dap_status dap_mat_restore_memory(dap_view *view, int target, dap_access access, void *memory, dap_error *err)
{
  const dap_petsc_state *state = view->state;
  const bool writes = access & DAP_WRITE;
  (void)target;
  if (is_cyclic(view)) return has_elements(view) ? take_cyclic(view, writes, memory, err) : DAP_OK;
  return state->mat ? take_dense(state->mat, writes, memory, err) : DAP_OK;
}
