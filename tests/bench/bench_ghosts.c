/* Times updates of the ghosts of a mesh's nodes, by the library and without it. See README.md. */
#include "ghosts.h"
#include "numbers.h"
#include "program.h"

static struct {
  bench_sizes sizes, components;
  const char *cuts, *orders, *methods; /* names, separated by commas; NULL: all */
  int reps;
  bool reverse;
} o;

static const bench_option options[] = {
    {"n", "N[,N...]", "46,100", "meshes of N x N x N nodes", bench_read_sizes, &o.sizes, 1 << 10, NULL},
    {"cut", "C[,C...]", NULL, "strips blobs random: the processes' parts (all)", bench_read_words, &o.cuts, 0,
     ghosts_cut_names},
    {"order", "O[,O...]", NULL, "grouped mixed: ghosts by owner, or ascending (all)", bench_read_words,
     &o.orders, 0, ghosts_order_names},
    {"components", "K[,K...]", "1,3", "values of a node", bench_read_sizes, &o.components, 1 << 6, NULL},
    {"method", "M[,M...]", NULL, "names, or what they have before their first _ (all)", bench_read_text,
     &o.methods, 0, NULL},
    {"reverse", NULL, NULL, "what ghosts hold is added to their owners", bench_read_flag, &o.reverse, 0,
     NULL},
    {"reps", "R", "31", "timed turns", bench_read_count, &o.reps, 1 << 20, NULL},
    {.name = NULL}};

/* ---- all meshes ------------------------------------------------------------------------------------- */

/* Measures one mesh and reports it. Returns the number of wrong elements. */
static int64_t run_case(int64_t n, ghosts_cut cut, ghosts_order order, int components)
{
  ghosts_mesh mesh;
  bench_time times[BENCH_METHODS];
  ghosts_mesh_make(MPI_COMM_WORLD, n, cut, order, components, &mesh);
  mesh.reverse = o.reverse;
  ghosts_measure(&mesh, o.methods, o.reps, times);
  const int64_t most = bench_most_bytes(mesh.comm, mesh.count - mesh.owned);
  if (mesh.rank == 0) ghosts_report(stdout, &mesh, most, times);
  ghosts_mesh_free(&mesh);
  return bench_wrong_of(times, ghosts_methods_count);
}

static int64_t run_all(const bench_launch *l)
{
  int64_t wrong = 0;
  (void)l;
  for (int s = 0; s < o.sizes.count; s++)
    for (int cut = 0; cut < GHOSTS_CUTS; cut++)
      for (int order = 0; order < GHOSTS_ORDERS; order++)
        for (int k = 0; k < o.components.count; k++)
          if (bench_is_listed(o.cuts, ghosts_cut_names[cut]) &&
              bench_is_listed(o.orders, ghosts_order_names[order]))
            wrong +=
                run_case(o.sizes.list[s], (ghosts_cut)cut, (ghosts_order)order, (int)o.components.list[k]);
  return wrong;
}

const bench_program bench_ghosts = {
    .options = options,
    .uses_petsc = true,
    .run = run_all,
    .legend = "/ hand, / Vec: time / that by hand, VecGhostUpdateBegin() and End()'s. Below 1 is faster. "};
