/* Finds where the rows of a tall matrix are, and makes copies that have whole rows on each process. */
#include "tsqr_impl.h"

/* The fewest rows for each column and process. With fewer, the serial part on process 0 takes longer than
 * the QR factorisation, and gesvd's workspace, the square of the rows of a block, is at most four times the
 * matrix. MOST keeps LAPACK's and MPI's counts within 32 bits. */
enum { LEAST_RATIO = 4, MOST = 16000 };

bool dap_tsqr_is_tall(const dap_linalg_call *call, int64_t longer, int64_t shorter)
{
  if (shorter == 0 || shorter > MOST) return false;
  return longer / shorter / call->nprocs >= LEAST_RATIO;
}

/* The fewest rows for each process, and for each column and process. geqrf and gels take half the time with
 * 4,096 rows of 16 columns, and three times as long with 65,536 rows of 64 columns. In single precision they
 * lose digits over long columns: X is off by 6,000 eps with 250,000 rows and 3 columns. A chunk of 32 rows
 * for each of FASTER_MOST columns has less than 2^31 elements. */
enum { FASTER_ROWS = 65536, FASTER_RATIO = 64, FASTER_MOST = 8191 };

bool dap_tsqr_is_faster(const dap_linalg_call *call, int64_t rows, int64_t columns)
{
  const int64_t each = rows / call->nprocs;
  return columns > 0 && columns <= FASTER_MOST && each >= FASTER_ROWS && each / columns >= FASTER_RATIO;
}

static const dap_layout *layout_of(const dap_linalg_call *call, int i)
{
  return call->arguments.operands[i].operand.layout;
}

/* Whether each row is on one process. Lists of indices may have rows twice. */
static bool has_whole_rows(const dap_layout *layout, int along)
{
  if (dap_layout_axis(layout, along).dist_type == 'u') return false;
  if (dap_layout_ndim(layout) == 1) return true;
  return dap_layout_axis(layout, 1 - along).dist_type != 'u' && dap_layout_procs(layout, 1 - along) == 1;
}

/* Whether the whole rows of two layouts are on the same processes, in the same order. */
static bool are_alike(const dap_layout *one, const dap_layout *other, int along)
{
  const dap_axis a = dap_layout_axis(one, along), b = dap_layout_axis(other, along);
  bool alike = has_whole_rows(other, along) && a.dist_type == b.dist_type && a.procs == b.procs &&
               a.block_size == b.block_size && a.first_owner == b.first_owner;
  for (int rank = 0; rank < dap_layout_nprocs(one) && alike; rank++) {
    int at[DAP_MAX_NDIM], there[DAP_MAX_NDIM];
    dap_layout_coords(one, rank, at);
    dap_layout_coords(other, rank, there);
    alike = at[along] == there[along] &&
            dap_layout_owned(one, along, at[along]) == dap_layout_owned(other, along, at[along]);
  }
  return alike;
}

bool dap_tsqr_are_direct(const dap_linalg_call *call, int i, int along)
{
  if (call->options.sharing == DAP_SHARE_NEVER || !has_whole_rows(layout_of(call, 0), along)) return false;
  return i == 0 || !call->given[i] || are_alike(layout_of(call, 0), layout_of(call, i), along);
}

bool dap_tsqr_may_move(const dap_linalg_call *call)
{
  return call->options.sharing != DAP_SHARE_OR_FAIL;
}

/* ---- copies ------------------------------------------------------------------------------------------ */

/* Returns the distribution of the rows of `like`, which are axis `along`. Sets `lengths` and `ranks`, which
 * have an element for each process. */
static dap_dist rows_of(const dap_layout *like, int along, int64_t lengths[], int ranks[])
{
  const dap_axis axis = dap_layout_axis(like, along);
  for (int rank = 0; rank < axis.procs; rank++) {
    int coords[DAP_MAX_NDIM];
    dap_layout_coords(like, rank, coords);
    ranks[coords[along]] = rank;
    lengths[coords[along]] = dap_layout_owned(like, along, coords[along]);
  }
  dap_dist dist = axis.dist_type == 'c' ? dap_dist_cyclic(axis.size, axis.procs, axis.block_size)
                                        : dap_dist_lengths(axis.size, axis.procs, lengths);
  if (axis.dist_type == 'c') dist.first_owner = axis.first_owner;
  return dist;
}

