/* Makes and ends PETSc's objects of a view. */
#include "petsc_impl.h"

#include <stdlib.h>

/* Makes a communicator of the part's processes, in the order of `place`. */
static dap_status reorder(const dap_view *view, const int *place, MPI_Comm *reordered, dap_error *err)
{
  if (!place || view->member < 0) return DAP_OK;
  MPI_Comm comm = view->is_apart ? view->part : view->caller;
  return dap_petsc_mpi(MPI_Comm_split(comm, 0, *place, reordered), "MPI_Comm_split", err);
}

/* Takes PETSc's copy of the communicator. Since 3.20 MatCreateVecs() and VecDuplicate() make vectors on the
 * communicator that a layout was made on, and the caller's may be freed by then. */
static dap_status prepare(const dap_view *view, MPI_Comm reordered, int64_t room, MPI_Comm *comm,
                          PetscInt **numbers, dap_error *err)
{
  MPI_Comm own = view->is_apart ? view->part : view->caller;
  if (view->member < 0) return DAP_OK;
  DAP_TRY(DAP_CATCH(PetscCommDuplicate(reordered != MPI_COMM_NULL ? reordered : own, comm, NULL),
                    "copying a communicator", err));
  *numbers = calloc((size_t)room + 1, sizeof **numbers);
  DAP_REQUIRE(*numbers, err, DAP_ERR_NOMEM, "no memory for %d numbers", (int)room);
  return DAP_OK;
}

dap_status dap_petsc_make(dap_view *view, const dap_petsc_making *making, dap_error *err)
{
  MPI_Comm reordered = MPI_COMM_NULL, comm = MPI_COMM_NULL;
  PetscInt *numbers = NULL;
  dap_status s = dap_agree(view->comm, reorder(view, making->place, &reordered, err), err);
  if (!s) s = dap_agree(view->comm, prepare(view, reordered, making->room, &comm, &numbers, err), err);
  for (int i = 0; i < making->count && !s; i++) {
    if (view->member >= 0) s = DAP_CATCH(making->steps[i](comm, view, numbers), making->what, err);
    s = dap_agree(view->comm, s, err);
  }
  if (comm != MPI_COMM_NULL) (void)DAP_CATCH(PetscCommDestroy(&comm), making->what, NULL);
  if (reordered != MPI_COMM_NULL) (void)MPI_Comm_free(&reordered); /* PETSc holds a copy */
  free(numbers);
  return s;
}

/* Goes on after an error, so that all are destroyed. */
static PetscErrorCode destroy(dap_petsc_state *s)
{
  const PetscErrorCode ends[] = {dap_view_vec_destroy(&s->vectors[1]),
                                 dap_view_vec_destroy(&s->vectors[0]),
                                 AODestroy(&s->ao),
                                 DMDestroy(&s->dm),
                                 MatDestroy(&s->dense),
                                 MatDestroy(&s->mat)};
  for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
    if (ends[i]) return ends[i];
  return 0;
}

dap_status dap_petsc_close(dap_view *view, dap_error *err)
{
  return DAP_CATCH(destroy(dap_petsc_state_of(view)), "destroying PETSc's objects", err);
}
