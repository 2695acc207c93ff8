/* Chooses where a band is factored, and moves it there, and right-hand sides there and back. */
#include "banded_impl.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- where --------------------------------------------------------------------------------------------- */

/* Takes as many processes as get enough columns each, also the last one. ScaLAPACK needs blocks of lower +
 * upper + 1, or of twice the diagonals of a triangle (SRC/pdgbtrf.f, SRC/pdpbtrf.f). Below twice a band's
 * width the fill-in is more work than the band. */
static void choose_processes(dap_banded *band, int nprocs)
{
  const int64_t least = 2 * (band->lower + band->upper) + 1;
  const int64_t most = band->n / least;
  int procs = most < nprocs ? (int)most : nprocs;
  for (; procs > 1; procs--) {
    band->block = (band->n + procs - 1) / procs;
    const int64_t last = band->n - (procs - 1) * band->block;
    if (band->block >= least && last >= least) break;
  }
  band->procs = procs > 1 ? procs : 1;
  if (procs <= 1) band->block = band->n;
}

dap_status dap_linalg_banded_place(dap_linalg_call *call, dap_banded *band)
{
  const int64_t most = sizeof(dap_scalapack_int) == 4 ? INT32_MAX : INT64_MAX;
  DAP_REQUIRE(band->n <= most && band->nrhs <= most && band->lower + band->upper <= most / 8, call->err,
              DAP_ERR_RANGE, "the system exceeds ScaLAPACK's integers");
  if (band->lower + band->upper == 0) *(band->kind == 'L' ? &band->lower : &band->upper) = 1;
  const int64_t fill = band->kind == 'G' ? band->lower + band->upper : 0;
  band->height = fill + band->lower + band->upper + 1;
  band->diagonal = fill + band->upper;
  choose_processes(band, call->nprocs);
  const int64_t left = band->n - call->rank * band->block;
  band->columns = left < 0 || call->rank >= band->procs ? 0 : left < band->block ? left : band->block;
  DAP_REQUIRE(band->block <= most / band->height && band->block <= most / band->nrhs, call->err,
              DAP_ERR_RANGE, "the system exceeds ScaLAPACK's integers");
  band->ints.n = (dap_scalapack_int)band->n, band->ints.nrhs = (dap_scalapack_int)band->nrhs;
  band->ints.lower = (dap_scalapack_int)band->lower, band->ints.upper = (dap_scalapack_int)band->upper;
  band->ints.width = band->ints.lower + band->ints.upper, band->ints.height = (dap_scalapack_int)band->height;
  DAP_TRY(dap_linalg_work(call, band->height * band->block, call->lib->dtype, &band->a));
  return dap_linalg_work(call, band->block * band->nrhs, call->lib->dtype, &band->b);
}

/* ---- moves --------------------------------------------------------------------------------------------- */

/* A buffer of `band`, a side of a plan. */
typedef struct place {
  dap_layout *layout;
  int64_t strides[2];
  void *data;
} place;

static dap_status make_place(dap_linalg_call *call, const dap_banded *band, bool of_a, place *p)
{
  const dap_dist columns = dap_dist_cyclic(band->n, call->nprocs, band->block);
  const dap_dist a[2] = {dap_dist_local(band->height), columns}, b[2] = {columns, dap_dist_local(band->nrhs)};
  const int64_t item = dap_dtype_size(call->lib->dtype);
  *p = (place){.strides = {item, item * (of_a ? band->height : band->block)},
               .data = of_a ? band->a : band->b};
  const dap_status status = dap_layout_create(2, of_a ? a : b, &p->layout, call->err);
  return dap_agree(call->comm, status, call->err);
}

/* Moves operand `i` to or from the part of a buffer that begins at start[2]. A vector has only the axis
 * `axis`. */
