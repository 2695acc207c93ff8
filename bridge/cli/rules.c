/* dapbridge rules: prints the rules of the protocol by their numbers. */
#include "cli_impl.h"

#include <dapbridge/rules.h>

static bool print_rule(const cli_options *options, int rule)
{
  const char *text = dap_rule_text(rule);
  if (options->json) return cli_print_json(json_pack("{si ss}", "rule", rule, "text", text));
  printf("%2d  %s\n", rule, text);
  return true;
}

cli_exit cli_rules(const cli_options *options)
{
  for (int rule = 1; rule <= DAP_RULES; rule++)
    if (!print_rule(options, rule))
      return cli_complain(options, DAP_ERR_NOMEM, "rules", "no memory to print them");
  return CLI_FINE;
}
