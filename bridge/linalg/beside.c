/* Makes workspace that is distributed like a view, and copies between views. */
#include "linalg_impl.h"

#include <string.h>

dap_status dap_linalg_space_of(dap_linalg_call *call, const dap_scalapack_matrix *like, int64_t rows,
                               int64_t cols, dap_dtype dtype, dap_scalapack_matrix *view)
{
  *view = (dap_scalapack_matrix){
      .m = (dap_scalapack_int)rows, .n = (dap_scalapack_int)cols, .ia = 1, .ja = 1, .op = like->op};
  memcpy(view->desc, like->desc, sizeof view->desc);
  view->desc[DAP_M] = view->m, view->desc[DAP_N] = view->n;
  int64_t extents[2];
  dap_linalg_local(view, extents);
  view->desc[DAP_LLD] = (dap_scalapack_int)(extents[0] > 1 ? extents[0] : 1);
  return dap_linalg_work(call, extents[0] * extents[1], dtype, &view->data);
}

dap_status dap_linalg_columns_beside(dap_linalg_call *call, const dap_scalapack_matrix *m, int64_t count,
                                     dap_scalapack_matrix *view)
{
  dap_scalapack_matrix like = *m;
  like.op = 'N';
  like.desc[DAP_NB] = like.desc[DAP_MB], like.desc[DAP_CSRC] = 0;
  return dap_linalg_space_of(call, &like, m->m, count, call->lib->dtype, view);
}

void dap_linalg_fill(const dap_linalg_call *call, const void *diagonal, const dap_scalapack_matrix *view)
{
  call->lib->laset("A", &view->m, &view->n, call->lib->zero, diagonal, DAP_MATRIX(view));
}

void dap_linalg_copy_seen(const dap_linalg_call *call, const dap_scalapack_matrix *from,
                          const dap_scalapack_matrix *to)
{
  if (from->op == to->op)
    dap_linalg_copy_first(call, to->m, to->n, from, to);
  else
    call->lib->geadd("T", &to->m, &to->n, call->lib->one, DAP_MATRIX(from), call->lib->zero, DAP_MATRIX(to));
}

static void copy_columns(const dap_linalg_call *call, int64_t rows, int64_t cols,
                         const dap_scalapack_matrix *from, const dap_scalapack_matrix *to)
{
  const int64_t item = call->lib->item;
  for (int64_t j = 0; j < cols && rows > 0; j++)
    memcpy((char *)to->data + j * to->desc[DAP_LLD] * item,
           (const char *)from->data + j * from->desc[DAP_LLD] * item, (size_t)(rows * item));
}

void dap_linalg_copy_part(const dap_linalg_call *call, const dap_scalapack_matrix *from,
                          const dap_scalapack_matrix *to)
{
  int64_t extents[2];
  dap_linalg_local(from, extents);
  copy_columns(call, extents[0], extents[1], from, to);
}

/* A copy is needed, because tradd does not transpose in place. */
void dap_linalg_mirror(const dap_linalg_call *call, char uplo, char trans, const dap_scalapack_matrix *c,
                       const dap_scalapack_matrix *copy)
{
  const char other = uplo == 'L' ? 'U' : 'L';
  dap_linalg_copy_part(call, c, copy);
  call->lib->tradd(&other, &trans, &c->m, &c->n, call->lib->one, DAP_MATRIX(copy), call->lib->zero,
                   DAP_MATRIX(c));
}

/* Whether the first `count` rows (axis 0) or columns (1) of both are on the same processes, at the same
 * places. */
static bool is_alike(const dap_scalapack_matrix *a, const dap_scalapack_matrix *b, int axis, int procs,
                     int64_t count)
{
  const dap_scalapack_int *block[2] = {&a->desc[DAP_MB + axis], &b->desc[DAP_MB + axis]};
  const bool begins = axis == 0 ? a->ia == 1 && b->ia == 1 : a->ja == 1 && b->ja == 1;
  const bool is_one_block = count <= *block[0] && count <= *block[1];
  if (!begins || procs == 1) return begins;
  return a->desc[DAP_RSRC + axis] == b->desc[DAP_RSRC + axis] && (*block[0] == *block[1] || is_one_block);
}

void dap_linalg_copy_first(const dap_linalg_call *call, dap_scalapack_int rows, dap_scalapack_int cols,
                           const dap_scalapack_matrix *from, const dap_scalapack_matrix *to)
{
  const dap_linalg_routines *lib = call->lib;
  dap_scalapack_int procs[2], coords[2];
  Cblacs_gridinfo(to->desc[DAP_CTXT], &procs[0], &procs[1], &coords[0], &coords[1]);
  if (from->desc[DAP_CTXT] != to->desc[DAP_CTXT] || !is_alike(from, to, 0, (int)procs[0], rows) ||
      !is_alike(from, to, 1, (int)procs[1], cols)) {
    lib->geadd("N", &rows, &cols, lib->one, DAP_MATRIX(from), lib->zero, DAP_MATRIX(to));
    return;
  }
  copy_columns(call, numroc_(&rows, &to->desc[DAP_MB], &coords[0], &to->desc[DAP_RSRC], &procs[0]),
               numroc_(&cols, &to->desc[DAP_NB], &coords[1], &to->desc[DAP_CSRC], &procs[1]), from, to);
}
