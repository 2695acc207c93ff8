/* Defines the calls of the core's functions. */
#include "call_rows.h"

#include <dapbridge/export.h>
#include <dapbridge/file.h>
#include <dapbridge/matrix.h>
#include <dapbridge/picture.h>
#include <dapbridge/shared.h>
#include <stdlib.h>

/* ---- one process ------------------------------------------------------------------------------------- */

static const int64_t corner[2], second[2] = {1, 1};
#define SIDE(i)                                                                                              \
  &(dap_side)                                                                                                \
  {                                                                                                          \
    .layout = g->array[i].layout, .contiguous = true                                                         \
  }

DIRECT(dap_layout_check, ALONE(a), g->array[A].layout)

MAKES(layout, dap_layout_reorder, ALONE(a), g->array[A].layout, ((const int[]){0, 1, 2, 3, 4, 5, 6, 7}),
      &made)
DIRECT(dap_layout_dim, ALONE(a), g->array[A].layout, NULL, 0, 0, &(dap_dim){0})
DIRECT(dap_layout_blocks, ALONE(a), g->array[A].layout, 1, &(dap_blocks){0})
DIRECT(dap_layout_ranges, ALONE(a), g->array[A].layout, 1, (int64_t[2]){0})
DIRECT(dap_layout_locate, ALONE(a), g->array[A].layout, corner, &(int){0}, (int64_t[2]){0})
DIRECT(dap_layout_globalize, ALONE(a), g->array[A].layout, 0, corner, (int64_t[2]){0}, NULL)
DIRECT(dap_layout_locate_all, ALONE(a), g->array[A].layout, 1, corner, &(int){0}, (int64_t[2]){0})
DIRECT(dap_layout_globalize_all, ALONE(a), g->array[A].layout, 0, 1, corner, (int64_t[2]){0}, NULL)

MAKES(layout, dap_layout_part, ALONE(a), g->array[A].layout, &(dap_part){.start = second}, &made, NULL)
MAKES_ARRAY(dap_array_init, ALONE(a), &made, g->array[A].layout, 0, DAP_F8, DAP_ORDER_C, NULL)
DIRECT(dap_array_match, ALONE(a), g->array[A], g->rank)

MAKES_ARRAY(dap_array_part, ALONE(a), g->array[A], g->rank, &(dap_part){.start = second}, &made)
DIRECT(dap_matrix_fit, ALONE(a), g->array[A].layout, 'T', NULL, ((const int64_t[]){4, 4}),
       &(dap_matrix_form){0})
DIRECT(dap_matrix_local, ALONE(a), g->array[A], g->rank, 'T', &(void *){NULL}, &(int64_t){0})
DIRECT(dap_plan_volumes, ALONE(a | b), g->array[A].layout, g->array[B].layout, (int64_t[64 * 64]){0})
DIRECT(dap_plan_relabel, ALONE(a | b), g->array[A].layout, g->array[B].layout, (int[64]){0}, NULL, NULL)

DIRECT(dap_plan_preview, ALONE(a | b), 64, g->rank, SIDE(A), SIDE(B), 8, NULL, &(dap_plan_stats){0})

/* ---- core, collective -------------------------------------------------------------------------------- */

DIRECT(dap_agree, COLLECTIVE(0), g->comm, DAP_OK)
DIRECT(dap_agree_call, COLLECTIVE(0), g->comm, "call", DAP_OK)
DIRECT(dap_agree_bits, COLLECTIVE(0), g->comm, "call", DAP_OK, &(uint64_t){1})
DIRECT(dap_wait_limit, COLLECTIVE(0), g->comm, 0)

DIRECT(dap_agree_words, COLLECTIVE(0), g->comm, &(uint64_t){1}, ((const char *const[]){"one"}), 1)
MAKES_ENDED(dap_context *made = NULL, dap_context_release, dap_context_get, "", COLLECTIVE(0), g->comm,
            "call", &made)

DIRECT(dap_context_reduce, OF(CONTEXT), g->context, DAP_REDUCE_MIN, &(int64_t){1}, 1)

CALL(dap_grid_from_cart, COLLECTIVE(0))
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

MAKES(layout, dap_layout_assemble, COLLECTIVE(0), g->comm, g->array[A].local, &made)
MAKES(layout, dap_layout_assemble_as, COLLECTIVE(0), g->comm, "0.10.0", g->array[A].local, &made)
MAKES(layout, dap_layout_assemble_ghosted, COLLECTIVE(0), g->comm, NULL, g->array[A].local,
      ((const bool *const[]){g->is_owned, NULL}), &made)
DIRECT(dap_layout_lookup, COLLECTIVE(a), g->comm, g->array[A].layout, 1, corner, &(int){0}, (int64_t[2]){0})

MAKES_ARRAY(dap_array_alloc, COLLECTIVE(a), g->comm, g->array[A].layout, DAP_F8, DAP_ORDER_C, &made, NULL)
MAKES_ARRAY(dap_array_alloc_contiguous, COLLECTIVE(a), g->comm, g->array[A].layout, DAP_F8, DAP_ORDER_C,
            &made, NULL)
