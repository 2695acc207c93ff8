/* Defines calls that use other paths through the library than the calls in tests/calls, because they take
 * parts of arrays or use other algorithms. Here are the calls of layouts, views and linear algebra. */
#include "call_rows.h"

#include <dapbridge/join.h>
#include <dapbridge/linalg.h>
#include <dapbridge/linalg_banded.h>
#include <dapbridge/linalg_rank.h>
#include <dapbridge/linalg_schur.h>
#include <dapbridge/linalg_triangular.h>
#include <dapbridge/parse.h>

/* ---- rows of layouts ----------------------------------------------------------------------------------- */

/* Returns the part of one process, which has lists. Each part is made once. */
static dap_status part_of(void *nprocs, int rank, dap_array *array, dap_error *err)
{
  enum { MOST = 8 /* processes */ };
  static call_arguments parts[MOST];
  (void)err;
  if (!parts[rank].array[A].layout) calls_begin_lists(&parts[rank], *(int *)nprocs, rank, false);
  *array = parts[rank].own[A];
  return DAP_OK;
}

MAKES_VARIANT(layout, dap_layout_parse, "", ALONE(0),
              "6x9x9x4 on 3x2x2x1: u[0,2,~3][1,3,4][5,~0], b(halo 2, boundary 1 0), "
              "c(2, first 1), r; ranks 11 10 9 8 7 6 5 4 3 2 1 0",
              &made)
MAKES_VARIANT(layout, dap_layout_join, ", lists", ALONE(0),
              &(dap_join){.nprocs = dap_layout_nprocs(g->array[A].layout),
                          .context = &(int){dap_layout_nprocs(g->array[A].layout)},
                          .part = part_of},
              &made)
MAKES_VARIANT(layout, dap_layout_assemble, ", the same list on all", COLLECTIVE(0), g->comm,
              g->array[CROSSING].local, &made)

/* The list of a replicated axis is made when it is first asked for. */
VARIANT(dap_layout_create, ", of all kinds", ALONE(0))
{
  static const dap_dist kinds[] = {{.size = 9, .procs = 2, .halo = 1},
                                   {.kind = DAP_DIST_REPLICATED, .size = 3, .procs = 2},
                                   {.kind = DAP_DIST_CYCLIC, .size = 9, .procs = 2, .block_size = 2}};
  dap_layout *layout = NULL;
  dap_status s = dap_layout_create(3, kinds, &layout, err);
  if (!s) s = dap_layout_dim(layout, NULL, 1, 1, &(dap_dim){0}, err);
  dap_layout_destroy(&layout);
  return s;
}

/* ---- rows of views ------------------------------------------------------------------------------------- */

VARIANT(dap_view_halo_reverse, ", of a new view", COLLECTIVE(0))
{
  toy_matrix view;
  const toy_options moved = {.sharing = DAP_SHARE_NEVER};
  dap_status s = toy_get(g->comm, g->array[PADDED], DAP_READ_WRITE, &moved, &view, err);
  if (!s) s = toy_halo(&view, err);
  if (!s) s = toy_halo_reverse(&view, DAP_COMBINE_SUM, DAP_PADDING_REFRESH, err);
  const dap_status ended = toy_discard(&view, s ? NULL : err);
  return s ? s : ended;
}

VIEWS(toy, dap_view_get, ", a range", COLLECTIVE(0), g->array[PADDED],
      .part = {.start = (int64_t[]){1, 2}, .shape = (int64_t[]){2, 2}})
VIEWS(toy, dap_view_get, ", a section", COLLECTIVE(0), g->array[CUBE],
      .part = {.naxes = 2, .axes = (int[]){2, 1}, .start = (int64_t[]){1, 0, 0}})
VIEWS(toy, dap_view_get, ", of few processes", COLLECTIVE(0), g->array[CUBE],
      .part = {.naxes = 2, .axes = (int[]){0, 2}}) /* only one process has it */

/* ---- of ScaLAPACK -------------------------------------------------------------------------------------- */

VIEWS(dap_scalapack, dap_scalapack_get, ", moved", COLLECTIVE(0), g->array[A], .sharing = DAP_SHARE_NEVER,
      .block_size = {2, 2})
VIEWS(dap_scalapack, dap_scalapack_get, ", a part", COLLECTIVE(0), g->array[A], .routine = "getrf",
      .part = {.naxes = 2, .axes = (int[]){0, 1}, .start = (int64_t[]){1, 1}, .shape = (int64_t[]){6, 6}})
VIEWS(dap_scalapack, dap_scalapack_get, ", a vector", COLLECTIVE(0), g->array[W],
      .sharing = DAP_SHARE_IF_POSSIBLE)
VIEWS(dap_scalapack, dap_scalapack_get, ", in a context", OF(MATRIX), g->array[C],
      .context = &g->matrix->desc[1])

