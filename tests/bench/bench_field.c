/* Times halo updates and PETSc fields, by the library and without it. See README.md. */
#include "field.h"
#include "program.h"

static struct {
  bench_sizes sizes, widths;
  const char *grids, *methods, *outer; /* names, separated by commas; NULL: all */
  int reps;
  bool json; /* prints objects on standard output instead of tables */
} o;

static const char *const grids[] = {"slabs", "blocks", "columns", NULL}, *const outer[] = {"none", "periodic",
                                                                                           NULL};

static const bench_option options[] = {
    {"n", "N[,N...]", "32,64,128,256", "fields of N x N x N points; may be repeated", bench_read_sizes,
     &o.sizes, 1 << 12, NULL},
    {"width", "W[,W...]", "1,2", "of the stencil", bench_read_sizes, &o.widths, 1 << 6, NULL},
    {"grid", "G[,G...]", "slabs,blocks",
     "slabs blocks columns: processes along the slowest axis, all, the fastest", bench_read_words, &o.grids,
     0, grids},
    {"outer", "O[,O...]", NULL, "none periodic (both)", bench_read_words, &o.outer, 0, outer},
    {"method", "M[,M...]", NULL, "names, or what they have before their first _ (all)", bench_read_text,
     &o.methods, 0, NULL},
    {"reps", "R", "31", "timed turns", bench_read_count, &o.reps, 1 << 20, NULL},
    {"json", NULL, NULL, "one object a line, in place of the tables", bench_read_flag, &o.json, 0, NULL},
    {.name = NULL}};

/* Measures one field and reports it. Returns the number of wrong elements. */
static int64_t run_case(int grid, int64_t n, int64_t width, bool periodic)
{
  field_case c;
  bench_time times[BENCH_METHODS];
  if (!field_case_make(MPI_COMM_WORLD, grid, n, width, periodic, &c)) return 0;
  field_measure(&c, o.methods, o.reps, times);
  if (c.rank == 0) field_report(stdout, &c, times, o.json);
  field_case_free(&c);
  return bench_wrong_of(times, field_methods_count);
}

static int64_t run_all(const bench_launch *l)
{
  int64_t wrong = 0;
  (void)l;
  for (int s = 0; s < o.sizes.count; s++)
    for (int grid = 0; grids[grid]; grid++)
      for (int is_periodic = 0; is_periodic < 2; is_periodic++)
        for (int w = 0; w < o.widths.count; w++)
          if (bench_is_listed(o.grids, grids[grid]) && bench_is_listed(o.outer, outer[is_periodic]))
            wrong += run_case(grid, o.sizes.list[s], o.widths.list[w], is_periodic == 1);
  return wrong;
}

const bench_program bench_field = {
    .options = options,
    .uses_petsc = true,
    .run = run_all,
    .legend = "/ GtoL, / LtoL: time / DMGlobalToLocal()'s, DMLocalToLocal()'s; / best: the best "
              "halo update's of MPI and PETSc in place; / LtoG: DMLocalToGlobal()'s; / copies: time / "
              "(copy_in + copy_out). Below 1 is faster. ",
    .is_data = &o.json};