DIRECT(dap_replicas_check, COLLECTIVE(a), g->comm, g->array[A])

static void end_stream(FILE **stream)
{
  if (*stream) (void)fclose(*stream);
}
/* Defines a call that writes to /dev/null: all processes open it, and one of them writes. */
#define WRITES(name, kind, ...)                                                                              \
  MAKES_ENDED(FILE *made = fopen("/dev/null", "w"), end_stream, name, "", kind, __VA_ARGS__, made)
WRITES(dap_layout_draw_svg, ALONE(a), g->array[A].layout, NULL, NULL)
WRITES(dap_array_export, COLLECTIVE(0), g->comm, g->array[A].local)
WRITES(dap_layout_export, COLLECTIVE(a), g->comm, NULL, g->array[A])

/* ---- files ------------------------------------------------------------------------------------------- */

/* Saves to a file that is removed at once; no other call reads it. */
CALL(dap_file_save, COLLECTIVE(a))
{
  char path[256];
  const char *folder = getenv("TMPDIR");
  (void)snprintf(path, sizeof path, "%.200s/dapbridge-calls.npy", folder ? folder : "/tmp");
  const dap_file_options options = {.drop_layout = true};
  const dap_status s = dap_file_save(g->comm, g->array[A], path, &options, err);
  (void)remove(path);
  return s;
}

/* Loads from the program's own file, which exists and is long enough. */
CALL(dap_file_load, COLLECTIVE(a))
{
  const dap_file_options options = {.format = dap_file_raw()};
  return dap_file_load(g->comm, g->array[A], "/proc/self/exe", &options, err);
}

CALL(dap_file_query, COLLECTIVE(0))
{
  const dap_file_options options = {.format = dap_file_raw(), .dtype = DAP_U1};
  dap_layout *made = NULL;
  const dap_status s = dap_file_query(g->comm, "/proc/self/exe", &options, &(dap_file_info){0}, &made, err);
  dap_layout_destroy(&made);
  return s;
}

/* ---- plans ------------------------------------------------------------------------------------------- */

MAKES(plan, dap_plan_create, COLLECTIVE(a | b), g->comm, SIDE(A), SIDE(B), 8, NULL, &made)
MAKES(plan, dap_plan_create_halo, COLLECTIVE(a), g->comm, SIDE(A), 8,
      &(dap_plan_options){.allow_empty = true}, &made)
MAKES(plan, dap_plan_create_halo_reverse, COLLECTIVE(a), g->comm,
      &(dap_side){.layout = g->array[A].layout, .contiguous = true, .dtype = DAP_F8}, 8,
      &(dap_plan_options){.allow_empty = true}, &made)
MAKES(plan, dap_plan_create_gather, COLLECTIVE(a), g->comm, SIDE(A), 0, 8, NULL, &made)
MAKES(plan, dap_plan_create_scatter, COLLECTIVE(a), g->comm, 0, SIDE(A), 8, NULL, &made)
/* Begins a plan and ends it, so that nothing is left under way. Returns the first status that is not
 * DAP_OK. */
CALL(dap_plan_begin, OF(PLAN))
{
  const dap_status s = dap_plan_begin(g->plan, g->array[A].local->data, g->array[B].local->data, err);
  return s ? s : dap_plan_end(g->plan, err);
}

CALL(dap_plan_end, OF(PLAN))
{
  const dap_status s = dap_plan_begin(g->plan, g->array[A].local->data, g->array[B].local->data, err);
  const dap_status ended = dap_plan_end(g->plan, s == DAP_ERR_LIBRARY ? NULL : err);
  return s == DAP_ERR_LIBRARY ? s : ended;
}

CALL(dap_plan_begin_many, OF(PLAN))
{
  const void *const from[] = {g->array[A].local->data};
  void *const to[] = {g->array[B].local->data};
  const dap_status s = dap_plan_begin_many(g->plan, from, to, err);
  return s ? s : dap_plan_end(g->plan, err);
}

DIRECT(dap_plan_run_many, OF(PLAN), g->plan, ((const void *const[]){g->array[A].local->data}),
       ((void *const[]){g->array[B].local->data}))
DIRECT(dap_plan_run, OF(PLAN), g->plan, g->array[A].local->data, g->array[B].local->data)

/* ---- views ------------------------------------------------------------------------------------------- */

VIEWS(toy, dap_view_get, "", COLLECTIVE(a), g->array[A], 0)

/* Defines a call by the toy adapter's own function. */
#define VIEW(name, kind, function, ...)                                                                      \
  CALL(name, kind)                                                                                           \
  {                                                                                                          \
    return function(g->toy, __VA_ARGS__);                                                                    \
  }
VIEW(dap_view_load, OF(TOY), toy_load, err)
VIEW(dap_view_store, OF(TOY), toy_store, err)
VIEW(dap_view_halo, OF(TOY), toy_halo, err)
VIEW(dap_view_halo_reverse, OF(TOY), toy_halo_reverse, DAP_COMBINE_SUM, DAP_PADDING_KEEP, err)
VIEW(dap_view_discard, OF(TOY), toy_discard, err)
VIEW(dap_view_restore, OF(TOY), toy_restore, err)
