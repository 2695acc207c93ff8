/* Describes an array with a view of PETSc by a row of a table. Every element of both sides is compared with
 * the brute-force model (brute.h) by its global index. */
#ifndef DAP_LIVE_H
#define DAP_LIVE_H

#include "any_view.h"
#include "case.h"
#include "mpi_test.h"

/* The value of an element is its number in the array plus a shift. Shifts tell the values before and after a
 * write apart. */
enum { BEFORE = 0, AFTER = 100000, LATER = 200000, GARBAGE = 700000 };

/* The elements of the caller's buffer, as bits. NARROW elements have half the bytes of a PetscScalar. */
typedef enum live_bytes { NATIVE = 0, SWAPPED = 1, SWAPPED_ON_ODD = 2, NARROW = 4 } live_bytes;

/* The expected verdict on a vector. SHARED holds on any number of processes, the others on more than one. A
 * LISTED vector is shared and has an AO. */
typedef enum live_verdict { DEPENDS, SHARED, MOVED, LISTED } live_verdict;

enum { BOTH = DAP_PETSC_GLOBAL | DAP_PETSC_LOCAL };

/* An array and a view of it. */
typedef struct live_row {
  case_layout layout;
  live_verdict local, global; /* `global` is also for a vector without a grid, or for a matrix */
  const char *reason;         /* parts of why the local or only vector is moved on several processes */
  int naxes;                  /* axes of the view; 0: all */
  int axes[CASE_NDIM];
  int64_t index[CASE_NDIM];
  int64_t shape[CASE_NDIM]; /* of vectors and matrices; if shape[0] is 0, parts go to the end */
  test_form form;
  live_bytes bytes;
  dap_dtype dtype;                 /* DAP_NONE: PetscScalar, or the type of half its bytes */
  dap_petsc_field_options options; /* the test sets vectors, axes and lossy */
  dap_petsc_vector_options vector; /* of a vector without a grid */
} live_row;

typedef struct live {
  random_array *model;
  dap_layout *layout; /* of the whole array, over MPI_COMM_WORLD */
  test_buffer buffer;
  dap_array array;
  dap_petsc_field_options options; /* of the next live_get(); its part points to axes and index below */
  int axes[DAP_MAX_NDIM];
  int64_t index[DAP_MAX_NDIM];
  int64_t shape[DAP_MAX_NDIM];
  dap_order order; /* of the entries of a vector without a grid */
  dap_petsc_field field;
} live;

/* ---- arrays and fields ------------------------------------------------------------------------------- */

void live_make_row(live *a, const live_row *row);

/* Makes an array of these distributions. Its ranks are in row-major order. */
void live_make_cut(live *a, int ndim, const dap_dist dists[], test_form form);

/* Draws an array of any kind and form with at most `most_axes` axes. Some arrays have other elements than
 * PetscScalars. */
void live_draw(live *a, test_random *random, int most_axes);

void live_free(live *a);

/* Picks axes for the field. The other axes are fixed at `index`; NULL: at 0. */
void live_pick(live *a, int naxes, const int axes[], const int64_t index[]);

/* Returns the part that is picked. It points to *a. */
dap_part live_part(const live *a);

/* Returns whether this process owns the index along all axes that are not picked. */
bool live_is_member(const live *a);

dap_status live_get(live *a, dap_access access, dap_error *err);
void live_restore(live *a);

/* Makes a row's array and gets its field. Returns whether that succeeded. live_close() must be called in any
 * case. Collective. */
bool live_open(live *a, const live_row *row, dap_access access);
void live_close(live *a);

/* The axes of the view. live_axis() is the array's axis, or -1 if the view has an axis of its own.
 * live_outside() is the number of elements at one end that are not points of the DMDA. */
int live_ndim(const live *a);
int live_axis(const live *a, int j);
int64_t live_size(const live *a, int j);
int64_t live_outside(const live *a, int j, int side);

/* Counts lines of the log that contain `words`, in *lines from 0 on, until it is called with NULL. */
void live_count_lines(int *lines, const char *words);

/* ---- every element ----------------------------------------------------------------------------------- */

/* One position of the buffer. */
typedef struct live_place {
  brute_walk walk; /* has the element, and tells what the position is to its process */
  char *at;
  bool owned;    /* true also for a copy along replicated axes */
  bool inside;   /* the position belongs to the part */
  bool stripped; /* padding that repeats the other end, and is not a point of the DMDA */
  bool edge;     /* an element of its own outside the grid */
} live_place;

live_place live_first(const live *a);
void live_next(const live *a, live_place *p);

#define LIVE_EACH(a, p) for (live_place p = live_first(a); !p.walk.done; live_next((a), &p))

/* Returns the element whose value belongs at a position. For stripped padding it is at the other end. */
int64_t live_element(const live *a, const live_place *p);

