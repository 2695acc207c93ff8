/* Declares the types and functions that the files for dense linear algebra share. They use public headers
 * only. Every function of linalg.h has this form:
 *
 *     static dap_status solve(dap_linalg_call *call)
 *     dap_status dap_linalg_solve(MPI_Comm comm, ...)
 *     {
 *       const dap_linalg_arguments arguments = {
 *           __func__, solve,
 *           .operands = {{"A", a, DAP_LINALG_WORK, "nn"}, {"B", b, DAP_LINALG_UPDATE, "n[r]"}},
 *           .choices = {{"trans", trans, "NTC"}}};
 *       return dap_linalg_run(comm, &arguments, options, err);
 *     } */
#ifndef DAP_LINALG_IMPL_H
#define DAP_LINALG_IMPL_H

#include "call_impl.h"

/* routines.c: those of an element type; NULL for one that ScaLAPACK does not have. */
const dap_linalg_routines *dap_linalg_routines_of(dap_dtype dtype);

/* call.c. All are collective, except note.
 * run: checks the arguments, calls arguments->work if they are right, and ends the views that it took. `work`
 * begins with arguments that are right and the same on every process. The helpers below agree on a status
 * before anything collective relies on it, and run agrees on the status of `work`.
 * view: takes operand `i` as a matrix, with the access that its role needs and the caller's sharing and block
 * size. Other members of `options` count as they are (NULL: defaults). Sets *view to the call's view.
 * share: does the same, but returns DAP_ERR_SHARE, with nothing done, if the operand would have to be moved,
 * or is faster when it is moved.
 * bits_of: a number for a dap_linalg_word. Not collective.
 * note: adds moves of an operand beside its view, and their reason, to the report. */
dap_status dap_linalg_run(MPI_Comm comm, const dap_linalg_arguments *arguments,
                          const dap_linalg_options *options, dap_error *err);
dap_status dap_linalg_view(dap_linalg_call *call, int i, const dap_scalapack_options *options,
                           dap_scalapack_matrix **view);
dap_status dap_linalg_share(dap_linalg_call *call, int i, const dap_scalapack_options *options,
                            dap_scalapack_matrix **view);
uint64_t dap_linalg_bits_of(double number);
void dap_linalg_note(dap_linalg_call *call, int i, int64_t moved_bytes, const char *reason);

/* arguments.c. Not collective.
 * check: checks what one process can see of its arguments.
 * check_types, check_shapes: check element types and extents, once these are known to be the same on every
 * process. check_types sets call->lib.
 * fits: DAP_ERR_ARG, the same on every process, unless an operand has these extents or was left out.
 * rows, cols: extents of an operand as a matrix. A vector is a column. 0 for an operand that was left out.
 * is_same_buffer: whether two operands that are not empty begin at one address.
 * owned_part: the elements of an operand that this process owns, without padding. */
dap_status dap_linalg_check(const dap_linalg_call *call, dap_error *err);
dap_status dap_linalg_check_types(dap_linalg_call *call);
dap_status dap_linalg_check_shapes(dap_linalg_call *call);
dap_status dap_linalg_fits(dap_linalg_call *call, int i, int64_t rows, int64_t cols);
int64_t dap_linalg_rows(const dap_linalg_call *call, int i);
int64_t dap_linalg_cols(const dap_linalg_call *call, int i);
bool dap_linalg_is_same_buffer(const dap_linalg_argument *a, const dap_linalg_argument *b);
dap_array dap_linalg_owned_part(const dap_linalg_call *call, const dap_linalg_argument *given);

/* work.c. Functions without "not collective" fail on every process or on none.
 * check_work: DAP_ERR_RANGE if `count` is below 0 or exceeds ScaLAPACK's integers. Not collective.
 * work: sets the pointer at `space` to `count` zeroed elements of `dtype`, at least one, which the end frees.
 * free: frees the blocks of workspace from number `count` on (call->block_count). Not collective.
 * asked: elements that a routine asks for in WORK(1) if LWORK is -1; -1: too many. Not collective.
 * mpi: DAP_ERR_LIBRARY if the MPI call `what` returned another `code` than MPI_SUCCESS on any process.
 * reduce: an MPI_Allreduce in place.
 * sums: adds up numbers of all processes, to the same bits on every one, so decisions may depend on them.
 * most: finds the largest of each number.
 * spread: sends `count` numbers of the matrix's real type from process 0 to all.
 * info: DAP_ERR_LIBRARY if the info of `routine` is below 0 on any process. Else sets *info to the smallest
 * positive one of all processes, or 0. The caller tells by numeric what a positive one means.
 * check_info: the same, but DAP_ERR_NUMERIC with this positive info between two texts.
 * succeeds: DAP_ERR_LIBRARY if `info` is not 0 on any process.
 * numeric: DAP_ERR_NUMERIC with a text and report.info. Not collective. */
