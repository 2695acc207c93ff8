/* Adapts matrices: gives an array of two axes as a Mat. */
#include "matrix_impl.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static dap_status check_options(const dap_petsc_matrix_options *o, dap_error *err)
{
  DAP_REQUIRE((unsigned)o->form <= DAP_PETSC_SCALAPACK, err, DAP_ERR_ARG,
              "options: form is %d, not one of its values", (int)o->form);
  for (int k = 0; k < 2; k++)
    DAP_REQUIRE(o->block_size[k] >= 0 && o->block_size[k] <= INT32_MAX, err, DAP_ERR_ARG,
                "options: block_size[%d] is %" PRId64 ", outside 0 .. 2^31 - 1", k, o->block_size[k]);
  return DAP_OK;
}

/* PETSc counts a process's elements of a MATDENSE in PetscInt, and would fail on that process only. */
static dap_status check_range(const dap_view *view, dap_error *err)
{
  const int64_t limit = DAP_BLAS_MAX < PETSC_MAX_INT ? DAP_BLAS_MAX : PETSC_MAX_INT;
  for (int k = 0; k < 2; k++)
    DAP_REQUIRE(view->shape[k] <= limit, err, DAP_ERR_RANGE,
                "axis %d: %" PRId64 " elements exceed what PETSc and BLAS count, %" PRId64, k, view->shape[k],
                limit);
  const int64_t rows = view->shape[0] / view->nprocs + 1;
  DAP_REQUIRE(view->shape[1] <= PETSC_MAX_INT / rows, err, DAP_ERR_RANGE,
              "%" PRId64 " rows of %" PRId64
              " elements on one process are more than PetscInt counts, %" PRId64,
              rows, view->shape[1], (int64_t)PETSC_MAX_INT);
  return DAP_OK;
}

static dap_status check(dap_view *view, dap_error *err)
{
  const dap_petsc_matrix_options *o = view->options;
  DAP_TRY(check_options(o, err));
  DAP_REQUIRE(dap_layout_ndim(view->layout) == 2, err, DAP_ERR_UNSUPPORTED,
              "a matrix has 2 axes, but the array has %d", dap_layout_ndim(view->layout));
  DAP_TRY(check_range(view, err));
  if (o->form == DAP_PETSC_SCALAPACK) DAP_TRY(dap_matscalapack_check(view->shape, view->nprocs, err));
  return dap_petsc_is_started(err);
}

static int words(const dap_view *view, dap_view_word w[])
{
  const dap_petsc_matrix_options *o = view->options;
  w[0] = (dap_view_word){"options: form", (uint64_t)o->form};
  w[1] = (dap_view_word){"options: block_size[0]", (uint64_t)o->block_size[0]};
  w[2] = (dap_view_word){"options: block_size[1]", (uint64_t)o->block_size[1]};
  return 3;
}

/* ---- the matrix ------------------------------------------------------------------------------------- */

/* A MATSCALAPACK is filled from a MATDENSE in equal ranges. */
static dap_status lay(dap_view *view, int target, dap_error *err)
{
  const dap_petsc_matrix_options *o = view->options;
  dap_layout *layout = NULL;
  DAP_TRY(dap_dense_expect(view->shape, view->nprocs, o->form == DAP_PETSC_SCALAPACK, &layout, err));
  return dap_view_lay(view, target, layout, view->ranks, DAP_ORDER_F, NULL, err);
}

static dap_mat_block block_of(const dap_view *view)
{
  const bool has_block = view->targets[0].shared && view->member >= 0;
  return has_block ? dap_mat_block_of(view) : (dap_mat_block){.in_order = true};
}

/* A dap_petsc_step. NOLINTNEXTLINE(readability-non-const-parameter) */
static PetscErrorCode make(MPI_Comm comm, dap_view *view, PetscInt numbers[])
{
  const dap_petsc_matrix_options *o = view->options;
  const dap_mat_block block = block_of(view);
  Mat *mat = &dap_petsc_state_of(view)->mat;
  (void)numbers;
  if (view->targets[0].shared && block.axis == block.inner) return dap_dense_share(comm, &block, mat);
  if (view->targets[0].shared) return dap_shell_create(comm, &block, mat);
  if (o->form == DAP_PETSC_SCALAPACK) return dap_matscalapack_create(comm, view->shape, o->block_size, mat);
  return dap_dense_create(comm, view->shape, false, mat);
}

