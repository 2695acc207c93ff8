/* Tensors of two axes on a mesh of processes, each of whose dimensions replicates it, has an addend of it, or
 * cuts one of its axes: the placements of machine learning, by brute force and as the library's sides. */
#ifndef DAP_TEST_TENSORS_H
#define DAP_TEST_TENSORS_H

#include <dapbridge/plan.h>

enum {
  TENSOR_ROWS = 7,
  TENSOR_COLUMNS = 5,
  TENSOR_ELEMENTS = TENSOR_ROWS * TENSOR_COLUMNS,
  TENSOR_PROCS = 6
};

typedef enum place { R, S0, S1, P } place;
extern const char *const place_names[];

/* Process i * extents[1] + j is at (i, j). */
typedef struct tensor_mesh {
  int extents[2];
  int ranks[TENSOR_PROCS]; /* [extents[0] * extents[1]] in MPI_COMM_WORLD */
} tensor_mesh;
/* Of `count` processes: two rows if they are even. ranks NULL: the first ones. */
tensor_mesh tensor_mesh_of(int count, const int ranks[]);

/* Of all processes. Not before MPI has started. */
const tensor_mesh *tensor_world(void);

/* All pairs of placements that can be moved, by number: addends are of a source alone. */
enum { TENSOR_PAIRS = 16 * 9 };
typedef struct tensor_pair {
  place from[2], to[2];
  char name[24]; /* [R, S0] -> [S1, R] */
} tensor_pair;
tensor_pair tensor_pair_of(int number);

/* What a process has: [low, low + count) along both axes, an addend and a copy of it. */
typedef struct tensor_piece {
  int64_t low[2], count[2];
  int addend, copy;
} tensor_piece;

typedef struct tensor {
  tensor_mesh mesh;
  place placed[2];
  dap_layout *layout;
  int process; /* of the mesh that this one is; -1: none */
  tensor_piece own;
  int64_t strides[4];
} tensor;

/* Ended with tensor_free(). by_columns: the storage of each process. */
tensor tensor_make(const tensor_mesh *mesh, const place placed[2], bool by_columns);
void tensor_free(tensor *t);
/* As MPI_COMM_WORLD sees it; it points into `t`. */
dap_side tensor_side(const tensor *t);
int tensor_addends(const tensor *t);

/* values[TENSOR_ELEMENTS]: this process's addends of elements that `shift` changes. */
void tensor_fill(const tensor *t, int shift, double values[]);
void tensor_spoil(double values[]);
/* Whether these are the sums of `addends` addends, and `plus`. A failure is recorded. */
bool tensor_check(const tensor *t, int addends, int shift, double plus, const double values[]);

/* Fewest bytes that have to change process. */
int64_t tensor_formula(const tensor *from, const tensor *to);
/* Whether the plan of so many arrays sends these, and no more. A failure is recorded. Collective on
 * MPI_COMM_WORLD. */
bool tensor_check_bytes(const tensor *from, const tensor *to, const dap_plan *plan, int64_t arrays);

#endif
