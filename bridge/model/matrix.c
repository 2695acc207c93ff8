/* Finds out whether ScaLAPACK can take an array where it lies, from the layout and from one buffer. */
#include "model_impl.h"

#include <inttypes.h>
#include <stdio.h>

/* Returns the array axis that counts the matrix's rows (0) or columns (1), and vice versa. */
static int swap(char op, int k)
{
  return op == 'N' ? k : 1 - k;
}

static dap_status check_op(const dap_layout *layout, char op, dap_error *err)
{
  DAP_REQUIRE(op == 'N' || op == 'T', err, DAP_ERR_ARG, "op is character %d, not 'N' or 'T'", (int)op);
  DAP_REQUIRE(dap_layout_ndim(layout) == 2, err, DAP_ERR_UNSUPPORTED,
              "a matrix is an array of 2 axes; the layout has %d", dap_layout_ndim(layout));
  return DAP_OK;
}

/* ---- block sizes ------------------------------------------------------------------------------------ */

/* The least and the largest block size that the needs allow along a dimension. */
typedef struct bounds {
  int64_t least, most;
} bounds;

static bounds bounds_of(const dap_matrix_needs *needs, const dap_matrix_form *form, int k, int64_t least)
{
  bounds b = {dap_larger(least, needs->least_block), needs->most_block ? needs->most_block : INT64_MAX};
  const bool several = needs->several_blocks && form->procs[0] * (int64_t)form->procs[1] > 1;
  if (several && (k == 1 || needs->square_blocks)) b.most = dap_smaller(b.most, form->size[1] - 1);
  return b;
}

static int64_t clamp(int64_t value, bounds b)
{
  return dap_larger(b.least, dap_smaller(value, b.most));
}

/* Returns the block size that a wish of 0 stands for. */
static int64_t usual_block(const int64_t size[2], int k)
{
  const bool is_one_block = size[1 - k] >= DAP_LONG_SIZE && size[k] > 0;
  return is_one_block ? dap_smaller(DAP_USUAL_BLOCK, size[k]) : DAP_USUAL_BLOCK;
}

/* Replaces wishes of 0 with usual blocks. If blocks must be square, chosen[0] is the size of both. */
static void choose_wish(const dap_matrix_needs *needs, const int64_t wish[2], const dap_matrix_form *form,
                        int64_t chosen[2])
{
  for (int k = 0; k < 2; k++) chosen[k] = wish[k] ? wish[k] : usual_block(form->size, k);
  if (needs->square_blocks && !wish[0]) chosen[0] = dap_larger(chosen[0], chosen[1]);
}

/* Sets block sizes. A dimension that lies in blocks of one size keeps it. A free one takes the wish or, if
 * blocks must be square, the other's size, as far as the needs allow. */
static void choose_blocks(const dap_matrix_needs *needs, const dap_blocks fit[2], const int64_t wish[2],
                          dap_matrix_form *form)
{
  const bounds b[2] = {bounds_of(needs, form, 0, fit[0].least), bounds_of(needs, form, 1, fit[1].least)};
  if (!needs->square_blocks) {
    for (int k = 0; k < 2; k++) form->block[k] = fit[k].size ? fit[k].size : clamp(wish[k], b[k]);
    return;
  }
  const bounds both = {dap_larger(b[0].least, b[1].least), dap_smaller(b[0].most, b[1].most)};
  const int64_t fixed = fit[0].size ? fit[0].size : fit[1].size;
  const int64_t common = fixed ? fixed : clamp(wish[0], both);
  for (int k = 0; k < 2; k++) form->block[k] = fit[k].size ? fit[k].size : dap_larger(common, fit[k].least);
}

/* Returns whether each process row (k = 0) or column (1) has a block. */
static bool is_occupied(const dap_matrix_form *form, int k)
{
  return form->size[k] == 0 || form->procs[k] - 1 <= (form->size[k] - 1) / form->block[k];
}

dap_status dap_matrix_check_form(const dap_matrix_needs *needs, const dap_matrix_form *form, dap_error *why)
{
  const int64_t *block = form->block;
  DAP_REQUIRE(!needs->square_blocks || block[0] == block[1], why, DAP_ERR_SHARE,
              "square blocks are needed, the matrix's are %" PRId64 " x %" PRId64, block[0], block[1]);
  for (int i = 0; i < 2; i++) {
    const int k = form->procs[0] == 1 ? 1 - i : i; /* square blocks have the size of the distributed axis */
    const char *whose = k == 0 ? "rows" : "columns";
    DAP_REQUIRE(block[k] >= needs->least_block, why, DAP_ERR_SHARE,
                "blocks of at least %" PRId64 " are needed, the matrix's have %" PRId64 " %s",
                needs->least_block, block[k], whose);
    DAP_REQUIRE(!needs->most_block || block[k] <= needs->most_block, why, DAP_ERR_SHARE,
                "blocks of at most %" PRId64 " are needed, the matrix's have %" PRId64 " %s",
                needs->most_block, block[k], whose);
    DAP_REQUIRE(!needs->occupied || is_occupied(form, k), why, DAP_ERR_SHARE,
                "blocks of %" PRId64 " leave process %s %d of %d empty", block[k], k == 0 ? "row" : "column",
                form->procs[k] - 1, form->procs[k]);
  }
  const int64_t nprocs = form->procs[0] * (int64_t)form->procs[1];
  const bool spread = nprocs > 1;
  DAP_REQUIRE(!needs->several_blocks || !spread || form->size[1] > block[1], why, DAP_ERR_SHARE,
              "more than one block of columns is needed on several processes: the matrix has %" PRId64
              " columns in blocks of %" PRId64,
              form->size[1], block[1]);
  const int64_t longer = dap_larger(form->size[0], form->size[1]);
  DAP_REQUIRE(!needs->spans_grid || longer >= nprocs, why, DAP_ERR_SHARE,
              "as many rows or columns as processes are needed: the matrix is %" PRId64 " x %" PRId64
              " on %" PRId64 " processes",
              form->size[0], form->size[1], nprocs);
  DAP_REQUIRE(!needs->no_row_pair || !spread || form->size[0] != 1 || form->size[1] != 2, why, DAP_ERR_SHARE,
              "on several processes the routine is wrong with a matrix of 1 x 2; with the other op it is "
              "2 x 1");
  return DAP_OK;
}

