/* Arrays whose elements say which they are, of any type and in either byte order. */
#ifndef DAP_TEST_SAMPLE_H
#define DAP_TEST_SAMPLE_H

#include <dapbridge/shared.h>

#include "number.h"

typedef struct sample {
  dap_layout *layout;
  dap_array array; /* zeroed where this process holds no part */
  bool holds;
} sample;

enum { OLD = 77 /* what a destination holds before */ };

int64_t size_of(const sample *s, int axis);
/* In memory of the library's if `shares`. Collective. */
sample sample_make(int ndim, const dap_dist dists[], dap_dtype dtype, dap_order order, bool shares);
void sample_free(sample *s);
/* The address of local element number i, and its global indices. */
unsigned char *element_at(const sample *s, int64_t i, int64_t global[]);
/* The value of element number `flat`, small enough for every type. */
number sample_value(int64_t flat);
/* The number of an element in the whole array in C order. */
int64_t flat_of(const sample *s, const int64_t global[]);
/* Values, or OLD. */
void sample_fill(const sample *s, bool is_source);
/* What becomes of a number on its way between the types of both sides. */
number changed(number x, dap_dtype from, dap_dtype to);
bool element_is(const sample *s, const unsigned char *at, number want);

#endif
