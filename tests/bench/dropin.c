#include "dropin.h"
#include "fail.h"

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
