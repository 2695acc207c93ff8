/* Rows of layouts, and of plans between lists. */
#include "allocation_rows.h"

#include <dapbridge/export.h>
#include <dapbridge/join.h>
#include <dapbridge/parse.h>
#include <dapbridge/part.h>
#include <dapbridge/shared.h>
#include <stdlib.h>

enum { MOST = 8 /* processes */, OWN = 4 /* indices of each */, WIDTH = 3 };

/* Lists: each process's own indices and, of several, the first of the next one, which the lower of both
 * owns. */
static struct {
  int procs, rank;
  int64_t lists[MOST][OWN + 1], lengths[MOST];
  const int64_t *indices[MOST];
  dap_layout *known;     /* lists x WIDTH, ranks backwards, all lists known */
  dap_layout *assembled; /* the same, each process knows its own */
  dap_array local;       /* this process's part of them */
  dap_array parts[MOST]; /* everybody's, without buffers */
  bool flags[OWN + 1];   /* who owns what: of the next one's first that one */
  const bool *is_owned[2];
  dap_layout *across; /* one list, cut along the other axis */
  dap_array crossing;
} made;

/* ---- made ---------------------------------------------------------------------------------------------- */

static void need(dap_status s)
{
  if (s) abort();
}

static void make_lists(void)
{
  const int procs = made.procs;
  int backwards[MOST];
  dap_layout *forwards = NULL;
  for (int c = 0; c < procs; c++) {
    for (int i = 0; i <= OWN; i++) made.lists[c][i] = (OWN * c + i) % (OWN * procs);
    made.lengths[c] = procs > 1 ? OWN + 1 : OWN;
    made.indices[c] = made.lists[c];
    backwards[c] = procs - 1 - c;
  }
  const dap_dist dists[] = {dap_dist_unstructured(OWN * procs, procs, made.lengths, made.indices),
                            dap_dist_local(WIDTH)};
  need(dap_layout_create(2, dists, &forwards, NULL));
  need(dap_layout_reorder(forwards, backwards, &made.known, NULL));
  dap_layout_destroy(&forwards);
  need(dap_array_init(&made.local, made.known, made.rank, DAP_F8, DAP_ORDER_C, NULL, NULL));
  for (int r = 0; r < procs; r++)
    need(dap_array_init(&made.parts[r], made.known, r, DAP_F8, DAP_ORDER_C, made.local.data, NULL));
  need(dap_layout_assemble(MPI_COMM_WORLD, &made.local, &made.assembled, NULL));
  for (int i = 0; i < OWN; i++) made.flags[i] = true;
  made.is_owned[0] = made.flags;
}

void allocation_rows_begin(void)
{
  (void)MPI_Comm_size(MPI_COMM_WORLD, &made.procs);
  (void)MPI_Comm_rank(MPI_COMM_WORLD, &made.rank);
  if (made.procs > MOST) abort();
  make_lists();
  static const int64_t five = 5, shuffled[] = {3, 1, 4, 0, 2}, *const one[] = {shuffled};
  const dap_dist across[] = {dap_dist_unstructured(five, 1, &five, one),
                             dap_dist_even(OWN * made.procs, made.procs)};
  need(dap_layout_create(2, across, &made.across, NULL));
  need(dap_array_init(&made.crossing, made.across, made.rank, DAP_F8, DAP_ORDER_C, NULL, NULL));
}

void allocation_rows_end(void)
{
  dap_layout **const layouts[] = {&made.known, &made.assembled, &made.across};
  dap_array *const arrays[] = {&made.local, &made.crossing};
  for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) dap_layout_destroy(layouts[i]);
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) dap_array_release(arrays[i]);
  for (int r = 0; r < made.procs; r++) dap_array_release(&made.parts[r]);
}

dap_darray allocation_lists(void)
{
  return (dap_darray){made.assembled, &made.local};
}

/* ---- one process alone --------------------------------------------------------------------------------- */

static dap_status end(dap_status s, dap_layout *layout)
{
  dap_layout_destroy(&layout);
  return s;
}

