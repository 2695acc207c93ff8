/* Declares what the files of vectors without a grid share. */
#ifndef DAP_VECTOR_IMPL_H
#define DAP_VECTOR_IMPL_H

#include <dapbridge/adapter.h>
#include <dapbridge/petsc_vector.h>

#include "petsc_impl.h"

/* dap_view.form. It tells which element of the buffer each entry of a shared vector is. */
typedef struct dap_vector_form {
  bool is_list;        /* entries are in the order of the processes' lists, not in natural order */
  bool is_ghosted;     /* a process's entries are followed by copies of other processes' entries */
  int axis;            /* the array's axis along which entries follow each other; -1: at most one entry */
  int64_t inner;       /* entries of one index of that axis */
  int64_t count;       /* entries of this process */
  int64_t held;        /* entries with ghosts */
  int64_t offset;      /* bytes from the beginning of the buffer to the first entry */
  int64_t ghost_count; /* blocks of ghosts on this process */
  PetscInt *ghosts;    /* [ghost_count] the block of the vector that each ghost copies */
} dap_vector_form;

/* The options with their defaults. */
static inline dap_order dap_vector_order(const dap_view *view)
{
  const dap_petsc_vector_options *o = view->options;
  return o->order ? o->order : DAP_ORDER_C;
}
static inline int64_t dap_vector_block_size(const dap_view *view)
{
  const dap_petsc_vector_options *o = view->options;
  return o->block_size ? o->block_size : 1;
}

/* Functions of dap_adapter, in vector_share.c, vector_ghosts.c and vector_target.c. */
uint64_t dap_vector_vote(const dap_view *view);
dap_status dap_vector_share(dap_view *view, int target, char reason[], dap_error *why);
dap_status dap_vector_plan(dap_view *view, dap_error *err);
void dap_vector_release(void *form);
dap_status dap_vector_lay(dap_view *view, int target, dap_error *err);

/* vector_share.c.
 * knows: whether this process knows its own indices. It does not if it assembled the layout for another
 * process.
 * owners_given: whether this process's layout was told the owners. Then a vector may be ghosted without a
 * ghost.
 * position: the place of the process at coordinate `coord` among those along `axis`, by the order of their
 * elements. */
bool dap_vector_knows(const dap_view *view);
bool dap_vector_owners_given(const dap_view *view);
int dap_vector_position(const dap_layout *layout, int axis, int coord);

/* vector_make.c: makes vec and ao. Collective on view->comm; agreed. */
dap_status dap_vector_make(dap_view *view, dap_error *err);

#endif
