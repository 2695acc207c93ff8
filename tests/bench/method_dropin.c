/* Moves by the drop-in p?gemr2d, called like ScaLAPACK's. It uses method_gemr2d.c with another routine. */
#define _POSIX_C_SOURCE 200809L /* dlfcn.h */
#include "dropin.h"
#include "fail.h"
#include "redistribute.h"

#include <dlfcn.h>
#include <string.h>

dap_pgemr2d *bench_dropin(const char *name)
{
  dap_pgemr2d *routine;
  void *library = dlopen(BENCH_DROPIN, RTLD_NOW | RTLD_LOCAL);
  void *symbol = library ? dlsym(library, name) : NULL;
  if (!symbol) bench_fail("no %s in %s", name, BENCH_DROPIN);
  memcpy(&routine, &symbol, sizeof routine); /* ISO C has no such conversion */
  return routine;
}

void bench_dropin_create(bench_job *job)
{
  static const char *const names[] = {
      [DAP_F4] = "psgemr2d_", [DAP_F8] = "pdgemr2d_", [DAP_C8] = "pcgemr2d_", [DAP_C16] = "pzgemr2d_"};
  bench_gemr2d_create(job);
  bench_gemr2d_use(job, (void (*)(void))bench_dropin(names[job->c->dtype]));
}
