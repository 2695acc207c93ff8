/* Vectors as arrays, inside: an index of what the files behind the import functions offer each other. */
#ifndef DAP_IMPORT_IMPL_H
#define DAP_IMPORT_IMPL_H

#include <dapbridge/petsc.h>

#include "petsc_impl.h"

/* ---- import_array.c: the memory of a vector or a matrix behind an array ------------------------------ */

/* How an object's memory is got, *readonly if it must not be written to, and restored. */
typedef struct dap_import_kind {
  dap_order order;
  PetscErrorCode (*get)(PetscObject object, bool *readonly, PetscScalar **memory);
  PetscErrorCode (*restore)(PetscObject object, bool readonly, PetscScalar **memory);
  const char *getting, *restoring; /* in words */
} dap_import_kind;

/* One call of an import function. */
typedef struct dap_import {
  PetscObject object;
  MPI_Comm comm; /* the processes that call the function */
  int rank;      /* of this process in comm */
  dap_array *array;
  dap_layout *layout; /* the array's, once it is made */
} dap_import;

/* A type of objects that are imported. */
typedef struct dap_import_type {
  const char *name, *function; /* the argument's, and the public function's */
  /* Sets comm, where it is not the object's; MPI_COMM_NULL with an error if there is none. */
  dap_status (*find_comm)(dap_import *import, dap_error *err);
  dap_status (*describe)(dap_import *import,
                         dap_error *err);                 /* checks; may make the layout. Not collective */
  dap_status (*fill)(dap_import *import, dap_error *err); /* fills the array. Collective; not agreed */
} dap_import_type;

/* fill: the array in the object's memory, which keeps a reference to the object until it is released. Not
 * collective. vec: fills it with a vector's; one locked for reading gives a read-only array. All processes do
 * it or none: its end marks the vector as changed, and a process that still knew a norm would not take part
 * in a new one. */
dap_status dap_import_memory(const dap_import_kind *kind, dap_import *import, dap_error *err);
dap_status dap_import_vec(dap_import *import, dap_error *err);

/* Runs an import function: the caller has all or nothing. Collective on comm. */
dap_status dap_import_run(const dap_import_type *type, PetscObject object, dap_array *array,
                          dap_layout **layout, dap_error *err);

/* ---- facts.c: a DMDA as PETSc tells of it ---------------------------------------------------------- */

/* By direction: x, y, z. */
typedef struct dap_facts {
  DM dm;
  PetscInt ndim; /* 0: no DMDA */
  PetscInt dof, width;
  PetscInt size[DAP_GRID_MAX], procs[DAP_GRID_MAX], begin[DAP_GRID_MAX], length[DAP_GRID_MAX];
  PetscInt ghost_begin[DAP_GRID_MAX], ghost_length[DAP_GRID_MAX];
  const PetscInt *ranges[DAP_GRID_MAX];
  DMBoundaryType outer[DAP_GRID_MAX];
  DMDAStencilType stencil;
  dap_stencil matrix; /* set by user_dmda.c */
} dap_facts;

/* Asks a DMDA, or that of `vector`. DAP_ERR_ARG if it is none. Not collective. */
dap_status dap_facts_of(DM dm, dap_facts *facts, dap_error *err);
dap_status dap_facts_query(Vec vector, dap_facts *facts, dap_error *err);

/* The layout of its points, x the last axis; with `ghosts` those of its local vectors as padding. */
dap_status dap_facts_layout(const dap_facts *facts, bool ghosts, dap_layout **layout, dap_error *err);

/* This process, `rank`, has the points that it has in `layout`, made of the same facts. */
dap_status dap_facts_check(const dap_facts *facts, bool ghosts, const dap_layout *layout, int rank,
                           dap_error *err);

#endif
