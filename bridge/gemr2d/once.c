/* A small move that may never come again, without a plan: a plan has communicators and shared memory of its own, which takes
 * longer to make than the move. All is packed, exchanged in one MPI_Alltoallv, and unpacked.
 *
 * The elements from one process to another are in the order of their columns, and in a column of their rows, on both. */
#include "gemr2d_impl.h"

#include <stdlib.h>
#include <string.h>

/* Neighbours in this process' memory that another coordinate of the other grid has together. */
typedef struct run {
  int64_t local, length;
  int peer;
} run;

/* The rows (axis 0) or columns (1) of the sub-matrix that this process has of one matrix. */
typedef struct lines {
  int64_t count;
  run *runs;
  int64_t *lengths; /* [processes of the other grid along the axis] */
} lines;

typedef struct end {
  const dap_gemr2d_matrix *matrix;
  lines axes[2];
  int *counts, *displacements; /* [nprocs] bytes */
  char *buffer, **at;          /* at: [nprocs] where the next element is */
} end;

/* ---- lines -------------------------------------------------------------------------------------------- */

static void add_line(lines *l, int64_t local, int peer)
{
  run *last = l->count > 0 ? &l->runs[l->count - 1] : NULL;
  l->lengths[peer]++;
  if (last && last->peer == peer && last->local + last->length == local)
    last->length++;
  else
    l->runs[l->count++] = (run){.local = local, .length = 1, .peer = peer};
}

static dap_status make_lines(const dap_gemr2d_facts *facts, const dap_gemr2d_matrix *mine, int k, int axis,
                             lines *l, dap_error *err)
{
  const int64_t *own = facts->matrices[k].words, *others = facts->matrices[1 - k].words;
  const int64_t block = own[DAP_GEMR2D_MB + axis], procs = own[DAP_GEMR2D_NPROW + axis];
  const int64_t coord = axis == 0 ? mine->row : mine->column;
  const int64_t peers = others[DAP_GEMR2D_NPROW + axis];
  l->runs = malloc((size_t)facts->size[axis] * sizeof *l->runs);
  l->lengths = calloc((size_t)peers, sizeof *l->lengths);
  DAP_REQUIRE(l->runs && l->lengths, err, DAP_ERR_NOMEM, "no memory for %lld rows or columns",
              (long long)facts->size[axis]);
  for (int64_t i = 0; i < facts->size[axis] && mine->is_here; i++) {
    const int64_t index = own[DAP_GEMR2D_I + axis] - 1 + i, other = others[DAP_GEMR2D_I + axis] - 1 + i;
    if ((index / block + own[DAP_GEMR2D_RSRC + axis]) % procs != coord) continue;
    const int64_t peer = (other / others[DAP_GEMR2D_MB + axis] + others[DAP_GEMR2D_RSRC + axis]) % peers;
    add_line(l, index / block / procs * block + index % block, (int)peer);
  }
  return DAP_OK;
}

/* ---- ends --------------------------------------------------------------------------------------------- */

static int rank_at(const dap_gemr2d_facts *facts, int k, int row, int column)
{
  return facts->matrices[k].ranks[row * facts->matrices[k].words[DAP_GEMR2D_NPCOL] + column];
}

/* Bytes to or from each process, one behind the other. */
static dap_status make_buffer(const dap_gemr2d_facts *facts, int k, int64_t itemsize, end *e, dap_error *err)
{
  const int64_t *others = facts->matrices[1 - k].words;
  int bytes = 0;
  for (int p = 0; p < others[DAP_GEMR2D_NPROW]; p++)
    for (int q = 0; q < others[DAP_GEMR2D_NPCOL]; q++)
      e->counts[rank_at(facts, 1 - k, p, q)] =
          (int)(e->axes[0].lengths[p] * e->axes[1].lengths[q] * itemsize);
  for (int rank = 0; rank < facts->nprocs; bytes += e->counts[rank++]) e->displacements[rank] = bytes;
  e->buffer = malloc(bytes > 0 ? (size_t)bytes : 1);
  DAP_REQUIRE(e->buffer, err, DAP_ERR_NOMEM, "no memory for %d bytes of elements", bytes);
  for (int rank = 0; rank < facts->nprocs; rank++) e->at[rank] = e->buffer + e->displacements[rank];
  return DAP_OK;
}

