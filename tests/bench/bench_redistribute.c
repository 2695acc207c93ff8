/* Times dapbridge, its peers and the physical limit on the same moves. See README.md. */
#include "fail.h"
#include "program.h"
#include "redistribute.h"

static bench_options o = {.dtype = DAP_F8};
static FILE *json; /* of rank 0; NULL: no objects are printed */

static bool read_dtype(const char *text, const bench_option *option)
{
  static const dap_dtype dtypes[] = {DAP_F4, DAP_F8, DAP_C8, DAP_C16};
  int place = 0;
  const bench_option word = {.into = &place, .words = option->words};
  if (!bench_read_word(text, &word)) return false;
  o.dtype = dtypes[place];
  return true;
}

static bool read_json(const char *text, const bench_option *option)
{
  (void)option;
  o.json = !text;
  o.json_path = text;
  return true;
}

static const char *const dtypes[] = {"f4", "f8", "c8", "c16", NULL},
                         *const transports[] = {"direct", "staged", "messages", NULL}, /* bits 1, 2, 4 */
                             *const sides[] = {"best", "from", "to", NULL};            /* as in bench_which */

static const bench_option options[] = {
    {"n", "N[,N...]", NULL, "arrays of N x N, or about as many, elements (each case's own); may be repeated",
     bench_read_sizes, &o.sizes, 1 << 20, NULL},
    {"case", "C[,C...]", NULL, "A B C D E Z T FFT2 P3 H U (all)", bench_read_text, &o.cases, 0, NULL},
    {"method", "M[,M...]", NULL,
     "nt_copy dap_alloc dap_malloc pack_isend alltoallw neighbor dropin\n"
     "gemr2d vecscatter dmda fftw, or dap for the first two of dapbridge's (all)",
     bench_read_text, &o.methods, 0, NULL},
    {"dtype", "T", NULL, "f4 f8 c8 c16 (f8)", read_dtype, NULL, 0, dtypes},
    {"reps", "R", NULL, "timed turns (11; 41 with --alone)", bench_read_count, &o.reps, 1 << 20, NULL},
    {"alone", NULL, NULL,
     "each turn writes the source, waits in two barriers and times one run, as a\n"
     "program calls it; else short runs are timed many at a time",
     bench_read_flag, &o.alone, 0, NULL},
    {"json", "[=FILE]", NULL, "one object a line, in place of the tables; or added to FILE, and tables too",
     read_json, NULL, 0, NULL},
    {"transports", "T,...", NULL, "dapbridge: direct staged messages (all)", bench_read_bits, &o.transports,
     0, transports},
    {"memory", "BYTES", NULL, "dapbridge: cap of its buffers on a process; with K, M or G (its default)",
     bench_read_bytes, &o.memory, 0, NULL},
    {"side", "S", "best", "dap_alloc: library memory for from, to, or the best of the two", bench_read_word,
     &o.side, 0, sides},
    {.name = NULL}};

/* Measures one case and reports it. Returns the number of wrong elements. */
static int64_t run_case(int row, int64_t n)
{
  bench_case c;
  if (!bench_case_make(row, MPI_COMM_WORLD, n, o.dtype, &c)) return 0;
  bench_result results[BENCH_METHODS] = {0};
  bench_measure(MPI_COMM_WORLD, &c, &o, results);
  if (c.rank == 0 && !o.json) bench_report_table(stdout, &c, results);
  if (json) bench_report_json(json, &c, o.alone, results);
  int64_t wrong = 0;
  for (int m = 0; m < bench_methods_count; m++) {
    wrong += results[m].time.wrong;
    if (c.rank == 0 && results[m].time.wrong)
      fprintf(stderr, "case %s, n = %lld, %s: %lld elements are wrong\n", c.name, (long long)c.n,
              bench_methods[m]->name, (long long)results[m].time.wrong);
  }
  bench_case_free(&c);
  return wrong;
}

static void open_json(void)
{
  json = o.json ? stdout : o.json_path ? fopen(o.json_path, "a") : NULL;
  if (o.json_path && !json) bench_fail("cannot write %s", o.json_path);
}

static int64_t run_all(const bench_launch *l)
{
  const char *name;
  const int64_t *sizes;
  int64_t wrong = 0;
  if (o.reps == 0) o.reps = o.alone ? 41 : 11;
  if (l->rank == 0) open_json();
  for (int row = 0; bench_case_row(row, &name, &sizes); row++) {
    if (!bench_is_listed(o.cases, name)) continue;
    if (o.sizes.count > 0) sizes = o.sizes.list; /* the list ends with 0 */
    for (int s = 0; sizes[s] > 0; s++) wrong += run_case(row, sizes[s]);
  }
  if (json && json != stdout && fclose(json)) bench_fail("cannot write %s", o.json_path);
  return wrong;
}

const bench_program bench_redistribute = {
    .options = options,
    .uses_petsc = true,
    .run = run_all,
    .legend = "* the best peer. x limit: time / nt_copy's. x peer: best peer's time / time. ",
    .is_data = &o.json};
