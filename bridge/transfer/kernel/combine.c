/* Combines elements of one type, listed or not: stores the sum, the larger or the smaller of two. Results are
 * the same as by transform.c, except for the bits of NaNs: a sum of two floats that is rounded to double
 * first is rounded to the same float, and integers stay within their range. */
#include "places.h"

#include <string.h>

/* Combines elements of `parts` numbers. A loop over elements that lie together has constant steps, so that
 * compilers make vector instructions of it. */
DAP_ALWAYS_INLINE void combine_all(const dap_pairs *pairs, int parts, dap_pair_operation *combine,
                                   int64_t bytes)
{
  const int64_t each = pairs->each * parts;
  if (dap_pairs_are_dense(pairs, parts * bytes)) {
    const char *const from = pairs->from;
    char *const to = pairs->to;
    const int64_t all = pairs->count * each * bytes;
    for (int64_t i = 0; i < all; i += bytes) combine(from + i, to + i, bytes);
  } else if (each == parts) {
    dap_pairs_run(pairs, parts, combine, bytes);
  } else if (parts == 1 && each == 3) {
    dap_pairs_run(pairs, 3, combine, bytes);
  } else {
    dap_pairs_run_widths(pairs, dap_places_width(pairs->source), dap_places_width(pairs->destination), each,
                         combine, bytes);
  }
}

static int32_t sum_of_i4(int32_t a, int32_t b)
{
  const int64_t sum = (int64_t)a + b;
  return sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : (int32_t)sum;
}

static int64_t sum_of_i8(int64_t a, int64_t b)
{
  if (a > 0) return b > INT64_MAX - a ? INT64_MAX : a + b;
  return b < INT64_MIN - a ? INT64_MIN : a + b;
}

/* Writes a dap_combine_pairs for elements of `parts` numbers of a type. `value` is the result of the new
 * number a and the old one b. A NaN fails all comparisons, and differs from itself. */
#define COMBINE(name, type, parts, value)                                                                    \
  static inline void name##_number(const char *from, char *to, int64_t bytes)                                \
  {                                                                                                          \
    type a, b;                                                                                               \
    (void)bytes;                                                                                             \
    memcpy(&a, from, sizeof a);                                                                              \
    memcpy(&b, to, sizeof b);                                                                                \
    a = (value);                                                                                             \
    memcpy(to, &a, sizeof a);                                                                                \
  }                                                                                                          \
  static void name(const dap_pairs *pairs)                                                                   \
  {                                                                                                          \
    combine_all(pairs, parts, name##_number, (int64_t)sizeof(type));                                         \
  }

COMBINE(sum_i4, int32_t, 1, sum_of_i4(a, b))
COMBINE(sum_i8, int64_t, 1, sum_of_i8(a, b))
COMBINE(sum_f4, float, 1, a + b)
COMBINE(sum_f8, double, 1, a + b)
COMBINE(sum_c8, float, 2, a + b)
COMBINE(sum_c16, double, 2, a + b)
COMBINE(larger_i4, int32_t, 1, b > a ? b : a)
COMBINE(larger_i8, int64_t, 1, b > a ? b : a)
COMBINE(larger_f4, float, 1, b > a || b != b ? b : a)
COMBINE(larger_f8, double, 1, b > a || b != b ? b : a)
COMBINE(smaller_i4, int32_t, 1, b < a ? b : a)
COMBINE(smaller_i8, int64_t, 1, b < a ? b : a)
COMBINE(smaller_f4, float, 1, b < a || b != b ? b : a)
COMBINE(smaller_f8, double, 1, b < a || b != b ? b : a)

static dap_combine_pairs *const table[][DAP_C32 + 1] = {
    [DAP_REDUCE_OP_SUM] = {[DAP_I4] = sum_i4,
                           [DAP_I8] = sum_i8,
                           [DAP_F4] = sum_f4,
                           [DAP_F8] = sum_f8,
                           [DAP_C8] = sum_c8,
                           [DAP_C16] = sum_c16},
    [DAP_REDUCE_OP_MAX] =
        {[DAP_I4] = larger_i4, [DAP_I8] = larger_i8, [DAP_F4] = larger_f4, [DAP_F8] = larger_f8},
    [DAP_REDUCE_OP_MIN] =
        {[DAP_I4] = smaller_i4, [DAP_I8] = smaller_i8, [DAP_F4] = smaller_f4, [DAP_F8] = smaller_f8},
};

static bool is_one(const double factor[2])
{
  return factor[0] == 1 && factor[1] == 0;
}

dap_combine_pairs *dap_combine_find(const dap_transform *t)
{
  const bool is_alike = t->from == t->to && !t->from_swapped && !t->to_swapped && !t->conjugate;
  return is_alike && is_one(t->alpha) && is_one(t->beta) ? table[t->reduce_op][t->to] : NULL;
}