dap_status dap_linalg_check_work(const dap_linalg_call *call, int64_t count);
dap_status dap_linalg_work(dap_linalg_call *call, int64_t count, dap_dtype dtype, void *space);
void dap_linalg_work_free(dap_linalg_call *call, int count);
int64_t dap_linalg_asked(dap_dtype dtype, const void *asked);
dap_status dap_linalg_mpi(dap_linalg_call *call, int code, const char *what);
dap_status dap_linalg_reduce(dap_linalg_call *call, void *values, int64_t count, MPI_Datatype type,
                             MPI_Op op);
dap_status dap_linalg_sums(dap_linalg_call *call, double values[], int64_t count);
dap_status dap_linalg_most(dap_linalg_call *call, double values[], int64_t count);
dap_status dap_linalg_spread(dap_linalg_call *call, void *numbers, int64_t count);
dap_status dap_linalg_info(dap_linalg_call *call, const char *routine, dap_scalapack_int *info);
dap_status dap_linalg_check_info(dap_linalg_call *call, const char *routine, dap_scalapack_int info,
                                 const char *before, const char *after);
dap_status dap_linalg_succeeds(dap_linalg_call *call, const char *routine, dap_scalapack_int info);
dap_status dap_linalg_numeric(dap_linalg_call *call, int64_t info, const char *format, ...) DAP_PRINTF(3, 4);

/* room.c: memory that PBLAS and BLACS take while they compute. They end the program if it is refused.
 * count: adds the panels of a view. Not collective.
 * check: DAP_ERR_NOMEM if the system does not grant what is counted. Not collective.
 * headroom: the same, agreed. Work and finite check as well, so only functions that call neither need it. */
void dap_linalg_headroom_count(dap_linalg_call *call, const dap_scalapack_matrix *view);
dap_status dap_linalg_headroom_check(const dap_linalg_call *call, dap_error *err);
dap_status dap_linalg_headroom(dap_linalg_call *call);

/* beside.c: zeroed workspace that is distributed like a view, and copies. All but copy_part are collective.
 * fill: sets the diagonal of a view's matrix to `diagonal`, and all other elements to 0.
 * space_of: makes a matrix of another type and other extents.
 * columns_beside: makes `count` columns of the matrix's type, whose rows are on the process rows of M's.
 * copy_seen: copies the first rows and columns to all of `to`, transposed if their ops differ.
 * copy_first: copies the first rows and columns. Each process copies by itself if both are distributed alike,
 * because geadd takes time with the square of the rows.
 * copy_part: copies this process's elements between two that are distributed alike. Not collective.
 * mirror: fills the triangle other than `uplo` of c with the transpose ('T') or conjugate transpose ('C') of
 * the triangle `uplo`. Overwrites `copy`, which is distributed like c. */
void dap_linalg_fill(const dap_linalg_call *call, const void *diagonal, const dap_scalapack_matrix *view);
void dap_linalg_copy_seen(const dap_linalg_call *call, const dap_scalapack_matrix *from,
                          const dap_scalapack_matrix *to);
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

/* Whether this process is on the view's grid. Only a view that needs `occupied` leaves some outside, where no
 * routine of ScaLAPACK may be called. */
static inline bool dap_linalg_is_inside(const dap_scalapack_matrix *view)
{
  return view->desc[DAP_CTXT] >= 0;
}

