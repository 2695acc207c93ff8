/* Describes ScaLAPACK's traps: routines give wrong results, with info = 0, if matrices lie in an unexpected
 * way.
 *
 * A trap is a call of one routine with operands that lie badly in one way. The bridge gets the routine's
 * name, and must give views that meet the routine's needs. The results must be those of the same call on
 * one process. */
#ifndef DAP_TEST_TRAPS_H
#define DAP_TEST_TRAPS_H

#include <dapbridge/scalapack.h>

#include "harness.h"

enum {
  OPERANDS = 3,
  RHS = 9 /* right-hand sides */,
  USUAL = 23 /* rows and columns */,
  SLACK = 64 /* bytes */,
  ARGUMENTS = 36 /* most of a call */
};

/* How a matrix lies. [0]: its rows, [1]: its columns. */
typedef struct trap_lie {
  int block[2];
  bool rotated[2];  /* block 0 is on the last process */
  int64_t start[2]; /* the operand is a part that begins here; two rows and columns follow a part */
  bool turned;      /* the array is in the other order than the first's */
} trap_lie;

/* A row of the table of ways to lie. */
typedef struct trap_place {
  const char *name;
  const char *why;    /* what it is, and which routines go wrong */
  const char *reason; /* parts of a view's reason, if the operand is moved because of this */
  trap_lie first, others;
  int64_t extent; /* n, and m of square ones; 0: the routine's own */
} trap_place;

/* Words for arguments. A letter stands for itself. A, B and C are operands: data, first element and
 * descriptor. M0 .. N2 are their sizes, and IA0 is the first row of A. */
enum { A = 256, B, C, M0, M1, M2, N0, N1, N2, IA0 };
/* Room for results: VALUES are as many as A has columns or rows, VALUE is one. RESULT is the first word of a
 * function, which returns the value. */
enum { VALUES = IA0 + 1, VALUE, RESULT, INFO };
/* Numbers of the type, the integer 1, and the 1-norm of A. */
enum { ZERO = INFO + 1, ONE, TWO, MINUS, FIRST, NORM };
/* Pivots of row i: another row, or the last row for all; and the descriptor of SWAPS. */
enum { SWAPS = NORM + 1, LAST, DEALT };
/* LWORK and LRWORK are the length of work space. Only complex routines get RWORK and LRWORK. */
enum { LWORK = DEALT + 1, LRWORK, RWORK };
/* Other work space. All calls of a row share it. */
enum { WORK = RWORK + 1, MORE, IWORK, PIVOTS, TAU, DIAGONAL, BESIDE, SCALE };
enum { FOUND = SCALE + 1, VECTORS, IFAIL, CLUSTERS, GAPS, WORDS };

/* A call of a routine. */
typedef void trap_function(void);
typedef struct trap_call {
  const char *stem[2];      /* of the names, behind "p" and the type's letter: real, complex */
  trap_function *of[4];     /* by letter; NULL: there is no such call */
  int arguments[ARGUMENTS]; /* letters and words */
} trap_call;

struct trap;

/* A row of the table of routines. */
typedef struct trap_routine {
  dap_matrix_needs needs;     /* what it needs, written down here and not taken from the library */
  dap_align align;            /* of the others */
  formula *entries[OPERANDS]; /* of each operand, in the matrix's terms; NULL: there are fewer */
  int64_t size[OPERANDS][2];  /* 0: the place's extent, or USUAL */
  trap_call call, before, after;
  const char *what;                         /* how it differs from other rows of this routine */
  double (*residual)(const struct trap *t); /* in eps, NaN if it is nonsense; NULL: results are unique */
} trap_routine;

typedef struct trap {
  const trap_routine *routine;
  const trap_place *place;
  const element_type *type;
  int letter;                       /* of the type: index in "sdcz" */
  char name[16];                    /* of the routine, such as "pdgesv" */
  int operands;                     /* of the routine */
  char op;                          /* 'N': arrays in F order; 'T': in C order */
  int procs[2];                     /* of the grid, in the matrix's terms */
  const dap_scalapack_int *context; /* the test's own context, if first blocks are not on process (0, 0) */
  int64_t size[OPERANDS][2];        /* of the operands, in the matrix's terms */
  int64_t start[OPERANDS][2];       /* where they begin in the arrays, by the arrays' axes */
  int64_t shape[OPERANDS][2];       /* their sizes, by the arrays' axes */
  matrix arrays[OPERANDS];
  dap_scalapack_matrix views[OPERANDS];
  /* The operands as the routine sees them; `want` is what it makes of them on one process. */
  double complex *before[OPERANDS], *after[OPERANDS], *want[OPERANDS];
  void *values;                    /* eigenvalues, singular values, a number: of type->real */
  int64_t count;                   /* of them */
  double complex *w, *want_values; /* those of this process; on one process */
  dap_scalapack_int info;          /* of this process */
} trap;

/* ---- traps.c: all collective ------------------------------------------------------------------------- */

/* Makes arrays as the place says, and computes the results on one process. Sets the TEST_CASE(). */
trap trap_make(const trap_routine *routine, const trap_place *place, int letter, char op, const int procs[2]);
void trap_free(trap *t);

/* Gets operand k's view by the routine's name, or by `needs` if this is not NULL. */
dap_status trap_try(trap *t, int k, const dap_matrix_needs *needs, dap_sharing sharing, dap_error *err);

/* Calls the routine, restores the views, and looks at everything. info must be 0, and nothing outside the
 * operands may change. Returns the residual of the results. */
double trap_run(trap *t);

/* || got - want || of the values, in eps. */
double trap_value_difference(const trap *t);

/* ---- traps_table.c ----------------------------------------------------------------------------------- */

extern const trap_routine trap_routines[];
extern const int trap_routine_count;

#endif
