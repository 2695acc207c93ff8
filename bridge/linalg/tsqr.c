/* The QR factorisation of a tall matrix: chunks of each process, and the tree of processes. */
#include "tsqr_impl.h"

#include <string.h>

enum { TAG = 1 };

/* ---- memory ------------------------------------------------------------------------------------------ */

/* Columns of A and B. */
static int64_t width_of(const dap_tsqr *t)
{
  return t->n + t->nrhs;
}

/* Elements of a chunk that a processor's cache holds twice; the factor keeps the triangles of chunks small
 * beside the chunks. Not a power of 2, as columns would then share lines of a cache. */
enum { ELEMENTS = 64000, LEAST_RATIO = 32 };

static int64_t chunk_rows(const dap_tsqr *t)
{
  const int64_t all = t->from.shape[t->along], by_cache = ELEMENTS / width_of(t), least = LEAST_RATIO * t->n;
  const int64_t rows = by_cache > least ? by_cache : least;
  if (rows < all) return rows;
  return all > t->n ? all : t->n;
}

/* Nodes of the tree that are this process's: it joins with the process `step` ranks behind, while its rank is
 * a multiple of 2 step. */
static int count_nodes(const dap_linalg_call *call)
{
  int count = 0;
  for (int64_t step = 1; step < call->nprocs && call->rank % (2 * step) == 0; step *= 2)
    count += call->rank + step < call->nprocs;
  return count;
}

static dap_status make_nodes(dap_linalg_call *call, dap_tsqr *t)
{
  const int64_t of_v = 2 * t->n * width_of(t), size = of_v + t->n * t->n;
  const int64_t item = dap_dtype_size(call->lib->dtype);
  void *space;
  t->node_count = count_nodes(call);
  DAP_TRY(dap_linalg_work(call, size * t->node_count, call->lib->dtype, &space));
  for (int k = 0; k < t->node_count; k++) {
    char *node = (char *)space + size * k * item;
    t->nodes[k] = (dap_tsqr_block){.rows = 2 * t->n, .v = node, .t = node + of_v * item};
  }
  return DAP_OK;
}

dap_status dap_tsqr_make_room(dap_linalg_call *call, dap_tsqr *t)
{
  const dap_dtype dtype = call->lib->dtype;
  const int64_t triangle = t->n * t->n, width = width_of(t);
  t->rows = chunk_rows(t);
  t->chunks = (t->from.shape[t->along] + t->rows - 1) / t->rows;
  if (t->chunks == 0) t->chunks = 1; /* of zeros */
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
  if (t->comm != MPI_COMM_NULL) (void)MPI_Comm_free(&t->comm);
}

/* ---- this process ------------------------------------------------------------------------------------ */

/* T of chunk `c`. */
static void *t_of(const dap_linalg_call *call, const dap_tsqr *t, int64_t c)
{
  return (char *)t->chunk_t + (t->has_vectors ? c * t->n * t->n * dap_dtype_size(call->lib->dtype) : 0);
}

/* Chunk `c` of A or B, multiplied by sigma. */
static dap_status read_scaled(const dap_linalg_call *call, const dap_tsqr *t, const dap_array *from,
                              int64_t c, double sigma, void *values, dap_error *err)
{
  DAP_TRY(dap_tsqr_read(t, from, c, values, err));
  const int64_t count = t->rows * from->shape[1 - t->along] * (dap_linalg_is_complex(call) ? 2 : 1);
  dap_linalg_scale_back(call, count, 1 / sigma, values);
  return DAP_OK;
}

static dap_status factor_chunks(const dap_linalg_call *call, dap_tsqr *t, dap_error *err)
{
  const int64_t item = dap_dtype_size(call->lib->dtype);
  for (int64_t c = 0; c < t->chunks; c++) {
    DAP_TRY(read_scaled(call, t, &t->from, c, t->sigma, t->chunk.v, err));
    if (t->nrhs > 0)
      DAP_TRY(
          read_scaled(call, t, &t->beside, c, t->sigma_b, (char *)t->chunk.v + t->n * t->rows * item, err));
    t->chunk.t = t_of(call, t, c);
    dap_tsqr_block_factor(call, t, &t->chunk);
    dap_tsqr_block_triangle(call, t, &t->chunk, (char *)t->stack.v + c * t->n * item, t->stack.rows);
    if (t->has_vectors) DAP_TRY(dap_tsqr_write(t, &t->to, c, t->chunk.v, err));
  }
  dap_tsqr_block_factor(call, t, &t->stack);
  return DAP_OK;
}

