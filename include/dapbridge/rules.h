/* dapbridge/rules.h: the rules of the protocol as this library reads them, by number.
 *
 * The protocol's documents (0.0.1, 0.9.0, 0.10.0) contradict themselves and each other in places; each rule
 * is the decision for such a place. A refusal names the rule that it is about; err->rule is 0 where what is wrong
 * is no matter of the protocol (memory, sizes beyond 64 bits, elements that are not there). */
#ifndef DAPBRIDGE_RULES_H
#define DAPBRIDGE_RULES_H

#include <dapbridge/status.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { DAP_RULES = 23 };

/* What rule 1 .. DAP_RULES says, in one sentence; "" for any other number. Static text. Not collective. */
DAP_API const char *dap_rule_text(int rule);

#ifdef __cplusplus
}
#endif

#endif
