/* Describes pairs of placements of an array, and the collectives of MPI that do the same. See README.md. */
#ifndef DAP_BENCH_PLACEMENTS_H
#define DAP_BENCH_PLACEMENTS_H

#include <dapbridge/plan.h>
#include <dapbridge/shared.h>
#include <stdint.h>

typedef struct placements_case placements_case;

/* A case with doubles. The larger of each process's two buffers has `bytes` bytes, or a few less. */
struct placements_case {
  const struct placements_pair *pair;
  MPI_Comm comm;
  int rank, nprocs;
  int64_t count[2];      /* doubles in this process's source and destination */
  int64_t rows, columns; /* of the part of a matrix that goes from one process to another */
  dap_layout *layouts[2];
  double *buffers[2];  /* from malloc(), source and destination */
  dap_array shared[2]; /* the same in library memory */
  double *packed;      /* [count[0]] */
  dap_plan *plan;
};

/* A pair: its name, its layouts, its elements, and the same move by MPI. */
typedef struct placements_pair {
  const char *name, *collective;
  void (*make)(placements_case *c, int64_t doubles);
  double (*source)(const placements_case *c, int64_t i), (*destination)(const placements_case *c, int64_t i);
  void (*run)(placements_case *c);
} placements_pair;
extern const placements_pair placements_pairs[]; /* ends with a row without name */

/* Makes layouts and buffers. placements_plan() makes the plan. */
void placements_case_make(MPI_Comm comm, const placements_pair *pair, int64_t bytes, placements_case *c);
void placements_case_free(placements_case *c);
void placements_plan(placements_case *c);
/* placements_fill() writes the source, and -1 to the destination. The check returns how many elements of
 * the destination are wrong. */
void placements_fill(const placements_case *c, bool is_shared);
int64_t placements_wrong(const placements_case *c, bool is_shared);

#endif
