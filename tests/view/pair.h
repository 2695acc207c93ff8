/* A library that keeps a matrix twice, by rows and by columns, and its adapter: two targets in memory of
 * the view's own, ranges where they lie, a communicator of the part's processes, votes, words, forms that
 * are kept. */
#ifndef PAIR_H
#define PAIR_H

#include <dapbridge/adapter.h>

typedef struct pair_block {
  void *data;           /* element (0, 0) of this process's; NULL: it has none */
  int64_t first, count; /* rows, or columns, of the matrix here */
  int64_t strides[2];   /* bytes, along rows and columns */
  bool shared;
  char reason[DAP_ERROR_TEXT];
} pair_block;

typedef struct pair_matrix {
  pair_block rows, columns;
  int64_t size[2];
  int members; /* processes of the part; 0 on others */
  char order;  /* 'C' or 'F' if all buffers are contiguous in it, '-': neither */
  int64_t moved_bytes;
  dap_view_handle handle;
} pair_matrix;

typedef struct pair_options {
  dap_sharing sharing;
  dap_part part;
  bool rows_only;
  int tag;           /* the same on every process */
  int colour;        /* this process's own; each has forms of its own */
  const char *fails; /* for tests: name of a callback that fails, */
  int fails_on;      /* on this rank alone */
} pair_options;

dap_status pair_get(MPI_Comm comm, dap_darray array, dap_access access, const pair_options *options,
                    pair_matrix *matrix, dap_error *err);
dap_status pair_restore(pair_matrix *matrix, dap_error *err);
dap_status pair_load(pair_matrix *matrix, dap_error *err);
size_t pair_describe(const pair_matrix *matrix, char *text, size_t capacity);

/* For tests: how often on this process a form was thought out and released, and whether kept ones may be
 * used. */
extern int pair_prepared, pair_released;
extern bool pair_is_usable;

#endif