static dap_status move(dap_linalg_call *call, const dap_banded *band, int i, const place *p, int axis,
                       const int64_t start[2], bool back)
{
  const int ndim = dap_layout_ndim(call->arguments.operands[i].operand.layout);
  const int64_t rows = dap_linalg_rows(call, i), cols = dap_linalg_cols(call, i);
  const int64_t shape[2] = {ndim == 1 && axis == 1 ? 1 : rows, ndim == 1 && axis == 1 ? rows : cols};
  const dap_side inside = {
      .layout = p->layout,
      .strides = p->strides,
      .dtype = call->lib->dtype,
      .part = {.naxes = ndim == 1 ? 1 : 0, .axes = ndim == 1 ? &axis : NULL, .start = start, .shape = shape}};
  return dap_linalg_move(call, i, &inside, p->data, back,
                         band->procs > 1 ? "a band is factored in one block of columns a process"
                                         : "a band so short or wide is factored on one process");
}

static dap_status load_pieces(dap_linalg_call *call, const dap_banded *band, const place *a,
                              const dap_banded_piece pieces[], int count)
{
  for (int k = 0; k < count; k++) {
    const int i = pieces[k].operand;
    const int64_t start[2] = {band->diagonal - pieces[k].above, pieces[k].column};
    if (dap_linalg_rows(call, i) == 0) continue; /* A has one element */
    DAP_TRY(move(call, band, i, a, 1, start, false));
  }
  return DAP_OK;
}

static dap_status move_b(dap_linalg_call *call, const dap_banded *band, int b, bool back)
{
  place p;
  dap_status status = make_place(call, band, false, &p);
  if (!status) status = move(call, band, b, &p, 0, (const int64_t[2]){0, 0}, back);
  dap_layout_destroy(&p.layout);
  return status;
}

/* ---- after the move ---------------------------------------------------------------------------------- */

/* Clears elements outside the matrix, which may be anything, and imaginary parts of a Hermitian diagonal.
 * Checks that the others are finite. */
static dap_status settle(const dap_linalg_call *call, const dap_banded *band, dap_error *err)
{
  const int64_t item = call->lib->item, real = dap_dtype_size(call->lib->real);
  for (int64_t column = 0; column < band->columns; column++) {
    const int64_t j = call->rank * band->block + column;
    for (int64_t row = 0; row < band->height; row++) {
      const int64_t i = j + row - band->diagonal;
      char *element = dap_linalg_banded_at(call, band, row, column);
      const bool within = i >= 0 && i < band->n && j - i <= band->upper && i - j <= band->lower;
      if (!within) memset(element, 0, (size_t)item);
      if (i == j && band->kind != 'G' && item > real) memset(element + real, 0, (size_t)real);
      DAP_REQUIRE(isfinite(dap_linalg_largest_part(call, element, 1)), err, DAP_ERR_NUMERIC,
                  "A has an element that is not finite, at (%" PRId64 ", %" PRId64 ")", i, j);
    }
  }
  return DAP_OK;
}

/* Multiplies A and B by a power of 2 if A's elements are so small that reciprocals of pivots, by which gbtrf
 * multiplies, may overflow. X stays the same. Source: LAPACK's SRC/dgbtf2.f. Collective. */
static dap_status scale(dap_linalg_call *call, const dap_banded *band)
{
  const int64_t of_a = band->columns * band->height, of_b = band->block * band->nrhs;
  double most = dap_linalg_largest_part(call, band->a, of_a);
  DAP_TRY(dap_linalg_most(call, &most, 1));
  if (most == 0 || most >= sqrt(call->lib->tiny)) return DAP_OK;
  int exponent;
  (void)frexp(most, &exponent);
  dap_linalg_scale_back(call, call->lib->parts * of_a, ldexp(1, exponent), band->a);
  dap_linalg_scale_back(call, call->lib->parts * of_b, ldexp(1, exponent), band->b);
  return DAP_OK;
}

dap_status dap_linalg_banded_load(dap_linalg_call *call, const dap_banded *band,
                                  const dap_banded_piece pieces[], int count, int b)
{
  place a;
  dap_status status = make_place(call, band, true, &a);
  if (!status) status = load_pieces(call, band, &a, pieces, count);
  dap_layout_destroy(&a.layout);
  if (status) return status;
  DAP_TRY(dap_agree(call->comm, settle(call, band, call->err), call->err));
  DAP_TRY(move_b(call, band, b, false));
  return scale(call, band);
}

dap_status dap_linalg_banded_store(dap_linalg_call *call, const dap_banded *band, int b)
{
  return move_b(call, band, b, true);
}
