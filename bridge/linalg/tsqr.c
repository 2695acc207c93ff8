/* Factors a tall matrix A = Q R, by chunks of each process and a tree of processes. */
#include "tsqr_impl.h"

#include <string.h>

enum { TAG = 1 };

/* ---- memory ------------------------------------------------------------------------------------------ */

/* Returns the columns of A and B. */
static int64_t width_of(const dap_tsqr *t)
{
  return t->n + t->nrhs;
}

/* A processor's cache holds this number of elements twice. It is not a power of 2, because columns would then
 * share lines of a cache. The ratio keeps the triangles of chunks small beside the chunks. */
enum { ELEMENTS = 64000, LEAST_RATIO = 32 };

/* Each chunk has n rows or more if this process does. A row of zeros among the first n would be a row of Q,
 * which is lost, for columns that depend on others. */
static void cut_into_chunks(dap_tsqr *t)
{
  const int64_t all = t->a.part.shape[t->along];
  const int64_t most = dap_room_larger(ELEMENTS / width_of(t), LEAST_RATIO * t->n);
  t->chunks = dap_room_larger((all + most - 1) / most, 1);
  t->rows = dap_room_larger((all + t->chunks - 1) / t->chunks, t->n);
}

/* Counts the nodes of this process. It joins with the process `step` ranks behind while its rank is a
 * multiple of 2 step. */
static int count_nodes(const dap_linalg_call *call)
{
  int count = 0;
  for (int64_t step = 1; step < call->nprocs && call->rank % (2 * step) == 0; step *= 2)
    count += call->rank + step < call->nprocs;
  return count;
}

/* Returns the rows that are not 0 in the triangle of `count` processes from `first` on. */
static int64_t rows_of(const dap_linalg_call *call, const dap_tsqr *t, const int64_t rows[], int64_t first,
                       int64_t count)
{
  int64_t sum = 0;
  for (int64_t q = first; q < first + count && q < call->nprocs && sum < t->n; q++) sum += rows[q];
  return dap_room_smaller(sum, t->n);
}

static dap_status count_rows(dap_linalg_call *call, dap_tsqr *t)
{
  const int64_t mine = t->a.part.shape[t->along];
  int64_t *rows;
  DAP_TRY(dap_linalg_work(call, call->nprocs, DAP_I8, &rows));
  DAP_TRY(dap_linalg_mpi(call, MPI_Allgather(&mine, 1, MPI_INT64_T, rows, 1, MPI_INT64_T, call->comm),
                         "MPI_Allgather"));
  for (int k = 0; k < t->node_count; k++) t->upper[k] = rows_of(call, t, rows, call->rank, (int64_t)1 << k);
  return DAP_OK;
}

static dap_status make_nodes(dap_linalg_call *call, dap_tsqr *t)
{
  const int64_t of_v = 2 * t->n * width_of(t), size = of_v + t->n * t->n, item = call->lib->item;
  char *space;
  t->node_count = count_nodes(call);
  DAP_TRY(dap_linalg_work(call, size * t->node_count, call->lib->dtype, &space));
  for (int k = 0; k < t->node_count; k++) {
    char *node = space + size * k * item;
    t->nodes[k] = (dap_tsqr_block){.rows = 2 * t->n, .v = node, .t = node + of_v * item};
  }
  return count_rows(call, t);
}

dap_status dap_tsqr_make_room(dap_linalg_call *call, dap_tsqr *t)
{
  const dap_dtype dtype = call->lib->dtype;
  const int64_t triangle = t->n * t->n, width = width_of(t);
  cut_into_chunks(t);
  t->chunk.rows = t->rows;
  t->stack.rows = t->chunks * t->n;
  const int64_t longest = t->rows > 2 * t->n ? t->rows : 2 * t->n;
  DAP_TRY(dap_linalg_work(call, t->rows * width, dtype, &t->chunk.v));
  DAP_TRY(dap_linalg_work(call, t->has_vectors ? t->chunks * triangle : triangle, dtype, &t->chunk_t));
  DAP_TRY(dap_linalg_work(call, t->stack.rows * width, dtype, &t->stack.v));
  DAP_TRY(dap_linalg_work(call, triangle, dtype, &t->stack.t));
  DAP_TRY(dap_linalg_work(call, t->n * width, dtype, &t->work));
  DAP_TRY(dap_linalg_work(call, t->has_vectors ? t->stack.rows * t->n : 0, dtype, &t->parts));
  DAP_TRY(dap_linalg_work(call, t->has_vectors ? longest * t->n : 0, dtype, &t->result));
  DAP_TRY(make_nodes(call, t));
  return dap_linalg_mpi(call, MPI_Comm_dup(call->comm, &t->comm), "MPI_Comm_dup");
}

