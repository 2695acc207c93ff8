/* Declares what the import functions, which make arrays of vectors and matrices, share. */
#ifndef DAP_IMPORT_IMPL_H
#define DAP_IMPORT_IMPL_H

#include <dapbridge/petsc.h>

#include "petsc_impl.h"

/* ---- import_array.c: the memory of a vector or a matrix behind an array ------------------------------ */

/* One call of an import function. */
typedef struct dap_import {
  const struct dap_import_type *type;
  PetscObject object;
  MPI_Comm comm; /* the processes that call the function */
  int rank;      /* of this process in comm */
  dap_array *array;
  dap_layout *layout; /* the array's, once it is made */
} dap_import;

/* A type of objects that are imported. */
typedef struct dap_import_type {
  const char *name, *function; /* the argument's, and the public function's */
  /* Sets comm, if it is not the object's. MPI_COMM_NULL with an error if there is none. */
  dap_status (*find_comm)(dap_import *import, dap_error *err);
  /* Checks, and may make the layout. Not collective. */
  dap_status (*describe)(dap_import *import, dap_error *err);
  /* Fills the array. Collective; not agreed. NULL: dap_import_memory(). */
  dap_status (*fill)(dap_import *import, dap_error *err);
  bool is_local; /* a local vector, with ghosts */
  dap_order order;
  /* Get and restore the object's memory. *readonly: it must not be written to. */
  PetscErrorCode (*get)(PetscObject object, bool *readonly, PetscScalar **memory);
  PetscErrorCode (*restore)(PetscObject object, bool readonly, PetscScalar **memory);
} dap_import_type;

/* Members of types of vectors. A vector that is locked for reading gives a read-only array. All processes get
 * it or none, because the end marks the vector as changed, and a process that still knew a norm would not
 * take part in a new one. */
#define DAP_IMPORT_VECTOR .order = DAP_ORDER_C, .get = dap_import_get_vec, .restore = dap_import_restore_vec
PetscErrorCode dap_import_get_vec(PetscObject object, bool *readonly, PetscScalar **memory);
PetscErrorCode dap_import_restore_vec(PetscObject object, bool readonly, PetscScalar **memory);

/* Fills the array with the object's memory, and keeps a reference to the object until the array is released.
 * Not collective. */
dap_status dap_import_memory(dap_import *import, dap_error *err);

/* Runs an import function: the caller has all or nothing. Collective on comm. */
dap_status dap_import_run(const dap_import_type *type, PetscObject object, dap_array *array,
                          dap_layout **layout, dap_error *err);

/* ---- facts.c: what PETSc tells about a DMDA -------------------------------------------------------- */

/* By direction: x, y, z. */
typedef struct dap_facts {
  DM dm;
  PetscInt ndim; /* 0: it is not a DMDA that was set up */
  PetscInt dof, width;
  PetscInt size[DAP_GRID_MAX], procs[DAP_GRID_MAX], begin[DAP_GRID_MAX], length[DAP_GRID_MAX];
  PetscInt ghost_begin[DAP_GRID_MAX], ghost_length[DAP_GRID_MAX];
  const PetscInt *ranges[DAP_GRID_MAX];
  DMBoundaryType outer[DAP_GRID_MAX];
  DMDAStencilType stencil;
  dap_stencil matrix; /* set by user_dmda.c */
} dap_facts;

/* ask: asks a DMDA. of, query: the same for a DMDA or that of `vector`; DAP_ERR_ARG if there is none. Not
 * collective.
 * set_up: sets up a new DMDA by the facts. Collective. */
PetscErrorCode dap_facts_ask(DM dm, dap_facts *facts);
PetscErrorCode dap_facts_set_up(const dap_facts *facts, DM dm);
dap_status dap_facts_of(DM dm, dap_facts *facts, dap_error *err);
dap_status dap_facts_query(Vec vector, dap_facts *facts, dap_error *err);

/* Makes the layout of its points, with x as the last axis, and with `ghosts` as padding. */
dap_status dap_facts_layout(const dap_facts *facts, bool ghosts, dap_layout **layout, dap_error *err);

/* Checks that process `rank`, this one, has as many points as in the layout of the facts. */
dap_status dap_facts_check(const dap_facts *facts, bool ghosts, const dap_layout *layout, int rank,
                           dap_error *err);

#endif
