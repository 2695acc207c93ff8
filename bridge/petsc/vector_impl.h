/* Vectors without a grid inside: an index of what the vector_*.c offer each other. */
#ifndef DAP_VECTOR_IMPL_H
#define DAP_VECTOR_IMPL_H

#include <dapbridge/petsc_vector.h>

#include "petsc_impl.h"

/* Whose memory the entries are in, and which element is which entry. */
typedef enum dap_entries {
  DAP_ENTRIES_MOVED, /* PETSc's; natural order */
  DAP_ENTRIES_RANGE, /* the array's; natural order */
  DAP_ENTRIES_LIST   /* the array's; the elements of the processes' lists, one list after the other */
} dap_entries;

/* What a live view holds. */
struct dap_petsc_vector_state {
  MPI_Comm comm; /* its own */
  int rank;
  dap_access access;
  dap_petsc_vector_options options; /* with the defaults filled in */
  dap_work work;
  dap_layout *layout; /* the array's */
  dap_entries entries;
  int cut;        /* axis of the array along which the entries of the processes follow each other; -1: none */
  int64_t count;  /* entries on this process */
  int64_t offset; /* shared: bytes from data to the first of them */
  dap_side target;               /* moved: the vector as an array */
  int64_t strides[DAP_MAX_NDIM]; /* of target */
  dap_layout *target_layout;
  Vec vec;
  AO ao;       /* of a list, else NULL */
  bool locked; /* vec is locked for reading */
  dap_plan *in,
      *out; /* array -> vector, and back; of a shared one with padding, out fills that in place. NULL: nothing
                         to do */
};

/* ---- vector_state.c ------------------------------------------------------------------------------ */

/* Checks the arguments of dap_petsc_vector_get() on this process and takes them in. Not collective. */
dap_status dap_vector_fill(struct dap_petsc_vector_state *state, MPI_Comm comm, const dap_layout *layout,
                           const dap_array *array, dap_access access, const dap_petsc_vector_options *options,
                           dap_error *err);

/* Are they the same on every process? Collective. */
dap_status dap_vector_check_same(const struct dap_petsc_vector_state *state, dap_error *err);

/* Collective on the state's communicator. Accepts a half-built state. */
dap_status dap_vector_destroy(struct dap_petsc_vector_state *state, dap_error *err);

/* ---- vector_share.c: share or move ---------------------------------------------------------------- */

/* Sets the state's entries, cut, count and offset, and says why in vector->shared and reason. Collective; agreed. */
dap_status dap_vector_decide(struct dap_petsc_vector_state *state, dap_petsc_vector *vector, dap_error *err);

/* Place of the process at coordinate `coord` among those along `axis`, by the order of their elements. */
int dap_vector_place(const dap_layout *layout, int axis, int coord);

/* ---- vector_target.c: a moved vector as an array -------------------------------------------------- */

/* Sets the state's target and count. Not collective; the same layout on every process. */
dap_status dap_vector_lay(struct dap_petsc_vector_state *state, dap_error *err);

/* ---- vector_make.c: what PETSc is asked for ------------------------------------------------------- */

/* Makes vec and ao. Collective on `comm`, the caller's, on which PETSc keeps what it knows of it; agreed. */
dap_status dap_vector_make(MPI_Comm comm, struct dap_petsc_vector_state *state, dap_error *err);

#endif
