/* The routines for bands of each element type. */
#include "banded_impl.h"

dap_gbsv sgbsv_, dgbsv_, cgbsv_, zgbsv_;
dap_gbtrf sgbtrf_, dgbtrf_, cgbtrf_, zgbtrf_;
dap_pbsv spbsv_, dpbsv_, cpbsv_, zpbsv_;
dap_pbtrf spbtrf_, dpbtrf_, cpbtrf_, zpbtrf_;

#define ROUTINES(l)                                                                                          \
  p##l##gbtrf_, p##l##gbtrs_, p##l##pbtrf_, p##l##pbtrs_, l##gbsv_, l##pbsv_, l##gbtrf_, l##pbtrf_

const dap_banded_routines *dap_linalg_banded_routines_of(const dap_linalg_call *call)
{
  static const dap_banded_routines table[] = {{ROUTINES(s)}, {ROUTINES(d)}, {ROUTINES(c)}, {ROUTINES(z)}};
  return &table[call->lib->letter];
}
