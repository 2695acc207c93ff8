/* Moves an array to a file or from it, in rounds. In each round a plan moves elements between a box of the
 * array and slabs, one on each writer. A writer reads its slab before the plan, or writes it after the
 * plan. */
#include "file_impl.h"

#include <stdlib.h>
#include <string.h>

enum { MEMORY = 64 << 20, SLAB = 1 << 20 /* bytes */ };

typedef struct mover {
  dap_file_call *call;
  dap_file_rounds rounds;
  dap_array memory;    /* of the slab, shared by the node */
  char *slab;          /* of this writer; NULL on others */
  int64_t plan_memory; /* bytes */
  dap_layout *layout;  /* of the round's slabs */
  double since, told;  /* MPI_Wtime() */
} mover;

/* ---- a plan ---------------------------------------------------------------------------------------- */

static dap_status make_slabs(mover *m, dap_error *err)
{
  const dap_file_rounds *r = &m->rounds;
  dap_dist dists[DAP_MAX_NDIM];
  for (int i = 0; i < r->axes->naxes; i++) {
    const int64_t size = r->round.shape[i];
    dists[i] = i == r->cut       ? dap_dist_lengths(size, r->round.along, r->round.lengths)
               : i == r->cut - 1 ? dap_dist_even(size, (int)size)
                                 : dap_dist_local(size);
  }
  return dap_layout_create(r->axes->naxes, dists, &m->layout, err);
}

/* Returns the round's box of the array, in start[ndim] and shape[ndim]. */
static dap_part box_of(const mover *m, int64_t start[], int64_t shape[])
{
  const dap_file_axes *axes = &m->call->axes;
  if (axes->naxes == 0) return (dap_part){0};
  for (int i = 0; i < axes->naxes; i++) {
    start[axes->array[i]] = m->rounds.round.start[i];
    shape[axes->array[i]] = m->rounds.round.shape[i];
  }
  return (dap_part){.naxes = axes->naxes, .axes = axes->array, .start = start, .shape = shape};
}

static dap_status make_plan(mover *m, dap_plan **plan, dap_error *err)
{
  const dap_file_call *call = m->call;
  int64_t start[DAP_MAX_NDIM], shape[DAP_MAX_NDIM];
  dap_side slab = {.layout = m->layout,
                   .ranks = call->writers.ranks,
                   .contiguous = true,
                   .dtype = call->info.dtype,
                   .swapped = call->info.swapped};
  dap_side array = {.layout = call->local.layout, .dtype = call->array.dtype};
  if (call->context->rank < call->array.nprocs) array = dap_side_of(call->local);
  array.part = box_of(m, start, shape);
  const dap_plan_options options = {
      .fill_halos = !call->saves, .lossy = call->options.lossy, .memory_bytes = m->plan_memory};
  return dap_plan_create(call->comm, call->saves ? &array : &slab, call->saves ? &slab : &array, 0, &options,
                         plan, err);
}

/* ---- a round --------------------------------------------------------------------------------------- */

/* Reads or writes this writer's box. */
static dap_status access_file(const mover *m, dap_error *err)
{
  const dap_file_call *call = m->call;
  if (call->writers.self < 0) return DAP_OK;
  const dap_file_piece piece = dap_file_round_piece(&m->rounds, call->writers.self);
  if (piece.count == 0 && !call->format->is_collective) return DAP_OK;
  return call->saves ? call->format->write(call->state, &piece, m->slab, err)
                     : call->format->read(call->state, &piece, m->slab, err);
}

static dap_status save_round(const mover *m, dap_plan *plan, dap_error *err)
{
  const dap_file_call *call = m->call;
  dap_status s = dap_plan_run(plan, call->local.local ? call->local.local->data : NULL, m->slab, err);
  if (call->format->is_collective) DAP_TRY(dap_file_agree(call, s, err));
  if (!s) s = access_file(m, err);
  return dap_file_agree(call, s, err);
}

static dap_status load_round(const mover *m, dap_plan *plan, dap_error *err)
{
  const dap_file_call *call = m->call;
  DAP_TRY(dap_file_agree(call, access_file(m, err), err));
  const dap_status s = dap_plan_run(plan, m->slab, call->local.local ? call->local.local->data : NULL, err);
  return dap_file_agree(call, s, err);
}

static void tell(mover *m)
{
  const double now = MPI_Wtime();
  if (now - m->told < 1) return;
  m->told = now;
  dap_log("file: rank %d has %s %d %% of %.300s in %.1f s", m->call->context->rank,
          m->call->saves ? "written" : "read", (int)(100 * (double)m->rounds.moved / (double)m->rounds.all),
          m->call->path, now - m->since);
}

static dap_status run_round(mover *m, dap_error *err)
{
  dap_plan *plan = NULL;
  dap_status s = dap_file_agree(m->call, make_slabs(m, err), err);
  if (!s) s = make_plan(m, &plan, err);
  if (!s) s = m->call->saves ? save_round(m, plan, err) : load_round(m, plan, err);
  dap_plan_destroy(&plan);
  dap_layout_destroy(&m->layout);
  if (!s && dap_log_has_progress()) tell(m);
  return s;
}

/* ---- all ------------------------------------------------------------------------------------------- */

/* Makes the slabs in memory that the node shares, so that one copy moves an element to a slab or from it.
 * Collective; agreed. */
static dap_status allocate(mover *m, dap_error *err)
{
  const dap_file_call *call = m->call;
  const int nprocs = call->context->nprocs;
  dap_layout *layout = NULL;
  int64_t *lengths = calloc((size_t)nprocs, sizeof *lengths), all = 0;
  dap_status s = lengths ? DAP_OK : dap_fail(err, DAP_ERR_NOMEM, "no memory for the lengths of slabs");
  for (int w = 0; w < call->writers.count && !s; w++)
    all += lengths[call->writers.ranks[w]] = m->rounds.bytes;
  if (!s)
    s = dap_layout_create(
        1, &(dap_dist){.kind = DAP_DIST_LENGTHS, .procs = nprocs, .size = all, .lengths = lengths}, &layout,
        err);
  free(lengths);
  s = dap_file_agree(call, s, err);
  if (!s) s = dap_array_alloc_contiguous(call->comm, layout, DAP_U1, DAP_ORDER_C, &m->memory, NULL, err);
  dap_layout_destroy(&layout);
  if (call->writers.self >= 0) m->slab = m->memory.data;
  return s;
}

static dap_status start(mover *m, dap_error *err)
{
  const dap_file_call *call = m->call;
  const int64_t memory = call->options.memory_bytes ? call->options.memory_bytes : MEMORY;
  const int64_t slab = dap_smaller(memory / 4, SLAB);
  m->plan_memory = memory - slab;
  DAP_TRY(dap_file_agree(call, dap_file_rounds_create(call, slab, &m->rounds, err), err));
  return m->rounds.bytes > 0 ? allocate(m, err) : DAP_OK;
}

dap_status dap_file_move(dap_file_call *call, dap_error *err)
{
  mover m = {.call = call};
  dap_status s = start(&m, err);
  m.since = m.told = MPI_Wtime();
  while (!s && dap_file_rounds_next(&m.rounds)) s = run_round(&m, err);
  dap_file_rounds_release(&m.rounds);
  dap_array_release(&m.memory);
  return s;
}
