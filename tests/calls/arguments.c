/* Makes and frees the arguments of calls. */
#include "call_rows.h"

#include <dapbridge/parse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void calls_fill(call_arguments *g)
{
  for (int i = 0; i < ARRAYS; i++) {
    const dap_array *array = &g->own[i];
    const int64_t procs = array->dims[0].proc_grid_size, columns = i == W ? 1 : SIZE;
    const int64_t above = g->rank * ((SIZE + procs - 1) / procs); /* rows of the processes with lower ranks */
    for (int64_t e = 0; e < dap_array_count(array); e++) {
      const int64_t row = e / columns, column = e % columns;
      const int64_t at = row * array->strides[0] + (i == W ? 0 : column * array->strides[1]);
      double *value = (double *)(void *)((char *)array->data + at);
      *value = (double)((7 * e + g->rank) % 11) + 1;
      if (i != W && column == above + row) *value += 128;
    }
  }
}

dap_darray calls_array(const char *words, int procs, int rank, dap_dtype dtype, dap_order order,
                       dap_array *array)
{
  char text[400];
  dap_layout *layout = NULL;
  (void)snprintf(text, sizeof text, "%s", words);
  for (char *at = strchr(text, 'P'); at; at = strchr(at, 'P')) *at = (char)('0' + procs);
  if (dap_layout_parse(text, &layout, NULL)) abort();
  if (dap_array_init(array, layout, rank, dtype, order, NULL, NULL)) abort();
  return (dap_darray){layout, array};
}

void calls_begin(call_arguments *g, int procs, int rank, dap_order order)
{
  *g = (call_arguments){.comm = MPI_COMM_WORLD, .rank = rank};
  for (int i = 0; i < ARRAYS; i++)
    g->array[i] = calls_array(i == W ? "8 on P: b(ceil)" : "8x8 on Px1: b(ceil), n", procs, rank, DAP_F8,
                              order, &g->own[i]);
  calls_fill(g);
}

enum { OWN = 4 /* indices of each process */ };

/* Writes the words of a layout with one axis or two, whose first axis has lists, with ranks in reverse
 * order. */
static void write_lists(int procs, int ndim, char text[400])
{
  int used = snprintf(text, 400, ndim == 2 ? "%dx8 on Px1: u" : "%d on P: u", OWN * procs);
  for (int i = 0; i < OWN * procs; i++) {
    used += snprintf(text + used, 400 - (size_t)used, "%c%d", i % OWN ? ',' : '[', i);
    if (i % OWN < OWN - 1) continue;
    if (procs > 1) used += snprintf(text + used, 400 - (size_t)used, ",%d", (i + 1) % (OWN * procs));
    used += snprintf(text + used, 400 - (size_t)used, "]");
  }
  used += snprintf(text + used, 400 - (size_t)used, ndim == 2 ? ", n; ranks" : "; ranks");
  for (int p = procs - 1; p >= 0; p--) used += snprintf(text + used, 400 - (size_t)used, " %d", p);
}

void calls_begin_lists(call_arguments *g, int procs, int rank, bool assembled)
{
  static const bool is_owned[OWN + 1] = {true, true, true, true, false};
  *g = (call_arguments){.comm = MPI_COMM_WORLD, .rank = rank, .is_owned = is_owned};
  for (int i = 0; i < ARRAYS; i++) {
    char words[400];
    write_lists(procs, i == W ? 1 : 2, words);
    g->array[i] = calls_array(words, procs, rank, DAP_F8, DAP_ORDER_C, &g->own[i]);
    dap_layout *layout = (dap_layout *)g->array[i].layout;
    if (assembled) dap_layout_destroy(&layout);
    if (assembled && dap_layout_assemble(g->comm, &g->own[i], &layout, NULL)) abort();
    g->array[i].layout = layout;
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
