/* Dense linear algebra: an index of what its files share. A header such as system_impl.h has what the files
 * of one kind of problem share. Stands on public headers only.
 *
 * Every function of linalg.h has this form. `work` begins with arguments that are right and the same on every
 * process. The helpers below agree on a status before anything collective relies on it. dap_linalg_run()
 * agrees on the status of `work`.
 *     static dap_status solve(dap_linalg_call *call)
 *     dap_status dap_linalg_solve(MPI_Comm comm, ...)
 *     {
 *       const dap_linalg_arguments arguments = {
 *           .function = __func__,
 *           .work = solve,
 *           .operands = {{"A", a, DAP_LINALG_WORK, .ndim = 2}, {"B", b, DAP_LINALG_UPDATE, .ndim = 0}},
 *           .choices = {{"trans", trans, "NTC"}}};
 *       return dap_linalg_run(comm, &arguments, options, err);
 *     } */
#ifndef DAP_LINALG_IMPL_H
#define DAP_LINALG_IMPL_H

#include "check.h"
#include "hash.h"
#include <dapbridge/comm.h>
#include <dapbridge/linalg.h>
#include <dapbridge/linalg_factors.h>
#include <dapbridge/linalg_triangular.h>
#include <dapbridge/plan.h>
#include <dapbridge/scalapack.h>
#include <dapbridge/scalapack_calls.h>

/* The routines of one element type. Those that only the real or only the complex types have are NULL for the
 * others: their arguments differ. */
typedef struct dap_linalg_routines {
  dap_dtype dtype, real; /* the matrix's, and that of its norms and eigenvalues */
  const void *zero, *one, *minus_one;
  dap_pgemm *gemm;
  dap_ptrsm *trsm, *trmm;
  dap_psyrk *syrk, *herk; /* herk: complex only */
  dap_pgeadd *geadd;
  dap_ptradd *tradd;
  dap_pgetrf *getrf;
  dap_pgetri *getri;
  dap_ppotrf *potrf;
  dap_pgels *gels;
  dap_pgeqrf *geqrf;
  dap_porgqr *orgqr;
  dap_pgelqf *gelqf;
  dap_porglq *orglq;
  dap_psyev *syev;
  dap_pheev *heev;
  dap_psytrd *sytrd;         /* hetrd */
  dap_pstedc *stedc;         /* real only */
  dap_pormtr *ormtr;         /* unmtr */
  dap_pormqr *ormqr, *ormlq; /* unmqr, unmlq */
  dap_pgebrd *gebrd;
  dap_pormbr *ormbr; /* unmbr */
  dap_psygst *sygst; /* hegst */
  dap_pgesvd *gesvd;
  dap_pcgesvd *cgesvd;
  dap_plaset *laset;
} dap_linalg_routines;

/* Elements of a descriptor. Those for columns follow those for rows. */
enum { DAP_CTXT = 1, DAP_M, DAP_N, DAP_MB, DAP_NB, DAP_RSRC, DAP_CSRC, DAP_LLD };

/* The arguments of a ScaLAPACK routine that stand for the matrix of a view. */
#define DAP_MATRIX(view) (view)->data, &(view)->ia, &(view)->ja, (view)->desc

/* The use of an operand, which decides how its view is taken. */
typedef enum dap_linalg_role {
  DAP_LINALG_INPUT,  /* only read */
  DAP_LINALG_WORK,   /* read, and changed if shared; a copy if it must be kept */
  DAP_LINALG_RESULT, /* only written */
  DAP_LINALG_UPDATE  /* read and written */
} dap_linalg_role;

typedef struct dap_linalg_argument {
  const char *name; /* NULL: no such argument */
  dap_darray operand;
  dap_linalg_role role;
  int ndim;      /* 1 or 2; 0: both are taken */
  bool optional; /* may be zeroed */
  bool real;     /* of the matrix's real type */
  bool integer;  /* of i4 or i8 */
  bool complex;  /* of the complex type of the matrix's precision */
  bool in_place; /* may be in the first operand's buffer: see call.in_place */
  bool own;      /* the library's own: can be shared, and is, whatever the options say */
} dap_linalg_argument;

