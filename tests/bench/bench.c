/* Runs one of the benchmarks in the table below: bench NAME [option...]. See README.md. */
#include "program.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef BENCH_WITH_PETSC
#include "bench_petsc.h"
#endif

typedef struct benchmark {
  const char *name, *times; /* end of the sentence "bench <name> times ..." */
  const bench_program *program;
} benchmark;

static const benchmark benchmarks[] = {
    {"redistribute", "moves by dapbridge, its peers and the limit", &bench_redistribute},
#ifdef BENCH_WITH_PETSC
    {"field", "halo updates and PETSc fields, with the library and without it", &bench_field},
    {"step", "implicit steps of the heat equation, by the matrix's nonzero pattern", &bench_step},
#endif
    {"ghosts", "updates of a mesh's ghosts, with the library and without it", &bench_ghosts},
    {"groups", "moves between two groups of processes, by plans and by hand", &bench_groups},
#ifdef BENCH_WITH_LINALG
    {"linalg", "functions of linalg.h, and calls of ScaLAPACK by hand", &bench_linalg},
    {"shapes", "calls of ScaLAPACK on each grid of processes and with each block size", &bench_shapes},
#endif
#ifdef BENCH_WITH_ELPA
    {"elpa", "eigenvectors by ELPA, by ScaLAPACK and by linalg.h", &bench_elpa},
#endif
    {"many", "halo updates and moves of several fields, together and one by one", &bench_many},
    {"node", "copies, waits and messages of the processes of one node", &bench_node},
    {"patterns", "what applications send to a neighbour, by plans and by MPI", &bench_patterns},
    {"placements", "moves between placements, and the collectives of MPI that do the same",
     &bench_placements},
    {"files", "saving arrays to new files, with a sync, and loading them", &bench_files},
    {"small", "small calls: making a plan, running it, and p?gemr2d", &bench_small},
    {"plan", "the planning of one process's part of a very large move, without MPI", &bench_plan},
};
enum { BENCHMARKS = sizeof benchmarks / sizeof *benchmarks };

static const benchmark *find(const char *name)
{
  for (int i = 0; i < BENCHMARKS; i++)
    if (strcmp(benchmarks[i].name, name) == 0) return &benchmarks[i];
  return NULL;
}

/* Lists the table, after the wrong name if there is one. Returns the status of the program. */
static int list(const char *wrong, bool speaks)
{
  FILE *file = wrong ? stderr : stdout;
  if (speaks && wrong) fprintf(file, "bench: there is no benchmark '%s' in this build\n", wrong);
  if (speaks) fprintf(file, "usage: bench NAME [option...], under mpirun; bench NAME --help\n\nNAME times\n");
  for (int i = 0; i < BENCHMARKS && speaks; i++)
    fprintf(file, "  %-13s %s\n", benchmarks[i].name, benchmarks[i].times);
  return wrong ? BENCH_WRONG_USAGE : EXIT_SUCCESS;
}

static void print_usage(FILE *file, const benchmark *b)
{
  const char *about = b->program->about;
  fprintf(file, "usage: bench %s [option...]%s\n\nTimes %s.%s%s\n\n", b->name,
          b->program->lacks_mpi ? "" : ", under mpirun", b->times, about ? "\n" : "", about ? about : "");
  bench_print_options(file, b->program->options);
}

static void start_petsc(void)
{
#ifdef BENCH_WITH_PETSC
  char name[] = "bench", quiet[] = "-no_signal_handler";
  char *words[] = {name, quiet, NULL}, **argv = words;
  int argc = 2;
  require(PetscInitialize(&argc, &argv, NULL, NULL));
#endif
}

static void stop_petsc(void)
{
#ifdef BENCH_WITH_PETSC
  require(PetscFinalize());
#endif
}

/* Runs a benchmark. Returns the status of the program. */
static int run(const benchmark *b, const bench_launch *launch)
{
  const bench_program *p = b->program;
  const int status =
      bench_command_line_read(p->options, launch->argc - 1, launch->argv + 1, launch->rank == 0);
  if (status >= 0) {
    if (launch->rank == 0) print_usage(status ? stderr : stdout, b);
    return status;
  }
  if (p->uses_petsc) start_petsc();
  const int64_t wrong = p->run(launch);
  if (launch->rank == 0 && p->legend && !(p->is_data && *p->is_data))
    printf("\n%s%s\n", p->legend, wrong ? "SOME ELEMENTS ARE WRONG." : "All elements are right.");
  if (p->uses_petsc) stop_petsc();
  return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
  const char *name = argc > 1 && strcmp(argv[1], "--help") != 0 ? argv[1] : NULL;
  const benchmark *b = name ? find(name) : NULL;
  const bool uses_mpi = !b || !b->program->lacks_mpi;
  bench_launch launch = {.nprocs = 1};
  if (uses_mpi) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &launch.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &launch.nprocs);
  }
  launch.argc = argc;
  launch.argv = argv;
  const int status = b ? run(b, &launch) : list(name, launch.rank == 0);
  if (uses_mpi) MPI_Finalize();
  return status;
}
