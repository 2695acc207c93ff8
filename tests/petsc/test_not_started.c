/* Only the program starts PETSc. Before PetscInitialize() all processes must refuse views in the same way,
 * and leave PETSc and the signals unchanged. With the argument "half" only every second process starts
 * PETSc. */

/* for sigaction() */
#define _POSIX_C_SOURCE 200809L

#include <signal.h>

#include "any_view.h"
#include "mpi_test.h"

enum { SIGNALS = 32 };

static bool by_halves; /* the program's argument */
static MPI_Comm half;  /* the processes with even ranks, or those with odd ones */

static void try_views(MPI_Comm comm, const char *where, dap_status want, const char *text)
{
  int procs, rank;
  dap_error err = {0};
  dap_layout *layout;
  dap_array array;
  MPI_Comm_size(comm, &procs);
  MPI_Comm_rank(comm, &rank);
  const dap_dist dists[] = {dap_dist_even(4 * procs, procs), dap_dist_even(3, 1)};
  EXPECT_OK(dap_layout_create(2, dists, &layout, &err), &err);
  EXPECT_OK(dap_array_init(&array, layout, rank, scalar_dtype(), DAP_ORDER_C, NULL, &err), &err);
  for (any_kind kind = FIELD; kind < KINDS; kind++) {
    any_view v = {.kind = kind};
    TEST_CASE("a %s on %s", any_names[kind], where);
    err = (dap_error){.rank = -1};
    const dap_status s = any_get(comm, &v, (dap_darray){layout, &array}, DAP_READ_WRITE, &err);
    expect_same_error(comm, s, &err, want, text);
    EXPECT(!s == any_is_live(&v));
    EXPECT_OK(any_do(&v, RESTORE, NULL), NULL);
  }
  dap_array_release(&array);
  dap_layout_destroy(&layout);
}

/* ---- before -------------------------------------------------------------------------------------------- */

static const char first[] = "not initialised|PetscInitialize()";

static void read_handlers(struct sigaction handlers[SIGNALS])
{
  memset(handlers, 0, SIGNALS * sizeof handlers[0]);
  for (int s = 1; s < SIGNALS; s++) (void)sigaction(s, NULL, &handlers[s]);
}

static void nobody_has_started(void **state)
{
  (void)state;
  struct sigaction before[SIGNALS], after[SIGNALS];
  PetscBool up = PETSC_TRUE;
  MPI_Comm_split(MPI_COMM_WORLD, test_rank() % 2, 0, &half);
  EXPECT(!PetscInitialized(&up) && !up);
  read_handlers(before);
  try_views(MPI_COMM_WORLD, "all processes", DAP_ERR_LIBRARY, first);
  try_views(half, "half of the processes", DAP_ERR_LIBRARY, first);
  try_views(MPI_COMM_SELF, "one process", DAP_ERR_LIBRARY, first);
  read_handlers(after);
  EXPECT(!PetscInitialized(&up) && !up);
  EXPECT(PETSC_COMM_WORLD == MPI_COMM_NULL);
  for (int s = 1; s < SIGNALS; s++)
    EXPECT_MSG(before[s].sa_handler == after[s].sa_handler && before[s].sa_flags == after[s].sa_flags,
               "signal %d has another handler", s);
  SETTLE();
}

/* ---- after --------------------------------------------------------------------------------------------- */

/* PETSc sees the options of the command line, and PETSC_COMM_WORLD is the program's. */
static void start(MPI_Comm world)
{
  char name[] = "program", option[] = "-ksp_type", value[] = "cg", quiet[] = "-no_signal_handler";
  char *words[] = {name, option, value, quiet, NULL}, **argv = words;
  int argc = 4, same = MPI_UNEQUAL;
  PetscBool is_seen = PETSC_FALSE;
  if (world != MPI_COMM_WORLD) PETSC_COMM_WORLD = world;
  EXPECT(!PetscInitialize(&argc, &argv, NULL, NULL));
  EXPECT(!PetscOptionsHasName(NULL, NULL, "-ksp_type", &is_seen) && is_seen);
  MPI_Comm_compare(PETSC_COMM_WORLD, world, &same);
  EXPECT_INT(same, MPI_IDENT);
}

static void the_program_starts(void **state)
{
  (void)state;
  const bool all = test_nprocs() == 1 || !by_halves, is_even = test_rank() % 2 == 0;
  const dap_status of_odd = all ? DAP_OK : DAP_ERR_LIBRARY;
  if (all) start(MPI_COMM_WORLD);
  if (!all && is_even) start(half);
  try_views(MPI_COMM_WORLD, "all processes", of_odd, all ? "" : first);
  try_views(half, "half of the processes", is_even ? DAP_OK : of_odd, first);
  try_views(MPI_COMM_SELF, "one process", is_even ? DAP_OK : of_odd, first);
  if (all || is_even) EXPECT(!PetscFinalize());
  MPI_Comm_free(&half);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(nobody_has_started),
    cmocka_unit_test(the_program_starts),
};

int main(int argc, char **argv)
{
  by_halves = argc > 1;
  return mpi_test_main(&argc, &argv, tests, sizeof tests / sizeof tests[0]);
}
