/* Times updates of ghosts of a mesh's nodes, and what a program does without the library. See README.md. */
#include "command_line.h"
#include "fail.h"
#include "ghosts.h"
#include "numbers.h"

#include <stdlib.h>

/* ---- the command line ------------------------------------------------------------------------------ */

static const char usage[] = "usage: bench_ghosts [option...], under mpirun on up to 255 ranks\n"
                            "\n"
                            "Times updates of the ghosts of a mesh's nodes, by dapbridge and without it, in "
                            "turns, and checks every element.\n"
                            "\n"
                            "  --n N[,N...]           meshes of N x N x N nodes (46,100)\n"
                            "  --cut C[,C...]         strips blobs random: the processes' parts (all)\n"
                            "  --order O[,O...]       grouped mixed: ghosts by owner, or ascending (all)\n"
                            "  --components K[,K...]  values of a node (1,3)\n"
                            "  --method M[,M...]      names, or what they have before their first _ (all)\n"
                            "  --reverse              what ghosts hold is added to their owners\n"
                            "  --reps R               timed turns (31)\n"
                            "  --help                 this text\n";

typedef struct options {
  bench_sizes sizes, components;
  const char *cuts, *orders, *methods; /* names with commas between; NULL: all */
  int reps;
  bool reverse;
} options;

static bool read_option(int letter, const char *text, void *given)
{
  options *o = given;
  switch (letter) {
  case 'n':
    return bench_read_sizes(text, 1 << 10, &o->sizes);
  case 'k':
    return bench_read_sizes(text, 1 << 6, &o->components);
  case 'c':
    o->cuts = text;
    return bench_are_words(text, ghosts_cut_names, GHOSTS_CUTS);
  case 'o':
    o->orders = text;
    return bench_are_words(text, ghosts_order_names, GHOSTS_ORDERS);
  case 'm':
    o->methods = text;
    return true;
  case 'a':
    o->reverse = true;
    return true;
  default:
    o->reps = (int)bench_number(text);
    return o->reps > 0;
  }
}

static void set_defaults(options *o)
{
  if (o->sizes.count == 0) o->sizes = (bench_sizes){{46, 100}, 2};
  if (o->components.count == 0) o->components = (bench_sizes){{1, 3}, 2};
}

/* False: the program is to end with *status; why has been said if this process `speaks`. */
static bool read_options(int argc, char **argv, bool speaks, options *o, int *status)
{
  static const struct option names[] = {{"n", required_argument, NULL, 'n'},
                                        {"cut", required_argument, NULL, 'c'},
                                        {"order", required_argument, NULL, 'o'},
                                        {"components", required_argument, NULL, 'k'},
                                        {"method", required_argument, NULL, 'm'},
                                        {"reps", required_argument, NULL, 'r'},
                                        {"reverse", no_argument, NULL, 'a'},
                                        {"help", no_argument, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};
  static const bench_command_line line = {usage, names, read_option};
  *o = (options){.reps = 31};
  if (!bench_command_line_read(&line, argc, argv, speaks, o, status)) return false;
  set_defaults(o);
  return true;
}

/* ---- all meshes ------------------------------------------------------------------------------------- */

/* Measures one mesh and reports it; the number of wrong elements. */
static int64_t run_case(const options *o, int64_t n, ghosts_cut cut, ghosts_order order, int components)
{
  ghosts_mesh mesh;
  ghosts_result results[GHOSTS_METHODS] = {{0}};
  int64_t wrong = 0;
  ghosts_mesh_make(MPI_COMM_WORLD, n, cut, order, components, &mesh);
  mesh.reverse = o->reverse;
  ghosts_measure(&mesh, o->methods, o->reps, results);
  const int64_t most = bench_most_bytes(mesh.comm, mesh.count - mesh.owned);
  if (mesh.rank == 0) ghosts_report(stdout, &mesh, most, results);
  for (int m = 0; ghosts_methods[m].name; m++) wrong += results[m].wrong;
  ghosts_mesh_free(&mesh);
  return wrong;
}

static int64_t run_all(const options *o)
{
  int64_t wrong = 0;
  for (int s = 0; s < o->sizes.count; s++)
    for (int cut = 0; cut < GHOSTS_CUTS; cut++)
      for (int order = 0; order < GHOSTS_ORDERS; order++)
        for (int k = 0; k < o->components.count; k++)
          if (bench_is_listed(o->cuts, ghosts_cut_names[cut]) &&
              bench_is_listed(o->orders, ghosts_order_names[order]))
            wrong += run_case(o, o->sizes.list[s], (ghosts_cut)cut, (ghosts_order)order,
                              (int)o->components.list[k]);
  return wrong;
}

int main(int argc, char **argv)
{
  int rank, status;
  options o;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (!read_options(argc, argv, rank == 0, &o, &status)) {
    MPI_Finalize();
    return status;
  }
#ifdef BENCH_WITH_PETSC
  ghosts_petsc_start();
#endif
  const int64_t wrong = run_all(&o);
  if (rank == 0)
    printf("\n/ hand, / Vec: time / that by hand, VecGhostUpdateBegin() and End()'s. Below 1 is faster. %s\n",
           wrong ? "SOME ELEMENTS ARE WRONG." : "All elements are right.");
#ifdef BENCH_WITH_PETSC
  ghosts_petsc_stop();
#endif
  MPI_Finalize();
  return wrong != 0;
}