dap_status dap_matrix_check_speed(const int64_t size[2], const int64_t block[2], int nprocs, dap_error *why)
{
  enum { LEAST = DAP_FAST_BLOCK_LEAST, MOST = DAP_FAST_BLOCK_MOST };
  char blocks[64];
  DAP_REQUIRE(size && block && nprocs > 0, why, DAP_ERR_ARG, "size or block is NULL, or nprocs %d", nprocs);
  const int64_t shorter = dap_smaller(size[0], size[1]), longer = dap_larger(size[0], size[1]);
  if (shorter < DAP_FAST_SIZE || shorter / nprocs < LEAST || longer / 4 >= shorter) return DAP_OK;
  const int64_t rows = block[0] ? block[0] : block[1], columns = block[1] ? block[1] : block[0];
  const int64_t least = dap_smaller(rows, columns), most = dap_larger(rows, columns);
  if (block[0] && block[1])
    (void)snprintf(blocks, sizeof blocks, "%" PRId64 " x %" PRId64, rows, columns);
  else
    (void)snprintf(blocks, sizeof blocks, "%" PRId64, rows);
  DAP_REQUIRE(most == 0 || (least >= LEAST && most <= MOST), why, DAP_ERR_SHARE,
              "moved for speed: blocks of %s are not within %d .. %d; it is shared if sharing is required",
              blocks, LEAST, MOST);
  return DAP_OK;
}

dap_status dap_matrix_fit(const dap_layout *layout, char op, const dap_matrix_needs *needs,
                          const int64_t wish[2], dap_matrix_form *form, dap_error *why)
{
  DAP_REQUIRE(layout && wish && form, why, DAP_ERR_ARG, "layout, wish and form must not be NULL");
  DAP_TRY(dap_layout_check(layout, why));
  static const dap_matrix_needs none;
  if (!needs) needs = &none;
  DAP_TRY(check_op(layout, op, why));
  dap_blocks fit[2];
  *form = (dap_matrix_form){.op = op};
  for (int axis = 0; axis < 2; axis++) {
    const int k = swap(op, axis);
    DAP_TRY(dap_layout_blocks(layout, axis, &fit[k], why));
    form->size[k] = dap_layout_size(layout, axis);
    form->procs[k] = dap_layout_procs(layout, axis);
    form->source[k] = fit[k].source;
  }
  int64_t chosen[2];
  choose_wish(needs, wish, form, chosen);
  choose_blocks(needs, fit, chosen, form);
  return dap_matrix_check_form(needs, form, why);
}

/* The block size of an axis on one process is arbitrary, and not given. */
size_t dap_matrix_describe(const dap_matrix_form *form, char *text, size_t capacity)
{
  static const char *const names[2] = {"rows", "columns"};
  const char *whose = form->op == 'T' ? "C order is the transposed matrix" : "F order is the matrix's own";
  const int first[2] = {form->source[0] > 0 ? form->source[0] : 0, form->source[1] > 0 ? form->source[1] : 0};
  char axes[2][64], start[64] = "";
  for (int k = 0; k < 2; k++)
    if (form->procs[k] == 1)
      (void)snprintf(axes[k], sizeof axes[k], "%s not distributed", names[k]);
    else
      (void)snprintf(axes[k], sizeof axes[k], "%s in blocks of %" PRId64, names[k], form->block[k]);
  if (first[0] > 0 || first[1] > 0)
    (void)snprintf(start, sizeof start, " that starts at process (%d, %d)", first[0], first[1]);
  const int length = form->procs[0] == 1 && form->procs[1] == 1
                         ? snprintf(text, capacity, "%s; it is on one process", whose)
                         : snprintf(text, capacity, "%s; %s, %s, on a %d x %d grid%s", whose, axes[0],
                                    axes[1], form->procs[0], form->procs[1], start);
  return length > 0 ? (size_t)length : 0;
}

/* ---- the buffer ------------------------------------------------------------------------------------- */

