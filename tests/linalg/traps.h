/* Calls while floating-point exceptions end the program, as gfortran's -ffpe-trap makes them. */
#ifndef DAP_TEST_LINALG_TRAPS_H
#define DAP_TEST_LINALG_TRAPS_H

#include "mpi_test.h"

#include <fenv.h>

enum { TRAPS = FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW };

/* What the elements are. */
typedef enum elements { ORDINARY, WITH_NAN, WITH_INFINITY, EXTREME, KINDS } elements;
static const char *const kinds[] = {"ordinary", "NaN", "infinity", "extreme"};

/* False: this processor has no traps. */
static inline bool traps_exist(void)
{
  return feenableexcept(TRAPS) != -1 && fedisableexcept(FE_ALL_EXCEPT) != -1;
}

static inline void traps_set(void)
{
  (void)feclearexcept(FE_ALL_EXCEPT);
  (void)feraiseexcept(FE_UNDERFLOW);
  (void)feenableexcept(TRAPS);
}

/* The call has left traps and flags as they were, and has done what it should. */
static inline void traps_check(dap_status status, bool may_fail, const dap_error *err)
{
  const int traps = fegetexcept(), flags = fetestexcept(FE_ALL_EXCEPT);
  (void)fedisableexcept(FE_ALL_EXCEPT);
  EXPECT_MSG(traps == TRAPS, "traps are %d, not %d", traps, TRAPS);
  EXPECT_MSG(flags == FE_UNDERFLOW, "flags are %d, not %d", flags, FE_UNDERFLOW);
  EXPECT_MSG(status == DAP_OK || (status == DAP_ERR_NUMERIC && may_fail), "status %d: %s", (int)status,
             err->text);
}

#endif
