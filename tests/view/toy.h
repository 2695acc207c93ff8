/* A library that works on matrices of doubles in slabs of columns, and how dapbridge bridges to it: an
 * adapter of an outsider's, who has dapbridge's public headers only. */
#ifndef TOY_H
#define TOY_H

#include <dapbridge/adapter.h>

/* ---- the library ------------------------------------------------------------------------------------ */

/* This process's columns of a matrix, column-major without gaps. */
typedef struct toy_slab {
  double *memory;
  int64_t rows, columns;
  bool is_open, is_own; /* the memory is the library's */
  int in_use;           /* how often just now */
  int changes;          /* how often it was written to, as far as the library knows */
} toy_slab;

/* ---- its adapter -------------------------------------------------------------------------------------- */

typedef struct toy_matrix {
  toy_slab *slab;
  int64_t first; /* column of the matrix that is this process's first */
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
  int fails_on;      /* on this rank alone */
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

/* For tests: slabs that are alive, memories got and not restored, and whether the library is finalised. */
extern int toy_alive, toy_in_use;
extern bool toy_is_over;

#endif
