/* Describes an array with a view of PETSc by a row of a table. Every element of both sides is checked by
 * its global index against the brute-force model (brute.h). */
#ifndef DAP_LIVE_H
#define DAP_LIVE_H

#include "any_view.h"
#include "case.h"
#include "mpi_test.h"

/* An element has the value of its index among all the array's, shifted so that elements differ before and
 * after a write. */
enum { BEFORE = 0, AFTER = 100000, LATER = 200000, GARBAGE = 700000 };

/* The elements of the caller's buffer, as bits. NARROW ones have half the bytes of a PetscScalar. */
typedef enum live_bytes { NATIVE = 0, SWAPPED = 1, SWAPPED_ON_ODD = 2, NARROW = 4 } live_bytes;

/* What is expected of a vector: SHARED on any number of processes, the others on more than one. LISTED:
 * shared, with an AO. */
typedef enum live_verdict { DEPENDS, SHARED, MOVED, LISTED } live_verdict;

enum { BOTH = DAP_PETSC_GLOBAL | DAP_PETSC_LOCAL };

/* An array and a view of it. */
typedef struct live_row {
  case_layout layout;
  live_verdict local, global; /* global: also that of a vector without a grid, or of a matrix */
  const char *reason;         /* parts of why the local, or the only, vector is moved on several processes */
  int naxes;                  /* 0: all */
  int axes[CASE_NDIM];
  int64_t index[CASE_NDIM];
  int64_t shape[CASE_NDIM]; /* of vectors and matrices only; shape[0] 0: to the end */
  test_form form;
  live_bytes bytes;
  dap_dtype dtype;                 /* DAP_NONE: PetscScalar, or the one of half the bytes */
  dap_petsc_field_options options; /* vectors, axes and lossy are set by the test */
  dap_petsc_vector_options vector; /* of vectors without a grid */
} live_row;

typedef struct live {
  random_array *model;
  dap_layout *layout; /* of the whole array, over MPI_COMM_WORLD */
  test_buffer buffer;
  dap_array array;
  dap_petsc_field_options options; /* of the next live_get(); */
  int axes[DAP_MAX_NDIM];          /* its axes point here, if naxes > 0, and index there */
  int64_t index[DAP_MAX_NDIM];
  int64_t shape[DAP_MAX_NDIM];
  dap_order order; /* of the entries of a vector without a grid */
  dap_petsc_field field;
} live;

/* ---- made -------------------------------------------------------------------------------------------- */

void live_make_row(live *a, const live_row *row);

/* The array of these distributions, in ranks' order. */
void live_make_cut(live *a, int ndim, const dap_dist dists[], test_form form);

/* A random array of at most so many axes, of any kind and form; some of other elements than PetscScalars. */
void live_draw(live *a, test_random *random, int most_axes);

void live_free(live *a);

/* Picks naxes axes for the field, with `index` along the others. NULL: all 0. */
void live_pick(live *a, int naxes, const int axes[], const int64_t index[]);

/* The part that is picked. It refers to the array. */
dap_part live_part(const live *a);

/* Whether this process owns the index along all axes that are not picked. */
bool live_is_member(const live *a);

dap_status live_get(live *a, dap_access access, dap_error *err);
void live_restore(live *a);

/* A row's field, with the row's options; true iff it was got. Closed in any case. Collective. */
bool live_open(live *a, const live_row *row, dap_access access);
void live_close(live *a);

/* Axes of the view; the array's axis behind one, -1: none; its elements; those at an end that are not
 * points of the DMDA. */
int live_ndim(const live *a);
int live_axis(const live *a, int j);
int64_t live_size(const live *a, int j);
int64_t live_outside(const live *a, int j, int side);

/* ---- every element ----------------------------------------------------------------------------------- */

/* One position of the buffer. */
typedef struct live_place {
  brute_walk walk; /* with the element, and what the position is to its process */
  char *at;
  bool owned;    /* or a copy along replicated axes alone */
  bool inside;   /* of the part */
  bool stripped; /* padding that repeats the other end: not a point of the DMDA */
  bool edge;     /* an element of its own outside the grid */
} live_place;

live_place live_first(const live *a);
void live_next(const live *a, live_place *p);

#define LIVE_EACH(a, p) for (live_place p = live_first(a); !p.walk.done; live_next((a), &p))

/* The element whose value belongs at a position. Where padding is stripped it is at the other end. */
int64_t live_element(const live *a, const live_place *p);

/* The entry of a vector or matrix for element `element` of the array, as the array's type can hold it. */
PetscScalar live_entry(const live *a, int64_t element, int64_t shift);