typedef struct dap_linalg_choice {
  const char *name; /* NULL: no such argument */
  char value;
  const char *allowed;
} dap_linalg_choice;

enum { DAP_LINALG_CHOICES = 4, DAP_LINALG_BLOCKS = 48 };

typedef struct dap_linalg_call dap_linalg_call;

/* The arguments of a call. operands[0] has the matrix's type. */
typedef struct dap_linalg_arguments {
  const char *function;                      /* its name */
  dap_status (*work)(dap_linalg_call *call); /* what it does with arguments that are right */
  void *context;                             /* for `work`: other arguments and results */
  const dap_linalg_factors *factors;         /* operand 0, the same ones everywhere; or NULL */
  dap_linalg_argument operands[DAP_LINALG_USES];
  dap_linalg_choice choices[DAP_LINALG_CHOICES];
  const char *null; /* name of an output that is NULL and must not; NULL: none */
} dap_linalg_arguments;

/* One call of a function of linalg.h. An operand is known by its index in `arguments`. */
struct dap_linalg_call {
  MPI_Comm comm;
  int rank, nprocs;
  bool begun;
  bool is_logged;                 /* the log has a line about its begin, */
  double since;                   /* which was then, by MPI_Wtime() */
  dap_linalg_arguments arguments; /* uppercase choices as given */
  dap_linalg_options options;
  dap_linalg_report *report; /* the caller's, or own */
  dap_linalg_report own;
  dap_error *err; /* never NULL: `text`, as attempts fail that the caller need not hear of */
  dap_error text;
  const dap_linalg_routines *lib;
  bool given[DAP_LINALG_USES];                 /* not left out; the same on every process */
  bool kept[DAP_LINALG_USES];                  /* workspace that must keep its values; likewise */
  bool in_place[DAP_LINALG_USES];              /* it is in the first operand's buffer; likewise */
  bool slow[DAP_LINALG_USES];                  /* it could be shared, and is moved for speed; likewise */
  dap_scalapack_matrix views[DAP_LINALG_USES]; /* by operand; view zeroed: not live */
  int order[DAP_LINALG_USES], count;           /* live views in the order in which they were taken */
  int64_t headroom;                            /* bytes that ScaLAPACK may allocate: room.c */
  void *blocks[DAP_LINALG_BLOCKS];             /* workspace, freed by end */
  int block_count;
};

/* routines.c: by element type; NULL for a type that ScaLAPACK has not */
const dap_linalg_routines *dap_linalg_routines_of(dap_dtype dtype);

/* call.c. All are collective.
 * run: checks the arguments, calls arguments->work if they are right, and ends the views that it took.
 * view: takes operand `i` as a matrix, with the access that its role needs and the caller's sharing and block
 * size. The other members of `options` (NULL: none) count. *view is set to the call's.
 * share: takes a view as well, but returns DAP_ERR_SHARE, with nothing done, if the operand had to be moved,
 * or is moved for speed.
 * replace: ends the view of operand `i`, the last that was taken, without writing back, and takes `array`,
 * the library's own, for the operand. The report keeps what it says of the operand. */
dap_status dap_linalg_run(MPI_Comm comm, const dap_linalg_arguments *arguments,
                          const dap_linalg_options *options, dap_error *err);
dap_status dap_linalg_view(dap_linalg_call *call, int i, const dap_scalapack_options *options,
                           dap_scalapack_matrix **view);
dap_status dap_linalg_share(dap_linalg_call *call, int i, const dap_scalapack_options *options,
                            dap_scalapack_matrix **view);
dap_status dap_linalg_replace(dap_linalg_call *call, int i, dap_darray array,
                              const dap_scalapack_options *options, dap_scalapack_matrix **view);

/* note: what became of an operand that has no view, or of its own moves beside it. Not collective; the same
 * text on every process. */
void dap_linalg_note(dap_linalg_call *call, int i, int64_t moved_bytes, const char *reason);

/* arguments.c: what begin checks on this process alone; element types, once they are known to be the same on
 * every process; whether two operands begin at one address; the elements of operand `i` that this process
 * owns, without padding */