VARIANT(dap_scalapack_get, ", beside another", COLLECTIVE(0))
{
  dap_scalapack_matrix first, second = {0};
  const dap_scalapack_options by_three = {.block_size = {3, 3}},
                              beside = {.aligned_with = &first, .needs = {.align = DAP_ALIGN_SAME}};
  dap_status s = dap_scalapack_get(g->comm, g->array[A], DAP_READ, &by_three, &first, err);
  if (!s) s = dap_scalapack_get(g->comm, g->array[B], DAP_READ_WRITE, &beside, &second, err);
  dap_status ended = dap_scalapack_discard(&second, s ? NULL : err);
  if (!s) s = ended;
  ended = dap_scalapack_discard(&first, s ? NULL : err);
  return s ? s : ended;
}

VARIANT(dap_scalapack_import, ", of a view", OF(MATRIX))
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

/* ---- products and systems ------------------------------------------------------------------------------ */

/* Defines a call on the communicator. */
#define LINALG(name, what, ...) DIRECT_VARIANT(name, what, COLLECTIVE(0), g->comm, __VA_ARGS__)

static const dap_linalg_options keep = {.keep = true}, gesvd = {.svd = {.solver = DAP_SVD_GESVD}},
                                ev = {.eigh = {.solver = DAP_EIGH_EV}},
                                evr = {.eigh = {.solver = DAP_EIGH_EVR}},
                                range = {.eigh = {.range = DAP_EIGH_BY_VALUE, .above = 0, .up_to = 1000}};

LINALG(dap_linalg_rank_k, ", both triangles", 'H', 'A', 'N', NULL, g->array[A], NULL, g->array[C], NULL)
LINALG(dap_linalg_solve, ", with a copy", 'T', g->array[A], g->array[B], &keep)
LINALG(dap_linalg_least_squares, ", of least norm", g->array[WIDE], g->array[NARROW], g->array[W], NULL)
LINALG(dap_linalg_least_squares_rank, ", rank 1", -1, g->array[EQUAL], g->array[B], g->array[C], NULL, NULL)
LINALG(dap_linalg_banded_solve, ", on several", 1, 1, g->array[BAND], g->array[RIGHT], NULL)
LINALG(dap_linalg_positive_banded_solve, ", on several", 'L', g->array[POSITIVE], g->array[RIGHT], NULL)

/* Uses some of the factors, and then ends them. */
VARIANT(dap_linalg_factors_solve, ", by Cholesky", COLLECTIVE(0))
{
  dap_linalg_factors *f = NULL;
  double sign[2], value;
  dap_status s = dap_linalg_cholesky(g->comm, 'L', g->array[A], &keep, &f, err);
  if (!s) s = dap_linalg_factors_determinant(f, sign, &value, err);
  if (!s) s = dap_linalg_factors_condition(f, '1', &value, err);
  if (!s) s = dap_linalg_factors_solve(f, 'N', g->array[B], NULL, err);
  dap_linalg_factors_destroy(&f);
  return s;
}

/* ---- factorisations, values and vectors ---------------------------------------------------------------- */

LINALG(dap_linalg_qr, ", in place", g->array[A], g->array[A], g->array[C], NULL)
LINALG(dap_linalg_qr_pivoted, ", with pivots", -1, g->array[A], g->array[B], g->array[C], g->array[ORDER],
       NULL, NULL)
LINALG(dap_linalg_eigh, ", EV", 'L', g->array[A], g->array[W], g->array[B], &ev)
LINALG(dap_linalg_eigh, ", EVR", 'U', g->array[A], g->array[W], g->array[B], &evr)
LINALG(dap_linalg_eigh, ", by value", 'L', g->array[A], g->array[W], g->array[B], &range)
LINALG(dap_linalg_svd, ", GESVD", g->array[A], g->array[B], g->array[W], g->array[C], &gesvd)
LINALG(dap_linalg_schur, ", with values", g->array[A], g->array[B], g->array[C], g->array[VALUES], NULL)
LINALG(dap_linalg_eig, ", with vectors", g->array[A], g->array[VALUES], g->array[VECTORS], NULL)

/* ---- tall matrices ------------------------------------------------------------------------------------- */

#define TALL_PART(i) g->array[TALL_##i]
LINALG(dap_linalg_svd, ", tall", g->array[TALL], TALL_PART(Q), TALL_PART(VALUES), TALL_PART(R), NULL)
LINALG(dap_linalg_qr, ", tall", g->array[TALL], TALL_PART(Q), TALL_PART(R), NULL)
LINALG(dap_linalg_qr_pivoted, ", tall", -1, g->array[TALL], TALL_PART(Q), TALL_PART(R), TALL_PART(ORDER),
       NULL, NULL)
LINALG(dap_linalg_least_squares, ", tall", g->array[TALL], TALL_PART(RIGHT), TALL_PART(X), NULL)
LINALG(dap_linalg_least_squares_rank, ", tall", -1, g->array[TALL], TALL_PART(RIGHT), TALL_PART(X), NULL,
       NULL)