/* Refuses at once a MATSCALAPACK that cannot be moved. */
static dap_status open(dap_view *view, dap_error *err)
{
  static dap_petsc_step *const steps[] = {make};
  const dap_petsc_matrix_options *o = view->options;
  const dap_mat_block block = block_of(view);
  const dap_petsc_making making = {"making the matrix", steps, 1, block.in_order ? NULL : &block.position, 0};
  dap_layout *layout = NULL;
  DAP_TRY(dap_petsc_make(view, &making, err));
  Mat mat = dap_petsc_state_of(view)->mat;
  if (o->form != DAP_PETSC_SCALAPACK || !mat || view->shape[0] == 0 || view->shape[1] == 0) return DAP_OK;
  const dap_status s = dap_matscalapack_layout(mat, &layout, err);
  dap_layout_destroy(&layout);
  return s;
}

/* Raises the state, which solvers compare, and ends the scaling of a shell. Nothing here needs other
 * processes. */
static PetscErrorCode mark_changed(Mat mat, const dap_mat_form *form)
{
  Mat dense = mat;
  PetscScalar *memory = NULL;
  const bool is_dense = form->axis == 0 && form->inner == 0;
  if (!is_dense) PetscCall(dap_mat_assemble(mat));
  if (form->axis != form->inner) return 0;
  if (!is_dense) PetscCall(MatTransposeGetMat(mat, &dense));
  PetscCall(MatDenseGetArray(dense, &memory));
  return MatDenseRestoreArray(dense, &memory);
}

static dap_status changed(dap_view *view, int target, dap_error *err)
{
  const dap_petsc_state *state = view->state;
  (void)target;
  if (!state->mat) return DAP_OK;
  return DAP_CATCH(mark_changed(state->mat, view->form), "marking the matrix as changed", err);
}

static void show(const dap_view *view, bool lives, void *object)
{
  const dap_petsc_state *state = view->state;
  dap_petsc_matrix *matrix = object;
  matrix->shared = view->targets[0].shared;
  matrix->moved_bytes = view->moved_bytes;
  memcpy(matrix->reason, view->targets[0].reason, sizeof matrix->reason);
  if (lives) matrix->mat = state->mat;
}

static int describe(const dap_view *view, char *text, size_t capacity)
{
  return snprintf(text, capacity, "%" PRId64 " x %" PRId64 " matrix", view->shape[0], view->shape[1]);
}

static const dap_adapter adapter = {.name = "matrix",
                                    .function = "dap_petsc_matrix_get",
                                    .object_size = sizeof(dap_petsc_matrix),
                                    .handle = offsetof(dap_petsc_matrix, handle),
                                    .options_size = sizeof(dap_petsc_matrix_options),
                                    .form_size = sizeof(dap_mat_form),
                                    .targets = 1,
                                    DAP_PETSC_ADAPTER,
                                    .check = check,
                                    .words = words,
                                    .vote = dap_mat_vote,
                                    .share = dap_mat_share,
                                    .lay = lay,
                                    .open = open,
                                    .get_memory = dap_mat_get_memory,
                                    .restore_memory = dap_mat_restore_memory,
                                    .changed = changed,
                                    .show = show,
                                    .describe = describe};

dap_status dap_petsc_matrix_get(MPI_Comm comm, dap_darray array, dap_access access,
                                const dap_petsc_matrix_options *options, dap_petsc_matrix *matrix,
                                dap_error *err)
{
  const dap_petsc_matrix_options o = options ? *options : (dap_petsc_matrix_options){0};
  const dap_view_request request = {comm, array, access, o.sharing, o.part, o.lossy, &o};
  return dap_view_get(&adapter, &request, matrix, err);
}

DAP_VIEW_FUNCTIONS(dap_petsc_matrix, dap_petsc_matrix, adapter)
