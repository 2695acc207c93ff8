/* Times dapbridge, its peers and the physical limit on the same moves. See README.md. */
#include "fail.h"
#include "report.h"

#include <stdlib.h>

/* Measures one case and reports it; the number of wrong elements. */
static int64_t run_case(const bench_options *options, int row, int64_t n, FILE *json, bool speaks)
{
  bench_case c;
  if (!bench_case_make(row, MPI_COMM_WORLD, n, options->dtype, &c)) return 0;
  bench_result results[BENCH_METHODS] = {0};
  bench_measure(MPI_COMM_WORLD, &c, options, results);
  if (speaks && !options->json) bench_report_table(stdout, &c, results);
  if (speaks && json) bench_report_json(json, &c, options->alone, results);
  int64_t wrong = 0;
  for (int m = 0; bench_methods[m].name; m++) {
    wrong += results[m].wrong;
    if (speaks && results[m].wrong)
      fprintf(stderr, "case %s, n = %lld, %s: %lld elements are wrong\n", c.name, (long long)c.n,
              bench_methods[m].name, (long long)results[m].wrong);
  }
  bench_case_free(&c);
  return wrong;
}

static int64_t run_all(const bench_options *options, FILE *json, bool speaks)
{
  const char *name;
  const int64_t *sizes;
  int64_t wrong = 0;
  for (int row = 0; bench_case_row(row, &name, &sizes); row++) {
    if (!bench_is_listed(options->cases, name)) continue;
    if (options->sizes.count > 0) sizes = options->sizes.list; /* a 0 follows the last */
    for (int s = 0; sizes[s] > 0; s++) wrong += run_case(options, row, sizes[s], json, speaks);
  }
  return wrong;
}

int main(int argc, char **argv)
{
  int rank, status;
  bench_options options;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (!bench_options_read(argc, argv, rank == 0, &options, &status)) {
    MPI_Finalize();
    return status;
  }
  FILE *json = options.json ? stdout : NULL;
  if (rank == 0 && options.json_path) {
    json = fopen(options.json_path, "a");
    if (!json) bench_fail("cannot write %s", options.json_path);
  }
#ifdef BENCH_WITH_PETSC
  bench_petsc_start();
#endif
  const int64_t wrong = run_all(&options, json, rank == 0);
  if (rank == 0 && !options.json)
    printf("\n* the best peer. x limit: time / nt_copy's. x peer: best peer's time / time. %s\n",
           wrong ? "SOME ELEMENTS ARE WRONG." : "All elements are right.");
  if (json && json != stdout && fclose(json)) bench_fail("cannot write %s", options.json_path);
#ifdef BENCH_WITH_PETSC
  bench_petsc_stop();
#endif
  MPI_Finalize();
  return wrong != 0;
}
