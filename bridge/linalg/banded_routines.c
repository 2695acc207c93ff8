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
  static const dap_banded_routines table[] = {
      {DAP_F4, ROUTINES(s)}, {DAP_F8, ROUTINES(d)}, {DAP_C8, ROUTINES(c)}, {DAP_C16, ROUTINES(z)}};
  int i = 0;
  while (table[i].dtype != call->lib->dtype) i++;
  return &table[i];
}
