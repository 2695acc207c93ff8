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
      void *one = (char *)all + index * part.item;
      void *local = dap_linalg_element(&part, i, j);
      memcpy(into_view ? local : one, into_view ? one : local, item);
    }
  }
}

dap_status dap_linalg_svd_gathered(dap_linalg_call *call, dap_linalg_svd_problem *p)
{
  dap_linalg_dense w = {.m = p->a->m, .n = p->a->n, .k = p->k, .has_vectors = true, .s = p->s};
  DAP_TRY(dap_linalg_dense_make_room(call, &w));
  copy_part(call, p->a, w.a, false);
  const int64_t m = w.m, n = w.n, k = w.k, parts = call->lib->parts;
  DAP_TRY(dap_linalg_reduce(call, w.a, m * n * parts, dap_dtype_mpi(call->lib->real), MPI_SUM));
  DAP_TRY(dap_linalg_dense_decompose(call, &w, &p->info));
  DAP_TRY(dap_linalg_spread(call, p->s, k));
  DAP_TRY(dap_linalg_spread(call, w.u, m * k * parts));
  DAP_TRY(dap_linalg_spread(call, w.vt, k * n * parts));
  if (p->left) copy_part(call, p->left, w.u, true);
  if (p->right) copy_part(call, p->right, w.vt, true);
  return DAP_OK;
}
