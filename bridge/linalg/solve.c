/* Linear systems by LU factors.
 *
 * A's buffer is a matrix M with A = M (op 'N') or A = M^T (op 'T'), and B's is S = B, or B^T. Then op(A) X =
 * B is
 *     E S' = S        where S is B, or
 *     S' E = S        where S is B^T (both sides transposed), with E:
 *
 *     trans   ops of A and B alike   ops unlike
 *     'N'     M                      M^T
 *     'T'     M^T                    M
 *     'C'     M^H                    conj(M)
 *
 * as each op 'T' is one transposition more. conj(M), which no routine takes, is M with conjugated right-hand
 * sides and solutions. */
#include "linalg_impl.h"

enum { A, B };

/* What is to be done with M. */
typedef struct equation {
  char trans;     /* 'N', 'T', 'C': M, M^T, M^H */
  bool conjugate; /* conj(M): trans is 'N' */
} equation;

static equation equation_of(char trans, char op_a, char op_b)
{
  const bool transposed = (trans != 'N') != (op_a != op_b);
  if (trans == 'C') return (equation){.trans = transposed ? 'C' : 'N', .conjugate = !transposed};
  return (equation){.trans = transposed ? 'T' : 'N'};
}

/* The pivots as lapiv wants them for S: beside the rows, or the columns, that they permute. */
typedef struct swaps {
  dap_scalapack_int *pivots; /* [local rows or columns + a block, which is lapiv's workspace] */
  dap_scalapack_int desc[9];
} swaps;

static dap_status align_swaps(dap_linalg_call *call, const dap_linalg_lu *lu, const dap_scalapack_matrix *s,
                              swaps *out)
{
  dap_scalapack_int *all;
  DAP_TRY(dap_linalg_lu_pivots(call, lu, &all));
  const dap_linalg_part part = dap_linalg_part_of(call, s);
  const int axis = dap_linalg_side(s) == 'L' ? 0 : 1;
  const dap_scalapack_int block = s->desc[4 + axis];
  void *space;
  DAP_TRY(dap_linalg_work(call, part.extents[axis] + block, dap_linalg_integer(), &space));
  out->pivots = space;
  for (int64_t i = 0; i < part.extents[axis]; i++) out->pivots[i] = all[dap_linalg_global(&part, axis, i)];

  const dap_scalapack_int extent = s->desc[2 + axis] + block * part.procs[axis];
  const dap_scalapack_int column[9] = {1, s->desc[1], extent, 1, block, 1, s->desc[6], part.coords[1], 0};
  const dap_scalapack_int row[9] = {1, s->desc[1], 1, extent, 1, block, part.coords[0], s->desc[7], 1};
  for (int k = 0; k < 9; k++) out->desc[k] = axis == 0 ? column[k] : row[k];
  if (axis == 0) out->desc[8] = (dap_scalapack_int)part.extents[0] + block;
  return DAP_OK;
}

/* direction 'F': the factorisation's order; 'B': backwards. */
static void swap(const dap_linalg_call *call, const swaps *with, char direction,
                 const dap_scalapack_matrix *s)
{
  const bool left = dap_linalg_side(s) == 'L';
  const dap_scalapack_int first = 1;
  call->lib->lapiv(&direction, left ? "R" : "C", left ? "C" : "R", &s->m, &s->n, s->data, &s->ia, &s->ja,
                   s->desc, with->pivots, &first, &first, with->desc, NULL);
}

/* M = P L U. From the left with M, and from the right with its transpose, P comes first. */
static dap_status substitute(dap_linalg_call *call, const dap_linalg_lu *lu, char trans,
                             const dap_scalapack_matrix *s)
{
  swaps with;
  DAP_TRY(align_swaps(call, lu, s, &with));
  if ((dap_linalg_side(s) == 'L') == (trans == 'N')) {
    swap(call, &with, 'F', s);
    dap_linalg_triangular(call, 'L', trans, 'U', lu->matrix, s);
    dap_linalg_triangular(call, 'U', trans, 'N', lu->matrix, s);
  } else {
    dap_linalg_triangular(call, 'U', trans, 'N', lu->matrix, s);
    dap_linalg_triangular(call, 'L', trans, 'U', lu->matrix, s);
    swap(call, &with, 'B', s);
  }
  return DAP_OK;
}

static dap_status solve(dap_linalg_call *call)
{
  DAP_TRY(dap_linalg_square(call, A));
  DAP_TRY(dap_linalg_fits(call, B, dap_linalg_rows(call, A), dap_linalg_cols(call, B)));
  dap_scalapack_matrix *a, *s;
  DAP_TRY(dap_linalg_view(call, A, &(dap_scalapack_options){.routine = "getrf"}, &a));
  DAP_TRY(dap_linalg_view_right_side(call, B, a, &s));
  dap_linalg_lu lu;
  DAP_TRY(dap_linalg_lu_factor(call, a, &lu));
  DAP_TRY(dap_linalg_lu_regular(call, &lu));

  const equation e = equation_of(call->arguments.choices[0].value, a->op, s->op);
  if (e.conjugate) dap_linalg_conjugate(call, s);
  DAP_TRY(substitute(call, &lu, e.trans, s));
  if (e.conjugate) dap_linalg_conjugate(call, s);
  return DAP_OK;
}

dap_status dap_linalg_solve(MPI_Comm comm, char trans, dap_darray a, dap_darray b,
                            const dap_linalg_options *options, dap_error *err)
{
  const dap_linalg_arguments arguments = {
      .function = __func__,
      .operands = {{"A", a, DAP_LINALG_WORK, .ndim = 2},
                   {.name = "B", .operand = b, .role = DAP_LINALG_UPDATE}},
      .choices = {{"trans", trans, "NTC"}}};
  dap_linalg_call call;
  dap_status status = dap_linalg_begin(&call, comm, &arguments, options, err);
  if (!status) status = solve(&call);
  return dap_linalg_end(&call, status);
}
