/* Loads the drop-in p?gemr2d at run time. Linking it would replace ScaLAPACK's routine, too. */
#ifndef DAP_BENCH_DROPIN_H
#define DAP_BENCH_DROPIN_H

#include <dapbridge/scalapack_calls.h>

/* Returns its routine of this name, or ends the program. */
dap_pgemr2d *bench_dropin(const char *name);

#endif
