/* Pairs of placements of an array, and the collective of MPI that does the same. See README.md. */
#ifndef DAP_BENCH_PLACEMENTS_H
#define DAP_BENCH_PLACEMENTS_H

#include <dapbridge/plan.h>
#include <dapbridge/shared.h>
#include <stdint.h>

typedef struct placements_case placements_case;

/* What moves: doubles, as many as `bytes` in the larger of each process's two buffers, or a few less. */
struct placements_case {
  const struct placements_pair *pair;
  MPI_Comm comm;
  int rank, nprocs;
  int64_t count[2];      /* doubles in this process's source and destination */
  int64_t rows, columns; /* of what one process has for another, of a matrix */
  dap_layout *layouts[2];
  double *buffers[2];  /* of malloc()'s, source and destination */
  dap_array shared[2]; /* the same in memory of the library's */
  double *packed;      /* [count[0]] */
  dap_plan *plan;
};

/* One pair: its name, its layouts, what its elements are, and the same by MPI. */
typedef struct placements_pair {
  const char *name, *collective;
  void (*make)(placements_case *c, int64_t doubles);
  double (*source)(const placements_case *c, int64_t i), (*destination)(const placements_case *c, int64_t i);
  void (*run)(placements_case *c);
} placements_pair;
extern const placements_pair placements_pairs[]; /* ends with a row without name */

/* Layouts and buffers; the plan is made by placements_plan(). */
void placements_case_make(MPI_Comm comm, const placements_pair *pair, int64_t bytes, placements_case *c);
void placements_case_free(placements_case *c);
void placements_plan(placements_case *c);
/* Writes the source, and -1 to the destination; elements of the destination that are not right. */
void placements_fill(const placements_case *c, bool is_shared);
int64_t placements_wrong(const placements_case *c, bool is_shared);

#endif
