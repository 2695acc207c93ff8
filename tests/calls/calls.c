/* The table of the core's functions. */
#include "call_rows.h"

#include <dapbridge/export.h>
#include <dapbridge/file.h>
#include <dapbridge/matrix.h>
#include <dapbridge/picture.h>
#include <dapbridge/shared.h>
#include <stdlib.h>

/* ---- one process alone ------------------------------------------------------------------------------- */

static const int64_t corner[2];

DIRECT(dap_layout_check, g->array[A].layout)

CALL(dap_layout_draw_svg)
{
  FILE *stream = tmpfile();
  if (!stream) abort();
  const dap_status s = dap_layout_draw_svg(g->array[A].layout, NULL, NULL, stream, err);
  (void)fclose(stream);
  return s;
}

CALL(dap_layout_reorder)
{
  static const int ranks[] = {0, 1, 2, 3, 4, 5, 6, 7};
  dap_layout *made = NULL;
  const dap_status s = dap_layout_reorder(g->array[A].layout, ranks, &made, err);
  dap_layout_destroy(&made);
  return s;
}

DIRECT(dap_layout_dim, g->array[A].layout, NULL, 0, 0, &(dap_dim){0})
DIRECT(dap_layout_blocks, g->array[A].layout, 1, &(dap_blocks){0})
DIRECT(dap_layout_ranges, g->array[A].layout, 1, (int64_t[2]){0})
DIRECT(dap_layout_locate, g->array[A].layout, corner, &(int){0}, (int64_t[2]){0})
DIRECT(dap_layout_globalize, g->array[A].layout, 0, corner, (int64_t[2]){0}, NULL)
DIRECT(dap_layout_locate_all, g->array[A].layout, 1, corner, &(int){0}, (int64_t[2]){0})
DIRECT(dap_layout_globalize_all, g->array[A].layout, 0, 1, corner, (int64_t[2]){0}, NULL)

CALL(dap_layout_part)
{
  dap_layout *made = NULL;
  const dap_status s = dap_layout_part(g->array[A].layout, &(dap_part){0}, &made, NULL, err);
  dap_layout_destroy(&made);
  return s;
}

CALL(dap_array_init)
{
  dap_array made;
  const dap_status s = dap_array_init(&made, g->array[A].layout, 0, DAP_F8, DAP_ORDER_C, NULL, err);
  dap_array_release(&made);
  return s;
}

DIRECT(dap_array_match, g->array[A], g->rank)

CALL(dap_array_part)
{
  dap_array made;
  const dap_status s = dap_array_part(g->array[A], g->rank, &(dap_part){0}, &made, err);
  dap_array_release(&made);
  return s;
}

CALL(dap_matrix_fit)
{
  const int64_t wish[2] = {4, 4};
  dap_matrix_form form;
  return dap_matrix_fit(g->array[A].layout, 'T', NULL, wish, &form, err);
}

DIRECT(dap_matrix_local, g->array[A], g->rank, 'T', &(void *){NULL}, &(int64_t){0})
DIRECT(dap_plan_volumes, g->array[A].layout, g->array[B].layout, (int64_t[64 * 64]){0})
DIRECT(dap_plan_relabel, g->array[A].layout, g->array[B].layout, (int[64]){0}, NULL, NULL)

CALL(dap_plan_preview)
{
  const dap_side from = {.layout = g->array[A].layout, .contiguous = true},
                 to = {.layout = g->array[B].layout, .contiguous = true};
  dap_plan_stats stats;
  return dap_plan_preview(64, 0, &from, &to, 8, NULL, &stats, err);
}

/* ---- core, collective -------------------------------------------------------------------------------- */

DIRECT(dap_agree, g->comm, DAP_OK)
DIRECT(dap_agree_call, g->comm, "call", DAP_OK)
DIRECT(dap_agree_bits, g->comm, "call", DAP_OK, &(uint64_t){1})
DIRECT(dap_wait_limit, g->comm, 0)

CALL(dap_agree_words)
{
  const uint64_t words[] = {1};
  const char *const names[] = {"one"};
  return dap_agree_words(g->comm, words, names, 1, err);
}

CALL(dap_context_get)
{
  dap_context *context = NULL;
  const dap_status s = dap_context_get(g->comm, "call", &context, err);
  if (context) dap_context_release(&context);
  return s;
}

DIRECT(dap_context_reduce, g->context, DAP_REDUCE_MIN, &(int64_t){1}, 1)

CALL(dap_grid_from_cart)
{
  const int nprocs = dap_layout_nprocs(g->array[A].layout), open_end = 0;
  dap_dist dist = dap_dist_even(SIZE, 0);
  MPI_Comm cart = g->comm;
  const bool has_own = dap_mpi_is_running() && g->comm != MPI_COMM_NULL &&
                       MPI_Cart_create(g->comm, 1, &nprocs, &open_end, 0, &cart) == MPI_SUCCESS;
  const dap_status s = dap_grid_from_cart(cart, 1, &dist, err);
  if (has_own) (void)MPI_Comm_free(&cart);
  return s;
}

