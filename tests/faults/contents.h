/* Keeps what the arrays of a call contain, so that two calls can be compared. */
#ifndef DAP_TEST_CONTENTS_H
#define DAP_TEST_CONTENTS_H

#include "calls.h"

enum { NUMBERS = 300 /* most numbers of 8 bytes that an array has on one process */ };
typedef struct content {
  bool is_computed; /* the elements are floating-point numbers */
  union {
    double numbers[NUMBERS];
    unsigned char bytes[8 * NUMBERS];
  };
} content;
typedef content contents[ARRAYS];

/* Copies the arrays after a call of `row`. Rounding may change the sign of a vector, because BLACS adds in
 * the order in which messages come. So each vector gets the sign with which its first large element is
 * positive. The columns of U and the rows of V change their signs together. Collective. */
void contents_take(const call *row, const call_arguments *g, contents c);

/* Returns the first array that differs, or -1. Arrays whose bit in `except` is 1 are not compared. Numbers
 * may differ by rounding. */
int contents_other(const contents a, const contents b, uint64_t except);

#endif