dap_status dap_linalg_check(const dap_linalg_call *call, dap_error *err);
dap_status dap_linalg_check_types(const dap_linalg_call *call, dap_error *err);
bool dap_linalg_is_same_buffer(const dap_linalg_argument *a, const dap_linalg_argument *b);
dap_array dap_linalg_owned_part(const dap_linalg_call *call, int i);

/* work.c. All are collective: they fail on every process or on none.
 * work: zeroed space for `count` elements of `dtype`, at least one, that end frees. count < 0: DAP_ERR_RANGE.
 * free: gives back what was asked for since there were `count` blocks (call->block_count). Not collective.
 * check_work: DAP_ERR_RANGE if so many elements exceed ScaLAPACK's integers. Not collective.
 * asked: elements that a routine put into its WORK(1) when asked with LWORK = -1; -1: too many. Not
 * collective.
 * mpi: DAP_ERR_LIBRARY on every process if the MPI call `what` returned another `code` than MPI_SUCCESS on
 * one.
 * sums: adds up `count` numbers of all processes, to the same bits on every one, so that decisions may depend
 * on them. most: finds the largest of each. reduce: an MPI_Allreduce in place.
 * spread: sends `count` numbers of the matrix's real type from process 0 to all.
 * info: a negative one of `routine` anywhere becomes DAP_ERR_LIBRARY. Else sets *info to the least positive
 * one of all processes, or 0. The caller says what a positive one means, with numeric.
 * succeeds: DAP_ERR_LIBRARY if `info` is not 0 on any process. For a `routine` that has no positive one.
 * numeric: DAP_ERR_NUMERIC with a text and report.info; not collective. */
dap_status dap_linalg_check_work(const dap_linalg_call *call, int64_t count);
dap_status dap_linalg_work(dap_linalg_call *call, int64_t count, dap_dtype dtype, void **space);
void dap_linalg_work_free(dap_linalg_call *call, int count);
int64_t dap_linalg_asked(dap_dtype dtype, const void *asked);
dap_status dap_linalg_mpi(dap_linalg_call *call, int code, const char *what);
dap_status dap_linalg_reduce(dap_linalg_call *call, void *values, int64_t count, MPI_Datatype type,
                             MPI_Op op);
dap_status dap_linalg_sums(dap_linalg_call *call, double values[], int64_t count);
dap_status dap_linalg_most(dap_linalg_call *call, double values[], int64_t count);
dap_status dap_linalg_spread(dap_linalg_call *call, void *numbers, int64_t count);
dap_status dap_linalg_info(dap_linalg_call *call, const char *routine, dap_scalapack_int *info);
dap_status dap_linalg_succeeds(dap_linalg_call *call, const char *routine, dap_scalapack_int info);
dap_status dap_linalg_numeric(dap_linalg_call *call, int64_t info, const char *format, ...) DAP_PRINTF(3, 4);

/* room.c: memory that PBLAS and BLACS take while they compute. They end the program if they cannot have
 * it.
 * count: adds the panels of a view. Not collective.
 * check: DAP_ERR_NOMEM if the system does not grant what is counted. Not collective.
 * headroom: a check that all processes agree on. Work and finite make the same check, so only functions that
 * call neither need it. */
void dap_linalg_headroom_count(dap_linalg_call *call, const dap_scalapack_matrix *view);
dap_status dap_linalg_headroom_check(const dap_linalg_call *call, dap_error *err);
dap_status dap_linalg_headroom(dap_linalg_call *call);

/* beside.c: workspace that is distributed like a view, zeroed, without gaps; and copies between views.
 * space_like: has its own type. space_of: has its own type and extents. columns_beside: has `count` columns
 * of the matrix's type, whose rows are on the process rows of M's. All are collective.
 * fill: sets the diagonal of a view's matrix to `diagonal`, and all other elements to 0. Collective.
 * copy_seen: copies the first rows and columns to all of `to`, transposed if their ops differ. Collective.
 * copy_first: the same without transposing. Each process copies by itself if both are distributed alike, as
 * geadd takes time with the square of the rows. Collective.
 * copy_part: copies this process's elements, between two that are distributed alike. Not collective.
 * mirror: fills the triangle other than `uplo` of c with the transpose ('T') or conjugate transpose ('C') of
 * the triangle `uplo`. Overwrites `copy`, which is distributed like c. Collective on the grid. */
