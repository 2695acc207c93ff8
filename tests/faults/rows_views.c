/* Rows of views. */
#include "rows.h"

/* ---- of the toy library -------------------------------------------------------------------------------- */

/* What fails after the first is reported, and the view ended. */
static dap_status end_view(dap_status s, toy_matrix *view, dap_error *err)
{
  const dap_status t = toy_discard(view, s ? NULL : err);
  return s ? s : t;
}

static dap_status view_of_padding(const call_arguments *g, dap_error *err)
{
  toy_matrix view;
  const toy_options moved = {.sharing = DAP_SHARE_NEVER};
  dap_status s = toy_get(g->comm, row_operand(PADDED), DAP_READ_WRITE, &moved, &view, err);
  if (!s) s = toy_halo(&view, err);
  if (!s) s = toy_halo_reverse(&view, DAP_COMBINE_SUM, DAP_PADDING_REFRESH, err);
  return end_view(s, &view, err);
}

/* A view of an array, with these options. */
#define TOY_VIEW(name, array, ...)                                                                           \
  static dap_status name(const call_arguments *g, dap_error *err)                                            \
  {                                                                                                          \
    toy_matrix view;                                                                                         \
    const toy_options options = {__VA_ARGS__};                                                               \
    return end_view(toy_get(g->comm, row_operand(array), DAP_READ_WRITE, &options, &view, err), &view, err); \
  }

TOY_VIEW(view_of_range, PADDED, .part = {.start = (int64_t[]){1, 2}, .shape = (int64_t[]){2, 2}})
TOY_VIEW(view_of_section, CUBE, .part = {.naxes = 2, .axes = (int[]){2, 1}, .start = (int64_t[]){1, 0, 0}})
TOY_VIEW(view_of_few, CUBE, .part = {.naxes = 2, .axes = (int[]){0, 2}}) /* on one process of them */

/* ---- of ScaLAPACK -------------------------------------------------------------------------------------- */

static dap_status end_matrix(dap_status s, dap_scalapack_matrix *view, dap_error *err)
{
  const dap_status t = dap_scalapack_discard(view, s ? NULL : err);
  return s ? s : t;
}

static dap_status get(MPI_Comm comm, dap_darray array, const dap_scalapack_options *options, dap_error *err)
{
  dap_scalapack_matrix view;
  const dap_status s = dap_scalapack_get(comm, array, DAP_READ_WRITE, options, &view, err);
  return end_matrix(s, &view, err);
}

/* A matrix of an array, with these options. */
#define MATRIX_VIEW(name, which, ...)                                                                        \
  static dap_status name(const call_arguments *g, dap_error *err)                                            \
  {                                                                                                          \
    return get(g->comm, g->array[which], &(dap_scalapack_options){__VA_ARGS__}, err);                        \
  }

MATRIX_VIEW(view_moved, A, .sharing = DAP_SHARE_NEVER, .block_size = {2, 2})
MATRIX_VIEW(view_of_part, A, .routine = "getrf",
            .part = {
                .naxes = 2, .axes = (int[]){0, 1}, .start = (int64_t[]){1, 1}, .shape = (int64_t[]){6, 6}})
MATRIX_VIEW(view_of_vector, W, .sharing = DAP_SHARE_IF_POSSIBLE)
MATRIX_VIEW(view_in_context, C, .context = &g->matrix->desc[1])

static dap_status view_aligned(const call_arguments *g, dap_error *err)
{
  dap_scalapack_matrix first;
  dap_status s = dap_scalapack_get(g->comm, g->array[A], DAP_READ,
                                   &(dap_scalapack_options){.block_size = {3, 3}}, &first, err);
  if (!s)
    s = get(g->comm, g->array[B],
            &(dap_scalapack_options){.aligned_with = &first, .needs = {.align = DAP_ALIGN_SAME}}, err);
  return end_matrix(s, &first, err);
}

static dap_status import(const call_arguments *g, dap_error *err)
{
  static double values[64];
  dap_array array;
  dap_layout *layout = NULL;
  const dap_status s =
      dap_scalapack_import(g->comm, g->matrix->desc, values, DAP_F8, 'T', &array, &layout, err);
  dap_array_release(&array);
  dap_layout_destroy(&layout);
  return s;
}

/* ---- the table ----------------------------------------------------------------------------------------- */

const call rows_views[] = {
    EXTRA_ROW("dap_view_halo_reverse, of a new view", view_of_padding, true, NO_HANDLE),
    EXTRA_ROW("dap_view_get, a range", view_of_range, true, NO_HANDLE),
    EXTRA_ROW("dap_view_get, a section", view_of_section, true, NO_HANDLE),
    EXTRA_ROW("dap_view_get, of few processes", view_of_few, true, NO_HANDLE),
    EXTRA_ROW("dap_scalapack_get, moved", view_moved, true, NO_HANDLE),
    EXTRA_ROW("dap_scalapack_get, a part", view_of_part, true, NO_HANDLE),
    EXTRA_ROW("dap_scalapack_get, a vector", view_of_vector, true, NO_HANDLE),
    EXTRA_ROW("dap_scalapack_get, beside another", view_aligned, true, NO_HANDLE),
    EXTRA_ROW("dap_scalapack_get, in a context", view_in_context, true, MATRIX),
    EXTRA_ROW("dap_scalapack_import, of a view", import, true, MATRIX),
    {.name = NULL},
};
