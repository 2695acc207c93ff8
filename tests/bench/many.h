/* Moves several fields together, one after the other, or by hand. See README.md. */
#ifndef DAP_BENCH_MANY_H
#define DAP_BENCH_MANY_H

#include <dapbridge/plan.h>
#include <dapbridge/shared.h>
#include <stdint.h>

enum { MANY_FIELDS = 64, MANY_LINKS = 64 };

/* Box that goes to or comes from one process, by hand: rows and columns [first, end) of the buffers. */
typedef struct many_box {
  int64_t rows[2], columns[2];
} many_box;

typedef struct many_link {
  int rank;
  many_box send, receive;
} many_link;

/* A case of n x n doubles: halo updates of blocks on a grid, or slabs of rows that become slabs of
 * columns. */
typedef struct many_case {
  MPI_Comm comm;
  int rank, nprocs, fields;
  int64_t n;
  bool is_halo;
  dap_layout *from_layout, *to_layout;          /* the same layout in a halo update */
  int64_t from_start[2], to_start[2];           /* index of the buffers' first element */
  dap_array from[MANY_FIELDS], to[MANY_FIELDS]; /* the same in a halo update */
  const void *sources[MANY_FIELDS];
  void *destinations[MANY_FIELDS];
  int links;
  many_link link[MANY_LINKS]; /* [links] */
  double *buffers[2];         /* sent, received */
  dap_plan *together, *single[MANY_FIELDS];
} many_case;

/* Makes a case. The library allocates the memory if is_shared, and otherwise malloc(). */
void many_case_make(MPI_Comm comm, bool is_halo, int64_t n, int fields, bool is_shared, many_case *c);
void many_case_free(many_case *c);
/* many_case_fill() writes moved elements, and -1 to all elements that are filled. The check returns how
 * many are wrong. */
void many_case_fill(const many_case *c);
int64_t many_case_wrong(const many_case *c);

/* Move all fields by one plan; each by its own plan, one run after the other, or all begun before the
 * first is ended; and by hand, with all fields packed into one message for each process. */
void many_run_together(many_case *c);
void many_run_one_by_one(many_case *c);
void many_run_overlapped(many_case *c);
void many_run_by_hand(many_case *c);

#endif
