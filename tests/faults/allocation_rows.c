/* Rows of layouts that are no calls of tests/calls with other arrays. */
#include "allocation_rows.h"

#include <dapbridge/join.h>
#include <dapbridge/parse.h>
#include <stdlib.h>

enum { MOST = 8 /* processes */ };

static struct {
  int procs;
  call_arguments parts[MOST]; /* of all processes, of lists */
  dap_layout *across;         /* one list, cut along the other axis */
  dap_array crossing;
} made;

void allocation_rows_begin(void)
{
  static const int64_t five = 5, shuffled[] = {3, 1, 4, 0, 2}, *const one[] = {shuffled};
  int rank;
  (void)MPI_Comm_size(MPI_COMM_WORLD, &made.procs);
  (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int r = 0; r < made.procs; r++) calls_begin_lists(&made.parts[r], made.procs, r, false);
  const dap_dist across[] = {dap_dist_unstructured(five, 1, &five, one),
                             dap_dist_even(4 * (int64_t)made.procs, made.procs)};
  if (dap_layout_create(2, across, &made.across, NULL)) abort();
  if (dap_array_init(&made.crossing, made.across, rank, DAP_F8, DAP_ORDER_C, NULL, NULL)) abort();
}

void allocation_rows_end(void)
{
  dap_array_release(&made.crossing);
  dap_layout_destroy(&made.across);
  for (int r = 0; r < made.procs; r++) calls_end(&made.parts[r]);
}

static dap_status part_of(void *context, int rank, dap_array *array, dap_error *err)
{
  (void)context, (void)err;
  *array = made.parts[rank].own[A];
  return DAP_OK;
}

/* The list of a replicated axis is made when it is first asked for. */
static dap_status describe(const dap_layout *layout, dap_error *err)
{
  return layout ? dap_layout_dim(layout, NULL, 1, 1, &(dap_dim){0}, err) : DAP_ERR_NOMEM;
}

/* A function that makes a layout, in which the list of axis 1 is asked for if that `has_list`. */
#define LAYOUT(name, has_list, call, ...)                                                                    \
  static dap_status name(const call_arguments *g, dap_error *err)                                            \
  {                                                                                                          \
    dap_layout *layout = NULL;                                                                               \
    (void)g;                                                                                                 \
    dap_status s = call(__VA_ARGS__, &layout, err);                                                          \
    if (!s && (has_list)) s = describe(layout, err);                                                         \
    dap_layout_destroy(&layout);                                                                             \
    return s;                                                                                                \
  }

static const dap_dist kinds[] = {{.size = 9, .procs = 2, .halo = 1},
                                 {.kind = DAP_DIST_REPLICATED, .size = 3, .procs = 2},
                                 {.kind = DAP_DIST_CYCLIC, .size = 9, .procs = 2, .block_size = 2}};

LAYOUT(parse, false, dap_layout_parse,
       "6x9x9x4 on 3x2x2x1: u[0,2,~3][1,3,4][5,~0], b(halo 2, boundary 1 0), "
       "c(2, first 1), r; ranks 11 10 9 8 7 6 5 4 3 2 1 0")
LAYOUT(create, true, dap_layout_create, 3, kinds)
LAYOUT(join, false, dap_layout_join, &(dap_join){.nprocs = made.procs, .part = part_of})
LAYOUT(assemble_across, false, dap_layout_assemble, g->comm, &made.crossing)

const call allocation_rows[] = {
    ALLOCATION_ROW("dap_layout_parse", parse, false, NO_HANDLE),
    ALLOCATION_ROW("dap_layout_create, of all kinds", create, false, NO_HANDLE),
    ALLOCATION_ROW("dap_layout_join, lists", join, false, NO_HANDLE),
    ALLOCATION_ROW("dap_layout_assemble, the same list on all", assemble_across, true, NO_HANDLE),
    {.name = NULL},
};