/* move.c: moves by plans. All are collective, except store_replicated.
 * move: moves operand `i` to or, with `back`, from `data`, which `inside` describes. Notes the move.
 * move_plan, move_run: its two steps, for functions that need all plans before they write a result.
 * whole_plan, whole_run: the same for a whole matrix on process 0.
 * move_wholes: moves operands to whole matrices or, with `back`, from them. Leaves out operands that are not
 * given. If memory is short none is written to.
 * hand_out: moves a whole real matrix to the first rows and columns of a view of the matrix's type.
 * store_replicated: stores a result that every process has in full, values [rows] of the array's type, in
 * this process's part of operand `i`, a vector or a column. Notes it in the report. */
dap_status dap_linalg_move(dap_linalg_call *call, int i, const dap_side *inside, void *data, bool back,
                           const char *reason);
dap_status dap_linalg_move_plan(dap_linalg_call *call, int i, const dap_side *inside, bool back,
                                dap_plan **plan);
dap_status dap_linalg_move_run(dap_linalg_call *call, int i, dap_plan *plan, void *data, bool back,
                               const char *reason);
typedef struct dap_linalg_whole {
  int operand;
  void *data; /* (rows, cols) of `dtype` on process 0, without gaps: columns or, if transposed, rows */
  int64_t rows, cols;
  dap_dtype dtype;
  bool transposed;
} dap_linalg_whole;
dap_status dap_linalg_move_wholes(dap_linalg_call *call, const dap_linalg_whole wholes[], int count,
                                  bool back);
dap_status dap_linalg_whole_plan(dap_linalg_call *call, const dap_linalg_whole *w, bool back,
                                 dap_plan **plan);
dap_status dap_linalg_whole_run(dap_linalg_call *call, const dap_linalg_whole *w, bool back, dap_plan *plan);
dap_status dap_linalg_hand_out(dap_linalg_call *call, int64_t rows, int64_t cols, void *data,
                               const dap_scalapack_matrix *view);
dap_status dap_linalg_store_replicated(dap_linalg_call *call, int i, const void *values);

/* aligned.c: views of operands that go into one call of `routine`. All are collective.
 * first: takes the view of the first operand in `order` that can be shared, else of order[0].
 * aligned: takes a view beside `like` with `op`. 0: tries both, and moves as `like` if none can be shared.
 * moved_as: takes a view like dap_linalg_view(). An operand that is moved, and not to keep its values, gets
 * `op`, with which routines are faster.
 * lower_op: the op with which the array's triangle `uplo` is the matrix's lower one. */
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

/* norm.c: norms of the array of a view that is not empty; NaN if an element is. Collective, except norm_seen.
 * norm_of: the norm '1', 'I', 'F' or 'M'. sum_norms: '1' and 'I' together.
 * norm_seen: the name that a norm of the array has for the matrix.
 * hermitian_norm: '1', which is 'I', of a Hermitian matrix by the triangle `uplo` of the view's matrix. */
dap_status dap_linalg_norm_of(dap_linalg_call *call, char norm, const dap_scalapack_matrix *view,
                              double *value);
dap_status dap_linalg_sum_norms(dap_linalg_call *call, const dap_scalapack_matrix *view, double norms[2]);
dap_status dap_linalg_hermitian_norm(dap_linalg_call *call, char uplo, const dap_scalapack_matrix *view,
                                     double *value);
char dap_linalg_norm_seen(char norm, char op);

/* elements.c: this process's elements of a view's matrix, by local indices. Not collective.
 * local: rows [0] and columns [1] that this process has.
 * global: the row (axis 0) or column (1) in the matrix, from 0.
 * element: the address of an element. Columns are contiguous.
 * value, set: the real and imaginary part of an element. size: its absolute value.
 * within: whether an element is in the triangle `uplo`: 'L', 'U'; without the diagonal 'l', 'u'; 'A': always.
 * next: goes to the next element down the columns, from {-1, 0} on; false at the end.
 * next_diagonal: goes to the next element with column - row = `right`, from {-1, -1} on; false at the end.
 * conjugate: conjugates all elements. make_diagonal_real: sets imaginary parts of the diagonal to 0. */
typedef struct dap_linalg_part {
  const dap_scalapack_matrix *view;
  int64_t extents[2], item;              /* extents in elements, and bytes of an element */
  dap_scalapack_int procs[2], coords[2]; /* the grid, and this process in it */
  int components;                        /* numbers in an element: 1, or 2 if it is complex */
  dap_dtype real;                        /* the type of one number */
} dap_linalg_part;

