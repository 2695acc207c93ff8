/* Times halo updates and PETSc fields, and what a program does without the library. See README.md. */
#include "fail.h"
#include "field.h"

/* Measures one field and reports it; the number of wrong elements. */
static int64_t run_case(const field_options *options, int grid, int64_t n, int64_t width, bool periodic,
                        bool speaks)
{
  field_case c;
  field_result results[FIELD_METHODS] = {{0}};
  int64_t wrong = 0;
  if (!field_case_make(MPI_COMM_WORLD, grid, n, width, periodic, &c)) return 0;
  field_measure(&c, options, results);
  if (speaks) field_report(stdout, &c, results, options->json);
  for (int m = 0; field_methods[m].name; m++) wrong += results[m].wrong;
  field_case_free(&c);
  return wrong;
}

static int64_t run_all(const field_options *options, bool speaks)
{
  static const char *const outer[] = {"none", "periodic"};
  int64_t wrong = 0;
  for (int s = 0; s < options->sizes.count; s++)
    for (int grid = 0; field_grid_name(grid); grid++)
      for (int o = 0; o < 2; o++)
        for (int w = 0; w < options->widths.count; w++)
          if (bench_is_listed(options->grids, field_grid_name(grid)) &&
              bench_is_listed(options->outer, outer[o]))
            wrong += run_case(options, grid, options->sizes.list[s], options->widths.list[w], o == 1, speaks);
  return wrong;
}

static void start_petsc(void)
{
  char name[] = "bench_field", quiet[] = "-no_signal_handler";
  char *words[] = {name, quiet, NULL}, **argv = words;
  int argc = 2;
  if (PetscInitialize(&argc, &argv, NULL, NULL)) bench_fail("PETSc does not start");
}

int main(int argc, char **argv)
{
  int rank, status;
  field_options options;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (!field_options_read(argc, argv, rank == 0, &options, &status)) {
    MPI_Finalize();
    return status;
  }
  start_petsc();
  const int64_t wrong = run_all(&options, rank == 0);
  if (rank == 0 && !options.json)
    printf("\n/ GtoL, / LtoL: time / DMGlobalToLocal()'s, DMLocalToLocal()'s; / best: the best "
           "halo update's of MPI and PETSc in place; / LtoG: "
           "DMLocalToGlobal()'s; / copies: time / (copy_in + copy_out). Below 1 is faster. %s\n",
           wrong ? "SOME ELEMENTS ARE WRONG." : "All elements are right.");
  field_petsc_require(PetscFinalize());
  MPI_Finalize();
  return wrong != 0;
}
