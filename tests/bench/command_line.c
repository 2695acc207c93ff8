#define _GNU_SOURCE /* getopt_long() */
#include "command_line.h"

#include <stdio.h>
#include <stdlib.h>

bool bench_command_line_read(const bench_command_line *line, int argc, char **argv, bool speaks,
                             void *options, int *status)
{
  *status = EXIT_FAILURE;
  opterr = speaks;
  for (int letter, which = 0; (letter = getopt_long(argc, argv, "", line->names, &which)) != -1;) {
    if (letter == 'h') {
      if (speaks) fputs(line->usage, stdout);
      *status = EXIT_SUCCESS;
      return false;
    }
    if (letter != '?' && line->read(letter, optarg, options)) continue;
    if (speaks && letter != '?') fprintf(stderr, "--%s: not %s\n", line->names[which].name, optarg);
    if (speaks) fputs(line->usage, stderr);
    return false;
  }
  if (optind < argc) {
    if (speaks) fprintf(stderr, "%s: no option\n%s", argv[optind], line->usage);
    return false;
  }
  return true;
}
