/* Makes and frees the arguments of calls. */
#include "call_rows.h"

#include "case.h"
#ifdef DAP_TEST_ELPA
#include <dapbridge/elpa.h>
#endif
#include <dapbridge/parse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Words for dap_layout_parse(), in which P stands for the number of processes. */
static const struct {
  const char *layout;
  dap_dtype dtype;
  dap_order order;
} forms[ARRAYS] = {
    [A] = {"8x8 on Px1: b(ceil), n", DAP_F8},
    [B] = {"8x8 on Px1: b(ceil), n", DAP_F8},
    [C] = {"8x8 on Px1: b(ceil), n", DAP_F8},
    [W] = {"8 on P: b(ceil)", DAP_F8},
    [CROSSING] = {"5x24 on 1xP: u[3,1,4,0,2], b", DAP_F8, DAP_ORDER_C},
    [PADDED] = {"3x24 on 1xP: n, b(halo 1)", DAP_F8, DAP_ORDER_C},
    [CUBE] = {"3x24x2 on 1xPx1", DAP_F8, DAP_ORDER_C},
    [TALL] = {"96x3 on Px1", DAP_F8, DAP_ORDER_C},
    [TALL_RIGHT] = {"96x2 on Px1", DAP_F8, DAP_ORDER_C},
    [TALL_Q] = {"96x3 on Px1", DAP_F8, DAP_ORDER_C},
    [TALL_X] = {"3x2 on Px1: c, n", DAP_F8, DAP_ORDER_C},
    [TALL_R] = {"3x3 on Px1: c, n", DAP_F8, DAP_ORDER_C},
    [TALL_VALUES] = {"3 on P: c", DAP_F8, DAP_ORDER_C},
    [TALL_ORDER] = {"3 on P: c", DAP_I8, DAP_ORDER_C},
    [WIDE] = {"5x8 on Px1: b(ceil), n", DAP_F8, DAP_ORDER_F},
    [NARROW] = {"5 on P: b(ceil)", DAP_F8, DAP_ORDER_F},
    [EQUAL] = {"8x8 on Px1: b(ceil), n", DAP_F8, DAP_ORDER_F},
    [ORDER] = {"8 on P: b(ceil)", DAP_I4, DAP_ORDER_F},
    [SEVEN] = {"7 on P: b(ceil)", DAP_F8, DAP_ORDER_F},
    [VALUES] = {"8 on P: b(ceil)", DAP_C16, DAP_ORDER_F},
    [VECTORS] = {"8x8 on Px1: b(ceil), n", DAP_C16, DAP_ORDER_F},
    [BAND] = {"3x24 on 1xP", DAP_F8, DAP_ORDER_F},
    [POSITIVE] = {"3x24 on 1xP", DAP_F8, DAP_ORDER_F},
    [RIGHT] = {"24x2 on Px1: b(ceil), n", DAP_F8, DAP_ORDER_F},
};

/* Returns element e of one of the other arrays: bands with a heavy diagonal, zeros (for the diagonal
 * beside another), ones, or numbers without a pattern. */
static double number(int array, int64_t e)
{
  if (array == BAND || array == POSITIVE) return e % 3 == (array == BAND) ? 8 : 1;
  if (array == SEVEN) return 0;
  return array == EQUAL ? 1 : (double)((5 * e * e + 3 * e) % 13) - 6;
}

static void fill_listed(call_arguments *g, int i)
{
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

void calls_fill(call_arguments *g)
{
  for (int i = 0; i < ARRAYS; i++) {
    double *data = g->own[i].data;
    const int64_t bytes = dap_array_bytes(&g->own[i]);
    const bool is_whole = forms[i].dtype == DAP_I4 || forms[i].dtype == DAP_I8;
    if (i < LISTED) fill_listed(g, i);
    if (is_whole && bytes > 0) memset(data, 0, (size_t)bytes);
    for (int64_t e = 0; e < bytes / 8 && i >= LISTED && !is_whole; e++) data[e] = number(i, e);
  }
}

/* Makes the array g->own[i] and its layout. */
static void make_array(call_arguments *g, int i, int procs, dap_order order)
{
  char text[100];
  dap_layout *layout = NULL;
  (void)snprintf(text, sizeof text, "%s", forms[i].layout);
  for (char *at = strchr(text, 'P'); at; at = strchr(at, 'P')) *at = (char)('0' + procs);
  if (dap_layout_parse(text, &layout, NULL)) abort();
  if (dap_array_init(&g->own[i], layout, g->rank, forms[i].dtype, order, NULL, NULL)) abort();
  g->array[i] = (dap_darray){layout, &g->own[i]};
}

void calls_begin(call_arguments *g, int procs, int rank, dap_order order)
{
  *g = (call_arguments){.comm = MPI_COMM_WORLD, .rank = rank};
  for (int i = 0; i < ARRAYS; i++) make_array(g, i, procs, i < LISTED ? order : forms[i].order);
  calls_fill(g);
}

void calls_begin_lists(call_arguments *g, int procs, int rank, bool assembled)
{
  enum { OWN = 4 /* indices of each process; with several, each also has two of the process before */ };
  static const bool is_owned[2][OWN + 2] = {{true, true, true, true}, {false, false, true, true, true, true}};
  int coords[2] = {0};
  *g = (call_arguments){.comm = MPI_COMM_WORLD, .rank = rank};
  for (int i = LISTED; i < ARRAYS; i++) make_array(g, i, procs, forms[i].order);
  for (int i = 0; i < LISTED; i++) {
    const case_layout lists = {.ndim = i == W ? 1 : 2,
                               .size = {(int64_t)OWN * procs, SIZE},
                               .cut = {CUT_EDGES},
                               .shuffled = true,
                               .assembled = assembled};
    test_random random = test_random_init(1);
    dap_layout *layout = case_create(&lists, (const int[]){procs, 1}, &random);
    if (dap_array_init(&g->own[i], layout, rank, DAP_F8, DAP_ORDER_C, NULL, NULL)) abort();
    g->array[i] = (dap_darray){layout, &g->own[i]};
    dap_layout_coords(layout, rank, coords);
  }
  g->is_owned = is_owned[coords[0] > 0];
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
  const dap_elpa_options elpa_moved = {.sharing = DAP_SHARE_NEVER};
  g->elpa = calloc(1, sizeof *g->elpa);
  if (!g->elpa) abort();
  if (!s) s = dap_elpa_get(g->comm, g->array[C], DAP_READ_WRITE, &elpa_moved, g->elpa, err);
#endif
  return s;
}

dap_status calls_close(call_arguments *g, dap_error *err)
{
  dap_status s = DAP_OK;
#ifdef DAP_TEST_ELPA
  s = dap_elpa_restore(g->elpa, err);
  free(g->elpa);
  g->elpa = NULL;
#endif
  const dap_status r = dap_scalapack_restore(g->matrix, s ? NULL : err);
  if (!s) s = r;
  const dap_status t = toy_restore(g->toy, s ? NULL : err);
  dap_linalg_factors_destroy(&g->factors);
  dap_context_release(&g->context);
  dap_plan_destroy(&g->plan);
  return s ? s : t;
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

call *calls_first;

void calls_add(call *row)
{
  static call **end = &calls_first;
  *end = row;
  end = &row->next;
}
