/* Makes buffers in which the value of every element tells its global index. */
#ifndef DAP_TEST_BUFFERS_H
#define DAP_TEST_BUFFERS_H

#include <dapbridge/array.h>
#include <dapbridge/layout.h>
#include <mpi.h>

#include "random.h"

/* ---- one element -------------------------------------------------------------------------------- */

/* Writes the value that says "element `index` of the array in C order" into `element`: index + 1 as a
 * number of that type (complex: (index + 1, index + 1.5); bool: whether it is odd). Types too narrow for the
 * number hold it cut off. Half and long double hold the bytes that bytes_of() gives. */
void value_of(dap_dtype dtype, int64_t index, void *element);

/* The same for an element of any `itemsize`: the bytes of index + 1, low byte first, each next eight of
 * them with another constant added, cut off at the end. Below 256 elements even one byte tells them apart. */
void bytes_of(int64_t itemsize, int64_t index, void *element);

/* The address of a position's element; the next position in C order, false behind the last one. */
unsigned char *array_element(const dap_array *array, const int64_t position[]);
bool next_position(int ndim, const int64_t shape[], int64_t position[]);

/* To the other byte order, or back; each part of a complex element alone. */
void turn_bytes(dap_dtype dtype, void *element);

/* The same of all elements, in place, which array->swapped then says. */
void turn_array(dap_array *array);

/* Every byte of an element that holds no value. */
enum { TEST_POISON = 0xEE };

/* ---- local buffers ------------------------------------------------------------------------------ */

/* What a check expects in communication padding. */
typedef enum test_padding {
  PADDING_ANY,    /* not looked at */
  PADDING_POISON, /* still poison: nothing wrote there */
  PADDING_FILLED, /* the owner's value */
  COPIES_FILLED   /* poison, and the owner's value in copies of lists */
} test_padding;

/* A walk over all positions of a buffer, with what the layout says of each. The layout is asked once, axis by
 * axis, so a copy of a walk that has begun walks over the same positions without a question:
 *     for (array_walk w = walk_begin(layout, rank, strides); !w.done; walk_next(&w)) use(&w); */
typedef struct array_walk {
  int rank, ndim;
  int64_t local[DAP_MAX_NDIM], global[DAP_MAX_NDIM]; /* [ndim] position; element there */
  int64_t flat;                                      /* its number in C order */
  int64_t offset;                                    /* bytes from position (0, ..., 0) */
  bool has_value;                                    /* owned, or a copy along replicated axes alone */
  bool owned;                                        /* the process owns the element */
  bool pads;                                         /* the position is communication padding */
  bool done;
  /* The walk's own. */
  int64_t shape[DAP_MAX_NDIM], sizes[DAP_MAX_NDIM], strides[DAP_MAX_NDIM];
  struct walk_place *places[DAP_MAX_NDIM]; /* [ndim][shape] */
} array_walk;

array_walk walk_begin(const dap_layout *layout, int rank, const int64_t strides[]);
void walk_next(array_walk *walk);
void walk_end(array_walk *walk); /* ends all copies */

/* Goes through the buffer of `rank` of `layout` position by position, asks the map which global element
 * each is, and writes that element's value, or poison into padding. */
void fill_global(const dap_layout *layout, int rank, const dap_array *array);

/* Checks the same: every owned element has its value, padding is as `padding` says. Records the first
 * difference as EXPECT() does, with its position, and returns false. */
bool check_global(const dap_layout *layout, int rank, const dap_array *array, test_padding padding);

/* True iff the bytes are equal. Otherwise records as EXPECT() does what is wrong, and where. */
bool expect_bytes(const void *got, const void *want, int64_t bytes, const char *what, int ndim,
                  const int64_t local[], const int64_t global[]);

/* ---- strided memory ----------------------------------------------------------------------------- */

/* How a buffer lies in its memory. */
typedef enum test_form {
  FORM_C,                 /* contiguous, last axis fastest */
  FORM_F,                 /* contiguous, first axis fastest */
  FORM_WINDOW,            /* C order inside a wider array: gaps */
  FORM_PERMUTED,          /* axes in a random order */
  FORM_NEGATIVE,          /* C order with some axes running backwards */
  FORM_COUNT,             /* the forms above are drawn */
  FORM_WIDE = FORM_COUNT, /* C order, with a gap behind each row */
  FORM_WIDE_F,            /* F order, with a gap behind each column */
  FORM_GAPS,              /* C order, with a gap behind each element */
  FORM_ODD,               /* C order, at an address that fits no element */
  FORM_REVERSED,          /* C order, the last axis backwards */
  FORM_UPSIDE,            /* C order, the first axis backwards */
  FORM_UPSIDE_F,          /* F order, the last axis backwards */
  FORM_MIXED              /* C order on even ranks, F order on odd ones */
} test_form;

/* A buffer with poisoned gaps and a poisoned margin around it. */
typedef struct test_buffer {
  int ndim;
  int64_t itemsize;
  int64_t shape[DAP_MAX_NDIM];   /* [ndim] elements */
  int64_t strides[DAP_MAX_NDIM]; /* [ndim] bytes */
  void *data;                    /* element (0, ..., 0); NULL when it has none */
  unsigned char *memory;         /* [bytes] */
  int64_t bytes;
} test_buffer;

/* A poisoned buffer for `rank` of `layout`; ended with test_buffer_free(). Exits the test program when
 * memory is out. The random numbers drawn do not depend on the rank. */
test_buffer test_buffer_make(const dap_layout *layout, int rank, int64_t itemsize, test_form form,
                             test_random *random);
void test_buffer_free(test_buffer *buffer);

/* An array of its elements, for a layout that is known: it has no dictionaries. Borrows the memory. */
dap_array test_buffer_array(const test_buffer *buffer, dap_dtype dtype);

/* Records a failure, and returns false, unless all bytes that belong to no element are still poison. */
bool check_gaps(const test_buffer *buffer);

/* ---- an array in such memory ---------------------------------------------------------------------- */

typedef struct held_array {
  MPI_Comm comm;
  int rank; /* in comm, and in the layout */
  dap_layout *layout;
  test_buffer buffer;
  dap_array array; /* with the buffer's memory and strides, and the layout's dictionaries */
} held_array;

/* A poisoned array on all processes of `comm`. It takes the layout over, and is ended with
 * held_array_free(). */
held_array held_array_make(MPI_Comm comm, dap_layout *layout, dap_dtype dtype, test_form form);
void held_array_free(held_array *a);
dap_darray held_darray(const held_array *a); /* borrows it */

#endif
