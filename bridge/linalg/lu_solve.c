/* Substitution by LU factors, from the left or from the right. */
#include "linalg_impl.h"

dap_status dap_lu_align(dap_linalg_call *call, const dap_scalapack_int pivots[],
                        const dap_scalapack_matrix *s, dap_swaps *swaps)
{
  const dap_linalg_part part = dap_linalg_part_of(call, s);
  const int axis = dap_linalg_side(s) == 'L' ? 0 : 1;
  const dap_scalapack_int block = s->desc[4 + axis];
  void *space;
  DAP_TRY(dap_linalg_work(call, part.extents[axis] + block, dap_linalg_integer(), &space));
  swaps->pivots = space;
  for (int64_t i = 0; i < part.extents[axis]; i++)
    swaps->pivots[i] = pivots[dap_linalg_global(&part, axis, i)];

  const dap_scalapack_int extent = s->desc[2 + axis] + block * part.procs[axis];
  const dap_scalapack_int column[9] = {1, s->desc[1], extent, 1, block, 1, s->desc[6], part.coords[1], 0};
  const dap_scalapack_int row[9] = {1, s->desc[1], 1, extent, 1, block, part.coords[0], s->desc[7], 1};
  for (int k = 0; k < 9; k++) swaps->desc[k] = axis == 0 ? column[k] : row[k];
  if (axis == 0) swaps->desc[8] = (dap_scalapack_int)part.extents[0] + block;
  return DAP_OK;
}

/* direction 'F': the factorisation's order; 'B': backwards. */
static void swap(const dap_linalg_call *call, const dap_swaps *with, char direction,
                 const dap_scalapack_matrix *s)
{
  const bool left = dap_linalg_side(s) == 'L';
  const dap_scalapack_int first = 1;
  call->lib->lapiv(&direction, left ? "R" : "C", left ? "C" : "R", &s->m, &s->n, s->data, &s->ia, &s->ja,
                   s->desc, with->pivots, &first, &first, with->desc, NULL);
}

/* M = P L U. From the left with M, and from the right with its transpose, P comes first. */
void dap_lu_substitute(const dap_linalg_call *call, const dap_scalapack_matrix *m, const dap_swaps *swaps,
                       char trans, const dap_scalapack_matrix *s)
{
  if ((dap_linalg_side(s) == 'L') == (trans == 'N')) {
    swap(call, swaps, 'F', s);
    dap_linalg_triangular(call, 'L', trans, 'U', m, s);
    dap_linalg_triangular(call, 'U', trans, 'N', m, s);
  } else {
    dap_linalg_triangular(call, 'U', trans, 'N', m, s);
    dap_linalg_triangular(call, 'L', trans, 'U', m, s);
    swap(call, swaps, 'B', s);
  }
}