static dap_status expand_chunks(const dap_linalg_call *call, dap_tsqr *t, const void *x, dap_error *err)
{
  const int64_t item = dap_dtype_size(call->lib->dtype);
  dap_tsqr_block_expand(call, t->n, &t->stack, x, t->n, t->work, t->parts);
  for (int64_t c = 0; c < t->chunks; c++) {
    DAP_TRY(dap_tsqr_read(t, &t->to, c, t->chunk.v, err));
    t->chunk.t = t_of(call, t, c);
    dap_tsqr_block_expand(call, t->n, &t->chunk, (const char *)t->parts + c * t->n * item, t->stack.rows,
                          t->work, t->result);
    DAP_TRY(dap_tsqr_write(t, &t->to, c, t->result, err));
  }
  return DAP_OK;
}

/* ---- the tree ---------------------------------------------------------------------------------------- */

/* A message of n rows of all columns between two processes. */
typedef struct message {
  MPI_Datatype type;
  int count;
} message;

static message message_of(const dap_linalg_call *call, const dap_tsqr *t)
{
  return (message){call->lib->real == DAP_F4 ? MPI_FLOAT : MPI_DOUBLE,
                   (int)(t->n * width_of(t) * (dap_linalg_is_complex(call) ? 2 : 1))};
}

/* The rank that this process's triangle goes to: its own without the lowest bit. */
static int parent_of(int rank)
{
  return rank & (rank - 1);
}

/* The rank behind, of node k: all before this one have one, as it is the last that may be without. */
static int child_of(const dap_linalg_call *call, int k)
{
  return call->rank + (1 << k);
}

/* Rows n .. 2n - 1 of a node to or from columns without gaps. */
static void copy_lower(const dap_linalg_call *call, const dap_tsqr *t, void *node, void *columns, bool into)
{
  const size_t column = (size_t)(t->n * dap_dtype_size(call->lib->dtype));
  for (int64_t j = 0; j < width_of(t); j++) {
    char *inside = (char *)node + (size_t)(2 * j + 1) * column,
         *outside = (char *)columns + (size_t)j * column;
    memcpy(into ? inside : outside, into ? outside : inside, column);
  }
}

/* Up the tree. Sets `r` [n + nrhs][n] to the triangle of this process and of those behind it. */
static int join(const dap_linalg_call *call, dap_tsqr *t, void *r)
{
  const message m = message_of(call, t);
  int code = MPI_SUCCESS;
  dap_tsqr_block_triangle(call, t, &t->stack, r, t->n);
  for (int k = 0; k < t->node_count && code == MPI_SUCCESS; k++) {
    const dap_tsqr_block below = {.rows = t->n, .v = r};
    dap_tsqr_block_triangle(call, t, &below, t->nodes[k].v, t->nodes[k].rows);
    code = MPI_Recv(t->work, m.count, m.type, child_of(call, k), TAG, t->comm, MPI_STATUS_IGNORE);
    copy_lower(call, t, t->nodes[k].v, t->work, true);
    dap_tsqr_block_factor(call, t, &t->nodes[k]);
    dap_tsqr_block_triangle(call, t, &t->nodes[k], r, t->n);
  }
  if (call->rank > 0 && code == MPI_SUCCESS)
    code = MPI_Send(r, m.count, m.type, parent_of(call->rank), TAG, t->comm);
  return code;
}

/* Down the tree. Sets `x` [n][n], which process 0 has, to this process's own factor. */
static int part(const dap_linalg_call *call, dap_tsqr *t, void *x)
{
  const message m = message_of(call, t);
  int code = MPI_SUCCESS;
  if (call->rank > 0)
    code = MPI_Recv(x, m.count, m.type, parent_of(call->rank), TAG, t->comm, MPI_STATUS_IGNORE);
  for (int k = t->node_count - 1; k >= 0 && code == MPI_SUCCESS; k--) {
    dap_tsqr_block_expand(call, t->n, &t->nodes[k], x, t->n, t->work, t->result);
    copy_lower(call, t, t->result, t->work, false);
    code = MPI_Send(t->work, m.count, m.type, child_of(call, k), TAG, t->comm);
    const size_t column = (size_t)(t->n * dap_dtype_size(call->lib->dtype));
    for (int64_t j = 0; j < t->n; j++)
      memcpy((char *)x + (size_t)j * column, (const char *)t->result + (size_t)(2 * j) * column, column);
  }
  return code;
}

/* ---- the whole --------------------------------------------------------------------------------------- */

dap_status dap_tsqr_factor(dap_linalg_call *call, dap_tsqr *t, void *r)
{
  DAP_TRY(dap_agree(call->comm, factor_chunks(call, t, call->err), call->err));
  return dap_linalg_mpi(call, join(call, t, r), "MPI_Recv or MPI_Send");
}

dap_status dap_tsqr_expand(dap_linalg_call *call, dap_tsqr *t, void *x)
{
  DAP_TRY(dap_linalg_mpi(call, part(call, t, x), "MPI_Recv or MPI_Send"));
  return dap_agree(call->comm, expand_chunks(call, t, x, call->err), call->err);
}
