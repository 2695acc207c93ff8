/* Substitutes by factors, from the left or from the right. */
#include "system_impl.h"

#include <string.h>

enum { MOST_WIDE = 64 }; /* right-hand sides that are exchanged at a time */

/* ---- set up ---------------------------------------------------------------------------------------- */

/* All swaps together are a permutation, for which each process exchanges one message with each other process
 * along the axis. ScaLAPACK's lapiv, which getrs calls, swaps rows one by one. Its n messages wait for each
 * other, which takes longer than the substitution if there are few right-hand sides.
 *
 * Sets lines[0][i] to the line that comes to place i if all swaps are made in the factorisation's order, and
 * lines[1] to the inverse permutation. Returns whether any line moves, the same on every process. */
static bool permute(const dap_scalapack_int pivots[], int64_t n, dap_scalapack_int *const lines[2])
{
  bool any = false;
  for (int64_t i = 0; i < n; i++) lines[0][i] = (dap_scalapack_int)i;
  for (int64_t i = 0; i < n; i++) {
    const dap_scalapack_int other = pivots[i] - 1, was = lines[0][i];
    lines[0][i] = lines[0][other];
    lines[0][other] = was;
  }
  for (int64_t i = 0; i < n; i++) {
    lines[1][lines[0][i]] = (dap_scalapack_int)i;
    any = any || lines[0][i] != i;
  }
  return any;
}

/* Finds the ranks of the processes along the axis, which exchange lines. all: room for two numbers of each
 * process. */
static dap_status find_ranks(dap_linalg_call *call, const dap_linalg_part *part, dap_swaps *swaps, int all[])
{
  const int mine[2] = {(int)part->coords[0], (int)part->coords[1]};
  DAP_TRY(
      dap_linalg_mpi(call, MPI_Allgather(mine, 2, MPI_INT, all, 2, MPI_INT, call->comm), "MPI_Allgather"));
  for (int r = 0; r < call->nprocs; r++)
    if (all[2 * r + 1 - swaps->axis] == mine[1 - swaps->axis]) swaps->ranks[all[2 * r + swaps->axis]] = r;
  return DAP_OK;
}

dap_status dap_lu_align(dap_linalg_call *call, const dap_scalapack_int pivots[],
                        const dap_scalapack_matrix *s, dap_swaps *swaps)
{
  const dap_linalg_part part = dap_linalg_part_of(call, s);
  const int axis = dap_linalg_side(s) == 'L' ? 0 : 1;
  const int64_t n = s->desc[DAP_M + axis], width = part.extents[1 - axis];
  const int64_t lines = part.extents[axis], each = lines * (width < MOST_WIDE ? width : MOST_WIDE);
  *swaps = (dap_swaps){.axis = axis};
  dap_scalapack_int *permutations, *places; /* few pieces, because processes agree on each */
  int *numbers;
  char *buffers;
  DAP_TRY(dap_linalg_work(call, 2 * n, dap_linalg_integer(), &permutations));
  for (int k = 0; k < 2; k++) swaps->lines[k] = permutations + k * n;
  swaps->any = permute(pivots, n, swaps->lines);
  if (!swaps->any) return DAP_OK;
  DAP_TRY(dap_linalg_work(call, 2 * lines, dap_linalg_integer(), &places));
  DAP_TRY(dap_linalg_work(call, 7 * (int64_t)call->nprocs, DAP_I4, &numbers));
  DAP_TRY(dap_linalg_work(call, 2 * each, call->lib->dtype, &buffers));
  for (int k = 0; k < 2; k++) {
    swaps->order[k] = places + k * lines;
    swaps->counts[k] = numbers + 2 * k * (int64_t)call->nprocs;
    swaps->buffers[k] = buffers + k * each * part.item;
  }
  swaps->ranks = numbers + 4 * (int64_t)call->nprocs;
  return find_ranks(call, &part, swaps, swaps->ranks + call->nprocs);
}

/* ---- one exchange ---------------------------------------------------------------------------------- */

typedef struct place {
  int64_t proc, local;
} place;

