/* Draws random calls of linalg's functions in every layout and at the edges: empty, tiny, deficient,
 * graded, near the ends of the type's range, and not finite. Each result is checked against serial LAPACK
 * or a defining equation.
 *
 * Operands are drawn as numbers around 1 times 2^exponent. Checks look at the numbers around 1, so
 * references neither overflow nor underflow. Floating-point exceptions end the program during the calls. */
#ifndef DAP_TEST_LINALG_EDGES_H
#define DAP_TEST_LINALG_EDGES_H

#include "harness.h"

/* The parts of a call that are given instead of drawn, because such a call has failed once. */
typedef struct edge_row {
  const char *why;
  dap_dtype dtype;
  int64_t sizes[3];        /* by edge_size(), one after the other */
  int exponents[2];        /* by edge_exponent() */
  const char *contents[2]; /* by edge_draw(), as edges_draw.c calls them */
} edge_row;

/* One call. */
typedef struct edge {
  const edge_row *row;          /* NULL: all is drawn */
  int sizes, exponents, drawns; /* how many of the row have been taken */
  test_random random;
  const element_type *type;
  dap_linalg_report report;
  dap_linalg_options options; /* block size, keep, report */
  dap_error err;
  char words[400]; /* the call in words, for the case's label */
} edge;

/* Makes a call of the library while floating-point exceptions end the program, as with gfortran's
 * -ffpe-trap. The call must leave traps and flags as they were. */
#define UNDER_TRAPS(call) (edge_traps_begin(), edge_traps_end(call))
void edge_traps_begin(void);
dap_status edge_traps_end(dap_status status);

/* An operand. */
typedef struct drawn {
  matrix held;
  int64_t rows, cols;
  const source *source;
  int grid[2];
  double complex *whole; /* on every process, times 2^-exponent; NULL: a result */
  int exponent;
  bool is_finite;
} drawn;

/* The kind of a matrix. */
typedef enum drawn_form {
  DRAWN_ANY,
  DRAWN_HERMITIAN,
  DRAWN_DEFINITE, /* some are not: zero, of ones, of low rank */
  DRAWN_REGULAR   /* well conditioned, finite */
} drawn_form;

/* ---- calls (edges_try.c) ------------------------------------------------------------------------------- */

/* A test that makes `usual` calls by `attempt`, each with a generator of its own. By day on more than two
 * processes it makes half as many. A call that does not end in time ends the program. */
void edges_try(const char *name, int usual, void attempt(edge *e));

/* A test that makes each row's call `times` times, with drawn layouts and options. By day it makes half as
 * many calls, and on more than two processes a quarter. */
void edges_repeat(const edge_row rows[], int count, int times, void attempt(edge *e));

/* The test function_at_edges(), which draws calls by function(). */
#define EDGES(function)                                                                                      \
  static void function##_at_edges(void **state)                                                              \
  {                                                                                                          \
    (void)state;                                                                                             \
    edges_try(#function, 1000, function);                                                                    \
  }

int64_t edge_size(edge *e); /* of an axis: 0, 1, 2, less than the grid's, or several blocks */
int edge_exponent(edge *e); /* mostly 0; else near an end of the type's range, or half way to it */
char edge_one_of(edge *e, const char *letters);
bool edge_one_in(edge *e, int n);
void edge_say(edge *e, const char *format, ...) DAP_PRINTF(2, 3); /* adds to the case's label */

/* ---- operands (edges_draw.c) --------------------------------------------------------------------------- */

/* Draws a matrix. The other functions make a vector if cols is -1, and drawn.cols is 1 then. */
drawn edge_draw(edge *e, drawn_form form, int64_t rows, int64_t cols, int exponent);

/* Right-hand sides. */
drawn edge_draw_side(edge *e, int64_t rows, int64_t cols, int exponent);

/* Elements that the caller sets in `values`, around 1. */
drawn edge_draw_these(edge *e, int64_t rows, int64_t cols, const double complex values[], int exponent);

/* A result, of NaN. */
drawn edge_result(edge *e, int64_t rows, int64_t cols, dap_dtype dtype);

/* Writes NaN into the triangle that is not read. */
void edge_spoil(drawn *d, char uplo);

void drawn_free(drawn *d);

/* ---- checking (edges_try.c) ---------------------------------------------------------------------------- */

/* Multiplies numbers by 2^exponent. */
void edge_scale(int64_t count, double complex values[], int exponent);

/* Checks the array's padding, and returns the whole array times 2^-exponent, to be freed. Collective. */
double complex *edge_whole(const drawn *d, int exponent);

/* The type's eps plus the smallest number of the type in units of each 2^exponent. */
double edge_eps(const edge *e, const int exponents[], int count);

/* Whether numbers of this size times 2^exponent are far from the ends of the type's range. */
bool edge_is_within(const edge *e, int exponent, double size);

/* Checks that the status is the same on all processes. It must be OK, or `other` if the call may fail, or
 * DAP_ERR_SHARE with DAP_SHARE_OR_FAIL. Returns true if it is OK. Collective. */
bool edge_status(edge *e, dap_status status, bool may_fail, dap_status other);

/* Whether the call can share the operand: 1 yes, 0 no, -1: it depends. */
int edge_shares(const edge *e, const drawn *d);

/* Checks the report of operand `index`, if the call has looked at it. `wanted`: 1 shared, 0 moved, -1
 * either. */
void edge_use(const edge *e, int index, const char *name, const drawn *d, int wanted);

/* Checks that all processes have the same numbers. Collective. */
void edge_same_numbers(int count, const double numbers[]);

/* Checks that error <= 20 (terms + 4) scale. NaN fails. */
void edge_bound(const char *what, double error, int64_t terms, double scale);

/* 1: all eigenvalues of a Hermitian matrix are well above 0; -1: one is well below 0; 0: neither. */
int edge_definite(const drawn *a, double eps);

#endif