CALL(dap_layout_assemble)
{
  dap_layout *made = NULL;
  const dap_status s = dap_layout_assemble(g->comm, g->array[A].local, &made, err);
  dap_layout_destroy(&made);
  return s;
}

CALL(dap_layout_assemble_as)
{
  dap_layout *made = NULL;
  const dap_status s = dap_layout_assemble_as(g->comm, "0.10.0", g->array[A].local, &made, err);
  dap_layout_destroy(&made);
  return s;
}

CALL(dap_layout_assemble_ghosted)
{
  dap_layout *made = NULL;
  const bool *const none[2] = {NULL};
  const dap_status s = dap_layout_assemble_ghosted(g->comm, NULL, g->array[A].local, none, &made, err);
  dap_layout_destroy(&made);
  return s;
}

DIRECT(dap_layout_lookup, g->comm, g->array[A].layout, 1, corner, &(int){0}, (int64_t[2]){0})

CALL(dap_array_alloc)
{
  dap_array made;
  const dap_status s = dap_array_alloc(g->comm, g->array[A].layout, DAP_F8, DAP_ORDER_C, &made, NULL, err);
  dap_array_release(&made);
  return s;
}

CALL(dap_array_alloc_contiguous)
{
  dap_array made;
  const dap_status s =
      dap_array_alloc_contiguous(g->comm, g->array[A].layout, DAP_F8, DAP_ORDER_C, &made, NULL, err);
  dap_array_release(&made);
  return s;
}

DIRECT(dap_replicas_check, g->comm, g->array[A])

/* To a file that is nowhere; all processes open it, which only the first writes to. */
CALL(dap_array_export)
{
  FILE *stream = fopen("/dev/null", "w");
  const dap_status s = dap_array_export(g->comm, g->array[A].local, stream, err);
  if (stream) (void)fclose(stream);
  return s;
}

CALL(dap_layout_export)
{
  FILE *stream = fopen("/dev/null", "w");
  const dap_status s = dap_layout_export(g->comm, NULL, g->array[A], stream, err);
  if (stream) (void)fclose(stream);
  return s;
}

/* ---- files ------------------------------------------------------------------------------------------- */

/* To a file that goes at once: no other call reads it. */
CALL(dap_file_save)
{
  char path[256];
  const char *folder = getenv("TMPDIR");
  (void)snprintf(path, sizeof path, "%.200s/dapbridge-calls.npy", folder ? folder : "/tmp");
  const dap_file_options options = {.drop_layout = true};
  const dap_status s = dap_file_save(g->comm, g->array[A], path, &options, err);
  (void)remove(path);
  return s;
}

/* From the program, which is there and long enough. */
CALL(dap_file_load)
{
  const dap_file_options options = {.format = dap_file_raw()};
  return dap_file_load(g->comm, g->array[A], "/proc/self/exe", &options, err);
}

CALL(dap_file_query)
{
  const dap_file_options options = {.format = dap_file_raw(), .dtype = DAP_U1};
  dap_layout *made = NULL;
  const dap_status s = dap_file_query(g->comm, "/proc/self/exe", &options, &(dap_file_info){0}, &made, err);
  dap_layout_destroy(&made);
  return s;
}

/* ---- plans ------------------------------------------------------------------------------------------- */

CALL(dap_plan_create)
{
  const dap_side from = {.layout = g->array[A].layout, .contiguous = true},
                 to = {.layout = g->array[B].layout, .contiguous = true};
  dap_plan *plan = NULL;
  const dap_status s = dap_plan_create(g->comm, &from, &to, 8, NULL, &plan, err);
  dap_plan_destroy(&plan);
  return s;
}

CALL(dap_plan_create_halo)
{
  const dap_side side = {.layout = g->array[A].layout, .contiguous = true};
  dap_plan *plan = NULL;
  const dap_status s =
      dap_plan_create_halo(g->comm, &side, 8, &(dap_plan_options){.allow_empty = true}, &plan, err);
  dap_plan_destroy(&plan);
  return s;
}

CALL(dap_plan_create_halo_reverse)
{
  dap_plan *plan = NULL;
  const dap_side side = dap_side_of(g->array[A]);
  const dap_status s =
      dap_plan_create_halo_reverse(g->comm, &side, 8, &(dap_plan_options){.allow_empty = true}, &plan, err);
  dap_plan_destroy(&plan);
  return s;
}

CALL(dap_plan_create_gather)
{
  const dap_side side = {.layout = g->array[A].layout, .contiguous = true};
  dap_plan *plan = NULL;
  const dap_status s = dap_plan_create_gather(g->comm, &side, 0, 8, NULL, &plan, err);
  dap_plan_destroy(&plan);
  return s;
}

CALL(dap_plan_create_scatter)
{
  const dap_side side = {.layout = g->array[A].layout, .contiguous = true};
  dap_plan *plan = NULL;
  const dap_status s = dap_plan_create_scatter(g->comm, 0, &side, 8, NULL, &plan, err);
  dap_plan_destroy(&plan);
  return s;
}