static place place_of(const dap_linalg_part *part, int axis, int64_t i)
{
  const int64_t block = part->view->desc[DAP_MB + axis], procs = part->procs[axis], b = i / block;
  return (place){(b + part->view->desc[DAP_RSRC + axis]) % procs, b / procs * block + i % block};
}

/* Finds the lines to send (order[0]) and to receive (order[1]), by process, and for each process in the order
 * of the places where they go. Lines that stay are left out. counts[.][rank] are their numbers. The places
 * where they begin in the order follow behind these. */
static void plan(const dap_linalg_call *call, const dap_swaps *swaps, const dap_linalg_part *part,
                 const dap_scalapack_int lines[])
{
  const int axis = swaps->axis;
  const int64_t n = part->view->desc[DAP_M + axis], me = part->coords[axis];
  for (int k = 0; k < 2; k++) memset(swaps->counts[k], 0, 2 * (size_t)call->nprocs * sizeof(int));
  for (int fills = 0; fills < 2; fills++) {
    for (int64_t i = 0; i < n; i++) {
      if (lines[i] == i) continue;
      const place to = place_of(part, axis, i), from = place_of(part, axis, lines[i]);
      const bool mine[2] = {from.proc == me, to.proc == me};
      const int peers[2] = {swaps->ranks[to.proc], swaps->ranks[from.proc]};
      const int64_t local[2] = {from.local, to.local};
      for (int k = 0; k < 2; k++) {
        if (!mine[k]) continue;
        int *count = &swaps->counts[k][peers[k]];
        const int first = swaps->counts[k][call->nprocs + peers[k]];
        if (fills) swaps->order[k][first + *count] = (dap_scalapack_int)local[k];
        ++*count;
      }
    }
    for (int k = 0; k < 2 && !fills; k++) {
      int *counts = swaps->counts[k], *starts = counts + call->nprocs;
      for (int r = 1; r < call->nprocs; r++) starts[r] = starts[r - 1] + counts[r - 1];
      memset(counts, 0, (size_t)call->nprocs * sizeof *counts);
    }
  }
}

/* Copies an element of 4, 8 or 16 bytes by one instruction. */
static inline void copy_element(void *to, const void *from, int64_t item)
{
  if (item == 8)
    memcpy(to, from, 8);
  else if (item == 16)
    memcpy(to, from, 16);
  else
    memcpy(to, from, 4);
}

/* Copies `wide` elements from `first` on, or those that are left, of each of `count` lines of S to a buffer,
 * or from it. Processes with fewer elements have none left in the last turns. */
static void copy(const dap_swaps *swaps, const dap_linalg_part *part, int64_t count, int64_t first,
                 int64_t wide, bool packs)
{
  const int64_t item = part->item, lld = part->view->desc[DAP_LLD];
  const int64_t line = swaps->axis == 0 ? 1 : lld, step = swaps->axis == 0 ? lld : 1;
  const int64_t left = part->extents[1 - swaps->axis] - first, width = left < wide ? left : wide;
  for (int64_t l = 0; l < count && width > 0; l++) {
    char *buffer = (char *)swaps->buffers[packs ? 0 : 1] + l * wide * item;
    char *at = (char *)part->view->data + (swaps->order[packs ? 0 : 1][l] * line + first * step) * item;
    for (int64_t k = 0; k < width; k++, buffer += item, at += step * item)
      copy_element(packs ? buffer : at, packs ? at : buffer, item);
  }
}

/* Returns the number of lines that are sent, or received. */
static int64_t lines_of(const dap_linalg_call *call, const int counts[])
{
  return (int64_t)counts[call->nprocs - 1] + counts[2 * call->nprocs - 1];
}

/* Permutes the lines of S in the factorisation's order (direction 'F') or backwards ('B'). Along the other
 * axis, lines are exchanged in as many turns as the widest part needs. Counts fit MPI's int: with more than
 * 2^31 / MOST_WIDE lines, which are 3.3e7, on one process M would have 10^15 elements. */