static bool is_of_scalapack(dap_dtype dtype)
{
  return dtype == DAP_F4 || dtype == DAP_F8 || dtype == DAP_C8 || dtype == DAP_C16 || dtype == DAP_I4 ||
         dtype == DAP_I8;
}

/* Finds the leading dimension of an array with owned[2] elements. It stays as it was if one column is
 * owned. */
static dap_status find_leading(const dap_array *array, char op, const int64_t owned[2], int64_t *lld,
                               dap_error *why)
{
  const int fast = swap(op, 0), slow = swap(op, 1);
  const int64_t item = dap_dtype_size(array->dtype);
  const int64_t *stride = array->strides;
  /* Strides along an extent of 1 are never used. */
  DAP_REQUIRE(owned[fast] == 1 || stride[fast] == item, why, DAP_ERR_SHARE,
              "op '%c' needs axis %d contiguous: its stride is %" PRId64 " bytes, not an element's %" PRId64,
              op, fast, stride[fast], item);
  if (owned[slow] == 1) return DAP_OK;
  DAP_REQUIRE(stride[slow] % item == 0 && stride[slow] / item >= owned[fast], why, DAP_ERR_SHARE,
              "axis %d: stride of %" PRId64
              " bytes is not a leading dimension, which is a number of elements of %" PRId64
              " bytes, at least %" PRId64,
              slow, stride[slow], item, owned[fast]);
  *lld = stride[slow] / item;
  return DAP_OK;
}

dap_status dap_matrix_local(dap_darray array, int rank, char op, void **data, int64_t *lld, dap_error *why)
{
  const dap_layout *layout = array.layout;
  const dap_array *local = array.local;
  DAP_REQUIRE(layout && local && data && lld, why, DAP_ERR_ARG,
              "layout, local, data and lld must not be NULL");
  DAP_TRY(dap_layout_check(layout, why));
  DAP_TRY(check_op(layout, op, why));
  DAP_REQUIRE(rank >= 0 && rank < dap_layout_nprocs(layout), why, DAP_ERR_ARG, "rank %d is outside 0 .. %d",
              rank, dap_layout_nprocs(layout) - 1);
  int coords[DAP_MAX_NDIM];
  int64_t owned[2], halo[2][2];
  dap_layout_coords(layout, rank, coords);
  for (int k = 0; k < 2; k++) {
    owned[k] = dap_layout_owned(layout, k, coords[k]);
    dap_layout_halo(layout, k, coords[k], halo[k]);
  }
  *data = NULL;
  *lld = dap_larger(owned[swap(op, 0)], 1);
  DAP_REQUIRE(is_of_scalapack(local->dtype), why, DAP_ERR_SHARE, "ScaLAPACK has no matrices of %s",
              dap_dtype_name(local->dtype));
  if (owned[0] == 0 || owned[1] == 0) return DAP_OK;
  DAP_REQUIRE(!local->swapped, why, DAP_ERR_SHARE, "the elements are in the other byte order");
  DAP_TRY(find_leading(local, op, owned, lld, why));
  char *first = (char *)local->data + halo[0][0] * local->strides[0] + halo[1][0] * local->strides[1];
  const bool is_complex = local->dtype == DAP_C8 || local->dtype == DAP_C16;
  const int64_t item = dap_dtype_size(local->dtype);
  const uintptr_t alignment = (uintptr_t)(is_complex ? item / 2 : item);
  DAP_REQUIRE((uintptr_t)first % alignment == 0, why, DAP_ERR_SHARE,
              "the buffer's address is not a multiple of %d bytes", (int)alignment);
  *data = first;
  return DAP_OK;
}

/* ---- the order of storage ---------------------------------------------------------------------------- */

unsigned dap_matrix_vote(dap_darray array, int rank)
{
  const dap_array *local = array.local;
  void *data;
  int64_t lld;
  unsigned votes = 0;
  if (!dap_matrix_local(array, rank, 'N', &data, &lld, NULL)) votes |= DAP_MATRIX_CAN_N;
  if (!dap_matrix_local(array, rank, 'T', &data, &lld, NULL)) votes |= DAP_MATRIX_CAN_T;
  const int64_t *stride = local->strides; /* negated absolute values cannot overflow */
  const int64_t near[2] = {stride[0] > 0 ? -stride[0] : stride[0], stride[1] > 0 ? -stride[1] : stride[1]};
  const bool silent = local->shape[0] == 0 || local->shape[1] == 0 || stride[0] == 0 || stride[1] == 0;
  if (silent || near[0] <= near[1]) votes |= DAP_MATRIX_NOT_F;
  if (silent || near[0] >= near[1]) votes |= DAP_MATRIX_NOT_C;
  return votes;
}

char dap_matrix_choose_op(unsigned votes)
{
  const unsigned can = votes & (DAP_MATRIX_CAN_N | DAP_MATRIX_CAN_T);
  if (can == DAP_MATRIX_CAN_N) return 'N';
  if (can == DAP_MATRIX_CAN_T) return 'T';
  return !(votes & DAP_MATRIX_NOT_F) && (votes & DAP_MATRIX_NOT_C) ? 'N' : 'T';
}
