#include "options.h"

#include "command_line.h"

#include <string.h>

static const char usage[] =
    "usage: bench_redistribute [option...], under mpirun on any number of ranks\n"
    "\n"
    "Times dapbridge, its peers and the limit on the same moves, in turns, and checks every element.\n"
    "\n"
    "  --n N[,N...]        arrays of N x N, or about as many, elements (each case's own); may be repeated\n"
    "  --case C[,C...]     A B C D E Z T FFT2 P3 H U (all)\n"
    "  --method M[,M...]   nt_copy dap_alloc dap_malloc pack_isend alltoallw neighbor dropin\n"
    "                      gemr2d vecscatter dmda fftw, or dap for the first two of dapbridge's (all)\n"
    "  --dtype T           f4 f8 c8 c16 (f8)\n"
    "  --reps R            timed turns (11; 41 with --alone)\n"
    "  --alone             each turn writes the source, waits in two barriers and times one run, as a\n"
    "                      program calls it; else short runs are timed many at a time\n"
    "  --json[=FILE]       one object a line, in place of the tables; or added to FILE, and tables too\n"
    "  --transports T,...  dapbridge: direct staged messages (all)\n"
    "  --memory BYTES      dapbridge: cap of its buffers on a process; with K, M or G (its default)\n"
    "  --side S            dap_alloc: library memory for from, to, or the best of the two (best)\n"
    "  --help              this text\n";

static bool read_transports(const char *text, bench_options *options)
{
  static const char *const names[] = {"direct", "staged", "messages"}; /* bits 1, 2, 4 */
  for (const char *word = text; *word; word = bench_next_word(word)) {
    const int bit = bench_find_word(word, strcspn(word, ","), names, 3);
    if (bit < 0) return false;
    options->transports |= 1U << bit;
  }
  return options->transports != 0;
}

static bool read_dtype(const char *text, bench_options *options)
{
  static const char *const names[] = {"f4", "f8", "c8", "c16"};
  static const dap_dtype dtypes[] = {DAP_F4, DAP_F8, DAP_C8, DAP_C16};
  const int found = bench_find_word(text, strlen(text), names, 4);
  if (found >= 0) options->dtype = dtypes[found];
  return found >= 0;
}

static bool read_side(const char *text, bench_options *options)
{
  static const char *const sides[] = {"best", "from", "to"}; /* as bench_which */
  const int found = bench_find_word(text, strlen(text), sides, 3);
  if (found >= 0) options->side = (bench_which)found;
  return found >= 0;
}

static bool read_option(int letter, const char *text, void *given)
{
  bench_options *options = given;
  switch (letter) {
  case 'n':
    return bench_read_sizes(text, 1 << 20, &options->sizes);
  case 'c':
    options->cases = text;
    return true;
  case 'm':
    options->methods = text;
    return true;
  case 'd':
    return read_dtype(text, options);
  case 'r':
    options->reps = (int)bench_number(text);
    return options->reps > 0;
  case 'a':
    options->alone = true;
    return true;
  case 'j':
    options->json = !text;
    options->json_path = text;
    return true;
  case 't':
    return read_transports(text, options);
  case 'M':
    options->memory = bench_number(text);
    return options->memory >= 0;
  default:
    return read_side(text, options);
  }
}

bool bench_options_read(int argc, char **argv, bool speaks, bench_options *options, int *status)
{
  static const struct option names[] = {
      {"n", required_argument, NULL, 'n'},      {"case", required_argument, NULL, 'c'},
      {"method", required_argument, NULL, 'm'}, {"dtype", required_argument, NULL, 'd'},
      {"reps", required_argument, NULL, 'r'},   {"alone", no_argument, NULL, 'a'},
      {"json", optional_argument, NULL, 'j'},   {"transports", required_argument, NULL, 't'},
      {"memory", required_argument, NULL, 'M'}, {"side", required_argument, NULL, 's'},
      {"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0}};
  static const bench_command_line line = {usage, names, read_option};
  *options = (bench_options){.dtype = DAP_F8};
  if (!bench_command_line_read(&line, argc, argv, speaks, options, status)) return false;
  if (options->reps == 0) options->reps = options->alone ? 41 : 11;
  return true;
}
