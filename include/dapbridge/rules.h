/**
 * @file
 * The numbered rules by which dapbridge interprets the protocol.
 *
 * In places, the protocol's documents (0.0.1, 0.9.0, 0.10.0) contradict themselves or each other, or leave
 * questions open. Each rule settles one case. If an input breaks a rule, dap_error.rule is the rule's number.
 * dap_error.rule is 0 for errors that do not concern the protocol, such as lack of memory or sizes beyond 64
 * bits.
 */
#ifndef DAPBRIDGE_RULES_H
#define DAPBRIDGE_RULES_H

#include <dapbridge/status.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  DAP_RULES = 23 /**< number of the last rule; the first is 1 */
};

/**
 * Returns the text of a rule, which is one sentence.
 *
 * Not collective.
 *
 * @param rule  number of the rule, such as dap_error.rule
 * @return static string; "" if `rule` is not between 1 and DAP_RULES
 */
DAP_API const char *dap_rule_text(int rule);

#ifdef __cplusplus
}
#endif

#endif
