/* dapbridge/rules.h: the rules by which this library interprets the protocol, by number.
 *
 * The protocol's documents (0.0.1, 0.9.0, 0.10.0) contradict themselves and each other in places; each rule
 * settles one such question. An error about a rule names it; err->rule is 0 if the error does not concern the
 * protocol (memory, sizes beyond 64 bits, missing data). */
#ifndef DAPBRIDGE_RULES_H
#define DAPBRIDGE_RULES_H

#include <dapbridge/status.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { DAP_RULES = 23 };

/* The text of rule 1 .. DAP_RULES, one sentence; "" for any other number. Static text. Not collective. */
DAP_API const char *dap_rule_text(int rule);

#ifdef __cplusplus
}
#endif

#endif
