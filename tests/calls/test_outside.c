/* Checks that every function that needs MPI returns a status with a text before MPI_Init and after
 * MPI_Finalize, and never ends the program. Views, plans, contexts and arrays that outlive MPI are ended
 * afterwards. Without MPI processes cannot tell each other results, so each has its own verdict. */
#include "calls.h"

#include <dapbridge/shared.h>
#include <stdio.h>
#include <string.h>

/* ELPA cannot free an elpa_t after MPI_Finalize: elpa_deallocate() calls MPI, which then ends the program.
 * So the memory of views that outlive MPI is lost. */
const char *__lsan_default_suppressions(void); /* NOLINT(bugprone-reserved-identifier) */
const char *__lsan_default_suppressions(void)  /* NOLINT(bugprone-reserved-identifier) */
{
  return "leak:elpa_impl_allocate\n";
}

static int failures;

static void expect(bool condition, const char *when, const char *name, const dap_error *err)
{
  if (condition) return;
  (void)fprintf(stderr, "failed %s: %s: %s\n", when, name, err->text);
  failures++;
}

static bool says(dap_status s, dap_status want, const dap_error *err, const char *text)
{
  return s == want && strstr(err->text, text) && err->rank == -1;
}

/* Runs a call, with live handles or with invalid ones. */
static void check_row(const call *row, const call_arguments *g, bool is_live, const char *when)
{
  dap_error err = {.rank = -1};
  const bool ends = strstr(row->name, "_restore") || strstr(row->name, "_discard");
  if (row->handle == CONTEXT && !is_live) return; /* a context cannot exist before MPI_Init */
  const dap_status s = row->run(g, &err);
  if (row->handle == NO_HANDLE || is_live)
    expect(says(s, DAP_ERR_LIBRARY, &err, "MPI "), when, row->name, &err);
  else if (ends)
    expect(s == DAP_OK, when, row->name, &err); /* a zeroed view has already ended */
  else
    expect(says(s, DAP_ERR_ARG, &err, ""), when, row->name, &err);
  if (!ends || !is_live) return;
  err = (dap_error){.rank = -1};
  expect(row->run(g, &err) == DAP_OK, when, "ended again", &err);
}

static void before_init(void)
{
  call_arguments g;
  dap_scalapack_matrix matrix = {0};
  toy_matrix toy = {0};
  calls_begin(&g, 1, 0, DAP_ORDER_C);
  g.matrix = &matrix;
  g.toy = &toy;
  for (const call *row = calls_first; row; row = row->next)
    if (row->needs_mpi) check_row(row, &g, false, "before MPI_Init");
  calls_end(&g);
}

/* Calls functions that return no status, with objects that outlived MPI. */
static void describe(const call_arguments *g)
{
  char text[2000];
  const dap_error none = {.text = ""};
  const char *const when = "after MPI_Finalize";
  expect(dap_plan_describe(g->plan, text, sizeof text) > 0, when, "dap_plan_describe", &none);
  expect(!dap_plan_is_broken(g->plan), when, "dap_plan_is_broken", &none);
  expect(dap_plan_summarize(g->plan).bytes_plan > 0, when, "dap_plan_summarize", &none);
  expect(dap_scalapack_describe(g->matrix, text, sizeof text) > 0, when, "dap_scalapack_describe", &none);
  expect(toy_describe(g->toy, text, sizeof text) > 0, when, "dap_view_describe", &none);
  expect(dap_context_comm(g->context) == MPI_COMM_NULL, when, "dap_context_comm", &none);
  expect(!dap_mpi_is_running(), when, "dap_mpi_is_running", &none);
}

/* Number of sets of objects: one set for each function that ends a view, and one for all other calls. */
enum { ENDED = 3 };

int main(int argc, char **argv)
{
  call_arguments g[ENDED];
  dap_scalapack_matrix matrices[ENDED];
  toy_matrix toys[ENDED];
  dap_array shared;
  dap_error err = {.rank = -1};
  int rank, nprocs;
  before_init();
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  for (int i = 0; i < ENDED; i++) {
    calls_begin(&g[i], nprocs, rank, DAP_ORDER_C);
    expect(!calls_open(&g[i], &matrices[i], &toys[i], &err), "within", "calls_open", &err);
  }
  expect(!dap_array_alloc(MPI_COMM_WORLD, g[0].array[A].layout, DAP_F8, DAP_ORDER_C, &shared, NULL, &err),
         "within", "dap_array_alloc", &err);
  MPI_Finalize();
  describe(&g[0]);
  for (const call *row = calls_first; row; row = row->next) {
    const int i = strstr(row->name, "_restore") ? 1 : strstr(row->name, "_discard") ? 2 : 0;
    if (row->needs_mpi) check_row(row, &g[i], true, "after MPI_Finalize");
  }
  dap_array_release(&shared);
  for (int i = 0; i < ENDED; i++) {
    err = (dap_error){.rank = -1};
    const dap_status s = calls_close(&g[i], &err);
    expect(i == 0 ? says(s, DAP_ERR_LIBRARY, &err, "MPI ") : s == DAP_OK, "after MPI_Finalize", "calls_close",
           &err);
    calls_end(&g[i]);
  }
  return failures > 0;
}
