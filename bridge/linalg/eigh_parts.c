/* Chooses the eigenvalues that are wanted, and the place of vectors. */
#include "eigh_impl.h"

#include <inttypes.h>

/* Counts the eigenvalues up to `bound`. */
static int64_t up_to(const dap_linalg_call *call, const dap_eigh_problem *p, double bound)
{
  int64_t k = 0;
  while (k < p->n && dap_linalg_get_real(call->lib->real, p->w, k) <= bound) k++;
  return k;
}

dap_status dap_linalg_eigh_choose(dap_linalg_call *call, dap_eigh_problem *p)
{
  int64_t stop = p->n;
  p->first = 0;
  if (p->wanted.range == DAP_EIGH_BY_INDEX) p->first = p->wanted.start, stop = p->wanted.stop;
  if (p->wanted.range == DAP_EIGH_BY_VALUE) {
    p->first = up_to(call, p, p->wanted.above);
    stop = up_to(call, p, p->wanted.up_to);
  }
  p->count = call->report->found = stop - p->first;
  DAP_REQUIRE(p->count <= p->room, call->err, DAP_ERR_ARG,
              "W has room for %" PRId64 " eigenvalues, %" PRId64 " are in (%g, %g]", p->room, p->count,
              p->wanted.above, p->wanted.up_to);
  return DAP_OK;
}

dap_status dap_linalg_eigh_vectors(dap_linalg_call *call, const dap_eigh_problem *p,
                                   dap_scalapack_matrix *vectors)
{
  if (p->z && p->room == p->n && p->wanted.range != DAP_EIGH_BY_VALUE) { /* none needs to be moved in it */
    *vectors = *p->z;
    return DAP_OK;
  }
  int64_t extents[2];
  *vectors = *p->a;
  dap_linalg_local(p->a, extents);
  return dap_linalg_work(call, p->a->desc[DAP_LLD] * extents[1], call->lib->dtype, &vectors->data);
}

void dap_linalg_eigh_columns(dap_dtype dtype, const dap_scalapack_matrix *from, int64_t first, int64_t count,
                             const dap_scalapack_matrix *to)
{
  const dap_linalg_routines *lib = dap_linalg_routines_of(dtype);
  const dap_scalapack_int columns = (dap_scalapack_int)count, one = 1;
  const dap_scalapack_int column = (dap_scalapack_int)first + 1;
  if (!dap_linalg_is_inside(to)) return;
  if (count == 0 || (from->data == to->data && first == 0 && from->n == to->n)) return;
  lib->geadd("N", &from->m, &columns, lib->one, from->data, &one, &column, from->desc, lib->zero,
             DAP_MATRIX(to));
}
