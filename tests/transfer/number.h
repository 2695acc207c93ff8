/* A second, slow model of element conversion stores every value as a pair of long doubles, and every type
 * in plain C.
 *
 * The model shares nothing with the library except enum dap_dtype. If long double has fewer than 64 digits,
 * it cannot tell all 64-bit integers apart (NUMBER_IS_WIDE is 0). Tests that need this are then skipped. */
#ifndef DAP_TEST_NUMBER_H
#define DAP_TEST_NUMBER_H

#include <dapbridge/dtype.h>
#include <float.h>

enum { NUMBER_TYPES = DAP_C32, NUMBER_BYTES = 32, NUMBER_IS_WIDE = LDBL_MANT_DIG >= 64 };

typedef struct number {
  long double re, im;
} number;

bool number_is_complex(dap_dtype dtype);

number number_read(dap_dtype dtype, const void *element);

/* Writes the value as a cast gives it. Integers are cut off towards 0 and at the ends of their range, and NaN
 * gives 0. Floats are rounded to the nearest value, and ties go to even. A bool is true if either part is not
 * 0. */
void number_write(dap_dtype dtype, number value, void *element);

/* Returns whether both parts are equal, or are both NaN. With `signs`, zeros must also have the same sign. */
bool number_is(number a, number b, bool signs);

/* Returns factor * value. A real factor scales each part, so an infinite part does not affect the other. */
number number_times(const double factor[2], number value);

/* Returns the value of the bits of a half. */
long double number_of_half(uint16_t half);

#endif
