/* Defines a toy library for matrices of doubles in slabs of columns, and its adapter. The adapter uses
 * only dapbridge's public headers, like one of another project. */
#ifndef TOY_H
#define TOY_H

#include <dapbridge/adapter.h>

/* ---- the library ------------------------------------------------------------------------------------ */

/* Columns of a matrix on this process, column-major without gaps. */
typedef struct toy_slab {
  double *memory;
  int64_t rows, columns;
  bool is_open, is_own; /* the memory belongs to the library */
  int in_use;           /* number of current users */
  int changes;          /* number of writes that the library knows of */
} toy_slab;

/* ---- its adapter -------------------------------------------------------------------------------------- */

typedef struct toy_matrix {
  toy_slab *slab;
  int64_t first; /* column of the matrix that is first on this process */
  bool shared;
  char reason[DAP_ERROR_TEXT];
  int64_t moved_bytes;
  dap_view_handle handle;
} toy_matrix;

typedef struct toy_options {
  dap_sharing sharing;
  dap_part part;
  bool lossy;
  const char *fails; /* for tests: name of a callback that fails, */
  int fails_on;      /* on this rank only */
} toy_options;

dap_status toy_get(MPI_Comm comm, dap_darray array, dap_access access, const toy_options *options,
                   toy_matrix *matrix, dap_error *err);
dap_status toy_restore(toy_matrix *matrix, dap_error *err);
dap_status toy_discard(toy_matrix *matrix, dap_error *err);
dap_status toy_load(toy_matrix *matrix, dap_error *err);
dap_status toy_store(toy_matrix *matrix, dap_error *err);
dap_status toy_halo(toy_matrix *matrix, dap_error *err);
dap_status toy_halo_reverse(toy_matrix *matrix, dap_combine combine, dap_padding padding, dap_error *err);
size_t toy_describe(const toy_matrix *matrix, char *text, size_t capacity);

/* For tests: numbers of slabs that exist, and of memories that were not restored, and whether the library
 * is finalised. */
extern int toy_alive, toy_in_use;
extern bool toy_is_over;

#endif
