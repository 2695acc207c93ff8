/* Transforms elements on the way: to = alpha * op(from) + beta * to, from any element type to any other. A
 * row goes block by block through an array of the type to compute in. Functions of that type's table load,
 * change and store it, so that no pair of element types has code of its own. */
#include "convert.h"
#include "kernel_sets.h"

/* The type of the two parts of a complex element. */
static const dap_dtype parts[DAP_C32 + 1] = {[DAP_C8] = DAP_F4, [DAP_C16] = DAP_F8, [DAP_C32] = DAP_F16};

bool dap_dtype_is_complex(dap_dtype dtype)
{
  return parts[dtype] != DAP_NONE;
}

static bool is_integer(dap_dtype dtype)
{
  return dap_dtype_holds(DAP_I8, dtype) || dap_dtype_holds(DAP_U8, dtype);
}

static bool is_number(const double factor[2], double number)
{
  return factor[0] == number && factor[1] == 0;
}

/* Drops parts of a transform that have no effect: imaginary factors of real results, and the conjugate of
 * real elements. */
static dap_transform reduced(const dap_transform *transform)
{
  dap_transform t = *transform;
  if (!dap_dtype_is_complex(t.to)) t.beta[1] = 0;
  if (!dap_dtype_is_complex(t.to) && !dap_dtype_is_complex(t.from)) t.alpha[1] = 0;
  t.conjugate = t.conjugate && dap_dtype_is_complex(t.from);
  return t;
}

static bool has_arithmetic(const dap_transform *t)
{
  return !is_number(t->alpha, 1) || !is_number(t->beta, 0);
}

/* Whether elements are copied as they are, apart from their byte order. */
static bool is_plain(const dap_transform *t)
{
  return t->from == t->to && !t->conjugate && !has_arithmetic(t);
}

bool dap_transform_is_copy(const dap_transform *transform)
{
  const dap_transform t = reduced(transform);
  return is_plain(&t) && t.from_swapped == t.to_swapped;
}

/* Chooses the type to compute in: int64_t where integers become others, double if it holds every value of the
 * source, and of the destination if there is arithmetic; else long double. */
static const dap_working *working_of(const dap_transform *t)
{
  const bool is_moved = !has_arithmetic(t);
  if (is_moved && is_integer(t->from) && is_integer(t->to)) return &dap_working_integer;
  const bool is_held = dap_dtype_holds(DAP_C16, t->from) && (is_moved || dap_dtype_holds(DAP_C16, t->to));
  const bool is_double =
      t->to == DAP_F8 || t->to == DAP_C16; /* loading a number rounds it as the result needs */
  return is_held || (is_moved && is_double) ? &dap_working_double : &dap_working_long_double;
}

/* A transform, and the way to compute it. */
typedef struct job {
  dap_transform t;
  dap_combine_pairs *combine; /* NULL: elements go through `working` */
  const dap_working *working; /* NULL: elements are copied, perhaps in the other byte order */
  int width;                  /* numbers in an element of the working array: 2 if either side is complex */
} job;

static job job_of(const dap_transform *transform)
{
  job j = {.t = reduced(transform)};
  j.combine = dap_combine_find(&j.t);
  if (j.combine || is_plain(&j.t)) return j;
  j.working = working_of(&j.t);
  j.width = dap_dtype_is_complex(j.t.from) || dap_dtype_is_complex(j.t.to) ? 2 : 1;
  return j;
}

enum {
  NUMBER_MOST = 32, /* bytes of an element */
  BLOCK = 256       /* elements; two blocks of pairs of long doubles take 16 KiB of stack */
};

typedef union block {
  int64_t integers[2 * BLOCK];
  double doubles[2 * BLOCK];
  long double long_doubles[2 * BLOCK];
} block;

static void load(const job *j, dap_dtype dtype, const char *from, int64_t stride, int64_t count, block *work)
{
  const dap_working *working = j->working;
  const int64_t size = dap_dtype_size(dtype) / 2;
  if (!dap_dtype_is_complex(dtype)) {
    if (j->width == 2) memset(work, 0, 2 * (size_t)count * working->size);
    working->load[dtype](from, stride, work, j->width, count);
  } else if (stride == 2 * size) {
    working->load[parts[dtype]](from, size, work, 1, 2 * count);
  } else {
    working->load[parts[dtype]](from, stride, work, 2, count);
    working->load[parts[dtype]](from + size, stride, (char *)work + working->size, 2, count);
  }
}

static void store(const job *j, const block *work, char *to, int64_t stride, int64_t count)
{
  const dap_working *working = j->working;
  const dap_dtype dtype = j->t.to;
  const int64_t size = dap_dtype_size(dtype) / 2;
  if (!dap_dtype_is_complex(dtype)) {
    working->store[dtype](work, j->width, to, stride, count);
  } else if (stride == 2 * size) {
    working->store[parts[dtype]](work, 1, to, size, 2 * count);
  } else {
    working->store[parts[dtype]](work, 2, to, stride, count);
    working->store[parts[dtype]]((const char *)work + working->size, 2, to + size, stride, count);
  }
}

/* Returns the bytes of a number. The two parts of a complex element are numbers of their own. */
static int number_width(dap_dtype dtype)
{
  return (int)dap_dtype_size(dap_dtype_is_complex(dtype) ? parts[dtype] : dtype);
}

