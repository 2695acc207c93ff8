/* The cross product of everything that makes a field: each combination has a number, words, and a map of its
 * own. */
#ifndef DAP_CROSS_H
#define DAP_CROSS_H

#include <dapbridge/petsc.h>

#include "buffers.h"
#include "mpi_test.h"

/* What lies at the two outer ends of an axis. */
typedef enum cross_edge {
  EDGE_POINTS,   /* boundary padding that is points of the grid */
  EDGE_GHOSTED,  /* boundary padding as wide as the stencil that is ghost points outside the grid */
  EDGE_WRAPS,    /* periodic, with halos that wrap round */
  EDGE_STRIPPED, /* periodic, with padding inside `size` that repeats the other end */
  EDGE_BARE,     /* periodic, without padding */
  EDGE_MIXED,    /* the second, the fourth and the third of these along the first, second and third axis */
  EDGE_COUNT
} cross_edge;

typedef struct combination {
  int number;
  int grid_ndim;
  cross_edge edge;
  int64_t width; /* of the stencil, and of all halos */
  int dof;       /* 1: no axis of its own */
  bool fortran;  /* buffers in F order */
  bool irregular;
  bool star;
  bool copy; /* DAP_SHARE_NEVER */
} combination;

/* Combinations are numbered 0 .. combination_count() - 1. */
int combination_count(void);
combination combination_of(int number);
void combination_words(const combination *c, char *text, size_t capacity);

/* One axis, as this process has it. Element e of the array is point e - margin[0] of the grid. */
typedef struct cross_axis {
  cross_edge edge; /* never EDGE_MIXED */
  int procs, coord;
  int64_t lengths[8]; /* [procs] elements owned */
  int64_t size;       /* elements */
  int64_t start;      /* first element that this process owns */
  int64_t owned;
  int64_t halo[2];     /* of this process's buffer */
  int64_t boundary[2]; /* inside size, at the outer ends */
  int64_t margin[2];   /* of these, elements that are no points of the grid */
} cross_axis;

/* All axes, the last for the degrees of freedom if there are several. */
typedef struct cross_model {
  combination c;
  int ndim;
  cross_axis axis[4];
  int64_t stencil; /* the width that PETSc is told */
  bool x_first;    /* x is the first axis, not the last */
} cross_model;

/* Lays the combination out over the processes of MPI_COMM_WORLD. */
cross_model cross_lay(const combination *c);

/* The same in the library's words. */
dap_layout *cross_layout(const cross_model *m);
dap_petsc_field_options cross_options(const cross_model *m);

bool cross_is_periodic(const cross_axis *a);

/* Ghost points that the DMDA's local vector has at a side of this process's range. */
int64_t cross_ghosts(const cross_model *m, int axis, int side);

/* What element `e` [ndim], which may lie beyond the ends of a periodic axis, is to this process. */
typedef struct cross_place {
  int64_t index; /* in C order, of the element that it repeats */
  bool mine;     /* owned by this process, and no repetition */
  bool outside;  /* boundary padding outside the grid */
  int beyond;    /* axes along which it is none of the points of this process's range */
} cross_place;

cross_place cross_at(const cross_model *m, const int64_t e[]);

#endif
