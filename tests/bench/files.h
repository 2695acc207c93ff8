/* Describes the arrays that `bench files` writes and reads: N x N doubles, each of which is its global
 * index. */
#ifndef DAP_BENCH_FILES_H
#define DAP_BENCH_FILES_H

#include <dapbridge/array.h>
#include <dapbridge/layout.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct files_case {
  const char *name; /* name of the layout */
  int64_t n;
  int rank, nprocs;
  dap_layout *layout;
  dap_array array; /* part of this process, contiguous in C order */
  MPI_Datatype darray;
  const char *path;
  int64_t first; /* bytes of the array's elements on lower ranks */
} files_case;

/* Returns the name of layout number `layout`, or NULL at the end. files_case.c defines these functions. */
const char *files_layout(int layout);
void files_case_make(int layout, int64_t n, const char *path, files_case *c);
void files_case_free(files_case *c);
void files_fill(files_case *c);
void files_spoil(files_case *c);
int64_t files_wrong(const files_case *c);         /* wrong elements of this process */
int64_t files_wrong_in_file(const files_case *c); /* on rank 0: wrong elements of the file */

/* A method to write the array to a new file, and to read it. */
typedef struct files_method {
  const char *name;
  void (*save)(files_case *c);
  void (*load)(files_case *c);
  bool is_limit; /* the file does not contain the array */
} files_method;
enum { FILES_METHODS = 4 };
extern const files_method files_methods[FILES_METHODS]; /* in files_methods.c; the first is dapbridge */

#endif
