/* dapbridge/rules.h: the rules of the protocol as this library reads them, by number.
 *
 * The protocol's documents (0.0.1, 0.9.0, 0.10.0) contradict themselves and each other in places; each rule
 * is the decision for such a place. Every refusal of an array names the rule it breaks. */
#ifndef DAPBRIDGE_RULES_H
#define DAPBRIDGE_RULES_H

#include <dapbridge/status.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { DAP_RULES = 23 };

/* What rule 1 .. DAP_RULES says, in one sentence; "" for any other number. Static text. */
DAP_API const char *dap_rule_text(int rule);

#ifdef __cplusplus
}
#endif

#endif