void dap_tsqr_close(dap_tsqr *t)
{
  dap_tsqr_rows *const all[] = {&t->a, &t->b, &t->q};
  if (t->comm != MPI_COMM_NULL) (void)MPI_Comm_free(&t->comm);
  for (int k = 0; k < 3; k++) dap_layout_destroy(&all[k]->own);
}

/* ---- this process ------------------------------------------------------------------------------------ */

/* Returns T of chunk `c`. */
static void *t_of(const dap_linalg_call *call, const dap_tsqr *t, int64_t c)
{
  return (char *)t->chunk_t + (t->has_vectors ? c * t->n * t->n * call->lib->item : 0);
}

/* Reads chunk `c` of A or B, and multiplies it by sigma. */
static dap_status read_scaled(const dap_linalg_call *call, const dap_tsqr *t, const dap_array *from,
                              int64_t c, double sigma, void *values, dap_error *err)
{
  DAP_TRY(dap_tsqr_read(t, from, c, values, err));
  dap_linalg_scale_back(call, t->rows * from->shape[1 - t->along] * call->lib->parts, 1 / sigma, values);
  return DAP_OK;
}

static dap_status factor_chunks(const dap_linalg_call *call, dap_tsqr *t, dap_error *err)
{
  const int64_t item = call->lib->item;
  for (int64_t c = 0; c < t->chunks; c++) {
    DAP_TRY(read_scaled(call, t, &t->a.part, c, t->sigma, t->chunk.v, err));
    if (t->nrhs > 0)
      DAP_TRY(
          read_scaled(call, t, &t->b.part, c, t->sigma_b, (char *)t->chunk.v + t->n * t->rows * item, err));
    t->chunk.t = t_of(call, t, c);
    dap_tsqr_block_factor(call, t, &t->chunk);
    dap_tsqr_block_triangle(call, t, &t->chunk, (char *)t->stack.v + c * t->n * item, t->stack.rows);
    if (t->has_vectors) DAP_TRY(dap_tsqr_write(t, &t->q.part, c, t->chunk.v, err));
  }
  dap_tsqr_block_factor(call, t, &t->stack);
  return DAP_OK;
}

static dap_status expand_chunks(const dap_linalg_call *call, dap_tsqr *t, const void *x, dap_error *err)
{
  const int64_t item = call->lib->item;
  dap_tsqr_block_expand(call, t->n, &t->stack, x, t->n, t->work, t->parts);
  for (int64_t c = 0; c < t->chunks; c++) {
    DAP_TRY(dap_tsqr_read(t, &t->q.part, c, t->chunk.v, err));
    t->chunk.t = t_of(call, t, c);
    dap_tsqr_block_expand(call, t->n, &t->chunk, (const char *)t->parts + c * t->n * item, t->stack.rows,
                          t->work, t->result);
    DAP_TRY(dap_tsqr_write(t, &t->q.part, c, t->result, err));
  }
  return DAP_OK;
}

/* ---- the tree ---------------------------------------------------------------------------------------- */

/* Counts the levels of the tree. On level k the ranks of a parent and its child differ by 2^k. */
static int count_levels(const dap_linalg_call *call)
{
  int count = 0;
  while ((int64_t)1 << count < call->nprocs) count++;
  return count;
}

static int wait_for(MPI_Request *request)
{
  const int code = *request == MPI_REQUEST_NULL ? MPI_SUCCESS : MPI_Wait(request, MPI_STATUS_IGNORE);
  if (*request != MPI_REQUEST_NULL) (void)MPI_Wait(request, MPI_STATUS_IGNORE); /* the first one failed */
  return code;
}

/* Passes n rows of all columns on a level, up the tree or down. Nothing is sent before all receives are
 * posted. Each process waits for its own message, so no buffer is in use on return. Collective. */