static dap_status make_end(const dap_gemr2d_facts *facts, const dap_gemr2d_call *call, int k, end *e,
                           dap_error *err)
{
  const size_t nprocs = (size_t)facts->nprocs;
  e->matrix = &call->matrices[k];
  e->counts = calloc(nprocs, sizeof *e->counts);
  e->displacements = calloc(nprocs, sizeof *e->displacements);
  e->at = calloc(nprocs, sizeof *e->at);
  DAP_REQUIRE(e->counts && e->displacements && e->at, err, DAP_ERR_NOMEM, "no memory for %d processes",
              facts->nprocs);
  for (int axis = 0; axis < 2; axis++) DAP_TRY(make_lines(facts, e->matrix, k, axis, &e->axes[axis], err));
  return make_buffer(facts, k, call->itemsize, e, err);
}

static void free_end(end *e)
{
  for (int axis = 0; axis < 2; axis++) {
    free(e->axes[axis].runs);
    free(e->axes[axis].lengths);
  }
  free(e->counts);
  free(e->displacements);
  free(e->at);
  free(e->buffer);
}

/* ---- the move ----------------------------------------------------------------------------------------- */

/* Between a column of the matrix in memory, and the buffer. */
static void copy_column(const dap_gemr2d_facts *facts, int k, int64_t itemsize, int peer_column, char *column,
                        end *e)
{
  for (int64_t r = 0; r < e->axes[0].count; r++) {
    const run *rows = &e->axes[0].runs[r];
    char **at = &e->at[rank_at(facts, 1 - k, rows->peer, peer_column)];
    char *elements = column + rows->local * itemsize;
    const size_t bytes = (size_t)(rows->length * itemsize);
    if (k == 0)
      memcpy(*at, elements, bytes);
    else
      memcpy(elements, *at, bytes);
    *at += bytes;
  }
}

/* k = 0: packs, 1: unpacks. */
static void copy_all(const dap_gemr2d_facts *facts, int k, int64_t itemsize, char *data, end *e)
{
  for (int64_t r = 0; r < e->axes[1].count; r++) {
    const run *columns = &e->axes[1].runs[r];
    for (int64_t j = 0; j < columns->length && e->axes[0].count > 0; j++)
      copy_column(facts, k, itemsize, columns->peer, data + (columns->local + j) * e->matrix->ld * itemsize,
                  e);
  }
}

bool dap_gemr2d_is_small(const dap_gemr2d_facts *facts, int64_t itemsize)
{
  const int64_t most = (int64_t)facts->nprocs * DAP_GEMR2D_SMALL / itemsize;
  return most < INT_MAX / itemsize && facts->size[0] <= most / facts->size[1];
}

dap_status dap_gemr2d_once(MPI_Comm comm, const dap_gemr2d_facts *facts, const dap_gemr2d_call *call,
                           const void *a, void *b, dap_error *err)
{
  end from = {0}, to = {0};
  dap_status status = make_end(facts, call, 0, &from, err);
  if (!status) status = make_end(facts, call, 1, &to, err);
  status = dap_agree(comm, status, err);
  if (!status) {
    copy_all(facts, 0, call->itemsize, (char *)a, &from); /* which is only read */
    if (MPI_Alltoallv(from.buffer, from.counts, from.displacements, MPI_BYTE, to.buffer, to.counts,
                      to.displacements, MPI_BYTE, comm) != MPI_SUCCESS)
      status = dap_fail(err, DAP_ERR_LIBRARY, "MPI_Alltoallv failed");
    else
      copy_all(facts, 1, call->itemsize, b, &to);
  }
  free_end(&from);
  free_end(&to);
  return status;
}
