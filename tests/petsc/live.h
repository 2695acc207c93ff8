/* An array of up to five axes of which some are a live field, with every element of both sides checked by its
 * global index. */
#ifndef DAP_LIVE_H
#define DAP_LIVE_H

#include "any_view.h"
#include "buffers.h"
#include "mpi_test.h"
#include "petsc_ends.h"

/* An element has the value of its index among all the array's, shifted so that what was there before a write
 * differs from what is there after. */
enum { BEFORE = 0, AFTER = 100000, LATER = 200000, GARBAGE = 700000 };

/* What the elements of the caller's buffer are; NARROW ones have half the bytes of a PetscScalar. */
typedef enum live_bytes { NATIVE, SWAPPED, SWAPPED_ON_ODD, NARROW, NARROW_SWAPPED } live_bytes;

/* What is expected of a vector: SHARED on any number of processes, MOVED on more than one. Whether it could
 * be shared is looked at in any case. */
typedef enum live_verdict { DEPENDS, SHARED, MOVED, LISTED /* shared, a vector with an AO */ } live_verdict;

enum { BOTH = DAP_PETSC_GLOBAL | DAP_PETSC_LOCAL };

typedef struct live_want {
  live_verdict local, global;
  const char *reason; /* parts of why the local vector is moved on several processes, or NULL */
} live_want;

typedef struct live {
  dap_layout *layout; /* of the whole array, over MPI_COMM_WORLD */
  test_buffer buffer;
  dap_array array;
  dap_petsc_field_options options; /* of the next live_get(); */
  int axes[DAP_MAX_NDIM];          /* its axes point here, if naxes > 0, and index there */
  int64_t index[DAP_MAX_NDIM];
  int64_t shape[DAP_MAX_NDIM]; /* of a part of vectors and matrices; shape[0] 0: to the end */
  dap_petsc_field field;
} live;

enum { LIVE_NDIM = 5 };

/* An array and a field of it, for tables. */
typedef struct live_row {
  const char *why;
  int ndim;
  dap_dist dist[LIVE_NDIM]; /* as live_layout() takes them */
  int naxes;                /* 0: all */
  int axes[LIVE_NDIM];
  int64_t index[LIVE_NDIM];
  int64_t shape[LIVE_NDIM]; /* of vectors and matrices only; shape[0] 0: to the end */
  live_want want;
  test_form form;
  live_bytes bytes;
  bool shuffled, assembled;
  dap_petsc_field_options options; /* vectors, axes and lossy are set by the test */
} live_row;

void live_make_row(live *a, const live_row *row);

/* The layout of axes as in live_axes.h. Those whose procs is 0 share the processes, as evenly as may be.
 * Lists have indices drawn by lot. With `shuffled` ranks are in an order of their own. */
dap_layout *live_layout(int ndim, const dap_dist dists[], bool shuffled);

/* Makes the array with all that it owns of BEFORE, and poison in padding. Takes the layout over. Of the
 * options, lossy is set as `bytes` wants it. */
void live_make(live *a, dap_layout *layout, test_form form, live_bytes bytes,
               const dap_petsc_field_options *options);
void live_make_cut(live *a, int ndim, const dap_dist dists[], test_form form, live_bytes bytes);
void live_free(live *a);

/* The field of naxes of them, all with 0. */
void live_pick(live *a, int naxes, const int axes[], const int64_t index[]);

/* The part that is picked. It refers to the array. */
dap_part live_part(const live *a);

/* Whether this process owns the index along all axes that are not picked. */
bool live_is_member(const live *a);

dap_status live_get(live *a, dap_access access, dap_error *err);
void live_restore(live *a);

/* Axes of the field; the array's axis behind one, -1: none; its elements; those at an end that are no points
 * of the DMDA. */
int live_ndim(const live *a);
int live_axis(const live *a, int j);
int64_t live_size(const live *a, int j);
int64_t live_outside(const live *a, int j, int side);

/* ---- every element ----------------------------------------------------------------------------------- */

/* Writes what is owned of the section. */
void live_fill(const live *a, int64_t shift);

/* One position of the buffer. */
typedef struct live_place {
  char *at;
  int64_t global[DAP_MAX_NDIM];
  bool owned, inside; /* of the section */
  bool stripped,
      edge; /* no points of the DMDA: padding that repeats the other end, and elements of their own */
} live_place;

live_place live_look(const live *a, int64_t position);

/* The value of the part's element at index[live_ndim()]. */
PetscScalar live_value(const live *a, const int64_t index[], int64_t shift);

/* The element whose value belongs at a position: where padding is stripped, that at the other end. */
int64_t live_element(const live *a, const live_place *p);

/* The section has the values of `inside`, all others of `outside`; padding is as `padding` says in the
 * section, and poison elsewhere. Elements that are points of no DMDA, at the array's edges, have those of
 * `edges`. */
void live_check(const live *a, int64_t inside, int64_t outside, int64_t edges, test_padding padding);

/* Points of a vector, or with `ghosts` all that are elements somewhere. */
void live_fill_vector(const live *a, Vec vector, bool ghosts, int64_t shift);
void live_check_vector(const live *a, Vec vector, bool ghosts, int64_t shift);
/* Those outside the DMDA's grid alone. */
void live_fill_edges(const live *a, int64_t shift);

/* Both of the field, as they should be after get with DAP_READ. Ghost points of a shared local vector, and
 * what is outside the grid, are the caller's. */
void live_check_vectors(const live *a, int64_t shift);

/* Counts in *plans, from 0, the plans that are made, which the log is told, until called with NULL. */
void live_count_plans(int *plans);

/* NORM_1 of the global vector, if there is one, by PETSc. */
void live_check_norm(const live *a, int64_t shift);

/* Verdicts: is the memory of a vector that is said to be shared, and only of that, the buffer's? */
void live_check_memory(const live *a);

/* Whether every entry of the vector has its element in the buffer where the vector's memory has it, or this
 * process has no part of it. */
bool live_lies_there(const live *a, bool local);

/* ---- live_trial.c: one field, from get to restore ---------------------------------------------------- */

/* Gets the field, and looks at verdicts, reasons and all that came in. False: it was refused, which is
 * recorded. Collective. */
bool live_begin(live *a, const live_want *want, dap_access access, unsigned vectors);

/* Writes as the access allows, also with load, store and halo, restores, and looks at all that went out.
 * Collective. */
void live_finish(live *a, dap_access access, unsigned vectors);

/* Right values in the vector that counts, garbage in all other places. */
void live_solve(const live *a, int64_t shift);

#endif