static dap_status parse(const call_arguments *g, dap_error *err)
{
  dap_layout *layout = NULL;
  (void)g;
  const dap_status s =
      dap_layout_parse("6x9x9x4 on 3x2x2x1: u[0,2,~3][1,3,4][5,~0], b(halo 2, boundary 1 0), "
                       "c(2, first 1), r; ranks 11 10 9 8 7 6 5 4 3 2 1 0",
                       &layout, err);
  return end(s, layout);
}

static dap_status create(const call_arguments *g, dap_error *err)
{
  dap_layout *layout = NULL;
  (void)g;
  const dap_dist dists[] = {dap_dist_unstructured(OWN * made.procs, made.procs, made.lengths, made.indices),
                            dap_dist_replicated(3, 2), dap_dist_padded(9, 2, 1), dap_dist_cyclic(9, 2, 2)};
  const dap_status s = dap_layout_create(4, dists, &layout, err);
  return end(s, layout);
}

static dap_status reorder(const call_arguments *g, dap_error *err)
{
  static const int ranks[MOST] = {0, 1, 2, 3, 4, 5, 6, 7};
  dap_layout *layout = NULL;
  (void)g;
  const dap_status s = dap_layout_reorder(made.known, ranks, &layout, err);
  return end(s, layout);
}

static dap_status part_of(void *context, int rank, dap_array *array, dap_error *err)
{
  (void)context, (void)err;
  *array = made.parts[rank];
  return DAP_OK;
}

static dap_status join(const call_arguments *g, dap_error *err)
{
  dap_layout *layout = NULL;
  (void)g;
  const dap_status s = dap_layout_join(&(dap_join){.nprocs = made.procs, .part = part_of}, &layout, err);
  return end(s, layout);
}

/* Without the first index, which the last process has behind its own. */
static dap_status part(const call_arguments *g, dap_error *err)
{
  static const int64_t start[] = {1, 1};
  dap_layout *layout = NULL;
  (void)g;
  const dap_status s = dap_layout_part(made.known, &(dap_part){.start = start}, &layout, NULL, err);
  return end(s, layout);
}

static dap_status array_part(const call_arguments *g, dap_error *err)
{
  static const int64_t start[] = {0, 1};
  dap_array array;
  const dap_status s = dap_array_part(allocation_lists(), g->rank, &(dap_part){.start = start}, &array, err);
  dap_array_release(&array);
  return s;
}

/* The list of a replicated axis is made when it is first asked for. */
static dap_status dim(const call_arguments *g, dap_error *err)
{
  const dap_dist dist = dap_dist_replicated(5, 2);
  dap_layout *layout = NULL;
  (void)g;
  dap_status s = dap_layout_create(1, &dist, &layout, err);
  if (!s) s = dap_layout_dim(layout, NULL, 0, 1, &(dap_dim){0}, err);
  return end(s, layout);
}

static dap_status preview(const call_arguments *g, dap_error *err)
{
  const dap_side from = {.layout = made.known, .contiguous = true},
                 to = {.layout = made.known, .contiguous = true, .part = {0}};
  dap_plan_stats stats;
  return dap_plan_preview(made.procs, g->rank, &from, &to, 8, NULL, &stats, err);
}

/* ---- lists --------------------------------------------------------------------------------------------- */

static dap_status assemble(const call_arguments *g, dap_error *err)
{
  dap_layout *layout = NULL;
  const dap_status s = dap_layout_assemble(g->comm, &made.local, &layout, err);
  return end(s, layout);
}

static dap_status assemble_across(const call_arguments *g, dap_error *err)
{
  dap_layout *layout = NULL;
  const dap_status s = dap_layout_assemble(g->comm, &made.crossing, &layout, err);
  return end(s, layout);
}

static dap_status assemble_ghosted(const call_arguments *g, dap_error *err)
{
  dap_layout *layout = NULL;
  const dap_status s = dap_layout_assemble_ghosted(g->comm, NULL, &made.local, made.is_owned, &layout, err);
  return end(s, layout);
}

