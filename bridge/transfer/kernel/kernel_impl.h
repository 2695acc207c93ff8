/* Copies blocks of elements by the processor's best instructions, and converts rows of elements (layer 1 of 4
 * of a transfer). The layer knows nothing of layouts or processes. */
#ifndef DAP_KERNEL_IMPL_H
#define DAP_KERNEL_IMPL_H

#include "comm_impl.h"
#include "model_impl.h"

/* ---- nest.c ----------------------------------------------------------------------------------------- */

/* A copy between strided buffers: nested loops around the copy of a few bytes. */
typedef struct dap_loop {
  int64_t count;    /* iterations */
  int64_t from, to; /* bytes from one iteration to the next */
} dap_loop;
typedef struct dap_nest {
  int64_t from, to; /* bytes from the beginning of the buffers to the first element */
  int64_t bytes;    /* copied by an innermost iteration */
  int depth;
  dap_loop loops[2 * DAP_MAX_NDIM + 2]; /* [depth] innermost first */
} dap_nest;
void dap_nest_add(dap_nest *nest, int64_t count, int64_t from, int64_t to);
/* Makes the same copy of as few loops as possible. It drops loops of one iteration, and makes the
 * destination ascend. It sorts loops by their steps there, and merges two loops if one continues the other
 * at both ends. */
void dap_nest_sort(const dap_nest *nest, dap_nest *sorted);
/* Makes the innermost loop part of the element, if it runs over adjacent elements. */
void dap_nest_widen(dap_nest *nest);

/* array_copy.c. Checks that no two elements of a destination have one address. Error: DAP_ERR_BUFFER. */
dap_status dap_strided_check_writable(const dap_strided *to, dap_error *err);

/* ---- kernels.c, kernels_*.c ------------------------------------------------------------------------- */

/* A set of kernels for a kind of processor. All sets do the same. */
typedef struct dap_kernels {
  const char *name; /* "plain", "avx2", "avx512" */
  bool (*is_usable)(void);
  void (*fence)(void);           /* orders streamed stores before all later ones, which a release does not */
  const struct dap_moves *moves; /* kernel_sets.h */
} dap_kernels;

/* Returns all sets, the best first and NULL behind the last, which is plain and usable. */
const dap_kernels *const *dap_kernels_all(void);
const dap_kernels *dap_kernels_best(void);

/* ---- nest_copy.c, interleave_copy.c ----------------------------------------------------------------- */

/* Copies a sorted and widened nest between buffers that do not overlap, with steps of any sign in the
 * source. stream: stores past the caches where whole lines are written; end with set->fence(). */
void dap_nest_copy(const dap_kernels *set, const dap_nest *nest, const char *from, char *to, bool stream);
/* Sets to[i] = from[i % sources][i / sources], i < count, of itemsize bytes each; 2 <= sources. */
enum { DAP_MOST_SOURCES = 16 };
void dap_interleave_copy(const dap_kernels *set, char *to, const char *const from[], int sources,
                         int64_t count, int64_t itemsize, bool stream);

/* ---- swap.c, transform.c ------------------------------------------------------------------------------- */

/* Copies `count` numbers and reverses their bytes. `width` is 1, 2, 4, 8 or 16 bytes, strides are
 * bytes. Numbers may be unaligned; buffers do not overlap. */
void dap_swap_row(const char *from, int64_t from_stride, char *to, int64_t to_stride, int64_t count,
                  int width);

/* The operation by which two numbers become one. */
typedef enum dap_reduce_op { DAP_REDUCE_OP_SUM, DAP_REDUCE_OP_MAX, DAP_REDUCE_OP_MIN } dap_reduce_op;

/* Sets to = alpha * op(from) + beta * to, or the larger or smaller of the two. Elements without a type
 * (DAP_NONE) are copied. */
typedef struct dap_transform {
  dap_dtype from, to;
  bool from_swapped, to_swapped; /* whether elements are in the other byte order */
  bool conjugate;
  double alpha[2], beta[2]; /* real, imaginary */
  dap_reduce_op reduce_op;  /* if not the sum: with alpha 1 and beta 1, for real elements */
} dap_transform;
bool dap_dtype_is_complex(dap_dtype dtype);
bool dap_transform_is_copy(const dap_transform *transform); /* the bytes are copied unchanged */
/* Transforms `count` elements at constant strides in bytes, unaligned. `to` is read only if beta is not 0. */
void dap_transform_row(const dap_transform *transform, const char *from, int64_t from_stride, char *to,
                       int64_t to_stride, int64_t count);
/* Transforms a sorted nest. Its `bytes` are not used. */
void dap_nest_transform(const dap_transform *transform, const dap_nest *nest, const char *from, char *to);

/* ---- combine.c, items.c ------------------------------------------------------------------------------ */

/* The places of the elements at one end: at equal steps, or listed. */
typedef struct dap_places {
  dap_packed at; /* positions in 4 or 8 bytes, from number `first` on; no data: one after the other */
  int64_t first;
  int64_t step; /* bytes from one position to the next */
} dap_places;

/* `each` elements lie together at both ends at each of `count` places. */
typedef struct dap_pairs {
  const char *from;
  char *to;
  dap_places source, destination;
  int64_t count, each;
} dap_pairs;

/* Whether all elements lie together at both ends. */
static inline bool dap_pairs_are_dense(const dap_pairs *pairs, int64_t itemsize)
{
  const int64_t bytes = pairs->each * itemsize;
  return !pairs->source.at.data && !pairs->destination.at.data && pairs->source.step == bytes &&
         pairs->destination.step == bytes;
}

void dap_copy_pairs(const dap_pairs *pairs, int64_t itemsize);

typedef void dap_combine_pairs(const dap_pairs *pairs);
/* Returns the function for a transform that combines elements of a common type with others of that type, all
 * in this machine's byte order; NULL: it is not such a transform. */
dap_combine_pairs *dap_combine_find(const dap_transform *transform);

#endif
