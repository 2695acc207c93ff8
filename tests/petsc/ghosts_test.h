/* Nodes with ghosts as a vector: rows of such arrays, and a model that says which entry each position is. */
#ifndef DAP_GHOSTS_TEST_H
#define DAP_GHOSTS_TEST_H

#include <dapbridge/petsc_vector.h>

#include "buffers.h"
#include "mpi_test.h"
#include "petsc_ends.h"

/* Who owns which node: by lot; in ranges; by lot those of every second process, the next having nothing or
 * ghosts alone; in turns of four nodes; the first or the last all. */
typedef enum ghost_cut { BY_LOT, RANGES, GAPS, TENS, FIRST, LAST } ghost_cut;

/* How that is said: owned ones first; flags; not at all, as the lowest that has a node owns it. */
typedef enum ghost_owners { BEHIND, FLAGS, LOWEST } ghost_owners;

/* How many of the others' nodes a process has, and where in its list. */
typedef enum ghost_share { SOME, NONE, ALL } ghost_share;
typedef enum ghost_place { LAST_IN_LIST, AHEAD, AMONG } ghost_place;

/* On several processes: ghosted, with an AO or in natural order; shared with an AO, without ghosts; moved. */
typedef enum ghost_want { GHOSTED, GHOSTED_IN_ORDER, UNGHOSTED, COPIED } ghost_want;

typedef struct ghost_row {
  const char *why;
  int64_t nodes;
  int64_t inner;       /* components; 0: one axis; -1: an axis of none */
  int64_t from, count; /* the range of nodes that is the vector; count 0: all */
  int64_t layers;      /* of nodes, the slowest axis, of which one is the vector; 0: no such axis */
  ghost_cut cut;
  ghost_owners owners;
  ghost_share share;
  ghost_place place;
  bool assembled, shuffled; /* the layout is made of dictionaries; ranks are in an order of their own */
  bool fortran;             /* components are the first axis */
  int column;               /* one component alone is the vector; 0: all */
  test_form form;
  dap_petsc_vector_options options;
  ghost_want want;
  const char *reason;
} ghost_row;

enum { GHOST_PROCS = 8, GHOST_NODES = 48, GHOST_INNER = 4 };

/* Who has which nodes, and what the elements of the part should be. */
typedef struct ghost_model {
  int procs;
  int owner[GHOST_NODES];
  int64_t entry[GHOST_NODES]; /* index of the node among all, list after list */
  int64_t lists[GHOST_PROCS][GHOST_NODES], lengths[GHOST_PROCS], owned[GHOST_PROCS];
  bool flags[GHOST_PROCS][GHOST_NODES];
  PetscScalar want[GHOST_NODES * GHOST_INNER]; /* [all nodes][entries of one] */
} ghost_model;

typedef struct ghost_trial {
  const ghost_row *row;
  ghost_model model;
  dap_layout *layout;
  test_buffer buffer;
  dap_array array;
  dap_petsc_vector_options options;
  int axes[2];
  int64_t start[3], shape[3];
  int64_t nodes;        /* of the part, the first of which is row->from; */
  int64_t inner;        /* entries of a node in the part */
  int coord;            /* of this process along the nodes; -1: it has nothing of the part */
  char *first;          /* of the part in the buffer */
  int64_t step, within; /* bytes from node to node and from component to component */
} ghost_trial;

/* The row's array with the values of draw number `draw`. Collective. */
void ghosts_make(ghost_trial *t, const ghost_row *row, uint64_t draw);
void ghosts_make_again(ghost_trial *t, const ghost_trial *like); /* another buffer; the layout is `like`'s */
void ghosts_free(ghost_trial *t);

/* The row's vector; false: that failed, which is recorded. */
bool ghosts_get(const ghost_trial *t, dap_access access, dap_petsc_vector *v);

/* Owned elements of the part have their number + shift, and ghosts are poison. The others change the model
 * only: all have a value; are multiplied. */
void ghosts_fill(ghost_trial *t, int64_t shift);
void ghosts_fill_with(ghost_trial *t, int value);
void ghosts_scale(ghost_trial *t, int factor);

/* ---- ghosts_check.c --------------------------------------------------------------------------------- */

/* Whether node `node` is in the part. */
bool ghosts_has(const ghost_trial *t, int64_t node);

void ghosts_check_verdict(const ghost_trial *t, const dap_petsc_vector *v);

/* Whether the vector is expected to be ghosted: it is shared, and on several processes. */
bool ghosts_are_there(const ghost_trial *t, const dap_petsc_vector *v);

/* Owned elements in the buffer, and ghosts: poison, or up to date. */
void ghosts_check_buffer(const ghost_trial *t, test_padding ghosts);

/* Each entry's value, by its number; of a vector that is shared where entries and local positions are. Not
 * for processes without the vector. */
void ghosts_check_entries(const ghost_trial *t, const dap_petsc_vector *v);
void ghosts_check_mapping(const ghost_trial *t, const dap_petsc_vector *v);
void ghosts_check_norm(const ghost_trial *t, const dap_petsc_vector *v);

/* What a scatter by elements fetches is what the local form has. */
void ghosts_check_scatter(const ghost_trial *t, const dap_petsc_vector *v);

/* VecGhostUpdateBegin(), End(). */
void ghosts_update(const dap_petsc_vector *v, InsertMode mode, ScatterMode direction);

/* Every process adds a number of its own to all positions of its list, by PETSc; or writes it to its ghosts
 * in the buffer, so that PETSc may add them to their owners. The model has the sums. */
void ghosts_add_by_position(ghost_trial *t, const dap_petsc_vector *v);
void ghosts_add_in_ghosts(ghost_trial *t);

#endif
