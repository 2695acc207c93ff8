/* Copying between two local buffers of any strides, alignment and byte order. */
#include "model_impl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- may it be copied? -------------------------------------------------------------------------- */

static dap_status check_shapes(const dap_array *from, const dap_array *to, dap_error *err)
{
  DAP_REQUIRE(from->ndim == to->ndim, err, DAP_ERR_BUFFER,
              "the buffers have %" PRId32 " and %" PRId32 " dimensions", from->ndim, to->ndim);
  DAP_REQUIRE(to->ndim >= 0 && to->ndim <= DAP_MAX_NDIM, err, DAP_ERR_BUFFER,
              "the buffer's ndim %" PRId32 " is outside 0 .. %d", to->ndim, DAP_MAX_NDIM);
  for (int k = 0; k < to->ndim; k++) {
    DAP_REQUIRE(from->shape[k] == to->shape[k], err, DAP_ERR_BUFFER,
                "dim %d: extents %" PRId64 " and %" PRId64 " differ", k, from->shape[k], to->shape[k]);
    DAP_REQUIRE(to->shape[k] >= 0, err, DAP_ERR_BUFFER, "dim %d: the buffer's extent %" PRId64 " is negative",
                k, to->shape[k]);
  }
  return DAP_OK;
}

/* There are elements; can they be read and written? */
static dap_status check_memory(const dap_array *from, const dap_array *to, dap_error *err)
{
  DAP_REQUIRE(from->data && to->data, err, DAP_ERR_BUFFER,
              "data of %s is NULL, but it has %" PRId64 " elements", from->data ? "to" : "from",
              dap_array_count(to));
  for (int k = 0; k < to->ndim; k++)
    DAP_RULE(19, to->shape[k] == 1 || to->strides[k] != 0, err, DAP_ERR_BUFFER,
             "dim %d: the buffer to be written has stride 0 along %" PRId64 " elements", k, to->shape[k]);
  DAP_RULE(19, !dap_array_overlaps(to, to), err, DAP_ERR_BUFFER,
           "the strides of the buffer to be written put several of its elements at one place");
  DAP_REQUIRE(!dap_array_overlaps(from, to), err, DAP_ERR_BUFFER,
              "the buffers overlap: elements to be read share memory with elements to be written");
  return DAP_OK;
}

static dap_status check(const dap_array *from, const dap_array *to, dap_error *err)
{
  DAP_REQUIRE(from && to, err, DAP_ERR_ARG, "%s must not be NULL", from ? "to" : "from");
  DAP_TRY(check_shapes(from, to, err));
  DAP_REQUIRE(from->dtype == to->dtype, err, DAP_ERR_BUFFER, "dtypes %s and %s differ",
              dap_dtype_name(from->dtype), dap_dtype_name(to->dtype));
  DAP_REQUIRE(dap_dtype_size(to->dtype) > 0, err, DAP_ERR_BUFFER, "dtype %d is no element type",
              (int)to->dtype);
  int64_t bytes;
  const int64_t size = dap_dtype_size(to->dtype);
  DAP_REQUIRE(dap_span(to->ndim, from->shape, from->strides, size, &bytes) &&
                  dap_span(to->ndim, to->shape, to->strides, size, &bytes),
              err, DAP_ERR_RANGE, "the strides of a buffer span more than 2^63 - 1 bytes");
  DAP_RULE(19, !to->readonly, err, DAP_ERR_BUFFER, "the buffer to be written is read-only");
  return dap_array_count(to) > 0 ? check_memory(from, to, err) : DAP_OK;
}

/* ---- the loops ---------------------------------------------------------------------------------- */

typedef struct loop {
  int64_t count;    /* >= 1 */
  int64_t from, to; /* bytes from one to the next */
} loop;

/* Loops around the copying of one number of `width` bytes, which is turned round or not. */
typedef struct nest {
  int depth;
  loop loops[DAP_MAX_NDIM + 1]; /* [depth] outermost first */
  int width;
  bool turned;
} nest;

/* Puts a loop where it belongs: the shorter its steps, the further in. */
static void insert(nest *n, loop l)
{
  int place = n->depth++;
  for (; place > 0; place--) {
    const loop *outer = &n->loops[place - 1];
    const int64_t mine = llabs(l.to), its = llabs(outer->to);
    if (its > mine || (its == mine && llabs(outer->from) >= llabs(l.from))) break;
    n->loops[place] = *outer;
  }
  n->loops[place] = l;
}

/* Makes one loop of two where the outer goes on where the inner ends. */
static void join(nest *n)
{
  int kept = 0;
  for (int i = 1; i < n->depth; i++) {
    loop *outer = &n->loops[kept];
    const loop inner = n->loops[i];
    if (outer->from == inner.count * inner.from && outer->to == inner.count * inner.to)
      *outer = (loop){outer->count * inner.count, inner.from, inner.to};
    else
      n->loops[++kept] = inner;
  }
  n->depth = kept + 1;
}

/* A complex number whose bytes are turned round is two numbers, not one of twice the width. */
static nest make_nest(const dap_array *from, const dap_array *to)
{
  const int itemsize = (int)dap_dtype_size(to->dtype);
  const bool is_complex = to->dtype == DAP_C8 || to->dtype == DAP_C16 || to->dtype == DAP_C32;
  nest n = {.width = itemsize, .turned = from->swapped != to->swapped};
  if (n.turned && is_complex) n.width /= 2;
  for (int k = 0; k < to->ndim; k++)
    if (to->shape[k] > 1) insert(&n, (loop){to->shape[k], from->strides[k], to->strides[k]});
  const int parts = itemsize / n.width;
  if (parts > 1 || n.depth == 0) insert(&n, (loop){parts, n.width, n.width});
  join(&n);
  return n;
}

/* The innermost loop; inlined for each usual width, which makes a load and a store of what it does. */
static inline void copy_row(const loop *l, const unsigned char *from, unsigned char *to, int width)
{
  for (int64_t i = 0; i < l->count; i++, from += l->from, to += l->to) memcpy(to, from, (size_t)width);
}

static void copy_numbers(const nest *n, const loop *l, const unsigned char *from, unsigned char *to)
{
  if (n->turned)
    dap_swap_row((const char *)from, l->from, (char *)to, l->to, l->count, n->width);
  else if (l->from == n->width && l->to == n->width)
    memcpy(to, from, (size_t)(l->count * n->width));
  else if (n->width == 1)
    copy_row(l, from, to, 1);
  else if (n->width == 2)
    copy_row(l, from, to, 2);
  else if (n->width == 4)
    copy_row(l, from, to, 4);
  else if (n->width == 8)
    copy_row(l, from, to, 8);
  else
    copy_row(l, from, to, n->width);
}

static void run(const nest *n, int level, const unsigned char *from, unsigned char *to)
{
  const loop *l = &n->loops[level];
  if (level == n->depth - 1)
    copy_numbers(n, l, from, to);
  else
    for (int64_t i = 0; i < l->count; i++) run(n, level + 1, from + i * l->from, to + i * l->to);
}

dap_status dap_array_copy(const dap_array *from, const dap_array *to, dap_error *err)
{
  DAP_TRY(check(from, to, err));
  if (dap_array_count(to) == 0) return DAP_OK;
  const nest n = make_nest(from, to);
  run(&n, 0, from->data, to->data);
  return DAP_OK;
}
