#include "command_line.h"
#include "field.h"

static const char usage[] =
    "usage: bench_field [option...], under mpirun on any number of ranks\n"
    "\n"
    "Times halo updates and PETSc fields of dapbridge's, and what a program does "
    "without it, in turns, and checks\n"
    "every element.\n"
    "\n"
    "  --n N[,N...]        fields of N x N x N points (32,64,128,256); may be repeated\n"
    "  --width W[,W...]    of the stencil (1,2)\n"
    "  --grid G[,G...]     slabs blocks columns: processes along the slowest axis, "
    "all, the fastest (slabs,blocks)\n"
    "  --outer O[,O...]    none periodic (both)\n"
    "  --method M[,M...]   names, or what they have before their first _ (all)\n"
    "  --reps R            timed turns (31)\n"
    "  --json              one object a line, in place of the tables\n"
    "  --help              this text\n";

static bool read_option(int letter, const char *text, void *given)
{
  field_options *options = given;
  static const char *const grids[] = {"slabs", "blocks", "columns"}, *const outer[] = {"none", "periodic"};
  switch (letter) {
  case 'n':
    return bench_read_sizes(text, 1 << 12, &options->sizes);
  case 'w':
    return bench_read_sizes(text, 1 << 6, &options->widths);
  case 'g':
    options->grids = text;
    return bench_are_words(text, grids, 3);
  case 'o':
    options->outer = text;
    return bench_are_words(text, outer, 2);
  case 'm':
    options->methods = text;
    return true;
  case 'j':
    options->json = true;
    return true;
  default:
    options->reps = (int)bench_number(text);
    return options->reps > 0;
  }
}

static void set_defaults(field_options *options)
{
  if (options->sizes.count == 0) options->sizes = (bench_sizes){{32, 64, 128, 256}, 4};
  if (options->widths.count == 0) options->widths = (bench_sizes){{1, 2}, 2};
}

bool field_options_read(int argc, char **argv, bool speaks, field_options *options, int *status)
{
  static const struct option names[] = {{"n", required_argument, NULL, 'n'},
                                        {"width", required_argument, NULL, 'w'},
                                        {"grid", required_argument, NULL, 'g'},
                                        {"outer", required_argument, NULL, 'o'},
                                        {"method", required_argument, NULL, 'm'},
                                        {"reps", required_argument, NULL, 'r'},
                                        {"json", no_argument, NULL, 'j'},
                                        {"help", no_argument, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};
  static const bench_command_line line = {usage, names, read_option};
  *options = (field_options){.grids = "slabs,blocks", .reps = 31};
  if (!bench_command_line_read(&line, argc, argv, speaks, options, status)) return false;
  set_defaults(options);
  return true;
}
