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

/* Fills *array with process `rank`'s part of `layout`, in the object's memory, and makes it keep a reference
 * to the object until it is released. Not collective. */
dap_status dap_import_memory(const dap_import_kind *kind, PetscObject object, const dap_layout *layout,
                             int rank, dap_array *array, dap_error *err);

/* The same of a vector; one locked for reading gives a read-only array. Done by all processes or none: its
 * end marks the vector as changed, and who still knew a norm would not take part in a new one. */
dap_status dap_import_vec(Vec vector, const dap_layout *layout, int rank, dap_array *array, dap_error *err);

/* The common beginning of the import functions: empties what the caller gets; DAP_ERR_ARG for a NULL
 * object. */
dap_status dap_import_begin(const void *object, const char *name, dap_array *array, dap_layout **layout,
                            dap_error *err);

/* The common end of the import functions: agrees on `s`, after which the caller has all or nothing. Takes
 * `made` over. Collective on `comm`. */
dap_status dap_import_end(MPI_Comm comm, dap_status s, dap_layout *made, dap_array *array,
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
