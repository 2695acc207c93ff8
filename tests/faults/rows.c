/* What the rows work on, and rows of layouts. */
#include "rows.h"

#include "call_rows.h"

#include <dapbridge/join.h>
#include <dapbridge/parse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- operands ------------------------------------------------------------------------------------------ */

/* Layouts in words, with P for the number of processes. */
static const struct {
  const char *layout;
  dap_dtype dtype;
  dap_order order;
} forms[OPERANDS] = {
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
    [SHORT] = {"5 on P: b(ceil)", DAP_F8, DAP_ORDER_F},
    [EQUAL] = {"8x8 on Px1: b(ceil), n", DAP_F8, DAP_ORDER_F},
    [ORDER] = {"8 on P: b(ceil)", DAP_I4, DAP_ORDER_F},
    [VALUES] = {"8 on P: b(ceil)", DAP_C16, DAP_ORDER_F},
    [VECTORS] = {"8x8 on Px1: b(ceil), n", DAP_C16, DAP_ORDER_F},
    [BAND] = {"3x24 on 1xP", DAP_F8, DAP_ORDER_F},
    [POSITIVE] = {"3x24 on 1xP", DAP_F8, DAP_ORDER_F},
    [RIGHT] = {"24x2 on Px1: b(ceil), n", DAP_F8, DAP_ORDER_F},
};

static dap_array locals[OPERANDS];
static dap_darray operands[OPERANDS];

dap_darray row_operand(operand i)
{
  return operands[i];
}

/* Bands with a heavy diagonal, ones, or numbers without a pattern. */
static double number(operand i, int64_t e)
{
  if (i == BAND || i == POSITIVE) return e % 3 == (i == BAND) ? 8 : 1;
  return i == EQUAL ? 1 : (double)((5 * e * e + 3 * e) % 13) - 6;
}

void rows_fill(void)
{
  for (operand i = 0; i < OPERANDS; i++) {
    void *data = locals[i].data;
    const int64_t bytes = dap_array_bytes(&locals[i]);
    if (forms[i].dtype == DAP_I4 || forms[i].dtype == DAP_I8)
      memset(data, 0, (size_t)bytes);
    else
      for (int64_t e = 0; e < bytes / 8; e++) ((double *)data)[e] = number(i, e);
  }
}

/* ---- rows of layouts ----------------------------------------------------------------------------------- */

enum { MOST = 8 /* processes */ };

static struct {
  int procs;
  call_arguments parts[MOST]; /* of all processes, of lists */
} joined;

static dap_status part_of(void *context, int rank, dap_array *array, dap_error *err)
{
  (void)context, (void)err;
  *array = joined.parts[rank].own[A];
  return DAP_OK;
}

/* The list of a replicated axis is made when it is first asked for. */
static dap_status describe(const dap_layout *layout, dap_error *err)
{
  return layout ? dap_layout_dim(layout, NULL, 1, 1, &(dap_dim){0}, err) : DAP_ERR_NOMEM;
}

/* A call that makes a layout, in which the list of axis 1 is asked for if that `has_list`. */
#define LAYOUT(name, what, kind, has_list, ...)                                                              \
  VARIANT(name, what, kind)                                                                                  \
  {                                                                                                          \
    dap_layout *layout = NULL;                                                                               \
    dap_status s = name(__VA_ARGS__, &layout, err);                                                          \
    if (!s && (has_list)) s = describe(layout, err);                                                         \
    dap_layout_destroy(&layout);                                                                             \
    return s;                                                                                                \
  }

static const dap_dist kinds[] = {{.size = 9, .procs = 2, .halo = 1},
                                 {.kind = DAP_DIST_REPLICATED, .size = 3, .procs = 2},
                                 {.kind = DAP_DIST_CYCLIC, .size = 9, .procs = 2, .block_size = 2}};

LAYOUT(dap_layout_parse, "", ALONE(0), false,
       "6x9x9x4 on 3x2x2x1: u[0,2,~3][1,3,4][5,~0], b(halo 2, boundary 1 0), "
       "c(2, first 1), r; ranks 11 10 9 8 7 6 5 4 3 2 1 0")
LAYOUT(dap_layout_create, ", of all kinds", ALONE(0), true, 3, kinds)
LAYOUT(dap_layout_join, ", lists", ALONE(0), false, &(dap_join){.nprocs = joined.procs, .part = part_of})
LAYOUT(dap_layout_assemble, ", the same list on all", COLLECTIVE(0), false, g->comm,
       row_operand(CROSSING).local)

void rows_begin(void)
{
  int rank;
  (void)MPI_Comm_size(MPI_COMM_WORLD, &joined.procs);
  (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int r = 0; r < joined.procs; r++) calls_begin_lists(&joined.parts[r], joined.procs, r, false);
  for (operand i = 0; i < OPERANDS; i++)
    operands[i] =
        calls_array(forms[i].layout, joined.procs, rank, forms[i].dtype, forms[i].order, &locals[i]);
  rows_fill();
}

void rows_end(void)
{
  for (operand i = 0; i < OPERANDS; i++) {
    dap_layout *layout = (dap_layout *)operands[i].layout;
    dap_array_release(&locals[i]);
    dap_layout_destroy(&layout);
  }
  for (int r = 0; r < joined.procs; r++) calls_end(&joined.parts[r]);
}
