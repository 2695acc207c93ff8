/* ScaLAPACK's traps: routines that give wrong results, with info = 0, for matrices that lie as they do not
 * expect.
 *
 * A trap is one call of one routine with operands that lie badly in a way of its own: taken through the
 * bridge by the routine's name, they must come as the routine needs them, and its results be right. Taken by
 * force as they lie, the routine shows what the trap is; that is logged, since a later ScaLAPACK may be
 * better. */
#ifndef DAP_TEST_TRAPS_H
#define DAP_TEST_TRAPS_H

#include <dapbridge/scalapack_calls.h>

#include "harness.h"

enum { OPERANDS = 3, RHS = 9 /* right-hand sides */ };

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
  const char *name;   /* a column of the log */
  const char *why;    /* what it is, and who falls for it */
  const char *reason; /* pieces of what a view says that had to be moved because of it */
  trap_lie first, others;
  int64_t extent; /* n, and m of square ones; 0: the routine's own */
} trap_place;

struct trap;

/* A row of the table of routines. */
typedef struct trap_routine {
  const char *name;                   /* a row of the log */
  const char *stem[2];                /* the real and the complex routine, without "p" and letter */
  int operands;                       /* how many matrices */
  formula *entries[OPERANDS];         /* in the matrix's terms */
  int64_t size[OPERANDS][2];          /* 0: the place's extent, or 23 */
  dap_matrix_needs needs;             /* what it takes: from the trap table, not from the library */
  dap_align align;                    /* of the others */
  const char *unsafe;                 /* names of places that are not tried as they lie, "|" between */
  void (*run)(struct trap *t);        /* calls it: sets t->info, t->values */
  double (*residual)(struct trap *t); /* of what it gave, in eps; NaN if it is nonsense */
} trap_routine;

typedef struct trap {
  const trap_routine *routine;
  const trap_place *place;
  const element_type *type;
  int letter;                       /* of the type: index in "sdcz" */
  char op;                          /* 'N': arrays in F order; 'T': in C order */
  int procs[2];                     /* of the grid, in the matrix's terms */
  const dap_scalapack_int *context; /* the test's own: where first blocks can be elsewhere than on (0, 0) */
  int64_t size[OPERANDS][2];        /* of the operands, in the matrix's terms */
  matrix arrays[OPERANDS];
  dap_scalapack_matrix views[OPERANDS];
  double complex *before[OPERANDS], *after[OPERANDS]; /* the operands as the routine sees them */
  void *values;           /* eigenvalues, singular values, a number: of type->real */
  int64_t count;          /* of them */
  double complex *w;      /* those of rank 0 */
  dap_scalapack_int info; /* of this process */
} trap;

typedef enum trap_verdict {
  TRAP_NONE,
  TRAP_RIGHT,
  TRAP_REFUSED, /* info < 0 */
  TRAP_FAILED,  /* info > 0 */
  TRAP_DIFFERS, /* values differ between processes */
  TRAP_WRONG,   /* and info is 0 */
  TRAP_OUTSIDE  /* elements that are none of the operand's have changed */
} trap_verdict;
extern const char *const trap_words[]; /* of the verdicts */

/* traps_run.c, all collective. make: arrays as the place says. get: their views, by the routine's name or,
 * with `force`, as they lie. end: calls the routine, restores the views, looks at everything; *residual may
 * be NULL. */
void trap_make(trap *t);
typedef struct trap_request {
  dap_scalapack_options options;
  char name[16]; /* what the options point at */
  int64_t start[2], shape[2];
} trap_request;
void trap_options(const trap *t, int k, bool force, trap_request *request);
void trap_get(trap *t, bool force);
trap_verdict trap_run(trap *t, double *residual);
void trap_free(trap *t);

/* traps_expect.c. must_move: whether the first operand must be, `as` being its view as it lies; reason:
 * pieces of why.
 * other_reason: the same for the others where they lie unlike the first, and that is shared; NULL: shared,
 * too. */
bool trap_must_move(const trap *t, const dap_scalapack_matrix *as);
const char *trap_reason(const trap *t);
bool trap_is_beside(const trap *t);
const char *trap_other_reason(const trap *t);

/* traps_order.c: a test */
void traps_of_order(void **state);

/* traps_eigen.c, traps_systems.c, traps_pblas.c, traps_auxiliary.c, traps_hermitian.c: end with a row whose
 * name is NULL */
extern const trap_routine trap_eigen_routines[], trap_system_routines[], trap_pblas_routines[],
    trap_auxiliary_routines[], trap_hermitian_routines[];

/* For the tables: what routines need. */
#define SQUARE                                                                                               \
  {                                                                                                          \
    .square_blocks = true, .any_sources = true, .offset = DAP_OFFSET_BLOCK                                   \
  }
#define WHOLE                                                                                                \
  {                                                                                                          \
    .square_blocks = true, .any_sources = true, .offset = DAP_OFFSET_NONE                                    \
  }
#define BLOCKS                                                                                               \
  {                                                                                                          \
    .any_sources = true, .offset = DAP_OFFSET_BLOCK                                                          \
  }
#define ANY                                                                                                  \
  {                                                                                                          \
    .any_sources = true, .offset = DAP_OFFSET_ANY                                                            \
  }

/* A row of the tables; OF(): a list in it. */
#define OF(...)                                                                                              \
  {                                                                                                          \
    __VA_ARGS__                                                                                              \
  }
#define ROUTINE(name, real, complex, operands, entries, size, needs, align, unsafe, run, residual)           \
  {                                                                                                          \
    name, {real, complex}, operands, entries, size, needs, DAP_ALIGN_##align, unsafe, run, residual          \
  }

/* Work space in plenty, zeros; ends with free(). */
void *trap_space(int64_t bytes);

/* The operand's data, first element and descriptor, as arguments of a routine. */
#define AT(view) (view).data, &(view).ia, &(view).ja, (view).desc

#endif
