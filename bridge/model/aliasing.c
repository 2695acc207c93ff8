/* Finds the memory that strided buffers span, and whether two of them share some. */
#include "model_impl.h"

enum { MOST_STEPS = 2000, MOST_TERMS = 2 * DAP_MAX_NDIM };

/* `step` times any number from low to high. */
typedef struct term {
  int64_t step; /* > 0 */
  int64_t low, high;
} term;

typedef struct search {
  int count;
  term terms[MOST_TERMS]; /* [count] longest step first, each step once */
  int64_t below, above;   /* bytes by which the terms may miss the target */
  int steps;              /* that are left */
} search;

static void add_term(search *s, int64_t stride, int64_t low, int64_t high)
{
  if (stride == 0 || low == high) return;
  const term t = stride < 0 ? (term){-stride, -high, -low} : (term){stride, low, high};
  int i = s->count;
  while (i > 0 && s->terms[i - 1].step < t.step) i--;
  if (i > 0 && s->terms[i - 1].step == t.step) {
    s->terms[i - 1].low += t.low;
    s->terms[i - 1].high += t.high;
    return;
  }
  for (int j = s->count++; j > i; j--) s->terms[j] = s->terms[j - 1];
  s->terms[i] = t;
}

static int64_t divide_down(int64_t a, int64_t b)
{
  return a / b - (a % b < 0);
}

/* Returns whether the terms from `first` on can add up to `target`. It tries them one by one. Where strides
 * nest, as in parts and permutations of one array, each term has at most two values to try, and the answer is
 * exact. Otherwise it is false after MOST_STEPS. */
static bool can_make(search *s, int first, int64_t target)
{
  if (s->steps-- <= 0) return false;
  int64_t least = -s->below, most = s->above; /* of the terms behind the first */
  if (first == s->count) return target >= least && target <= most;
  for (int i = first + 1; i < s->count; i++) {
    least += s->terms[i].step * s->terms[i].low;
    most += s->terms[i].step * s->terms[i].high;
  }
  const term *t = &s->terms[first];
  const int64_t from = dap_larger(t->low, -divide_down(most - target, t->step));
  const int64_t to = dap_smaller(t->high, divide_down(target - least, t->step));
  for (int64_t n = from; n <= to && s->steps > 0; n++)
    if (can_make(s, first + 1, target - n * t->step)) return true;
  return false;
}

/* Two elements differ first along the axis of some term. It is enough to try positive differences, because a
 * pair has two orders. */
static bool overlaps_itself(const dap_strided *a)
{
  const int64_t margin = a->itemsize - 1;
  search s = {.below = margin, .above = margin, .steps = MOST_STEPS};
  int axes = 0;
  for (int k = 0; k < a->ndim; k++) {
    axes += a->shape[k] > 1;
    add_term(&s, a->strides[k], 1 - a->shape[k], a->shape[k] - 1);
  }
  if (s.count < axes) return true; /* a stride is 0, or two are equal */
  for (int i = 0; i < s.count; i++) {
    s.terms[i].low = 1;
    if (can_make(&s, i, 0)) return true;
  }
  return false;
}

/* ---- buffers -------------------------------------------------------------------------------------- */

bool dap_span(int ndim, const int64_t shape[], const int64_t strides[], int64_t itemsize, int64_t *bytes)
{
  *bytes = 0;
  for (int k = 0; k < ndim; k++)
    if (shape[k] == 0) return true;
  int64_t span = itemsize;
  for (int k = 0; k < ndim; k++) {
    if (shape[k] == 1) continue;
    if (strides[k] == INT64_MIN) return false;
    int64_t reach;
    if (!dap_multiply(shape[k] - 1, dap_magnitude(strides[k]), &reach) || !dap_add(span, reach, &span))
      return false;
  }
  *bytes = span;
  return true;
}

/* Finds the address of a buffer's lowest byte and the bytes that it spans. Returns false if it has no
 * memory. */
static bool find_range(const dap_strided *a, uintptr_t *lowest, int64_t *bytes)
{
  if (!a->data || !dap_span(a->ndim, a->shape, a->strides, a->itemsize, bytes)) return false;
  *lowest = (uintptr_t)a->data;
  for (int k = 0; k < a->ndim; k++)
    if (a->strides[k] < 0 && a->shape[k] > 1) *lowest -= (uintptr_t)(-a->strides[k] * (a->shape[k] - 1));
  return *bytes > 0 && *bytes <= INT64_MAX / 8; /* no memory is larger, and sums could overflow */
}

/* Elements at positions x of a and y of b share memory if the distance of the first elements, plus the
 * strides of a times x, minus those of b times y, is shorter than an element. */
bool dap_strided_overlaps(const dap_strided *a, const dap_strided *b)
{
  uintptr_t a_low, b_low;
  int64_t a_bytes, b_bytes;
  if (!find_range(a, &a_low, &a_bytes) || !find_range(b, &b_low, &b_bytes)) return false;
  if (a == b) return overlaps_itself(a);
  if (a_low - b_low >= (uintptr_t)b_bytes && b_low - a_low >= (uintptr_t)a_bytes) return false;
  search s = {.below = b->itemsize - 1, .above = a->itemsize - 1, .steps = MOST_STEPS};
  for (int k = 0; k < a->ndim; k++) add_term(&s, a->strides[k], 0, a->shape[k] - 1);
  for (int k = 0; k < b->ndim; k++) add_term(&s, b->strides[k], 1 - b->shape[k], 0);
  return can_make(&s, 0, (int64_t)((uintptr_t)b->data - (uintptr_t)a->data));
}

static dap_strided elements_of(const dap_array *a)
{
  return (dap_strided){.data = a->data,
                       .ndim = a->ndim,
                       .shape = a->shape,
                       .strides = a->strides,
                       .itemsize = dap_dtype_size(a->dtype)};
}

bool dap_array_overlaps(const dap_array *a, const dap_array *b)
{
  const dap_strided one = elements_of(a), other = elements_of(b);
  return dap_strided_overlaps(&one, a == b ? &one : &other);
}
