/* Workspace that is distributed like a view. */
#include "linalg_impl.h"

#include <string.h>

enum { CTXT = 1, M = 2, MB = 4, RSRC = 6, LLD = 8 }; /* of a descriptor; what concerns columns follows */

/* Memory for the local part that the descriptor says, without gaps. Collective. */
static dap_status fill_in(dap_linalg_call *call, dap_dtype dtype, dap_scalapack_matrix *view)
{
  int64_t extents[2];
  dap_linalg_local(view, extents);
  view->desc[LLD] = (dap_scalapack_int)(extents[0] > 1 ? extents[0] : 1);
  return dap_linalg_work(call, extents[0] * extents[1], dtype, &view->data);
}

dap_status dap_linalg_space_like(dap_linalg_call *call, const dap_scalapack_matrix *like, dap_dtype dtype,
                                 dap_scalapack_matrix *view)
{
  *view = (dap_scalapack_matrix){.m = like->m, .n = like->n, .ia = 1, .ja = 1, .op = like->op};
  memcpy(view->desc, like->desc, sizeof view->desc);
  return fill_in(call, dtype, view);
}

dap_status dap_linalg_space_of(dap_linalg_call *call, const dap_scalapack_matrix *like, int64_t rows,
                               int64_t cols, dap_dtype dtype, dap_scalapack_matrix *view)
{
  enum { N = M + 1 };
  *view = (dap_scalapack_matrix){
      .m = (dap_scalapack_int)rows, .n = (dap_scalapack_int)cols, .ia = 1, .ja = 1, .op = 'N'};
  memcpy(view->desc, like->desc, sizeof view->desc);
  view->desc[M] = view->m, view->desc[N] = view->n;
  return fill_in(call, dtype, view);
}

dap_status dap_linalg_columns_beside(dap_linalg_call *call, const dap_scalapack_matrix *m, int64_t count,
                                     dap_scalapack_matrix *view)
{
  const dap_scalapack_int columns = (dap_scalapack_int)count; /* as an array's or 1 */
  *view = (dap_scalapack_matrix){.m = m->m, .n = columns, .ia = 1, .ja = 1, .op = 'N'};
  const dap_scalapack_int desc[9] = {1,           m->desc[CTXT], m->m, columns, m->desc[MB],
                                     m->desc[MB], m->desc[RSRC], 0,    1};
  memcpy(view->desc, desc, sizeof desc);
  return fill_in(call, call->lib->dtype, view);
}

void dap_linalg_copy_part(const dap_linalg_call *call, const dap_scalapack_matrix *from,
                          const dap_scalapack_matrix *to)
{
  const int64_t item = dap_dtype_size(call->lib->dtype);
  int64_t extents[2];
  dap_linalg_local(from, extents);
  for (int64_t j = 0; j < extents[1] && extents[0] > 0; j++)
    memcpy((char *)to->data + j * to->desc[LLD] * item, (const char *)from->data + j * from->desc[LLD] * item,
           (size_t)(extents[0] * item));
}
