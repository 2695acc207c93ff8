/* ELPA behind dap_linalg_eigh(). */
#include "elpa_impl.h"

#include <dapbridge/eigh_backend.h>
#include <stdio.h>
#include <string.h>

static dap_status can(const dap_eigh_backend *backend, dap_dtype dtype, dap_error *err)
{
  (void)backend;
  DAP_REQUIRE(dap_elpa_routines_of(dtype), err, DAP_ERR_UNSUPPORTED, "ELPA has no matrices of %s",
              dap_dtype_name(dtype));
  return dap_elpa_can(dtype, err);
}

static void pass_on(const dap_elpa_report *from, dap_linalg_report *to)
{
  to->count = from->count;
  to->info = from->info;
  memcpy(to->uses, from->uses, sizeof to->uses);
  (void)snprintf(to->method, sizeof to->method, "ELPA, %d stage%s", from->stages,
                 from->stages == 1 ? "" : "s");
}

static dap_status solve(const dap_eigh_backend *backend, MPI_Comm comm, char uplo, dap_darray a, dap_darray b,
                        dap_darray w, dap_darray z, const dap_linalg_options *options, dap_error *err)
{
  dap_elpa_report report = {0};
  const dap_elpa_solve_options own = {.sharing = options->sharing,
                                      .keep = options->keep,
                                      .stages = *(const int *)backend->data,
                                      .block_size = options->block_size,
                                      .report = &report};
  const dap_status status = b.local ? dap_elpa_eigh_generalized(comm, uplo, a, b, w, z, &own, err)
                                    : dap_elpa_eigh(comm, uplo, a, w, z, &own, err);
  pass_on(&report, options->report);
  return status;
}

const dap_eigh_backend *dap_elpa_backend(int stages)
{
  static const int numbers[] = {0, 1, 2, -1};
#define BACKEND(words, i)                                                                                    \
  {                                                                                                          \
    DAP_EIGH_BACKEND_VERSION, (words), &numbers[i], can, solve                                               \
  }
  static const dap_eigh_backend backends[] = {BACKEND("ELPA", 0), BACKEND("ELPA, 1 stage", 1),
                                              BACKEND("ELPA, 2 stages", 2), BACKEND("ELPA, no stages", 3)};
#undef BACKEND
  return &backends[stages >= 0 && stages <= 2 ? stages : 3];
}
