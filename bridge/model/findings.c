/* Collects findings of checks: the first one for the caller's status, and all of them for a listener. */
#include "model_impl.h"

bool dap_found(dap_findings *findings, dap_status status, const dap_error *error)
{
  if (!status) return true;
  dap_error said = *error;
  if (findings->rank >= 0) dap_error_name_rank(findings->rank, &said);
  if (!findings->status) {
    findings->status = status;
    if (findings->err) *findings->err = said;
  }
  if (findings->tell) findings->tell(findings->context, status, &said);
  findings->is_over = !findings->tell || status == DAP_ERR_NOMEM;
  return false;
}