static dap_status lay_out(const dap_layout *like, int ndim, const dap_dist dists[], const int ranks[],
                          dap_layout **layout, dap_error *err)
{
  if (!like || dap_layout_is_row_major(like)) return dap_layout_create(ndim, dists, layout, err);
  dap_layout *in_order = NULL;
  DAP_TRY(dap_layout_create(ndim, dists, &in_order, err));
  const dap_status status = dap_layout_reorder(in_order, ranks, layout, err);
  dap_layout_destroy(&in_order);
  return status;
}

/* Sets the copy's part, without memory, and returns the number of its elements. */
static int64_t set_part(const dap_linalg_call *call, int along, int64_t cols, dap_tsqr_rows *rows)
{
  const int64_t item = call->lib->item;
  int coords[DAP_MAX_NDIM];
  dap_layout_coords(rows->own, call->rank, coords);
  const int64_t mine = dap_layout_owned(rows->own, along, coords[along]);
  rows->part = (dap_array){.dtype = call->lib->dtype, .ndim = 2};
  rows->part.shape[along] = mine, rows->part.strides[along] = item;
  rows->part.shape[1 - along] = cols, rows->part.strides[1 - along] = mine * item;
  return mine * cols;
}

static dap_status make_copy(dap_linalg_call *call, int i, int along, const dap_layout *like,
                            dap_tsqr_rows *rows)
{
  const int64_t extents[2] = {dap_linalg_rows(call, i), dap_linalg_cols(call, i)};
  const int ndim = dap_layout_ndim(layout_of(call, i));
  int64_t *lengths;
  int *ranks;
  DAP_TRY(dap_linalg_work(call, call->nprocs, DAP_I8, &lengths));
  DAP_TRY(dap_linalg_work(call, call->nprocs, DAP_I4, &ranks));
  dap_dist dists[2];
  dists[1 - along] = dap_dist_local(extents[1 - along]);
  dists[along] = like ? rows_of(like, along, lengths, ranks) : dap_dist_even(extents[along], call->nprocs);
  DAP_TRY(dap_agree(call->comm, lay_out(like, ndim, dists, ranks, &rows->own, call->err), call->err));
  rows->layout = rows->own;
  const int64_t count = set_part(call, along, extents[1 - along], rows);
  return dap_linalg_work(call, count, call->lib->dtype, &rows->part.data);
}

dap_status dap_tsqr_take(dap_linalg_call *call, int i, int along, bool direct, const dap_layout *like,
                         const char *reason, dap_tsqr_rows *rows)
{
  rows->direct = direct;
  if (!direct) return make_copy(call, i, along, like, rows);
  rows->layout = layout_of(call, i);
  rows->part = dap_linalg_owned_part(call, &call->arguments.operands[i]);
  if (rows->part.ndim == 1) rows->part.shape[1] = 1, rows->part.strides[1] = call->lib->item;
  rows->part.ndim = 2;
  dap_linalg_note(call, i, 0, reason);
  call->report->uses[i].shared = true;
  return DAP_OK;
}

dap_status dap_tsqr_take_result(dap_linalg_call *call, dap_tsqr *t, int i, const char *reason)
{
  const bool direct = dap_tsqr_are_direct(call, i, t->along);
  if (t->a.direct) return dap_tsqr_take(call, i, t->along, direct, t->a.layout, reason, &t->q);
  t->q = t->a;
  t->q.own = NULL;
  return DAP_OK;
}

static dap_side side_of(const dap_tsqr_rows *rows)
{
  return (dap_side){.layout = rows->layout, .strides = rows->part.strides, .dtype = rows->part.dtype};
}

dap_status dap_tsqr_move(dap_linalg_call *call, int i, const dap_tsqr_rows *rows, bool back,
                         const char *reason)
{
  if (rows->direct) return DAP_OK;
  const dap_side side = side_of(rows);
  return dap_linalg_move(call, i, &side, rows->part.data, back, reason);
}

dap_status dap_tsqr_plan_back(dap_linalg_call *call, int i, const dap_tsqr_rows *rows, dap_plan **plan)
{
  if (rows->direct) return DAP_OK;
  const dap_side side = side_of(rows);
  return dap_linalg_move_plan(call, i, &side, true, plan);
}
