#include "fail.h"

#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

_Noreturn void bench_fail(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  fputs("bench: ", stderr);
  vfprintf(stderr, format, arguments);
  fputs("\n", stderr);
  va_end(arguments);
  int is_started;
  MPI_Initialized(&is_started);
  if (is_started) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  exit(EXIT_FAILURE);
}

void bench_require(dap_status status, const dap_error *err)
{
  if (status) bench_fail("%s: %s", dap_status_name(status), err->text);
}

void *bench_alloc(int64_t bytes)
{
  void *memory = malloc((size_t)bytes + 1);
  if (!memory) bench_fail("no memory for %lld bytes", (long long)bytes);
  return memory;
}