static dap_status look_up(const call_arguments *g, dap_error *err)
{
  const int64_t last = OWN * made.procs - 1, global[] = {0, 0, last, 2, last / 2, 1};
  int ranks[3];
  int64_t local[6];
  return dap_layout_lookup(g->comm, made.assembled, 3, global, ranks, local, err);
}

static dap_status alloc(const call_arguments *g, dap_error *err)
{
  dap_array array;
  const dap_status s = dap_array_alloc(g->comm, made.assembled, DAP_F8, DAP_ORDER_F, &array, NULL, err);
  dap_array_release(&array);
  return s;
}

static dap_status check_replicas(const call_arguments *g, dap_error *err)
{
  return dap_replicas_check(g->comm, allocation_lists(), err);
}

static dap_status export_array(const call_arguments *g, dap_error *err)
{
  FILE *stream = fopen("/dev/null", "w");
  const dap_status s = dap_array_export(g->comm, &made.local, stream, err);
  if (stream) (void)fclose(stream);
  return s;
}

static dap_status gather(const call_arguments *g, dap_error *err)
{
  dap_plan *plan = NULL;
  const dap_side side = dap_side_of(allocation_lists());
  const dap_status s = dap_plan_create_gather(g->comm, &side, made.procs - 1, 8, NULL, &plan, err);
  dap_plan_destroy(&plan);
  return s;
}

static dap_status scatter(const call_arguments *g, dap_error *err)
{
  dap_plan *plan = NULL;
  const dap_side side = dap_side_of(allocation_lists());
  const dap_status s = dap_plan_create_scatter(g->comm, made.procs - 1, &side, 8, NULL, &plan, err);
  dap_plan_destroy(&plan);
  return s;
}

static dap_status update(const call_arguments *g, dap_error *err)
{
  dap_plan *plan = NULL;
  const dap_side side = dap_side_of(allocation_lists());
  const dap_plan_options options = {.allow_empty = true};
  const dap_status s = dap_plan_create_halo(g->comm, &side, 8, &options, &plan, err);
  dap_plan_destroy(&plan);
  return s;
}

/* ---- the table ----------------------------------------------------------------------------------------- */

const call allocation_rows[] = {
    ALLOCATION_ROW("dap_layout_parse", parse, false, NO_HANDLE),
    ALLOCATION_ROW("dap_layout_create, of all kinds", create, false, NO_HANDLE),
    ALLOCATION_ROW("dap_layout_reorder, lists", reorder, false, NO_HANDLE),
    ALLOCATION_ROW("dap_layout_join, lists", join, false, NO_HANDLE),
    ALLOCATION_ROW("dap_layout_part, lists", part, false, NO_HANDLE),
    ALLOCATION_ROW("dap_array_part, lists", array_part, false, NO_HANDLE),
    ALLOCATION_ROW("dap_layout_dim, a replicated axis", dim, false, NO_HANDLE),
    ALLOCATION_ROW("dap_plan_preview, lists", preview, false, NO_HANDLE),
    ALLOCATION_ROW("dap_layout_assemble, lists", assemble, true, NO_HANDLE),
    ALLOCATION_ROW("dap_layout_assemble, the same list on all", assemble_across, true, NO_HANDLE),
    ALLOCATION_ROW("dap_layout_assemble_ghosted, lists", assemble_ghosted, true, NO_HANDLE),
    ALLOCATION_ROW("dap_layout_lookup, lists", look_up, true, NO_HANDLE),
    ALLOCATION_ROW("dap_array_alloc, lists", alloc, true, NO_HANDLE),
    ALLOCATION_ROW("dap_replicas_check, lists", check_replicas, true, NO_HANDLE),
    ALLOCATION_ROW("dap_array_export, lists", export_array, true, NO_HANDLE),
    ALLOCATION_ROW("dap_plan_create_gather, lists", gather, true, NO_HANDLE),
    ALLOCATION_ROW("dap_plan_create_scatter, lists", scatter, true, NO_HANDLE),
    ALLOCATION_ROW("dap_plan_create_halo, lists", update, true, NO_HANDLE),
    {.name = NULL},
};
