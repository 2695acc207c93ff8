/* The singular value decomposition of a matrix smaller than the process grid, by LAPACK on process 0. */
#include "svd_impl.h"

#include <string.h>

/* Copies this process's elements of a view to or from the whole matrix. */
static void copy_part(const dap_linalg_call *call, const dap_scalapack_matrix *view, void *all,
                      bool into_view)
{
  const dap_linalg_part part = dap_linalg_part_of(call, view);
  const size_t item = (size_t)part.item;
  for (int64_t j = 0; j < part.extents[1]; j++) {
    for (int64_t i = 0; i < part.extents[0]; i++) {
      const int64_t index = dap_linalg_global(&part, 0, i) + dap_linalg_global(&part, 1, j) * view->m;
      char *one = (char *)all + index * part.item;
      char *local = (char *)view->data + (i + j * (int64_t)view->desc[8]) * part.item;
      memcpy(into_view ? local : one, into_view ? one : local, item);
    }
  }
}

/* Reals of `count` elements of the matrix's type. */
static int reals(const dap_linalg_call *call, int64_t count)
{
  return (int)(dap_linalg_is_complex(call) ? 2 * count : count);
}

/* The matrix on process 0: elements elsewhere are zeros. */
static dap_status gather(dap_linalg_call *call, const dap_linalg_svd_problem *p, const dap_linalg_dense *w)
{
  MPI_Datatype type = call->lib->real == DAP_F4 ? MPI_FLOAT : MPI_DOUBLE;
  const int count = reals(call, (int64_t)p->a->m * p->a->n);
  copy_part(call, p->a, w->a, false);
  const bool first = call->rank == 0;
  return dap_linalg_mpi(
      call, MPI_Reduce(first ? MPI_IN_PLACE : w->a, first ? w->a : NULL, count, type, MPI_SUM, 0, call->comm),
      "MPI_Reduce");
}

static dap_status hand_out(dap_linalg_call *call, const dap_linalg_svd_problem *p, const dap_linalg_dense *w)
{
  MPI_Datatype type = call->lib->real == DAP_F4 ? MPI_FLOAT : MPI_DOUBLE;
  const int64_t m = p->a->m, n = p->a->n, k = p->k;
  DAP_TRY(dap_linalg_mpi(call, MPI_Bcast(p->s, (int)k, type, 0, call->comm), "MPI_Bcast"));
  DAP_TRY(dap_linalg_mpi(call, MPI_Bcast(w->u, reals(call, m * k), type, 0, call->comm), "MPI_Bcast"));
  DAP_TRY(dap_linalg_mpi(call, MPI_Bcast(w->vt, reals(call, k * n), type, 0, call->comm), "MPI_Bcast"));
  if (p->left) copy_part(call, p->left, w->u, true);
  if (p->right) copy_part(call, p->right, w->vt, true);
  return DAP_OK;
}

dap_status dap_linalg_svd_gathered(dap_linalg_call *call, dap_linalg_svd_problem *p)
{
  dap_linalg_dense w = {.m = p->a->m, .n = p->a->n, .k = p->k, .has_vectors = true, .s = p->s};
  DAP_TRY(dap_linalg_dense_make_room(call, &w));
  DAP_TRY(gather(call, p, &w));
  DAP_TRY(dap_linalg_dense_decompose(call, &w, &p->info));
  return hand_out(call, p, &w);
}
