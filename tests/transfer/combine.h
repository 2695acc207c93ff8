/* What plans that combine come to, by a serial model that goes through the positions of all processes: every
 * position holds a number of its own, and each element gets those that are held of it in one order. */
#ifndef DAP_TEST_COMBINE_H
#define DAP_TEST_COMBINE_H

#include "side.h"

typedef struct combine_kind {
  dap_dtype dtype;
  dap_combine how;
} combine_kind;

/* Sums of all kinds of types, and the others. */
enum { COMBINE_KINDS = 8 };
extern const combine_kind combine_kinds[COMBINE_KINDS];

/* The side of a plan. */
dap_side combine_side(const test_side *s, dap_dtype dtype, bool swapped);

/* Bits of dap_transport: of the i-th choice, modulo how many there are. In another `place` than the first of
 * placements.h there are several hosts, and messages between them. */
enum { COMBINE_WAYS = 7 };
unsigned combine_way(int place, int i);

/* Small integers, whose sums are exact; or numbers far apart, whose sum is another in nearly every other
 * order: of DAP_F8 alone. */
typedef enum combine_numbers { EXACT, FAR_APART } combine_numbers;

/* The number of position `n`, in C order, of process `p` of a side. */
double combine_number(combine_numbers numbers, int p, int64_t n, int salt);

/* Which numbers count: those of owners; of all that hold an element, as a move reads them; or in place, where
 * each process has its own copy along replicated axes, padding too, of those with this process's copy. */
typedef enum combine_scope { OF_OWNERS, OF_HOLDERS, IN_PLACE } combine_scope;

/* What becomes of each element: the owner's number; then, by the ranks of those that hold it, what else
 * counts. Of what one rank holds, what is not owned along an earlier axis comes first; then what is owned
 * along an axis, before the low and the high end of its padding. whole [elements of the array]; nothing in
 * place, where this process has no part. */
void combine_all(const test_side *s, dap_combine how, combine_scope scope, combine_numbers numbers, int salt,
                 double whole[]);

/* The numbers, written to this process's positions; poison elsewhere. */
void combine_fill(const test_side *s, dap_dtype dtype, bool swapped, combine_numbers numbers, int salt);

/* What copies of listed elements and padding hold after a run; copies along replicated axes alone hold the
 * elements. */
typedef enum combine_outcome { AS_BEFORE, ZERO, OWNERS } combine_outcome;
combine_outcome combine_outcome_of(dap_padding padding);

/* Records a failure, and returns false, unless owners have the elements of `whole`, the others what is said,
 * and all gaps are poison. */
bool combine_check(const test_side *s, dap_dtype dtype, bool swapped, combine_numbers numbers, int salt,
                   combine_outcome copies, combine_outcome padding, const double whole[]);

#endif
