/* A part of an array as a view, shared or moved: rows of such, and every element of both by its index in the
 * whole array. */
#ifndef DAP_PART_CHECK_H
#define DAP_PART_CHECK_H

#include "buffers.h"
#include "mpi_test.h"
#include "petsc_ends.h"

#include <dapbridge/part.h>

#include <petscsys.h>

enum { PART_NDIM = 4 };

/* How an axis is spread over the processes: not at all, evenly with a halo or not, dealt in twos, in
 * lists. */
typedef enum part_spread { WHOLE, BLOCKS, PADDED, DEALT, LISTED } part_spread;

typedef struct part_row {
  const char *why;
  int ndim;
  int64_t size[PART_NDIM];
  part_spread spread[PART_NDIM];
  test_form form;
  int naxes; /* 0: all */
  int axes[PART_NDIM];
  int64_t start[PART_NDIM];
  int64_t shape[PART_NDIM]; /* shape[0] 0: to the end */
  bool fortran;             /* order of entries */
  int shared;               /* on several processes; -1: whichever */
} part_row;

typedef struct parted {
  const part_row *row;
  dap_layout *layout;
  test_buffer buffer;
  dap_array array;
  dap_part part;
  int ndim; /* of the part */
  int64_t shape[PART_NDIM];
} parted;

/* The array, owned elements of value 0 + index, padding of poison. */
void parted_make(parted *p, const part_row *row);
void parted_free(parted *p);

/* The value of the part's element at index[ndim of the part], moved by `shift`. */
PetscScalar parted_value(const parted *p, const int64_t index[], int64_t shift);

/* Writes shift + index to the owned elements of the part in the buffer. */
void parted_fill(const parted *p, int64_t shift);

/* Owned elements of the part have `shift`, all others none; padding of a part that is no range is as
 * `padding` says, other padding poison. */
void parted_check(const parted *p, int64_t shift, test_padding padding);

#endif
