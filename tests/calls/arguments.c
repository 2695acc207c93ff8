#include "call_rows.h"

#include <stdlib.h>

void calls_fill(call_arguments *g)
{
  for (int i = 0; i < ARRAYS; i++) {
    const dap_array *array = &g->own[i];
    const int64_t procs = array->dims[0].proc_grid_size, columns = i == W ? 1 : SIZE;
    const int64_t above = g->rank * ((SIZE + procs - 1) / procs); /* rows of the processes before */
    for (int64_t e = 0; e < dap_array_count(array); e++) {
      const int64_t row = e / columns, column = e % columns;
      const int64_t at = row * array->strides[0] + (i == W ? 0 : column * array->strides[1]);
      double *value = (double *)(void *)((char *)array->data + at);
      *value = (double)((7 * e + g->rank) % 11) + 1;
      if (i != W && column == above + row) *value += 128;
    }
  }
}

void calls_begin(call_arguments *g, int procs, int rank, dap_order order)
{
  const dap_dist dists[2] = {dap_dist_ceil(SIZE, procs), dap_dist_local(SIZE)};
  *g = (call_arguments){.comm = MPI_COMM_WORLD, .rank = rank};
  for (int i = 0; i < ARRAYS; i++) {
    dap_layout *layout = NULL;
    const dap_status s = dap_layout_create(i == W ? 1 : 2, dists, &layout, NULL);
    if (s || dap_array_init(&g->own[i], layout, rank, DAP_F8, order, NULL, NULL)) abort();
    g->array[i] = (dap_darray){layout, &g->own[i]};
  }
  calls_fill(g);
}

enum { MOST = 8 /* processes */, OWN = 4 /* indices of each */ };

static dap_layout *make_lists(int procs, int ndim)
{
  static int64_t lists[MOST][OWN + 1], lengths[MOST];
  const int64_t *indices[MOST];
  int backwards[MOST];
  dap_layout *forwards = NULL, *layout = NULL;
  for (int p = 0; p < procs; p++) {
    for (int i = 0; i <= OWN; i++) lists[p][i] = (OWN * p + i) % (OWN * procs);
    lengths[p] = procs > 1 ? OWN + 1 : OWN;
    indices[p] = lists[p];
    backwards[p] = procs - 1 - p;
  }
  const dap_dist dists[2] = {dap_dist_unstructured(OWN * procs, procs, lengths, indices),
                             dap_dist_local(SIZE)};
  if (dap_layout_create(ndim, dists, &forwards, NULL)) abort();
  if (dap_layout_reorder(forwards, backwards, &layout, NULL)) abort();
  dap_layout_destroy(&forwards);
  return layout;
}

void calls_begin_lists(call_arguments *g, int procs, int rank, bool assembled)
{
  static const bool is_owned[OWN + 1] = {true, true, true, true, false};
  *g = (call_arguments){.comm = MPI_COMM_WORLD, .rank = rank, .is_owned = is_owned};
  for (int i = 0; i < ARRAYS; i++) {
    dap_layout *layout = make_lists(procs, i == W ? 1 : 2);
    if (dap_array_init(&g->own[i], layout, rank, DAP_F8, DAP_ORDER_C, NULL, NULL)) abort();
    if (assembled) dap_layout_destroy(&layout);
    if (assembled && dap_layout_assemble(g->comm, &g->own[i], &layout, NULL)) abort();
    g->array[i] = (dap_darray){layout, &g->own[i]};
  }
  calls_fill(g);
}

void calls_end(call_arguments *g)
{
  for (int i = 0; i < ARRAYS; i++) {
    dap_layout *layout = (dap_layout *)g->array[i].layout;
    dap_array_release((dap_array *)g->array[i].local);
    dap_layout_destroy(&layout);
  }
}

dap_status calls_open(call_arguments *g, dap_scalapack_matrix *matrix, toy_matrix *toy, dap_error *err)
{
  const dap_side from = {.layout = g->array[A].layout, .contiguous = true},
                 to = {.layout = g->array[B].layout, .contiguous = true};
  const dap_scalapack_options moved = {.sharing = DAP_SHARE_NEVER};
  const dap_linalg_options kept = {.keep = true};
  const toy_options toy_moved = {.sharing = DAP_SHARE_NEVER};
  g->matrix = matrix;
  g->toy = toy;
  dap_status s = dap_plan_create(g->comm, &from, &to, 8, NULL, &g->plan, err);
  if (!s) s = dap_context_get(g->comm, "calls", &g->context, err);
  if (!s) s = dap_linalg_lu(g->comm, g->array[A], &kept, &g->factors, err);
  if (!s) s = dap_scalapack_get(g->comm, g->array[A], DAP_READ_WRITE, &moved, matrix, err);
  if (!s) s = toy_get(g->comm, g->array[B], DAP_READ_WRITE, &toy_moved, toy, err);
#ifdef DAP_TEST_ELPA
  if (!s) s = calls_open_elpa(g, err);
#endif
  return s;
}

dap_status calls_close(call_arguments *g, dap_error *err)
{
  dap_error ignored;
  dap_status s = DAP_OK;
#ifdef DAP_TEST_ELPA
  s = calls_close_elpa(g, err);
#endif
  const dap_status r = dap_scalapack_restore(g->matrix, s ? &ignored : err);
  if (!s) s = r;
  const dap_status t = toy_restore(g->toy, s ? &ignored : err);
  dap_linalg_factors_destroy(&g->factors);
  dap_context_release(&g->context);
  dap_plan_destroy(&g->plan);
  return s ? s : t;
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

static call *first, *last;

void calls_add(call *row)
{
  if (last)
    last->next = row;
  else
    first = row;
  last = row;
}

const call *calls_next(const call *row)
{
  return row ? row->next : first;
}