/* Returns the value of an element in a vector or matrix: what remains of it in the array's type. */
PetscScalar live_entry(const live *a, int64_t element, int64_t shift);

/* Returns the element at index [live_ndim()] of the part. */
int64_t live_at(const live *a, const int64_t index[]);

/* Writes the elements of the part that this process owns. */
void live_fill(const live *a, int64_t shift);

/* Checks the buffer. The part must have the shift `inside`, and all other elements the shift `outside`.
 * Padding must be as `padding` says in the part, and poison elsewhere. Elements at the array's edges that are
 * not points of the DMDA must have the shift `edges`. If `edges` is negative, they are not checked. */
void live_check(const live *a, int64_t inside, int64_t outside, int64_t edges, test_padding padding);

/* ---- live_vector.c: the vectors of a field ----------------------------------------------------------- */

/* Checks the own points of a vector, or with `ghosts` all that are elements. The vector may be NULL. */
void live_check_vector(const live *a, Vec vector, bool ghosts, int64_t shift);

/* Checks both vectors as they are after a get with DAP_READ. Ghost points of a shared local vector, and
 * elements outside the grid, belong to the caller. */
void live_check_vectors(const live *a, int64_t shift);

/* Writes right values to the vector that counts, and garbage to all other places. */
void live_solve(const live *a, int64_t shift);

/* Checks that a vector's memory is in the buffer if and only if the vector is said to be shared. */
void live_check_memory(const live *a);

/* Returns whether the buffer has each entry's element where the vector needs it. True also on a process
 * without a part. */
bool live_lies_there(const live *a, bool local);

/* ---- live_vector.c: a vector without a grid ---------------------------------------------------------- */

typedef enum vector_deed { CHECK, WRITE } vector_deed;

/* Visits every entry of this process. Entries are those of the part, in a->order. */
void live_visit(const live *a, const dap_petsc_vector *v, vector_deed deed, int64_t shift);

/* Checks that PETSc's NORM_1 is the norm of the entries. Collective on the vector's processes. */
void live_check_norm(Vec vec);

/* Checks entry, address, local form and mapping of each position of a shared vector of the whole array. */
void live_check_places(const live *a, const dap_petsc_vector *v);

/* Returns whether this process's elements are one range of entries, and lie in that order in its buffer. */
bool live_is_range(const live *a);

/* ---- live_trial.c: one view, from get to restore ----------------------------------------------------- */

/* Returns whether some axis of the view is a list. */
bool live_has_lists(const live *a);

/* Gets the field. Checks verdicts, reasons, and everything that came in. Records a failure, and returns
 * false, if the field was refused. Collective. */
bool live_begin(live *a, const live_row *want, dap_access access, unsigned vectors);

/* Writes if the access allows it, also by load, store and halo. Restores the field, and checks everything
 * that went out. Collective. */
void live_finish(live *a, dap_access access, unsigned vectors);

/* Tests a vector of the whole array from get to restore. `want` also has the vector's options. Collective. */
void live_try_vector(live *a, const live_row *want, dap_access access);

/* ---- live_matrix.c ----------------------------------------------------------------------------------- */

/* The sizes and elements that a matrix must have. If `a` is given, they are those of its part after
 * live_fill() with `shift`. Otherwise element (i, j) is factor times dominant_at(i, j), or factor times the
 * value that value_of() gives it. */
typedef struct known_matrix {
  const live *a;
  int64_t shift;
  PetscInt rows, columns;
  PetscScalar factor;
  bool is_dominant;
} known_matrix;

/* The diagonal dominates. The matrix is neither symmetric nor a multiple of another one. */
PetscScalar dominant_at(int64_t i, int64_t j);

/* Returns the matrix that has the memory: the one that a transposed view transposes. */
Mat live_inner(Mat mat, bool *transposed);

/* Sets all elements, also those of other processes, and assembles the matrix. */
void set_values(Mat mat, const known_matrix *k);

/* Makes a MATDENSE whose rows and columns are spread like those of `mat`. */
Mat known_like(Mat mat, const known_matrix *k);

/* Fills this process's part of an array, and its padding. */
void fill_known(const dap_layout *layout, const dap_array *array, const known_matrix *k);

/* Checks this process's rows of a MATDENSE by MatGetValues(). */
void check_values(Mat mat, const known_matrix *k);

/* Checks products of all kinds with a vector, and the diagonal of a square matrix. */
void check_products(Mat mat, const known_matrix *k);

/* Checks every element by products with unit vectors, which all matrices have. `mat` is NULL on a process
 * without a part. */
void live_check_matrix(const live *a, Mat mat, int64_t shift);

/* Writes every element by PETSc. Elements of a shell are written to the buffer, because PETSc cannot. */
void live_write_matrix(const live *a, Mat mat, int64_t shift);

#endif
