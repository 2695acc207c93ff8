/* Makes buffers in which the value of every element tells its global index. */
#ifndef DAP_TEST_BUFFERS_H
#define DAP_TEST_BUFFERS_H

#include <dapbridge/array.h>
#include <dapbridge/layout.h>
#include <mpi.h>

#include "random.h"

/* ---- one element -------------------------------------------------------------------------------- */

/* Writes a value that tells the number `index` of an element in C order. It is index + 1 as a number of the
 * type. Complex numbers are (index + 1, index + 1.5), and bools tell whether index + 1 is odd. Types that are
 * too narrow have the low bits. Half and long double have the bytes that bytes_of() gives. */
void value_of(dap_dtype dtype, int64_t index, void *element);

/* Writes such a value to an element of any `itemsize`. It consists of words of eight bytes, low byte first:
 * index + 1, and the same with other constants added. The last word may be cut off. One byte tells up to 256
 * elements apart. */
void bytes_of(int64_t itemsize, int64_t index, void *element);

/* array_element() returns the address of a position. next_position() steps to the next one in C order, and
 * returns false after the last one. */
unsigned char *array_element(const dap_array *array, const int64_t position[]);
bool next_position(int ndim, const int64_t shape[], int64_t position[]);

/* Changes the byte order of an element. Both parts of a complex element are changed separately. */
void turn_bytes(dap_dtype dtype, void *element);

/* Changes the byte order of all elements in place, and array->swapped with it. */
void turn_array(dap_array *array);

/* The bytes of an element that has no value. */
enum { TEST_POISON = 0xEE };

/* ---- local buffers ------------------------------------------------------------------------------ */

/* The expected contents of communication padding. */
typedef enum test_padding {
  PADDING_ANY,    /* not checked */
  PADDING_POISON, /* still poison, because nothing wrote there */
  PADDING_FILLED  /* the owner's value */
} test_padding;

/* A walk over all positions of a buffer, with the element that the model of brute.c deals to each. The
 * layout only describes its axes. A copy of a walk goes over the same positions without dealing again.
 *     for (array_walk w = walk_begin(layout, rank, strides); !w.done; walk_next(&w)) use(&w); */
typedef struct array_walk {
  int ndim;
  int64_t local[DAP_MAX_NDIM], global[DAP_MAX_NDIM]; /* [ndim] position; the element there */
  int64_t flat;                                      /* the element's number in C order */
  int64_t offset;                                    /* bytes from position (0, ..., 0) */
  bool has_value;                                    /* owned, or a copy along replicated axes only */
  bool owned;                                        /* the process owns the element */
  bool pads;                                         /* the position is communication padding */
  bool done;
  /* Private. */
  int64_t shape[DAP_MAX_NDIM], sizes[DAP_MAX_NDIM], strides[DAP_MAX_NDIM];
  struct walk_place *places[DAP_MAX_NDIM]; /* [ndim][shape] */
} array_walk;

array_walk walk_begin(const dap_layout *layout, int rank, const int64_t strides[]);
void walk_next(array_walk *walk);
void walk_end(array_walk *walk); /* also ends all copies of the walk */

/* Fills the buffer of a process. Writes the value of the element that the model deals to each position, or
 * poison to padding. */
void fill_global(const dap_layout *layout, int rank, const dap_array *array);

/* Checks that every owned element has its value, and that padding is as `padding` says. Records the first
 * difference with its position, and returns false, if not. */
bool check_global(const dap_layout *layout, int rank, const dap_array *array, test_padding padding);

/* Checks that bytes are equal. Records what differs and where, and returns false, if not. */
bool expect_bytes(const void *got, const void *want, int64_t bytes, const char *what, int ndim,
                  const int64_t local[], const int64_t global[]);

/* ---- strided memory ----------------------------------------------------------------------------- */

/* How elements lie in memory. */
typedef enum test_form {
  FORM_C,                 /* contiguous, the last axis is fastest */
  FORM_F,                 /* contiguous, the first axis is fastest */
  FORM_WINDOW,            /* C order inside a wider array, which leaves gaps */
  FORM_PERMUTED,          /* axes in a random order */
  FORM_NEGATIVE,          /* C order with some axes running backwards */
  FORM_COUNT,             /* random forms are those above */
  FORM_WIDE = FORM_COUNT, /* C order, with a gap behind each row */
  FORM_WIDE_F,            /* F order, with a gap behind each column */
  FORM_GAPS,              /* C order, with a gap behind each element */
  FORM_ODD,               /* C order, at an odd address */
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
  void *data;                    /* element (0, ..., 0); NULL if there are no elements */
  unsigned char *memory;         /* [bytes] */
  int64_t bytes;
} test_buffer;

/* Makes a poisoned buffer for a process of `layout`. The same random numbers are drawn on every rank. Ends
 * the program if there is no memory. */
test_buffer test_buffer_make(const dap_layout *layout, int rank, int64_t itemsize, test_form form,
                             test_random *random);
void test_buffer_free(test_buffer *buffer);

/* Returns an array of the buffer's elements, without dictionaries. It uses the buffer's memory. */
dap_array test_buffer_array(const test_buffer *buffer, dap_dtype dtype);

/* Records a failure, and returns false, unless all bytes that do not belong to an element are still
 * poison. */
bool check_gaps(const test_buffer *buffer);

/* ---- an array in such memory ---------------------------------------------------------------------- */

typedef struct held_array {
  MPI_Comm comm;
  int rank; /* rank in `comm` and in the layout */
  dap_layout *layout;
  test_buffer buffer;
  dap_array array; /* has the buffer's memory and strides, and the layout's dictionaries */
} held_array;

/* Makes a poisoned array on all processes of `comm`. It takes over the layout, and held_array_free() ends
 * it. */
held_array held_array_make(MPI_Comm comm, dap_layout *layout, dap_dtype dtype, test_form form);
void held_array_free(held_array *a);
dap_darray held_darray(const held_array *a); /* points to *a */

typedef struct fixture {
  dap_layout *layout;
  dap_array local;
} fixture;

/* Makes an array with the layout that `format` describes for the number of processes. Each element tells its
 * place. */
fixture fixture_make(dap_dtype dtype, dap_order order, const char *format);
void fixture_end(fixture *f);

#endif
