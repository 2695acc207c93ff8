/* Share or move: the one predicate. A part of it looks at the layout, which is the same on every process;
 * the other at this process' buffer. */
#include "scalapack_impl.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

/* ---- the layout ------------------------------------------------------------------------------- */

/* Block sizes out of those that fit. A free one is `wish`, or with `equal` the other's if that fits. */
static void choose_blocks(const dap_blocks fit[2], const int64_t wish[2], bool equal, int block[2])
{
  const int64_t least = fit[0].least > fit[1].least ? fit[0].least : fit[1].least;
  const int64_t fixed = fit[0].size ? fit[0].size : fit[1].size;
  const int64_t common = fixed ? fixed : least > wish[0] ? least : wish[0];
  for (int k = 0; k < 2; k++) {
    const int64_t free = equal ? common : wish[k];
    const int64_t size = fit[k].size ? fit[k].size : fit[k].least > free ? fit[k].least : free;
    block[k] = (int)size; /* no more than the axis' size, a wish, or the other block */
  }
}

/* Block sizes and grid of the array as it lies, if ScaLAPACK can take it so with form->op. */
static dap_status fit_layout(const dap_scalapack_request *request, dap_scalapack_form *form, dap_error *why)
{
  const dap_scalapack_options *o = &request->options;
  const dap_scalapack_state *like = request->like;
  dap_blocks fit[2];
  int64_t wish[2] = {64, 64};
  int procs[2], shift[2];
  for (int k = 0; k < 2; k++) {
    DAP_TRY(dap_layout_blocks(request->layout, k, &fit[k], why));
    const int dimension = dap_scalapack_swap(form->op, k);
    int any = 0;
    if (like) {
      wish[k] = like->block[o->square_blocks ? 0 : dimension];
      any = dimension == 0 ? like->grid->map.row_shift : like->grid->map.col_shift;
    }
    procs[k] = dap_layout_procs(request->layout, k);
    shift[k] = fit[k].source >= 0 ? fit[k].source : any;
  }
  choose_blocks(fit, wish, o->square_blocks || !like, form->block);
  DAP_REQUIRE(!o->square_blocks || form->block[0] == form->block[1], why, DAP_ERR_SHARE,
              "square blocks are needed, the array's are %d x %d", form->block[0], form->block[1]);
  const dap_layout *order = dap_layout_is_row_major(request->layout) ? NULL : request->layout;
  form->map = dap_blacs_map_make(procs, shift, form->op, order);
  if (!like) return DAP_OK;
  DAP_REQUIRE(dap_blacs_map_equal(&form->map, &like->grid->map), why, DAP_ERR_SHARE,
              "the array's processes do not sit on the grid as those of the view that it goes with");
  const int rows = form->block[dap_scalapack_swap(form->op, 0)];
  DAP_REQUIRE(!o->aligned || rows == like->block[0], why, DAP_ERR_SHARE,
              "its rows are in blocks of %d, those of the view that it goes with in blocks of %d", rows,
              like->block[0]);
  return DAP_OK;
}

/* ---- the buffer ------------------------------------------------------------------------------- */

dap_status dap_scalapack_share_buffer(const dap_scalapack_request *request, char op, void **data, int *lld,
                                      dap_error *why)
{
  const dap_array *array = request->array;
  const int64_t item = dap_dtype_size(array->dtype);
  const int fast = dap_scalapack_swap(op, 0), slow = dap_scalapack_swap(op, 1);
  const int64_t *stride = array->strides;
  int coords[DAP_MAX_NDIM];
  int64_t owned[2], halo[2][2];
  dap_layout_coords(request->layout, request->rank, coords);
  for (int k = 0; k < 2; k++) {
    owned[k] = dap_layout_owned(request->layout, k, coords[k]);
    dap_layout_halo(request->layout, k, coords[k], halo[k]);
  }
  *data = NULL;
  *lld = owned[fast] > 1 ? (int)owned[fast] : 1;
  if (owned[0] == 0 || owned[1] == 0) return DAP_OK;

  DAP_REQUIRE(!array->swapped, why, DAP_ERR_SHARE, "the elements are in the other byte order");
  /* Strides along an extent of 1 are never used, whatever they are. */
  DAP_REQUIRE(owned[fast] == 1 || stride[fast] == item, why, DAP_ERR_SHARE,
              "op '%c' needs axis %d contiguous: its stride is %" PRId64 " bytes, an element has %" PRId64,
              op, fast, stride[fast], item);
  if (owned[slow] > 1) {
    const int64_t leading = stride[slow] / item;
    DAP_REQUIRE(stride[slow] % item == 0 && leading >= owned[fast] && leading <= INT_MAX, why, DAP_ERR_SHARE,
                "axis %d: stride of %" PRId64 " bytes is no leading dimension for %" PRId64
                " elements of %" PRId64,
                slow, stride[slow], owned[fast], item);
    *lld = (int)leading;
  }
  char *first = (char *)array->data + halo[0][0] * stride[0] + halo[1][0] * stride[1];
  const bool is_complex = array->dtype == DAP_C8 || array->dtype == DAP_C16;
  const uintptr_t alignment = (uintptr_t)(is_complex ? item / 2 : item);
  DAP_REQUIRE((uintptr_t)first % alignment == 0, why, DAP_ERR_SHARE,
              "the buffer's address is not a multiple of %d bytes", (int)alignment);
  *data = first;
  return DAP_OK;
}

