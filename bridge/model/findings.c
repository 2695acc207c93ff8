/* Collects findings of checks: the first one for the caller's status, and all of them for a listener. */
#include "model_impl.h"

#include <string.h>

/* Puts "rank R: " before the text, as collective functions do. The rule stays at its end. */
static void name_rank(dap_error *error, int rank)
{
  const dap_error said = *error;
  if (rank < 0) return;
  if (said.rule > 0) {
    char text[DAP_ERROR_TEXT];
    memcpy(text, said.text, sizeof text);
    char *suffix = strstr(text, " (rule ");
    for (char *next = suffix; next; next = strstr(next + 1, " (rule ")) suffix = next;
    if (suffix) *suffix = '\0';
    (void)dap_fail_rule(error, said.rule, DAP_OK, "rank %d: %s", rank, text);
  } else {
    (void)dap_fail(error, DAP_OK, "rank %d: %s", rank, said.text);
  }
  error->rank = rank;
}

bool dap_found(dap_findings *findings, dap_status status, const dap_error *error)
{
  if (!status) return true;
  dap_error said = *error;
  name_rank(&said, findings->rank);
  if (!findings->status) {
    findings->status = status;
    if (findings->err) *findings->err = said;
  }
  if (findings->tell) findings->tell(findings->context, status, &said);
  findings->is_over = !findings->tell || status == DAP_ERR_NOMEM;
  return false;
}
