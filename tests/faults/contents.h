/* What the arrays of a call hold, so that two calls can be compared. */
#ifndef DAP_TEST_CONTENTS_H
#define DAP_TEST_CONTENTS_H

#include "calls.h"

enum { NUMBERS = 300 /* of 8 bytes, of an array on one process, at most */ };
typedef struct content {
  bool is_computed; /* by floating-point numbers */
  union {
    double numbers[NUMBERS];
    unsigned char bytes[8 * NUMBERS];
  };
} content;
typedef content contents[ARRAYS];

/* Copies the arrays after a call of `row`. Vectors get the sign with which their first large element is
 * positive, because BLACS adds in the order in which messages come, and so rounding may turn a vector round.
 * The columns of U and the rows of V turn round together. Collective. */
void contents_take(const call *row, const call_arguments *g, contents c);

/* The first array that is not alike, of those whose bit in `except` is 0; -1: there is none. Numbers may
 * differ by rounding. */
int contents_other(const contents a, const contents b, uint64_t except);

#endif
