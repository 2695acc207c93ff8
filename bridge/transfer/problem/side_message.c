/* Sends a side from one process to all others: its layout, the ranks of its processes, its part and its
 * dtype. */
#include "problem_impl.h"

#include <stdlib.h>
#include <string.h>

/* The head of a message. The ranks and the layout follow it. */
typedef struct outline {
  int64_t words; /* length of the whole message */
  int64_t ranks; /* number of ranks; 0: rank i is process i of the layout */
  int64_t dtype, naxes;
  int64_t has_axes, has_start, has_shape;
  int64_t axes[DAP_MAX_NDIM], start[DAP_MAX_NDIM], shape[DAP_MAX_NDIM];
} outline;

enum { OUTLINE = sizeof(outline) / sizeof(int64_t) };

static outline outline_of(const dap_side *side)
{
  const dap_part *part = &side->part;
  const int ndim = side->layout->ndim;
  outline o = {.dtype = side->dtype,
               .naxes = part->naxes,
               .has_axes = part->axes != NULL,
               .has_start = part->start != NULL,
               .has_shape = part->shape != NULL};
  for (int j = 0; part->axes && j < part->naxes && j < DAP_MAX_NDIM; j++) o.axes[j] = part->axes[j];
  for (int k = 0; k < ndim && part->start; k++) o.start[k] = part->start[k];
  for (int k = 0; k < ndim && part->shape; k++) o.shape[k] = part->shape[k];
  return o;
}

static dap_status write_words(const dap_side *side, const int ranks[], int64_t **words, dap_error *err)
{
  int64_t *layout = NULL, count = 0;
  const int nprocs = side->layout->nprocs;
  outline o = outline_of(side);
  DAP_TRY(dap_layout_pack(side->layout, &layout, &count, err));
  o.ranks = ranks ? nprocs : 0;
  o.words = OUTLINE + o.ranks + count;
  int64_t *all = *words = o.words <= INT_MAX ? malloc((size_t)o.words * sizeof *all) : NULL;
  if (all) {
    memcpy(all, &o, sizeof o);
    for (int i = 0; i < o.ranks; i++) all[OUTLINE + i] = ranks[i];
    memcpy(all + OUTLINE + o.ranks, layout, (size_t)count * sizeof *layout);
  }
  free(layout);
  DAP_REQUIRE(all, err, o.words <= INT_MAX ? DAP_ERR_NOMEM : DAP_ERR_RANGE,
              "no memory to send a layout of %d processes", nprocs);
  return DAP_OK;
}

dap_status dap_side_message_send(MPI_Comm comm, int rank, const dap_side *side, const int ranks[],
                                 dap_side_message *m, dap_error *err)
{
  const dap_status written = rank == m->root ? write_words(side, ranks, &m->words, err) : DAP_OK;
  if (m->words)
    memcpy(m->first, m->words, (size_t)dap_smaller(m->words[0], DAP_SIDE_FIRST) * sizeof *m->words);
  const dap_status sent =
      dap_bcast(comm, m->first, DAP_SIDE_FIRST, MPI_INT64_T, m->root, written ? NULL : err);
  return written ? written : sent;
}

/* Sends the words behind the first ones, if there are any. Collective then; not agreed. */
static dap_status send_rest(MPI_Comm comm, dap_side_message *m, dap_error *err)
{
  const int64_t count = m->first[0];
  if (count <= DAP_SIDE_FIRST) return DAP_OK;
  if (!m->words) m->words = malloc((size_t)count * sizeof *m->words);
  DAP_TRY(dap_agree(comm, m->words ? DAP_OK : dap_fail(err, DAP_ERR_NOMEM, "no memory to receive a layout"),
                    err));
  memcpy(m->words, m->first, DAP_SIDE_FIRST * sizeof *m->words);
  return dap_bcast(comm, m->words + DAP_SIDE_FIRST, (int)(count - DAP_SIDE_FIRST), MPI_INT64_T, m->root, err);
}

dap_status dap_side_message_receive(MPI_Comm comm, dap_side_message *m, dap_layout **layout, int **ranks,
                                    dap_error *err)
{
  outline o;
  memcpy(&o, m->first, sizeof o);
  DAP_TRY(send_rest(comm, m, err));
  if (!layout) return DAP_OK;
  const int64_t *at = (m->words ? m->words : m->first) + OUTLINE;
  if (o.ranks > 0) *ranks = malloc((size_t)o.ranks * sizeof **ranks);
  DAP_REQUIRE(o.ranks == 0 || *ranks, err, DAP_ERR_NOMEM, "no memory for %d ranks", (int)o.ranks);
  for (int i = 0; i < o.ranks; i++) (*ranks)[i] = (int)at[i];
  return dap_layout_unpack(at + o.ranks, o.words - OUTLINE - o.ranks, layout, err);
}

dap_side dap_side_message_side(const dap_side_message *m, int axes[], int64_t start[], int64_t shape[])
{
  outline o;
  memcpy(&o, m->first, sizeof o);
  for (int j = 0; j < DAP_MAX_NDIM; j++) axes[j] = (int)o.axes[j];
  memcpy(start, o.start, sizeof o.start);
  memcpy(shape, o.shape, sizeof o.shape);
  return (dap_side){.dtype = (dap_dtype)o.dtype,
                    .part = {.naxes = (int)o.naxes,
                             .axes = o.has_axes ? axes : NULL,
                             .start = o.has_start ? start : NULL,
                             .shape = o.has_shape ? shape : NULL}};
}
