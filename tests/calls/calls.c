/* The table of the core's functions. */
#include "call_rows.h"

#include <dapbridge/export.h>
#include <dapbridge/file.h>
#include <dapbridge/matrix.h>
#include <dapbridge/picture.h>
#include <dapbridge/shared.h>
#include <stdlib.h>

/* ---- one process alone ------------------------------------------------------------------------------- */

static const int64_t corner[2], second[2] = {1, 1};
#define SIDE(i)                                                                                              \
  &(dap_side)                                                                                                \
  {                                                                                                          \
    .layout = g->array[i].layout, .contiguous = true                                                         \
  }

DIRECT(dap_layout_check, g->array[A].layout)

CALL(dap_layout_draw_svg)
{
  FILE *stream = tmpfile();
  if (!stream) abort();
  const dap_status s = dap_layout_draw_svg(g->array[A].layout, NULL, NULL, stream, err);
  (void)fclose(stream);
  return s;
}

MAKES(dap_layout *made = NULL, dap_layout_destroy, dap_layout_reorder, g->array[A].layout,
      ((const int[]){0, 1, 2, 3, 4, 5, 6, 7}), &made)
DIRECT(dap_layout_dim, g->array[A].layout, NULL, 0, 0, &(dap_dim){0})
DIRECT(dap_layout_blocks, g->array[A].layout, 1, &(dap_blocks){0})
DIRECT(dap_layout_ranges, g->array[A].layout, 1, (int64_t[2]){0})
DIRECT(dap_layout_locate, g->array[A].layout, corner, &(int){0}, (int64_t[2]){0})
DIRECT(dap_layout_globalize, g->array[A].layout, 0, corner, (int64_t[2]){0}, NULL)
DIRECT(dap_layout_locate_all, g->array[A].layout, 1, corner, &(int){0}, (int64_t[2]){0})
DIRECT(dap_layout_globalize_all, g->array[A].layout, 0, 1, corner, (int64_t[2]){0}, NULL)

MAKES(dap_layout *made = NULL, dap_layout_destroy, dap_layout_part, g->array[A].layout,
      &(dap_part){.start = second}, &made, NULL)
MAKES(dap_array made, dap_array_release, dap_array_init, &made, g->array[A].layout, 0, DAP_F8, DAP_ORDER_C,
      NULL)
DIRECT(dap_array_match, g->array[A], g->rank)

MAKES(dap_array made, dap_array_release, dap_array_part, g->array[A], g->rank, &(dap_part){.start = second},
      &made)
DIRECT(dap_matrix_fit, g->array[A].layout, 'T', NULL, ((const int64_t[]){4, 4}), &(dap_matrix_form){0})
DIRECT(dap_matrix_local, g->array[A], g->rank, 'T', &(void *){NULL}, &(int64_t){0})
DIRECT(dap_plan_volumes, g->array[A].layout, g->array[B].layout, (int64_t[64 * 64]){0})
DIRECT(dap_plan_relabel, g->array[A].layout, g->array[B].layout, (int[64]){0}, NULL, NULL)

DIRECT(dap_plan_preview, 64, g->rank, SIDE(A), SIDE(B), 8, NULL, &(dap_plan_stats){0})

/* ---- core, collective -------------------------------------------------------------------------------- */

DIRECT(dap_agree, g->comm, DAP_OK)
DIRECT(dap_agree_call, g->comm, "call", DAP_OK)
DIRECT(dap_agree_bits, g->comm, "call", DAP_OK, &(uint64_t){1})
DIRECT(dap_wait_limit, g->comm, 0)

DIRECT(dap_agree_words, g->comm, &(uint64_t){1}, ((const char *const[]){"one"}), 1)
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

MAKES(dap_layout *made = NULL, dap_layout_destroy, dap_layout_assemble, g->comm, g->array[A].local, &made)
MAKES(dap_layout *made = NULL, dap_layout_destroy, dap_layout_assemble_as, g->comm, "0.10.0",
      g->array[A].local, &made)
MAKES(dap_layout *made = NULL, dap_layout_destroy, dap_layout_assemble_ghosted, g->comm, NULL,
      g->array[A].local, ((const bool *const[]){g->is_owned, NULL}), &made)
DIRECT(dap_layout_lookup, g->comm, g->array[A].layout, 1, corner, &(int){0}, (int64_t[2]){0})

MAKES(dap_array made, dap_array_release, dap_array_alloc, g->comm, g->array[A].layout, DAP_F8, DAP_ORDER_C,
      &made, NULL)
MAKES(dap_array made, dap_array_release, dap_array_alloc_contiguous, g->comm, g->array[A].layout, DAP_F8,
      DAP_ORDER_C, &made, NULL)
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

MAKES(dap_plan *made = NULL, dap_plan_destroy, dap_plan_create, g->comm, SIDE(A), SIDE(B), 8, NULL, &made)
MAKES(dap_plan *made = NULL, dap_plan_destroy, dap_plan_create_halo, g->comm, SIDE(A), 8,
      &(dap_plan_options){.allow_empty = true}, &made)
MAKES(dap_plan *made = NULL, dap_plan_destroy, dap_plan_create_halo_reverse, g->comm,
      &(dap_side){.layout = g->array[A].layout, .contiguous = true, .dtype = DAP_F8}, 8,
      &(dap_plan_options){.allow_empty = true}, &made)
MAKES(dap_plan *made = NULL, dap_plan_destroy, dap_plan_create_gather, g->comm, SIDE(A), 0, 8, NULL, &made)
MAKES(dap_plan *made = NULL, dap_plan_destroy, dap_plan_create_scatter, g->comm, 0, SIDE(A), 8, NULL, &made)
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

DIRECT(dap_plan_run_many, g->plan, ((const void *const[]){g->array[A].local->data}),
       ((void *const[]){g->array[B].local->data}))
DIRECT(dap_plan_run, g->plan, g->array[A].local->data, g->array[B].local->data)

/* ---- views ------------------------------------------------------------------------------------------- */

CALL(dap_view_get)
{
  toy_matrix view;
  const dap_status s = toy_get(g->comm, g->array[A], DAP_READ_WRITE, NULL, &view, err);
  (void)toy_restore(&view, NULL);
  return s;
}

/* By the toy's own function. */
#define VIEW(name, function, ...)                                                                            \
  CALL(name)                                                                                                 \
  {                                                                                                          \
    return function(g->toy, __VA_ARGS__);                                                                    \
  }
VIEW(dap_view_load, toy_load, err)
VIEW(dap_view_store, toy_store, err)
VIEW(dap_view_halo, toy_halo, err)
VIEW(dap_view_halo_reverse, toy_halo_reverse, DAP_COMBINE_SUM, DAP_PADDING_KEEP, err)
VIEW(dap_view_discard, toy_discard, err)
VIEW(dap_view_restore, toy_restore, err)

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