/* Copies `count` elements with the bytes of their numbers turned round. */
static void swap_elements(dap_dtype dtype, const char *from, int64_t from_stride, char *to, int64_t to_stride,
                          int64_t count)
{
  const int width = number_width(dtype);
  for (int64_t at = 0; at < dap_dtype_size(dtype); at += width)
    dap_swap_row(from + at, from_stride, to + at, to_stride, count, width);
}

/* Loads elements of either byte order, conjugates them if `conjugate`, and multiplies them by the factor. */
static void load_term(const job *j, dap_dtype dtype, bool swapped, const char *at, int64_t stride,
                      int64_t count, bool conjugate, const double factor[2], block *work)
{
  char native[BLOCK * NUMBER_MOST];
  if (swapped) {
    swap_elements(dtype, at, stride, native, dap_dtype_size(dtype), count);
    at = native;
    stride = dap_dtype_size(dtype);
  }
  load(j, dtype, at, stride, count, work);
  if (conjugate) j->working->conjugate(work, count);
  if (is_number(factor, 1)) return;
  if (factor[1] == 0)
    j->working->scale(work, j->width * count, factor[0]);
  else
    j->working->scale_complex(work, count, factor);
}

static void store_swapped(const job *j, const block *work, char *to, int64_t stride, int64_t count)
{
  const int64_t size = dap_dtype_size(j->t.to);
  char native[BLOCK * NUMBER_MOST];
  store(j, work, native, size, count);
  swap_elements(j->t.to, native, size, to, stride, count);
}

static void combine_terms(const job *j, block *work, const block *old, int64_t count)
{
  const dap_reduce_op reduce_op = j->t.reduce_op;
  (reduce_op == DAP_REDUCE_OP_MAX   ? j->working->larger
   : reduce_op == DAP_REDUCE_OP_MIN ? j->working->smaller
                                    : j->working->add)(work, old, count);
}

/* Arithmetic is complex if either side is. Parts that the destination cannot hold are dropped at the end. As
 * in BLAS, alpha 0 makes the source count as 0 whatever it holds, and beta 0 the destination. Without
 * arithmetic, the signs of zeros and the payloads of quiet NaNs are kept. */
static void transform_block(const job *j, const char *from, int64_t from_stride, char *to, int64_t to_stride,
                            int64_t count)
{
  block work, old;
  const dap_transform *t = &j->t;
  const bool has_from = !is_number(t->alpha, 0), has_to = !is_number(t->beta, 0);
  if (has_from)
    load_term(j, t->from, t->from_swapped, from, from_stride, count, t->conjugate, t->alpha, &work);
  if (has_to)
    load_term(j, t->to, t->to_swapped, to, to_stride, count, false, t->beta, has_from ? &old : &work);
  if (has_from && has_to) combine_terms(j, &work, &old, j->width * count);
  if (!has_from && !has_to) memset(&work, 0, (size_t)(j->width * count) * j->working->size);
  if (t->to == DAP_BOOL && j->width == 2) j->working->fold(&work, count);
  (t->to_swapped ? store_swapped : store)(j, &work, to, to_stride, count);
}

static void run_row(const job *j, const char *from, int64_t from_stride, char *to, int64_t to_stride,
                    int64_t count)
{
  const dap_pairs pairs = {.from = from,
                           .to = to,
                           .source.step = from_stride,
                           .destination.step = to_stride,
                           .count = count,
                           .each = 1};
  if (j->combine)
    j->combine(&pairs);
  else if (!j->working && j->t.from_swapped == j->t.to_swapped)
    dap_copy_pairs(&pairs, dap_dtype_size(j->t.to));
  else if (!j->working)
    swap_elements(j->t.to, from, from_stride, to, to_stride, count);
  else
    for (int64_t i = 0; i < count; i += BLOCK)
      transform_block(j, from + i * from_stride, from_stride, to + i * to_stride, to_stride,
                      dap_smaller(count - i, BLOCK));
}

void dap_transform_row(const dap_transform *transform, const char *from, int64_t from_stride, char *to,
                       int64_t to_stride, int64_t count)
{
  const job j = job_of(transform);
  run_row(&j, from, from_stride, to, to_stride, count);
}

static bool is_dense(const dap_loop *loop, int64_t size)
{
  return loop->from == size && loop->to == size;
}

void dap_block_transform(const dap_transform *transform, const dap_block *b)
{
  enum { SHORT = 16 }; /* elements of a row that are too few to be worth its preparation */
  const job j = job_of(transform);
  const int64_t size = dap_dtype_size(j.t.to);
  const dap_loop *line = is_dense(&b->out, size) ? &b->out : &b->in,
                 *across = line == &b->in ? &b->out : &b->in;
  if (j.combine && is_dense(line, size)) {
    j.combine(&(dap_pairs){.from = b->from,
                           .to = b->to,
                           .source.step = across->from,
                           .destination.step = across->to,
                           .count = across->count,
                           .each = line->count});
    return;
  }
  const bool is_outer = b->in.count >= SHORT || b->in.count >= b->out.count;
  const dap_loop *row = is_outer ? &b->in : &b->out, *other = is_outer ? &b->out : &b->in;
  for (int64_t i = 0; i < other->count; i++)
    run_row(&j, b->from + i * other->from, row->from, b->to + i * other->to, row->to, row->count);
}
