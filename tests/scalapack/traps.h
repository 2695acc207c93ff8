/* ScaLAPACK's traps: routines that give wrong results, with info = 0, for matrices that lie as they do not
 * expect.
 *
 * A trap is one call of one routine with operands that lie badly in a way of its own. Taken through the
 * bridge by the routine's name, they must come as the routine needs them, and its results must be those that
 * the same call gives on one process. */
#ifndef DAP_TEST_TRAPS_H
#define DAP_TEST_TRAPS_H

#include <dapbridge/scalapack.h>

#include "harness.h"

enum {
  OPERANDS = 3,
  RHS = 9 /* right-hand sides */,
  USUAL = 23 /* rows and columns */,
  SLACK = 64 /* bytes */
};

/* How a matrix lies. [0]: its rows, [1]: its columns. */
typedef struct trap_lie {
  int block[2];
  bool rotated[2]; /* block 0 is on the last process */
  int64_t
      start[2]; /* the operand is a part that begins here; with any, two more rows and columns follow it */
  bool turned;  /* the array is in the other order than the first's */
} trap_lie;

/* A row of the table of ways to lie. */
typedef struct trap_place {
  const char *name;
  const char *why;    /* what it is, and who falls for it */
  const char *reason; /* pieces of what a view says that had to be moved because of it */
  trap_lie first, others;
  int64_t extent; /* n, and m of square ones; 0: the routine's own */
} trap_place;

struct trap;

/* A row of the table of routines. */
typedef struct trap_routine {
  const char *name;
  const char *stem[2];        /* the real and the complex routine, without "p" and letter */
  dap_matrix_needs needs;     /* what it takes: from the trap table, not from the library */
  dap_align align;            /* of the others */
  formula *entries[OPERANDS]; /* of each operand, in the matrix's terms; NULL: there are fewer */
  int64_t size[OPERANDS][2];  /* 0: the place's extent, or USUAL */
  const char *calls;          /* see trap_call() */
  double (*residual)(const struct trap *t); /* in eps, NaN if it is nonsense; NULL: results are unique */
} trap_routine;

typedef struct trap {
  const trap_routine *routine;
  const trap_place *place;
  const element_type *type;
  int letter;                       /* of the type: index in "sdcz" */
  int operands;                     /* of the routine */
  char op;                          /* 'N': arrays in F order; 'T': in C order */
  int procs[2];                     /* of the grid, in the matrix's terms */
  const dap_scalapack_int *context; /* the test's own: where first blocks can be elsewhere than on (0, 0) */
  int64_t size[OPERANDS][2];        /* of the operands, in the matrix's terms */
  matrix arrays[OPERANDS];
  dap_scalapack_matrix views[OPERANDS];
  /* The operands as the routine sees them; `want` is what it makes of them on one process. */
  double complex *before[OPERANDS], *after[OPERANDS], *want[OPERANDS];
  void *values;                    /* eigenvalues, singular values, a number: of type->real */
  int64_t count;                   /* of them */
  double complex *w, *want_values; /* those of this process; on one process */
  dap_scalapack_int info;          /* of this process */
} trap;

typedef enum trap_verdict {
  TRAP_RIGHT,
  TRAP_REFUSED, /* info < 0 */
  TRAP_FAILED,  /* info > 0 */
  TRAP_WRONG,   /* on this process, and info is 0 */
  TRAP_OUTSIDE  /* elements that are none of the operand's have changed */
} trap_verdict;
extern const char *const trap_words[]; /* of the verdicts */

/* ---- traps_run.c: all collective --------------------------------------------------------------------- */

/* Makes arrays as the place says, and what one process computes of them. */
void trap_make(trap *t);
void trap_free(trap *t);

typedef struct trap_request {
  dap_scalapack_options options;
  char name[16]; /* what the options point at */
  int64_t start[2], shape[2];
} trap_request;
/* Options of operand k's view: by the routine's name or, with `force`, as it lies. */
void trap_options(const trap *t, int k, bool force, trap_request *request);
dap_status trap_try(trap *t, int k, const trap_request *request, dap_error *err);
/* Gets all views by name, which must succeed. */
void trap_get(trap *t);
/* Calls the routine, restores the views, looks at everything. */
trap_verdict trap_run(trap *t, double *residual);

/* || got - want || of the values, in eps. */
double trap_value_difference(const trap *t);

/* ---- traps_call.c ------------------------------------------------------------------------------------ */

/* Calls routines one after the other until one says that info is not 0. The row's `calls` has their real
 * stems and arguments, each call ending with ";" or the text:
 *
 *   'X'             a character
 *   1               an integer
 *   A B C           an operand: data, first element, descriptor
 *   m0 n1 ia0       sizes and first row of an operand
 *   one zero two minus   numbers of the type
 *   values value    room for results: as many as the first operand has columns or rows, or one
 *   =lange          a function, whose result is the value
 *   norm            the 1-norm of the first operand
 *   swaps last      pivots of row i: another row, or the last one for all; dealt: the descriptor of swaps
 *   ?rwork          an argument of complex routines only
 *
 * Any other word is work space that all calls of the row share, lwork its length. */
void trap_call(trap *t);

/* ---- traps_table.c ----------------------------------------------------------------------------------- */

/* The routine for a letter; NULL: there is none. */
typedef void trap_function(void);
trap_function *trap_function_of(const char *stem, size_t length, int letter);

extern const trap_routine trap_routines[];
extern const int trap_routine_count;

#endif