/* Begun and ended, so that nothing is left under way; the status is the first one's, then the other's. */
CALL(dap_plan_begin)
{
  const dap_status s = dap_plan_begin(g->plan, g->array[A].local->data, g->array[B].local->data, err);
  return s ? s : dap_plan_end(g->plan, err);
}

CALL(dap_plan_end)
{
  const dap_status s = dap_plan_begin(g->plan, g->array[A].local->data, g->array[B].local->data, err);
  const dap_status ended = dap_plan_end(g->plan, s == DAP_ERR_LIBRARY ? NULL : err);
  return s == DAP_ERR_LIBRARY ? s : ended;
}

CALL(dap_plan_begin_many)
{
  const void *const from[] = {g->array[A].local->data};
  void *const to[] = {g->array[B].local->data};
  const dap_status s = dap_plan_begin_many(g->plan, from, to, err);
  return s ? s : dap_plan_end(g->plan, err);
}

CALL(dap_plan_run_many)
{
  const void *const from[] = {g->array[A].local->data};
  void *const to[] = {g->array[B].local->data};
  return dap_plan_run_many(g->plan, from, to, err);
}

DIRECT(dap_plan_run, g->plan, g->array[A].local->data, g->array[B].local->data)

/* ---- views ------------------------------------------------------------------------------------------- */

CALL(dap_view_get)
{
  toy_matrix view;
  const dap_status s = toy_get(g->comm, g->array[A], DAP_READ_WRITE, NULL, &view, err);
  (void)toy_restore(&view, NULL);
  return s;
}

CALL(dap_view_load)
{
  return toy_load(g->toy, err);
}

CALL(dap_view_store)
{
  return toy_store(g->toy, err);
}

CALL(dap_view_halo_reverse)
{
  return toy_halo_reverse(g->toy, DAP_COMBINE_SUM, DAP_PADDING_KEEP, err);
}

CALL(dap_view_halo)
{
  return toy_halo(g->toy, err);
}

CALL(dap_view_discard)
{
  return toy_discard(g->toy, err);
}

CALL(dap_view_restore)
{
  return toy_restore(g->toy, err);
}

/* ---- the table --------------------------------------------------------------------------------------- */

const call calls_core[] = {
    ALONE(dap_layout_check, a),
    ALONE(dap_layout_draw_svg, a),
    ALONE(dap_layout_reorder, a),
    ALONE(dap_layout_dim, a),
    ALONE(dap_layout_blocks, a),
    ALONE(dap_layout_ranges, a),
    ALONE(dap_layout_locate, a),
    ALONE(dap_layout_globalize, a),
    ALONE(dap_layout_locate_all, a),
    ALONE(dap_layout_globalize_all, a),
    ALONE(dap_layout_part, a),
    ALONE(dap_array_init, a),
    ALONE(dap_array_match, a),
    ALONE(dap_array_part, a),
    ALONE(dap_matrix_fit, a),
    ALONE(dap_matrix_local, a),
    ALONE(dap_plan_relabel, a | b),
    ALONE(dap_plan_volumes, a | b),
    ALONE(dap_plan_preview, a | b),
    COLLECTIVE(dap_agree, 0),
    COLLECTIVE(dap_agree_call, 0),
    COLLECTIVE(dap_agree_bits, 0),
    COLLECTIVE(dap_agree_words, 0),
    COLLECTIVE(dap_wait_limit, 0),
    COLLECTIVE(dap_context_get, 0),
    OF(CONTEXT, dap_context_reduce),
    COLLECTIVE(dap_grid_from_cart, 0),
    COLLECTIVE(dap_layout_assemble, 0),
    COLLECTIVE(dap_layout_assemble_as, 0),
    COLLECTIVE(dap_layout_assemble_ghosted, 0),
    COLLECTIVE(dap_layout_lookup, a),
    COLLECTIVE(dap_array_alloc, a),
    COLLECTIVE(dap_array_alloc_contiguous, a),
    COLLECTIVE(dap_replicas_check, a),
    COLLECTIVE(dap_array_export, 0),
    COLLECTIVE(dap_layout_export, a),
    COLLECTIVE(dap_file_save, a),
    COLLECTIVE(dap_file_load, a),
    COLLECTIVE(dap_file_query, 0),
    COLLECTIVE(dap_plan_create, a | b),
    COLLECTIVE(dap_plan_create_halo, a),
    COLLECTIVE(dap_plan_create_halo_reverse, a),
    COLLECTIVE(dap_plan_create_gather, a),
    COLLECTIVE(dap_plan_create_scatter, a),
    OF(PLAN, dap_plan_begin),
    OF(PLAN, dap_plan_end),
    OF(PLAN, dap_plan_run),
    OF(PLAN, dap_plan_begin_many),
    OF(PLAN, dap_plan_run_many),
    COLLECTIVE(dap_view_get, a),
    OF(TOY, dap_view_load),
    OF(TOY, dap_view_store),
    OF(TOY, dap_view_halo),
    OF(TOY, dap_view_halo_reverse),
    OF(TOY, dap_view_discard),
    OF(TOY, dap_view_restore),
    {.name = NULL},
};
