/* Collects faults of a document: the first one for the caller's status, and all of them for a listener. */
#include "document_impl.h"

#include <stdio.h>

bool document_found(document_findings *findings, dap_status status, const dap_error *error)
{
  if (!status) return true;
  dap_error said = *error;
  if (findings->rank >= 0) {
    /* Texts are so short here that the rule at their end is not cut off. */
    (void)snprintf(said.text, sizeof said.text, "rank %d: %.480s", findings->rank, error->text);
    said.rank = findings->rank;
  }
  findings->count++;
  if (!findings->status) {
    findings->status = status;
    if (findings->err) *findings->err = said;
  }
  const document_listener *listener = findings->listener;
  if (listener && listener->tell) listener->tell(listener->context, status, &said);
  return false;
}
