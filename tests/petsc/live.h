/* An array of up to five axes of which some are a live field, with every element of both sides checked by its
 * global index. */
#ifndef DAP_LIVE_H
#define DAP_LIVE_H

#include <dapbridge/petsc.h>

#include "buffers.h"
#include "mpi_test.h"
#include "petsc_ends.h"

/* An element has the value of its index among all the array's, shifted so that what was there before a write
 * differs from what is there after. */
enum { BEFORE = 0, AFTER = 100000, LATER = 200000, GARBAGE = 700000 };

/* What the elements of the caller's buffer are; NARROW ones have half the bytes of a PetscScalar. */
typedef enum live_bytes { NATIVE, SWAPPED, NARROW, NARROW_SWAPPED } live_bytes;

typedef struct live {
  dap_layout *layout; /* of the whole array, over MPI_COMM_WORLD */
  test_buffer buffer;
  dap_array array;
  dap_petsc_field_options options; /* of the next live_get(); */
  int axes[DAP_MAX_NDIM];          /* its axes point here, if naxes > 0, and index there */
  int64_t index[DAP_MAX_NDIM];
  dap_petsc_field field;
} live;

dap_dtype scalar_dtype(void);

enum { LIVE_NDIM = 5 };

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

#endif
