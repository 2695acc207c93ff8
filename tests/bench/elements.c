#include "redistribute.h"

#include "fail.h"

#include <stdlib.h>
#include <string.h>

enum { SPOILT = 0xa5 /* every byte of a value that no element has */ };

/* Encodes the element of a global index. A real float holds 24 bits of it. */
static void encode(dap_dtype dtype, int64_t global, char *element)
{
  const float low = (float)(global & 0xffffff), high = (float)(global >> 24);
  const double whole = (double)global, other = (double)(-global - 1);
  switch (dtype) {
  case DAP_F4:
    memcpy(element, &low, sizeof low);
    break;
  case DAP_C8:
    memcpy(element, &low, sizeof low);
    memcpy(element + sizeof low, &high, sizeof high);
    break;
  case DAP_C16:
    memcpy(element, &whole, sizeof whole);
    memcpy(element + sizeof whole, &other, sizeof other);
    break;
  default:
    memcpy(element, &whole, sizeof whole);
    break;
  }
}

/* ---- visits of a buffer ------------------------------------------------------------------------- */

typedef struct visit {
  const bench_case *c;
  const bench_side *side;
  const bench_buffer *buffer;
  int64_t (*one)(const struct visit *visit, int64_t global, bool owned, char *element);
  bool halos;
  int64_t *parts
      [BENCH_NDIM]; /* by axis and position: its part of the global index in C order; ~ that if not owned */
} visit;

/* Visits the axis at `level`, counted from the slowest. Returns the sum of the results of one(). */
static int64_t visit_axis(const visit *v, int level, int64_t global, bool owned, char *at)
{
  const int last = v->c->ndim - 1, k = v->side->order == DAP_ORDER_F ? last - level : level;
  const int64_t step = v->buffer->strides[k], count = v->side->shape[k];
  int64_t sum = 0;
  for (int64_t i = 0; i < count; i++, at += step) {
    const int64_t part = v->parts[k][i];
    const bool mine = owned && part >= 0;
    const int64_t index = global + (part < 0 ? ~part : part);
    sum += level < last ? visit_axis(v, level + 1, index, mine, at) : v->one(v, index, mine, at);
  }
  return sum;
}

static int64_t visit_all(visit v)
{
  int64_t weight = 1;
  for (int k = v.c->ndim - 1; k >= 0; k--) {
    v.parts[k] = bench_alloc(v.side->shape[k] * (int64_t)sizeof *v.parts[k]);
    for (int64_t i = 0; i < v.side->shape[k]; i++) {
      bool owned;
      const int64_t part = weight * bench_axis_global(&v.side->axes[k], v.side->coords[k], i, &owned);
      v.parts[k][i] = owned ? part : ~part;
    }
    weight *= v.side->axes[k].size;
  }
  const int64_t sum = visit_axis(&v, 0, 0, true, v.buffer->data);
  for (int k = 0; k < v.c->ndim; k++) free(v.parts[k]);
  return sum;
}

static int64_t fill_one(const visit *v, int64_t global, bool owned, char *element)
{
  if (owned)
    encode(v->c->dtype, global, element);
  else
    memset(element, SPOILT, (size_t)v->c->itemsize);
  return 0;
}

static int64_t spoil_one(const visit *v, int64_t global, bool owned, char *element)
{
  (void)global, (void)owned;
  memset(element, SPOILT, (size_t)v->c->itemsize);
  return 0;
}

static int64_t check_one(const visit *v, int64_t global, bool owned, char *element)
{
  char expected[16];
  if (owned || v->halos)
    encode(v->c->dtype, global, expected);
  else
    memset(expected, SPOILT, sizeof expected);
  return memcmp(element, expected, (size_t)v->c->itemsize) != 0;
}

/* ---- functions for callers ---------------------------------------------------------------------- */

void bench_fill(const bench_case *c, const bench_side *side, const bench_buffer *buffer)
{
  visit_all((visit){.c = c, .side = side, .buffer = buffer, .one = fill_one});
}

void bench_spoil(const bench_case *c, const bench_side *side, const bench_buffer *buffer)
{
  visit_all((visit){.c = c, .side = side, .buffer = buffer, .one = spoil_one});
}

int64_t bench_count_wrong(const bench_case *c, const bench_side *side, const bench_buffer *buffer, bool halos)
{
  return visit_all((visit){.c = c, .side = side, .buffer = buffer, .one = check_one, .halos = halos});
}
