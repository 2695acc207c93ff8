/* Makes the vector, on the caller's memory or on PETSc's, and the order by which its entries are found. */
#include "vector_impl.h"

#include <stdlib.h>

/* Whether the entries of a shared vector, which are numbered by rank, come in the order of the elements. */
static bool is_in_order(const dap_view *view)
{
  const dap_vector_form *form = view->form;
  if (!view->targets[0].shared || form->axis < 0) return true;
  return dap_layout_is_row_major(view->layout) && dap_vector_position(view->layout, form->axis, 0) == 0;
}

/* Finds the communicator for the vector. The caller frees *made. */
static dap_status find_comm(const dap_view *view, MPI_Comm *comm, MPI_Comm *made, dap_error *err)
{
  const dap_vector_form *form = view->form;
  *comm = dap_petsc_comm(view);
  if (view->member < 0 || is_in_order(view)) return DAP_OK;
  const int key = dap_vector_position(view->layout, form->axis, dap_petsc_coord(view, form->axis));
  DAP_TRY(dap_petsc_mpi(MPI_Comm_split(*comm, 0, key, made), "MPI_Comm_split", err));
  *comm = *made;
  return DAP_OK;
}

static PetscErrorCode make_own(MPI_Comm comm, PetscInt block, PetscInt count, PetscInt all, Vec *vec)
{
  PetscCall(VecCreate(comm, vec));
  PetscCall(VecSetSizes(*vec, count, all));
  PetscCall(VecSetBlockSize(*vec, block));
  PetscCall(VecSetType(*vec, VECSTANDARD));
  PetscCall(VecZeroEntries(*vec));
  return 0;
}

static int64_t count_entries(const dap_view *view)
{
  const dap_vector_form *form = view->form;
  const dap_view_target *t = &view->targets[0];
  int64_t count = dap_layout_count(t->shared ? view->layout : t->layout) > 0;
  int coords[DAP_MAX_NDIM] = {0};
  if (t->shared) return form->count;
  dap_layout_coords(t->layout, t->member, coords);
  for (int k = 0; k < dap_layout_ndim(t->layout); k++) count *= dap_layout_owned(t->layout, k, coords[k]);
  return count;
}

static PetscErrorCode make_on(MPI_Comm comm, dap_view *view)
{
  const dap_vector_form *form = view->form;
  Vec *vec = &((dap_vector_state *)view->state)->entries.vec;
  const bool is_shared = view->targets[0].shared;
  const PetscInt block = (PetscInt)dap_vector_block_size(view), count = (PetscInt)count_entries(view);
  const PetscInt all = (PetscInt)dap_layout_count(is_shared ? view->layout : view->targets[0].layout);
  PetscScalar *memory =
      is_shared && form->held > 0 ? (PetscScalar *)(void *)((char *)view->local.data + form->offset) : NULL;
  if (!is_shared)
    PetscCall(make_own(comm, block, count, all, vec));
  else if (form->is_ghosted)
    PetscCall(VecCreateGhostBlockWithArray(comm, block, count, all, (PetscInt)form->ghost_count, form->ghosts,
                                           memory, vec));
  else if (view->nprocs == 1)
    PetscCall(VecCreateSeqWithArray(comm, block, count, memory, vec));
  else
    PetscCall(VecCreateMPIWithArray(comm, block, count, all, memory, vec));
  return dap_vec_changed(*vec);
}

/* On PETSc's copy of the communicator: since 3.20 VecDuplicate() makes vectors on the one that the layout was
 * made on, and the caller's may be freed by then. A step as those below.
 * NOLINTNEXTLINE(readability-non-const-parameter) */
static PetscErrorCode make_vec(MPI_Comm comm, dap_view *view, PetscInt indices[])
{
  MPI_Comm copy = MPI_COMM_NULL;
  (void)indices;
  PetscCall(PetscCommDuplicate(comm, &copy, NULL));
  const PetscErrorCode code = make_on(copy, view), last = PetscCommDestroy(&copy);
  return code ? code : last;
}

/* Position i in this process's list is entry start + i, block by block; a ghosted vector has its mapping.
 * `indices` has room for the entries. */
static PetscErrorCode make_mapping(MPI_Comm comm, dap_view *view, PetscInt indices[])
{
  const dap_vector_form *form = view->form;
  const dap_vector_state *state = view->state;
  const PetscInt block = (PetscInt)dap_vector_block_size(view), count = (PetscInt)form->count / block;
  ISLocalToGlobalMapping mapping;
  PetscInt start;
  PetscCall(VecGetOwnershipRange(state->entries.vec, &start, NULL));
  for (PetscInt i = 0; i < count; i++) indices[i] = start / block + i;
  PetscCall(ISLocalToGlobalMappingCreate(comm, block, count, indices, PETSC_COPY_VALUES, &mapping));
  PetscCall(VecSetLocalToGlobalMapping(state->entries.vec, mapping));
  PetscCall(ISLocalToGlobalMappingDestroy(&mapping));
  return 0;
}

/* Elements are numbered in the order asked for, in which the list's axis is the slowest. */
static PetscErrorCode make_ao(MPI_Comm comm, dap_view *view, PetscInt indices[])
{
  const dap_vector_form *form = view->form;
  const int64_t inner = form->inner;
  const int coord = dap_petsc_coord(view, form->axis);
  for (dap_run run = {0}; dap_layout_next_run(view->layout, form->axis, coord, &run);)
    for (int64_t i = 0; i < run.length * inner; i++)
      indices[run.local * inner + i] = (PetscInt)(run.global * inner + i);
  return AOCreateBasic(comm, (PetscInt)form->count, indices, NULL, &((dap_vector_state *)view->state)->ao);
}

static bool is_list(const dap_view *view)
{
  const dap_vector_form *form = view->form;
  return view->targets[0].shared && form->is_list;
}

typedef PetscErrorCode step(MPI_Comm comm, dap_view *view, PetscInt indices[]);

/* Agreed on after each step: a process on which one fails would not come to the next, which may be
 * collective. */
static dap_status make(MPI_Comm comm, dap_view *view, PetscInt indices[], dap_error *err)
{
  const dap_vector_form *form = view->form;
  step *const steps[] = {make_vec, is_list(view) && !form->is_ghosted ? make_mapping : NULL,
                         is_list(view) ? make_ao : NULL};
  dap_status s = DAP_OK;
  for (int i = 0; i < 3 && !s; i++) {
    if (!steps[i]) continue;
    if (view->member >= 0) s = DAP_CATCH(steps[i](comm, view, indices), "making the vector", err);
    s = dap_agree(view->comm, s, err);
  }
  return s;
}

dap_status dap_vector_make(dap_view *view, dap_error *err)
{
  const dap_vector_form *form = view->form;
  MPI_Comm comm = MPI_COMM_NULL, made = MPI_COMM_NULL;
  PetscInt *indices = calloc((size_t)(is_list(view) ? form->count : 0) + 1, sizeof *indices);
  dap_status s = indices ? DAP_OK : dap_fail(err, DAP_ERR_NOMEM, "no memory for the indices");
  s = dap_agree(view->comm, s, err);
  if (!s) s = dap_agree(view->comm, find_comm(view, &comm, &made, err), err);
  if (!s) s = make(comm, view, indices, err);
  if (made != MPI_COMM_NULL) (void)MPI_Comm_free(&made); /* PETSc holds a copy */
  free(indices);
  return s;
}