/* The element at index [live_ndim()] of the part. */
int64_t live_at(const live *a, const int64_t index[]);

/* Writes the elements that this process owns of the part. */
void live_fill(const live *a, int64_t shift);

/* The part has the values of `inside`, all others of `outside`; padding is as `padding` says in the part,
 * and poison elsewhere. Elements at the array's edges that are points of no DMDA have those of `edges`. */
void live_check(const live *a, int64_t inside, int64_t outside, int64_t edges, test_padding padding);

/* Counts in *lines, from 0, the lines of the log that have these words, until called with NULL. */
void live_count_lines(int *lines, const char *words);

/* ---- live_vector.c: the vectors of a field ------------------------------------------------------------- */

/* Checks own points of a vector, or with `ghosts` all that are elements somewhere. NULL: nothing. */
void live_check_vector(const live *a, Vec vector, bool ghosts, int64_t shift);

/* Both vectors, as they are after get with DAP_READ. Ghost points of a shared local vector, and elements
 * outside the grid, are the caller's. */
void live_check_vectors(const live *a, int64_t shift);

/* Right values in the vector that counts, garbage in all other places. */
void live_solve(const live *a, int64_t shift);

/* Whether the memory of a vector that is said to be shared, and only of that, is the buffer's. */
void live_check_memory(const live *a);

/* Whether every entry of the vector has its element in the buffer where the vector's memory has it, or this
 * process has no part of it. */
bool live_lies_there(const live *a, bool local);

/* ---- live_vector.c: a vector without a grid ---------------------------------------------------------- */

typedef enum vector_deed { CHECK, WRITE } vector_deed;

/* Every entry of this process, of the part in a->order. */
void live_visit(const live *a, const dap_petsc_vector *v, vector_deed deed, int64_t shift);

/* PETSc's NORM_1 is that of the entries. Collective on the vector's processes. */
void live_check_norm(Vec vec);

/* Entry, address, local form and mapping of each position of a shared vector. */
void live_check_places(const live *a, const dap_petsc_vector *v);

/* True iff the elements of this process are a range of entries that lie in its buffer one after the other. */
bool live_is_range(const live *a);

/* ---- live_trial.c: one view, from get to restore ----------------------------------------------------- */

/* Whether some axis of the view is a list. */
bool live_has_lists(const live *a);

/* Gets the field, and looks at verdicts, reasons and all that came in. False: it was refused, which is
 * recorded. Collective. */
bool live_begin(live *a, const live_row *want, dap_access access, unsigned vectors);

/* Writes as the access allows, also with load, store and halo, restores, and looks at all that went out.
 * Collective. */
void live_finish(live *a, dap_access access, unsigned vectors);

/* One vector of the whole array, from get to restore. `want` also has its options. Collective. */
void live_try_vector(live *a, const live_row *want, dap_access access);

/* ---- live_matrix.c ----------------------------------------------------------------------------------- */

/* The sizes and elements that a matrix must have. They are those of a live array's part, as after live_fill()
 * with `shift`. If there is no such array, element (i, j) is factor times dominant_at(i, j), or factor times
 * the value that value_of() gives it. */
typedef struct known_matrix {
  const live *a;
  int64_t shift;
  PetscInt rows, columns;
  PetscScalar factor;
  bool is_dominant;
} known_matrix;

/* Dominated by its diagonal, neither symmetric nor a multiple of anything. */
PetscScalar dominant_at(int64_t i, int64_t j);

/* The matrix that has the memory: that of a transposed view. */
Mat live_inner(Mat mat, bool *transposed);

/* Sets all elements, also those of other processes, and assembles. */
void set_values(Mat mat, const known_matrix *k);

/* A MATDENSE whose vectors are spread as those of a matrix. */
Mat known_like(Mat mat, const known_matrix *k);

/* Fills this process's part of an array, padding too. */
void fill_known(const dap_layout *layout, const dap_array *array, const known_matrix *k);

/* Checks the rows that this process has of a MATDENSE by MatGetValues(). */
void check_values(Mat mat, const known_matrix *k);

/* Products of all kinds with a vector, and the diagonal of a square matrix. */
void check_products(Mat mat, const known_matrix *k);

/* Every element, by products with unit vectors, which any matrix has. NULL: this process has no part. */
void live_check_matrix(const live *a, Mat mat, int64_t shift);

/* Writes every element by PETSc, or to the buffer of a shell, to which nobody else can. */
void live_write_matrix(const live *a, Mat mat, int64_t shift);

#endif