void dap_linalg_fill(const dap_linalg_call *call, const void *diagonal, const dap_scalapack_matrix *view);
void dap_linalg_copy_seen(const dap_linalg_call *call, const dap_scalapack_matrix *from,
                          const dap_scalapack_matrix *to);
dap_status dap_linalg_space_like(dap_linalg_call *call, const dap_scalapack_matrix *like, dap_dtype dtype,
                                 dap_scalapack_matrix *view);
dap_status dap_linalg_space_of(dap_linalg_call *call, const dap_scalapack_matrix *like, int64_t rows,
                               int64_t cols, dap_dtype dtype, dap_scalapack_matrix *view);
dap_status dap_linalg_columns_beside(dap_linalg_call *call, const dap_scalapack_matrix *m, int64_t count,
                                     dap_scalapack_matrix *view);
void dap_linalg_copy_first(const dap_linalg_call *call, dap_scalapack_int rows, dap_scalapack_int cols,
                           const dap_scalapack_matrix *from, const dap_scalapack_matrix *to);
void dap_linalg_copy_part(const dap_linalg_call *call, const dap_scalapack_matrix *from,
                          const dap_scalapack_matrix *to);
void dap_linalg_mirror(const dap_linalg_call *call, char uplo, char trans, const dap_scalapack_matrix *c,
                       const dap_scalapack_matrix *copy);

/* shape.c. Extents as a matrix: a vector is a column. An operand that was left out has none.
 * square, fits: DAP_ERR_ARG, the same on every process, naming the operand and what was expected.
 * local: rows [0] and columns [1] of a view's matrix that this process has.
 * is_inside: whether this process is on the view's grid. All are, unless the view needs `occupied`; outside
 * no routine of ScaLAPACK may be called. */
int64_t dap_linalg_rows(const dap_linalg_call *call, int i);
int64_t dap_linalg_cols(const dap_linalg_call *call, int i);
dap_status dap_linalg_square(dap_linalg_call *call, int i);
dap_status dap_linalg_fits(dap_linalg_call *call, int i, int64_t rows, int64_t cols);
void dap_linalg_local(const dap_scalapack_matrix *view, int64_t extents[2]);
static inline bool dap_linalg_is_inside(const dap_scalapack_matrix *view)
{
  return view->desc[DAP_CTXT] >= 0;
}

/* move.c: by plans. All are collective.
 * move: operand `i` to or, with `back`, from `data`, a buffer as `inside` says; notes it in the report.
 * move_plan, move_run: its two steps, for functions that must have all plans before they write a result.
 * fetch_whole: an operand to a whole matrix on process 0.
 * return_whole: whole matrices to operands. If memory is short no operand is written to. whole_plan,
 * whole_run: its two steps for one operand.
 * hand_out: a whole real matrix to the first rows and columns of a view of the matrix's type. */
dap_status dap_linalg_move(dap_linalg_call *call, int i, const dap_side *inside, void *data, bool back,
                           const char *reason);
dap_status dap_linalg_move_plan(dap_linalg_call *call, int i, const dap_side *inside, bool back,
                                dap_plan **plan);
dap_status dap_linalg_move_run(dap_linalg_call *call, int i, dap_plan *plan, void *data, bool back,
                               const char *reason);
typedef struct dap_linalg_whole {
  int operand;
  void *
      data; /* (rows, cols) of `dtype` on process 0, columns without gaps; if transposed, rows without gaps */
  int64_t rows, cols;
  dap_dtype dtype;
  bool transposed;
} dap_linalg_whole;
dap_status dap_linalg_fetch_whole(dap_linalg_call *call, const dap_linalg_whole *w);
dap_status dap_linalg_return_whole(dap_linalg_call *call, const dap_linalg_whole wholes[], int count);
dap_status dap_linalg_whole_plan(dap_linalg_call *call, const dap_linalg_whole *w, dap_plan **plan);
dap_status dap_linalg_whole_run(dap_linalg_call *call, const dap_linalg_whole *w, dap_plan *plan);
dap_status dap_linalg_hand_out(dap_linalg_call *call, int64_t rows, int64_t cols, void *data,
                               const dap_scalapack_matrix *view);