static dap_status pass(dap_linalg_call *call, const dap_tsqr *t, int level, bool up, void *rows)
{
  const int count = (int)(t->n * width_of(t) * call->lib->parts), step = 1 << level;
  const bool is_parent = level < t->node_count, is_child = call->rank % (2 * (int64_t)step) == step;
  const int peer = is_child ? call->rank - step : call->rank + step;
  MPI_Datatype type = dap_dtype_mpi(call->lib->real);
  MPI_Request request = MPI_REQUEST_NULL;
  int code = MPI_SUCCESS;
  if (up ? is_parent : is_child) code = MPI_Irecv(rows, count, type, peer, TAG, t->comm, &request);
  dap_status status = dap_linalg_mpi(call, code, "MPI_Irecv");
  if (!status && (up ? is_child : is_parent)) {
    code = MPI_Isend(rows, count, type, peer, TAG, t->comm, &request);
    if (code == MPI_SUCCESS) code = wait_for(&request);
  }
  if (!status) status = dap_linalg_mpi(call, code, "MPI_Isend");
  if (status && request != MPI_REQUEST_NULL) (void)MPI_Cancel(&request); /* its message may not come */
  code = wait_for(&request);
  return status ? status : dap_linalg_mpi(call, code, "MPI_Wait");
}

/* Copies n rows of a node, from `first` on, to or from columns without gaps. */
static void copy_rows(const dap_linalg_call *call, const dap_tsqr *t, void *node, int64_t first,
                      void *columns, bool into)
{
  const int64_t item = call->lib->item;
  for (int64_t j = 0; j < width_of(t); j++) {
    char *inside = (char *)node + (2 * j * t->n + first) * item, *outside = (char *)columns + j * t->n * item;
    memcpy(into ? inside : outside, into ? outside : inside, (size_t)(t->n * item));
  }
}

/* Goes up the tree. Sets `r` [n + nrhs][n] to the triangle of this process and of those behind it. */
static dap_status join(dap_linalg_call *call, dap_tsqr *t, void *r)
{
  dap_tsqr_block_triangle(call, t, &t->stack, r, t->n);
  for (int k = 0; k < count_levels(call); k++) {
    DAP_TRY(pass(call, t, k, true, k < t->node_count ? t->work : r));
    if (k >= t->node_count) continue;
    const dap_tsqr_block below = {.rows = t->n, .v = r};
    dap_tsqr_block_triangle(call, t, &below, t->nodes[k].v, t->nodes[k].rows);
    copy_rows(call, t, t->nodes[k].v, t->upper[k], t->work, true);
    dap_tsqr_block_factor(call, t, &t->nodes[k]);
    dap_tsqr_block_triangle(call, t, &t->nodes[k], r, t->n);
  }
  return DAP_OK;
}

/* Goes down the tree. Sets `x` [n][n], which process 0 has, to this process's own factor. */
static dap_status part(dap_linalg_call *call, dap_tsqr *t, void *x)
{
  const int64_t item = call->lib->item;
  for (int k = count_levels(call) - 1; k >= 0; k--) {
    const bool is_parent = k < t->node_count;
    if (is_parent) {
      dap_tsqr_block_expand(call, t->n, &t->nodes[k], x, t->n, t->work, t->result);
      copy_rows(call, t, t->result, t->upper[k], t->work, false);
      copy_rows(call, t, t->result, 0, x, false);
    }
    for (int64_t j = 0; j < t->n && is_parent; j++)
      memset((char *)x + (j * t->n + t->upper[k]) * item, 0, (size_t)((t->n - t->upper[k]) * item));
    DAP_TRY(pass(call, t, k, false, is_parent ? t->work : x));
  }
  return DAP_OK;
}

/* ---- the whole --------------------------------------------------------------------------------------- */

dap_status dap_tsqr_factor(dap_linalg_call *call, dap_tsqr *t, void *r)
{
  DAP_TRY(dap_agree(call->comm, factor_chunks(call, t, call->err), call->err));
  return join(call, t, r);
}

dap_status dap_tsqr_expand(dap_linalg_call *call, dap_tsqr *t, void *x)
{
  DAP_TRY(part(call, t, x));
  return dap_agree(call->comm, expand_chunks(call, t, x, call->err), call->err);
}