void dap_linalg_local(const dap_scalapack_matrix *view, int64_t extents[2]);
dap_linalg_part dap_linalg_part_of(const dap_linalg_call *call, const dap_scalapack_matrix *view);
int64_t dap_linalg_global(const dap_linalg_part *part, int axis, int64_t local);
void *dap_linalg_element(const dap_linalg_part *part, int64_t row, int64_t col);
void dap_linalg_value(const dap_linalg_part *part, int64_t row, int64_t col, double value[2]);
void dap_linalg_set(const dap_linalg_part *part, int64_t row, int64_t col, const double value[2]);
double dap_linalg_size(const dap_linalg_part *part, int64_t row, int64_t col);
bool dap_linalg_within(const dap_linalg_part *part, char uplo, int64_t row, int64_t col);
static inline bool dap_linalg_next(const dap_linalg_part *part, int64_t at[2])
{
  if (++at[0] >= part->extents[0]) at[0] = 0, at[1]++;
  return part->extents[0] > 0 && at[1] < part->extents[1];
}
bool dap_linalg_next_diagonal(const dap_linalg_part *part, int64_t right, int64_t at[2]);
void dap_linalg_conjugate(const dap_linalg_call *call, const dap_scalapack_matrix *view);
void dap_linalg_make_diagonal_real(const dap_linalg_call *call, const dap_scalapack_matrix *view);

/* scale.c. scale and largest are collective.
 * factor: a power of 2 that brings squares of elements within range. The largest real or imaginary part of an
 * element is `most`. The factor is usually 1, which does nothing.
 * scale: multiplies a view's matrix, or its triangle `uplo` ('A': all), by this factor, *sigma. With
 * `tiny_only` does so only if all elements are so small that their reciprocals overflow.
 * back: divides `count` numbers of the real type by sigma.
 * multiply_by: multiplies a view's matrix or its triangle `uplo` by a power of 2.
 * largest: the largest absolute value of a real or imaginary part of a view's matrix.
 * largest_part: that of `count` elements; NaN or infinity if one is not finite. Raises no floating-point
 * exception. */
void dap_linalg_multiply_by(const dap_linalg_call *call, const dap_scalapack_matrix *view, char uplo,
                            double factor);
dap_status dap_linalg_largest(dap_linalg_call *call, const dap_scalapack_matrix *view, char uplo,
                              double *value);
double dap_linalg_largest_part(const dap_linalg_call *call, const void *elements, int64_t count);
double dap_linalg_scale_factor(const dap_linalg_call *call, double most);
dap_status dap_linalg_scale(dap_linalg_call *call, const dap_scalapack_matrix *view, char uplo,
                            bool tiny_only, double *sigma);
void dap_linalg_scale_back(const dap_linalg_call *call, int64_t count, double sigma, void *values);

/* finite.c: DAP_ERR_NUMERIC if an element is NaN or infinity.
 * finite: looks at the operand that has this view (else the first operand), or at its triangle `uplo` ('A':
 * all; 'l', 'u': without the diagonal). Collective.
 * is_finite: looks at this process's part of a view's matrix, and returns the answer. Not collective.
 * finite_result: looks at a result, which `what` names. Collective.
 * finite_values: looks at `count` numbers of the matrix's real type. `what` names one of them. */
dap_status dap_linalg_finite(dap_linalg_call *call, const dap_scalapack_matrix *view, char uplo);
bool dap_linalg_is_finite(const dap_linalg_call *call, const dap_scalapack_matrix *view);
dap_status dap_linalg_finite_result(dap_linalg_call *call, const dap_scalapack_matrix *view,
                                    const char *what);
dap_status dap_linalg_finite_values(dap_linalg_call *call, int64_t count, const void *values,
                                    const char *what);

/* The element type of ScaLAPACK's integers. */
static inline dap_dtype dap_linalg_integer(void)
{
  return sizeof(dap_scalapack_int) == 8 ? DAP_I8 : DAP_I4;
}

/* Reads or writes number k of an array of the type `real`. */
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

/* Returns the value of number `k` of the call's choices. */
static inline char dap_linalg_chosen(const dap_linalg_call *call, int k)
{
  return call->arguments.choices[k].value;
}

static inline bool dap_linalg_is_complex(const dap_linalg_call *call)
{
  return call->lib->parts == 2;
}

#endif