/* move.c: stores a result that every process has in full, values [rows] of the array's type, in this
 * process's part of operand `i`, a vector or a column. Notes it in the report. Not collective. */
dap_status dap_linalg_store_replicated(dap_linalg_call *call, int i, const void *values);

/* aligned.c: operands that go into one call; all are collective, and for `routine`.
 * first: takes the first view of a call: of the first operand in `order` that can be shared, else of
 * order[0].
 * aligned: a view beside `like`, with `op`; 0: one that can be shared, else that of `like`.
 * moved_as: as dap_linalg_view(); where the operand is moved, and not to keep its values, it is so as the
 * matrix with this op, with which what follows is faster. lower_op: that with which the triangle `uplo` of
 * the array is the matrix's lower one. */
dap_status dap_linalg_view_first(dap_linalg_call *call, const int order[], int count, const char *routine,
                                 int *leader);
dap_status dap_linalg_view_aligned(dap_linalg_call *call, int i, const char *routine,
                                   const dap_scalapack_matrix *like, char op, dap_scalapack_matrix **view);
dap_status dap_linalg_view_moved_as(dap_linalg_call *call, int i, char op,
                                    const dap_scalapack_options *options, dap_scalapack_matrix **view);
static inline char dap_linalg_lower_op(char uplo)
{
  return uplo == 'U' ? 'T' : 'N';
}

/* norm.c: the norm '1', 'I', 'F' or 'M' of the array of a view that is not empty; NaN if it has one.
 * Collective. sum_norms: '1' and 'I' together. seen: what it is called for the view's matrix. */
dap_status dap_linalg_norm_of(dap_linalg_call *call, char norm, const dap_scalapack_matrix *view,
                              double *value);
dap_status dap_linalg_sum_norms(dap_linalg_call *call, const dap_scalapack_matrix *view, double norms[2]);
char dap_linalg_norm_seen(char norm, char op);

/* elements.c: this process's elements of a view's matrix, by their indices in its local part. Only
 * dap_linalg_diagonal() is collective.
 * global: 0-based row (axis 0) or column (1) of the matrix. element: where it is; columns are contiguous.
 * value, set: real and imaginary part.
 * within: whether an element is in the triangle `uplo`: 'L', 'U', without the diagonal 'l', 'u'; 'A': always.
 * next_diagonal: goes through the diagonal's; start with {-1, -1}; false when there is none left.
 * conjugate: all of them, in place; nothing for real ones.
 * make_diagonal_real: sets the imaginary parts of the diagonal to 0.
 * diagonal, which is collective: the real parts of the elements (i + below, i + right), i < count, to every
 * process. */
typedef struct dap_linalg_part {
  const dap_scalapack_matrix *view;
  int64_t extents[2], item;              /* extents in elements, and bytes of an element */
  dap_scalapack_int procs[2], coords[2]; /* the grid, and this process in it */
  int components;                        /* numbers in an element: 1, or 2 if it is complex */
  dap_dtype real;                        /* the type of one number */
} dap_linalg_part;

dap_linalg_part dap_linalg_part_of(const dap_linalg_call *call, const dap_scalapack_matrix *view);
int64_t dap_linalg_global(const dap_linalg_part *part, int axis, int64_t local);
void *dap_linalg_element(const dap_linalg_part *part, int64_t row, int64_t col);
void dap_linalg_value(const dap_linalg_part *part, int64_t row, int64_t col, double value[2]);
void dap_linalg_set(const dap_linalg_part *part, int64_t row, int64_t col, const double value[2]);
bool dap_linalg_within(const dap_linalg_part *part, char uplo, int64_t row, int64_t col);
bool dap_linalg_next_diagonal(const dap_linalg_part *part, int64_t at[2]);
dap_status dap_linalg_diagonal(dap_linalg_call *call, const dap_scalapack_matrix *view, int below, int right,
                               int64_t count, double values[]);
