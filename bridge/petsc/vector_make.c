/* Makes the vector, on the caller's memory or on PETSc's, and the order by which its entries are found. */
#include "vector_impl.h"

/* Returns whether the entries of a shared vector, which are numbered by rank, come in the order of the
 * elements. */
static bool is_in_order(const dap_view *view)
{
  const dap_vector_form *form = view->form;
  if (!view->targets[0].shared || form->axis < 0) return true;
  return dap_layout_is_row_major(view->layout) && dap_vector_position(view->layout, form->axis, 0) == 0;
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

/* A step as those below. NOLINTNEXTLINE(readability-non-const-parameter) */
static PetscErrorCode make_vec(MPI_Comm comm, dap_view *view, PetscInt indices[])
{
  const dap_vector_form *form = view->form;
  Vec *vec = &dap_petsc_state_of(view)->vectors[0].vec;
  const bool is_shared = view->targets[0].shared;
  const PetscInt block = (PetscInt)dap_vector_block_size(view), count = (PetscInt)count_entries(view);
  const PetscInt all = (PetscInt)dap_layout_count(is_shared ? view->layout : view->targets[0].layout);
  PetscScalar *memory =
      is_shared && form->held > 0 ? (PetscScalar *)(void *)((char *)view->local.data + form->offset) : NULL;
  (void)indices;
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

/* Position i in this process's list is entry start + i, block by block. A ghosted vector has its mapping
 * already. `indices` has room for the entries. */
static PetscErrorCode make_mapping(MPI_Comm comm, dap_view *view, PetscInt indices[])
{
  const dap_vector_form *form = view->form;
  Vec vec = dap_petsc_state_of(view)->vectors[0].vec;
  const PetscInt block = (PetscInt)dap_vector_block_size(view), count = (PetscInt)form->count / block;
  ISLocalToGlobalMapping mapping;
  PetscInt start;
  if (form->is_ghosted) return 0;
  PetscCall(VecGetOwnershipRange(vec, &start, NULL));
  for (PetscInt i = 0; i < count; i++) indices[i] = start / block + i;
  PetscCall(ISLocalToGlobalMappingCreate(comm, block, count, indices, PETSC_COPY_VALUES, &mapping));
  PetscCall(VecSetLocalToGlobalMapping(vec, mapping));
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
  return AOCreateBasic(comm, (PetscInt)form->count, indices, NULL, &dap_petsc_state_of(view)->ao);
}

dap_status dap_vector_make(dap_view *view, dap_error *err)
{
  static dap_petsc_step *const steps[] = {make_vec, make_mapping, make_ao};
  const dap_vector_form *form = view->form;
  const bool is_list = view->targets[0].shared && form->is_list, in_order = is_in_order(view);
  const int place =
      in_order ? 0 : dap_vector_position(view->layout, form->axis, dap_petsc_coord(view, form->axis));
  const dap_petsc_making making = {"making the vector", steps, is_list ? 3 : 1, in_order ? NULL : &place,
                                   is_list ? form->count : 0};
  return dap_petsc_make(view, &making, err);
}
