/* Whether a process's elements can be counted in ScaLAPACK's integers. */
#include "scalapack_impl.h"

#include <inttypes.h>
#include <string.h>

/* PBLAS computes addresses in 64 bits (PBLAS/SRC/PBtools.h, Mptr). */
bool dap_scalapack_is_pblas(const char *routine)
{
  static const char *const names[] = {"gemm", "gemv", "symm",  "hemm",  "syrk",  "herk", "trsm",
                                      "trmm", "tran", "tranu", "tranc", "geadd", "tradd"};
  if (!routine) return false;
  if (routine[0] == 'p' && routine[1]) routine += 2; /* "pdgemm" */
  for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
    if (strcmp(routine, names[k]) == 0) return true;
  return false;
}

dap_status dap_scalapack_check_reach(const dap_view *view, int64_t leading, int64_t columns,
                                     dap_status status, dap_error *err)
{
  if (dap_scalapack_state_of(view)->is_for_pblas || columns == 0) return DAP_OK;
  DAP_REQUIRE(leading <= DAP_SCALAPACK_INT_MAX / columns, err, status,
              "%" PRId64 " columns with a leading dimension of %" PRId64
              " on a process are more elements than ScaLAPACK's %d-bit integers count; only PBLAS takes them",
              columns, leading, (int)(8 * sizeof(dap_scalapack_int)));
  return DAP_OK;
}
