/* The vector itself: on the caller's memory or on PETSc's, and how its entries are found from elements. */
#include "vector_impl.h"

#include <stdlib.h>

typedef struct dap_petsc_vector_state dap_state;

/* ---- where it lives ---------------------------------------------------------------------------------- */

/* Entries are numbered through the processes by rank; a shared vector's must come as the elements do. */
static bool is_in_order(const dap_state *state)
{
  if (state->entries == DAP_ENTRIES_MOVED || state->cut < 0) return true;
  return dap_layout_is_row_major(state->layout) && dap_vector_place(state->layout, state->cut, 0) == 0;
}

static dap_status reorder(MPI_Comm comm, const dap_state *state, MPI_Comm *reordered, dap_error *err)
{
  int coords[DAP_MAX_NDIM] = {0};
  dap_layout_coords(state->layout, state->rank, coords);
  const int key = dap_vector_place(state->layout, state->cut, coords[state->cut]);
  return dap_petsc_mpi(MPI_Comm_split(comm, 0, key, reordered), "MPI_Comm_split", err);
}

/* ---- the vector -------------------------------------------------------------------------------------- */

static PetscErrorCode make_own(MPI_Comm comm, PetscInt block, PetscInt count, PetscInt all, Vec *vec)
{
  PetscCall(VecCreate(comm, vec));
  PetscCall(VecSetSizes(*vec, count, all));
  PetscCall(VecSetBlockSize(*vec, block));
  PetscCall(VecSetType(*vec, VECSTANDARD));
  PetscCall(VecZeroEntries(*vec));
  return 0;
}

/* A step as those below. NOLINTNEXTLINE(readability-non-const-parameter) */
static PetscErrorCode make_vec(MPI_Comm comm, dap_state *state, PetscInt indices[])
{
  (void)indices;
  Vec *vec = &state->vec;
  const PetscInt block = (PetscInt)state->options.block_size, count = (PetscInt)state->count;
  const PetscInt all = (PetscInt)dap_layout_count(state->layout);
  const bool empty = state->count == 0;
  PetscScalar *memory =
      empty ? NULL : (PetscScalar *)(void *)((char *)state->work.array.data + state->offset);
  if (state->entries == DAP_ENTRIES_MOVED)
    PetscCall(make_own(comm, block, count, all, vec));
  else if (dap_layout_nprocs(state->layout) == 1)
    PetscCall(VecCreateSeqWithArray(comm, block, count, memory, vec));
  else
    PetscCall(VecCreateMPIWithArray(comm, block, count, all, memory, vec));
  return dap_vec_changed(*vec);
}

/* ---- of a list --------------------------------------------------------------------------------------- */

/* Position i in this process' list is entry start + i, block by block. `indices` has room for the entries. */
static PetscErrorCode make_mapping(MPI_Comm comm, dap_state *state, PetscInt indices[])
{
  const PetscInt block = (PetscInt)state->options.block_size, count = (PetscInt)state->count / block;
  ISLocalToGlobalMapping mapping;
  PetscInt start;
  PetscCall(VecGetOwnershipRange(state->vec, &start, NULL));
  for (PetscInt i = 0; i < count; i++) indices[i] = start / block + i;
  PetscCall(ISLocalToGlobalMappingCreate(comm, block, count, indices, PETSC_COPY_VALUES, &mapping));
  PetscCall(VecSetLocalToGlobalMapping(state->vec, mapping));
  PetscCall(ISLocalToGlobalMappingDestroy(&mapping));
  return 0;
}

static PetscErrorCode make_ao(MPI_Comm comm, dap_state *state, PetscInt indices[])
{
  int coord = 0;
  dap_layout_coords(state->layout, state->rank, &coord);
  for (dap_run run = {0}; dap_layout_next_run(state->layout, 0, coord, &run);)
    for (int64_t i = 0; i < run.length; i++) indices[run.local + i] = (PetscInt)(run.global + i);
  return AOCreateBasic(comm, (PetscInt)state->count, indices, NULL, &state->ao);
}

/* ---- all of it --------------------------------------------------------------------------------------- */

typedef PetscErrorCode step(MPI_Comm comm, dap_state *state, PetscInt indices[]);

/* Agreed on after each step: a process on which one fails would not come to the next, which may be collective. */
static dap_status make(MPI_Comm comm, MPI_Comm ordered, dap_state *state, PetscInt indices[], dap_error *err)
{
  static step *const steps[] = {make_vec, make_mapping, make_ao};
  const int count = state->entries == DAP_ENTRIES_LIST ? 3 : 1;
  dap_status s = DAP_OK;
  for (int i = 0; i < count && !s; i++) {
    dap_catch caught;
    dap_catch_begin(&caught);
    s = dap_catch_end(&caught, steps[i](ordered, state, indices), "making the vector", err);
    s = dap_agree(comm, s, err);
  }
  return s;
}

dap_status dap_vector_make(MPI_Comm comm, dap_state *state, dap_error *err)
{
  MPI_Comm reordered = MPI_COMM_NULL;
  PetscInt *indices = NULL;
  dap_status s = DAP_OK;
  const bool in_order = is_in_order(state);
  if (state->entries == DAP_ENTRIES_LIST) {
    indices = calloc((size_t)state->count + 1, sizeof *indices);
    if (!indices) s = dap_fail(err, DAP_ERR_NOMEM, "no memory for the indices");
  }
  s = dap_agree(comm, s, err);
  if (!s && !in_order) s = dap_agree(comm, reorder(comm, state, &reordered, err), err);
  if (!s) s = make(comm, in_order ? comm : reordered, state, indices, err);
  if (reordered != MPI_COMM_NULL) (void)MPI_Comm_free(&reordered); /* PETSc holds a copy */
  free(indices);
  return s;
}