void dap_linalg_conjugate(const dap_linalg_call *call, const dap_scalapack_matrix *view);
void dap_linalg_make_diagonal_real(const dap_linalg_call *call, const dap_scalapack_matrix *view);

/* elements.c: absolute values of `count` elements of a column, from a local row on, at most
 * DAP_LINALG_STRETCH at a time; and the sum of some numbers. Not collective. */
enum { DAP_LINALG_STRETCH = 512 };
int64_t dap_linalg_stretch(const dap_linalg_part *part, int64_t row); /* how many there are from there on */
void dap_linalg_magnitudes(const dap_linalg_part *part, int64_t row, int64_t col, int64_t count, double to[]);
double dap_linalg_total(const double values[], int64_t count);

/* blocks.c: adds to what the view of operand `i` needs that it is factorised; a copy to keep values lies in
 * the array's own blocks. */
void dap_linalg_choose_blocks(const dap_linalg_call *call, int i, dap_scalapack_options *o);

/* scale.c: multiplies a view's matrix, or its triangle `uplo` ('A': all), by a power of 2, *sigma, that keeps
 * squares of its elements within range; 1, as a rule, does nothing. Collective. back: divides `count` numbers
 * of the real type by it. Not collective.
 * factor: that power of 2 of a matrix whose largest part is `most`. Not collective.
 * scale_up: scales matrices of very small elements only, of which reciprocals overflow. Collective.
 * multiply_by: multiplies each element of a view's matrix by a power of 2. Not collective.
 * largest: the largest absolute value of a real or imaginary part of a view's matrix. Collective.
 * largest_part: that of `count` elements; NaN or infinity if one is not finite. Raises no floating-point
 * exception. Not collective. */
dap_status dap_linalg_scale_up(dap_linalg_call *call, const dap_scalapack_matrix *view, char uplo,
                               double *sigma);
void dap_linalg_multiply_by(const dap_linalg_call *call, const dap_scalapack_matrix *view, double factor);
dap_status dap_linalg_largest(dap_linalg_call *call, const dap_scalapack_matrix *view, char uplo,
                              double *value);
double dap_linalg_largest_part(const dap_linalg_call *call, const void *elements, int64_t count);
double dap_linalg_scale_factor(const dap_linalg_call *call, double most);
dap_status dap_linalg_scale(dap_linalg_call *call, const dap_scalapack_matrix *view, char uplo,
                            double *sigma);
void dap_linalg_scale_back(const dap_linalg_call *call, int64_t count, double sigma, void *values);

/* finite.c: DAP_ERR_NUMERIC if the operand that has this view (one of none: the first operand), or its
 * triangle `uplo` ('A': all; 'l', 'u': without the diagonal), has NaN or infinity. Collective. */
dap_status dap_linalg_finite(dap_linalg_call *call, const dap_scalapack_matrix *view, char uplo);

/* DAP_ERR_NUMERIC if a result, which `what` names, has NaN or infinity. Collective. */
dap_status dap_linalg_finite_result(dap_linalg_call *call, const dap_scalapack_matrix *view,
                                    const char *what);

/* The same, not collective, of a result of `count` numbers of the matrix's real type: `what` names one of
 * them. */
dap_status dap_linalg_finite_values(dap_linalg_call *call, int64_t count, const void *values,
                                    const char *what);

/* ScaLAPACK's integers as an element type. */
static inline dap_dtype dap_linalg_integer(void)
{
  return sizeof(dap_scalapack_int) == 8 ? DAP_I8 : DAP_I4;
}

/* Number k of an array of the real type `real`. */
static inline double dap_linalg_get_real(dap_dtype real, const void *numbers, int64_t k)
{
  return real == DAP_F4 ? (double)((const float *)numbers)[k] : ((const double *)numbers)[k];
}
static inline void dap_linalg_put_real(dap_dtype real, void *numbers, int64_t k, double value)
{
  if (real == DAP_F4)
    ((float *)numbers)[k] = (float)value;
  else
    ((double *)numbers)[k] = value;
}

static inline bool dap_linalg_is_complex(const dap_linalg_call *call)
{
  return call->lib->dtype != call->lib->real;
}

#endif
