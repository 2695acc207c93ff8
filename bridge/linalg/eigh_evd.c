/* Finds eigenvalues by divide and conquer. It takes the steps of syevd and heevd one by one, because these
 * drivers have faults. */
#include "eigh_impl.h"
#include "room_impl.h"

/* Finds the eigenvectors of T, which are real, as columns of q.
 *
 * The drivers syevd and heevd give stedc and ormtr less workspace than these ask for, and leave wrong vectors
 * with info = 0 (github.com/Reference-ScaLAPACK/scalapack/issues/74). They give the eigenvalues of a matrix
 * of one block to one process only. They cannot compute eigenvalues without vectors, or a range. */
static dap_status vectors_of(dap_linalg_call *call, const dap_eigh_problem *p,
                             const dap_linalg_tridiagonal *t, const dap_scalapack_matrix *q)
{
  const dap_linalg_routines *lib = dap_linalg_routines_of(call->lib->real);
  const int64_t n = p->n, block = q->desc[DAP_NB];
  const dap_linalg_part part = dap_linalg_part_of(call, q);
  const int64_t rows = part.extents[0], cols = part.extents[1], procs = part.procs[1];
  /* SRC/pdstedc.f, with one row at least, because pdlaed1.f writes beyond that size if a process has columns
   * but no rows. SRC/pdlasrt.f and, for a single block, SRC/dstedc.f use the same workspace. */
  const int64_t merging = 6 * n + 2 * dap_room_larger(rows, 1) * cols, sorting = rows * (block + cols);
  const int64_t alone = n <= block ? n * n + 4 * n + 1 : 0;
  const int64_t asked = dap_room_larger(dap_room_larger(merging, sorting), alone);
  const int64_t integers = dap_room_larger(7 * n + 8 * procs + 2, n + 2 * (block + procs));
  void *work, *iwork;
  DAP_TRY(dap_linalg_work(call, asked, lib->dtype, &work));
  DAP_TRY(dap_linalg_work(call, integers, dap_linalg_integer(), &iwork));
  const dap_scalapack_int lwork = (dap_scalapack_int)asked, liwork = (dap_scalapack_int)integers;
  dap_scalapack_int info = 0;
  lib->laset("A", &q->n, &q->n, lib->zero, lib->one, DAP_MATRIX(q));
  lib->stedc("I", &q->n, t->d, t->e, DAP_MATRIX(q), work, &lwork, iwork, &liwork, &info);
  DAP_TRY(dap_linalg_check_info(call, "stedc", info, "divide and conquer failed: stedc's info is", ""));
  return dap_linalg_tridiagonal_share(call, p);
}

/* Copies real numbers to complex ones, in matrices that lie alike. */
static void make_complex(const dap_linalg_call *call, const dap_scalapack_matrix *from,
                         const dap_scalapack_matrix *to)
{
  const dap_linalg_part part = dap_linalg_part_of(call, to);
  for (int64_t at[2] = {-1, 0}; dap_linalg_next(&part, at);) {
    const int64_t k = at[0] + at[1] * from->desc[DAP_LLD];
    dap_linalg_set(&part, at[0], at[1],
                   (const double[2]){dap_linalg_get_real(call->lib->real, from->data, k), 0});
  }
}

/* Copies the chosen columns of q to z. */
static dap_status take_columns(dap_linalg_call *call, const dap_eigh_problem *p,
                               const dap_scalapack_matrix *q)
{
  const dap_dtype real = call->lib->real;
  if (!dap_linalg_is_complex(call)) {
    dap_linalg_eigh_columns(real, q, p->first, p->count, p->z);
    return DAP_OK;
  }
  dap_scalapack_matrix chosen = *q;
  if (p->room != p->n || p->count != p->n) {
    DAP_TRY(dap_linalg_space_of(call, p->z, p->n, p->room, real, &chosen));
    dap_linalg_eigh_columns(real, q, p->first, p->count, &chosen);
  }
  make_complex(call, &chosen, p->z);
  return DAP_OK;
}

dap_status dap_linalg_eigh_divide(dap_linalg_call *call, dap_eigh_problem *p, const dap_linalg_tridiagonal *t)
{
  dap_scalapack_matrix q;
  if (p->z) {
    DAP_TRY(dap_linalg_is_complex(call) /* stedc's vectors are real */
                ? dap_linalg_space_of(call, p->a, p->n, p->n, call->lib->real, &q)
                : dap_linalg_eigh_vectors(call, p, &q));
    DAP_TRY(vectors_of(call, p, t, &q));
  } else {
    DAP_TRY(dap_linalg_tridiagonal_values(call, p, t));
  }
  dap_linalg_scale_back(call, p->n, t->sigma, p->w);
  DAP_TRY(dap_linalg_eigh_choose(call, p));
  if (!p->z) return DAP_OK;
  DAP_TRY(take_columns(call, p, &q));
  return dap_linalg_tridiagonal_back(call, p, t);
}

dap_status dap_linalg_eigh_evd(dap_linalg_call *call, dap_eigh_problem *p)
{
  dap_linalg_tridiagonal t;
  DAP_TRY(dap_linalg_tridiagonal_reduce(call, p, &t));
  return dap_linalg_eigh_divide(call, p, &t);
}