/* ---- the decision ----------------------------------------------------------------------------- */

/* What a process says of its buffer; the bits that all processes set count. */
enum { CAN_N = 1, CAN_T = 2, NOT_F = 4, NOT_C = 8 };

static int vote(const dap_scalapack_request *request)
{
  const dap_array *array = request->array;
  void *data;
  int lld;
  int ballot = 0;
  if (!dap_scalapack_share_buffer(request, 'N', &data, &lld, NULL)) ballot |= CAN_N;
  if (!dap_scalapack_share_buffer(request, 'T', &data, &lld, NULL)) ballot |= CAN_T;
  const int64_t *stride = array->strides; /* negated absolute values cannot overflow */
  const int64_t near[2] = {stride[0] > 0 ? -stride[0] : stride[0], stride[1] > 0 ? -stride[1] : stride[1]};
  const bool silent = array->shape[0] == 0 || array->shape[1] == 0 || stride[0] == 0 || stride[1] == 0;
  if (silent || near[0] <= near[1]) ballot |= NOT_F;
  if (silent || near[0] >= near[1]) ballot |= NOT_C;
  return ballot;
}

/* Where both ops would share (vectors), the strides tell in which order the buffer was meant: 'N' if some
 * process has F order and none C order. */
static char choose_op(const dap_scalapack_request *request, int ballot)
{
  if (request->options.op) return request->options.op;
  if (request->like) return request->like->op;
  const int can = ballot & (CAN_N | CAN_T);
  if (can == CAN_N) return 'N';
  if (can == CAN_T) return 'T';
  return !(ballot & NOT_F) && (ballot & NOT_C) ? 'N' : 'T';
}

static void describe_shared(dap_scalapack_form *form)
{
  const dap_blacs_map *map = &form->map;
  const int rows = form->block[dap_scalapack_swap(form->op, 0)];
  const int cols = form->block[dap_scalapack_swap(form->op, 1)];
  char start[64] = "";
  if (map->row_shift || map->col_shift)
    snprintf(start, sizeof start, " that starts at process (%d, %d)", map->row_shift, map->col_shift);
  snprintf(form->reason, sizeof form->reason, "%s; its layout is block-cyclic, %d x %d on a %d x %d grid%s%s",
           form->op == 'T' ? "C order is the transposed matrix" : "F order is the matrix' own", rows, cols,
           map->nprow, map->npcol, start, map->order ? ", with the ranks in the array's order" : "");
}

dap_status dap_scalapack_share_decide(const dap_scalapack_request *request, dap_scalapack_form *form,
                                      dap_error *err)
{
  int ballot = vote(request);
  DAP_REQUIRE(MPI_Allreduce(MPI_IN_PLACE, &ballot, 1, MPI_INT, MPI_BAND, request->comm) == MPI_SUCCESS, err,
              DAP_ERR_LIBRARY, "MPI_Allreduce failed");
  *form = (dap_scalapack_form){.op = choose_op(request, ballot)};
  dap_error why = {0};
  dap_status status = DAP_OK; /* of the decision: the same on every process at each step */
  if (request->options.sharing == DAP_SHARE_NEVER)
    status = dap_fail(&why, DAP_ERR_SHARE, "the options ask for a copy");
  if (!status) status = fit_layout(request, form, &why);
  if (!status && !(ballot & (form->op == 'N' ? CAN_N : CAN_T))) {
    void *data;
    int lld;
    status = dap_scalapack_share_buffer(request, form->op, &data, &lld, &why);
    status = dap_agree(request->comm, status, &why); /* the lowest rank's reason becomes everyone's */
  }
  if (status && (status != DAP_ERR_SHARE || request->options.sharing == DAP_SHARE_OR_FAIL)) {
    if (why.rank < 0) why.rank = 0; /* found on every process alike */
    if (err) *err = why;
    return status;
  }
  form->shared = !status;
  if (form->shared) {
    describe_shared(form);
  } else {
    snprintf(form->reason, sizeof form->reason, "%s", why.text);
    dap_scalapack_target(request, form);
  }
  return DAP_OK;
}
