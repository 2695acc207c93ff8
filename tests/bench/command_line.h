/* How all benchmarks read their command lines. */
#ifndef DAP_BENCH_COMMAND_LINE_H
#define DAP_BENCH_COMMAND_LINE_H

#include <getopt.h>
#include <stdbool.h>

typedef struct bench_command_line {
  const char *usage;
  const struct option *names;                                /* as getopt_long() wants them; 'h': the usage */
  bool (*read)(int letter, const char *text, void *options); /* false: the text is none of the option's */
} bench_command_line;

/* Each option of the command line into *options. False: the program is to end with *status; why has been said
 * if this process `speaks`. */
bool bench_command_line_read(const bench_command_line *line, int argc, char **argv, bool speaks,
                             void *options, int *status);

#endif
