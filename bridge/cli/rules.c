/* dapbridge rules: the rules of the protocol by their numbers. */
#include "cli_impl.h"

#include <dapbridge/rules.h>

cli_exit cli_rules(const cli_options *options)
{
  (void)options;
  for (int rule = 1; rule <= DAP_RULES; rule++) printf("%2d  %s\n", rule, dap_rule_text(rule));
  return CLI_FINE;
}
