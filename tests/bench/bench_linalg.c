/* Times the functions of linalg.h and hand-written calls of ScaLAPACK, in turns. See README.md. */
#include "command_line.h"
#include "fail.h"
#include "linalg_measure.h"
#include "numbers.h"
#include "words.h"

#include <stdio.h>
#include <stdlib.h>

static const char usage[] =
    "usage: bench_linalg [option...], under mpirun\n"
    "\n"
    "Times functions of linalg.h on n x n matrices: calls of ScaLAPACK by hand on matrices that lie best,\n"
    "the library on the same ones, which it shares, and on slabs of rows, which it moves; in turns. Bands\n"
    "have 64 n rows. Prints medians and quartiles, as a table in Markdown.\n"
    "\n"
    "Compares results with those by hand, to 1e-6: the sum of (1 + i) |x(i, j)| where X has one value (R,\n"
    "solutions, inverses, products, eigenvalues, singular values); of pivoted solutions the norm, of Schur\n"
    "forms norm, trace and zeros. Not vectors, which have no one value, nor factors, condition numbers and\n"
    "eigenvalues of general matrices alone. Fails if any differ, or the library moves what it can share.\n"
    "\n"
    "  --n N[,N...]        orders (250,500,1000); pdgesvd is slow at powers of 2\n"
    "  --only NAME[,...]   functions\n"
    "  --hand-shape RxCxB  what lies best: on R x C processes in blocks of B, for all functions but of\n"
    "                      bands; those that are wrong so are left out. Otherwise all grids are tried with\n"
    "                      blocks of 32 and 64, for each function and order, once if a run is long\n"
    "  --reps R            timed turns, at least (3); 255 at most\n"
    "  --seconds S         more turns, until all together, with what is done before each, took so long (2)\n"
    "  --most S            fewer turns than R where they have taken so long (60)\n"
    "  --longest S         no larger n where a turn has taken longer (20)\n"
    "  --help              this text\n";

typedef struct options {
  bench_sizes sizes;
  const char *only;
  linalg_shape shape; /* of zeros: to be found */
  linalg_turns turns;
  double longest;
} options;

static bool read_seconds(const char *text, double *seconds)
{
  char *end;
  *seconds = strtod(text, &end);
  return end > text && !*end && *seconds >= 0;
}

static bool read_shape(const char *text, linalg_shape *shape)
{
  int *const numbers[3] = {&shape->grid[0], &shape->grid[1], &shape->block};
  for (int k = 0; k < 3; k++) {
    char *end;
    const long number = strtol(text, &end, 10);
    if (end == text || number < 1 || number > 1 << 20 || *end != (k < 2 ? 'x' : '\0')) return false;
    *numbers[k] = (int)number;
    text = end + 1;
  }
  int nprocs;
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  return (int64_t)shape->grid[0] * shape->grid[1] == nprocs;
}

static bool is_measured(const linalg_row *row)
{
  return !row->partly;
}

static bool read_option(int letter, const char *text, void *given)
{
  options *o = given;
  switch (letter) {
  case 'n':
    return bench_read_sizes(text, 1 << 15, &o->sizes);
  case 'o':
    return linalg_are_rows(o->only = text, is_measured);
  case 'g':
    return read_shape(text, &o->shape);
  case 's':
    return read_seconds(text, &o->turns.seconds);
  case 'm':
    return read_seconds(text, &o->turns.most);
  case 'l':
    return read_seconds(text, &o->longest);
  default:
    o->turns.least = bench_number(text) <= LINALG_TURNS ? (int)bench_number(text) : 0;
    return o->turns.least > 0;
  }
}

static bool read_options(int argc, char **argv, bool speaks, options *o, int *status)
{
  static const struct option names[] = {{"n", required_argument, NULL, 'n'},
                                        {"only", required_argument, NULL, 'o'},
                                        {"hand-shape", required_argument, NULL, 'g'},
                                        {"reps", required_argument, NULL, 'r'},
                                        {"seconds", required_argument, NULL, 's'},
                                        {"most", required_argument, NULL, 'm'},
                                        {"longest", required_argument, NULL, 'l'},
                                        {"help", no_argument, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};
  static const bench_command_line line = {usage, names, read_option};
  *o = (options){.turns = {3, 2, 60}, .longest = 20};
  if (!bench_command_line_read(&line, argc, argv, speaks, o, status)) return false;
  if (o->sizes.count == 0) o->sizes = (bench_sizes){{250, 500, 1000}, 3};
  return true;
}

static linalg_measured measure(const linalg_row *row, int64_t n, int nprocs, const options *o)
{
  static const int64_t blocks[] = {32, 64};
  linalg_shape shapes[LINALG_SHAPES] = {o->shape};
  const int count = o->shape.block ? 1 : linalg_shapes_list(nprocs, blocks, 2, shapes);
  if (o->shape.block && !row->stretch && !linalg_shape_is_right(row, n, &o->shape))
    return (linalg_measured){.row = row, .order = n, .shape = o->shape, .equal = true, .is_shared = true};
  const linalg_shape shape = linalg_shape_choose(row, n, shapes, count);
  return linalg_measure(row, n, &shape, &o->turns);
}

/* All rows. False: some results differ. */
static bool measure_all(const options *o, int rank, int nprocs, double rate)
{
  int count = 0;
  bool right = true;
  while (linalg_row_at(count)) count++;
  linalg_measured *measured = bench_alloc(count * o->sizes.count * (int64_t)sizeof *measured);
  count = 0;
  for (int r = 0; linalg_row_at(r); r++) {
    const linalg_row *row = linalg_row_at(r);
    if (!is_measured(row) || !bench_is_listed(o->only, row->name)) continue;
    double longest = 0;
    for (int i = 0; i < o->sizes.count && longest <= o->longest; i++) {
      const linalg_measured m = measure(row, o->sizes.list[i], nprocs, o);
      if (rank == 0 && m.turns > 0) linalg_print_row(&m, rate);
      right = right && m.equal && (m.is_shared || row->always_moved);
      longest = m.longest;
      measured[count++] = m;
    }
  }
  if (rank == 0) linalg_print_missed(measured, count);
  free(measured);
  return right;
}

int main(int argc, char **argv)
{
  int rank, nprocs, status;
  options o;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  if (!read_options(argc, argv, rank == 0, &o, &status)) {
    MPI_Finalize();
    return status;
  }
  const double rate = linalg_dgemm();
  if (rank == 0) linalg_print_head(argc, argv, nprocs, rate);
  const bool right = measure_all(&o, rank, nprocs, rate);
  MPI_Finalize();
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