static dap_status swap(dap_linalg_call *call, const dap_swaps *swaps, char direction,
                       const dap_scalapack_matrix *s)
{
  const dap_linalg_part part = dap_linalg_part_of(call, s);
  const int other = 1 - swaps->axis;
  const dap_scalapack_int *source = &s->desc[DAP_RSRC + other];
  const int64_t widest = numroc_(&s->desc[DAP_M + other], &s->desc[DAP_MB + other], source, source,
                                 &part.procs[other]); /* on any process */
  if (!swaps->any || widest == 0) return DAP_OK;
  const int64_t turns = (widest + MOST_WIDE - 1) / MOST_WIDE;
  const int64_t wide = (part.extents[other] + turns - 1) / turns;
  MPI_Datatype type = dap_dtype_mpi(call->lib->dtype);
  int *const *counts = swaps->counts;
  plan(call, swaps, &part, swaps->lines[direction == 'F' ? 0 : 1]);
  const int64_t lines[2] = {lines_of(call, counts[0]), lines_of(call, counts[1])};
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 2 * call->nprocs; i++) counts[k][i] *= (int)wide; /* of elements from here on */
  for (int64_t turn = 0, first = 0; turn < turns; turn++, first += wide) {
    copy(swaps, &part, lines[0], first, wide, true);
    DAP_TRY(dap_linalg_mpi(call,
                           MPI_Alltoallv(swaps->buffers[0], counts[0], counts[0] + call->nprocs, type,
                                         swaps->buffers[1], counts[1], counts[1] + call->nprocs, type,
                                         call->comm),
                           "MPI_Alltoallv"));
    copy(swaps, &part, lines[1], first, wide, false);
  }
  return DAP_OK;
}

/* ---- substitution ---------------------------------------------------------------------------------- */

/* M = P L U. From the left with M, and from the right with its transpose, P comes first. */
dap_status dap_lu_substitute(dap_linalg_call *call, const dap_scalapack_matrix *m, const dap_swaps *swaps,
                             char trans, const dap_scalapack_matrix *s)
{
  if ((dap_linalg_side(s) == 'L') == (trans == 'N')) {
    DAP_TRY(swap(call, swaps, 'F', s));
    dap_linalg_triangular(call, 'L', trans, 'U', m, s);
    dap_linalg_triangular(call, 'U', trans, 'N', m, s);
    return DAP_OK;
  }
  dap_linalg_triangular(call, 'U', trans, 'N', m, s);
  dap_linalg_triangular(call, 'L', trans, 'U', m, s);
  return swap(call, swaps, 'B', s);
}

/* A matrix with Cholesky factors is Hermitian: M^H is M, and M^T is conj(M). */
dap_status dap_linalg_substitute(dap_linalg_call *call, char uplo, char trans, const dap_scalapack_matrix *m,
                                 const dap_swaps *swaps, const dap_scalapack_matrix *s)
{
  const dap_equation e = dap_equation_of(trans, m->op, s->op);
  const bool conjugate = e.conjugate || (uplo && e.trans == 'T');
  if (conjugate) dap_linalg_conjugate(call, s);
  if (uplo)
    dap_cholesky_substitute(call, uplo, m, s);
  else
    DAP_TRY(dap_lu_substitute(call, m, swaps, e.trans, s));
  if (conjugate) dap_linalg_conjugate(call, s);
  return DAP_OK;
}

dap_status dap_linalg_solution(dap_linalg_call *call, const dap_linalg_system *system,
                               const dap_scalapack_matrix *s)
{
  double not_finite[2]; /* B, X */
  not_finite[0] = !dap_linalg_is_finite(call, s);
  dap_linalg_multiply_by(call, s, 'A', system->sigma);
  DAP_TRY(dap_linalg_substitute(call, system->uplo, system->trans, system->matrix, system->swaps, s));
  not_finite[1] = !dap_linalg_is_finite(call, s);
  DAP_TRY(dap_linalg_most(call, not_finite, 2));
  if (not_finite[0] > 0 || not_finite[1] == 0) return DAP_OK;
  return dap_linalg_numeric(call, 0, "the solution exceeds the range of %s",
                            dap_dtype_name(call->lib->dtype));
}
