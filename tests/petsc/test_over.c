/* Ends views and imported arrays after PETSc has ended. With the argument "mpi" MPI goes on.
 *
 * Otherwise PETSc started MPI, and has finalised it. Memory that PETSc has lost is not counted as a leak.
 * Each process has its own verdict, because there may be no MPI at the end. */
#include "any_view.h"
#include "sanitizer.h"

#include <stdio.h>
#include <string.h>

#if UNDER_SANITIZER
#include <sanitizer/lsan_interface.h>
#endif

static int failures;

static void expect(bool condition, const char *what)
{
  if (condition) return;
  (void)fprintf(stderr, "failed: %s\n", what);
  failures++;
}

/* One array with one view. */
typedef struct item {
  dap_layout *layout;
  dap_array array;
  any_view view;
} item;

static void get(item *i, any_kind kind, int ndim, const dap_dist dists[],
                const dap_petsc_field_options *options)
{
  dap_error err = {.rank = -1};
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  *i = (item){.view = {.kind = kind}};
  if (options) i->view.of_field = *options;
  expect(!dap_layout_create(ndim, dists, &i->layout, &err), err.text);
  expect(!dap_array_init(&i->array, i->layout, rank, scalar_dtype(), DAP_ORDER_C, NULL, &err), err.text);
  const dap_darray array = {i->layout, &i->array};
  expect(!any_get(MPI_COMM_WORLD, &i->view, array, DAP_READ_WRITE, &err), err.text);
}

static void drop(item *i)
{
  expect(!any_is_live(&i->view), "nothing is left");
  dap_array_release(&i->array);
  dap_layout_destroy(&i->layout);
}

/* Calls that need PETSc or MPI are refused. The last call ends the view. */
static void end_after(item *i, bool has_mpi)
{
  static const any_deed deeds[] = {LOAD, STORE, HALO, RESTORE};
  dap_error err = {.rank = -1};
  for (int d = 0; d < 4; d++) {
    err = (dap_error){.rank = -1};
    expect(any_do(&i->view, deeds[d], &err) == DAP_ERR_LIBRARY, any_deed_names[deeds[d]]);
    expect(strstr(err.text, has_mpi ? "PETSc has been" : "MPI has been") != NULL, err.text);
  }
  expect(!any_do(&i->view, RESTORE, &err), "restore again");
  drop(i);
}

/* ---- views of all kinds, shared and moved -------------------------------------------------------------- */

enum { KEPT = 11 };

/* Makes vectors of a padded axis, a cyclic axis and lists, and fields and matrices. They are shared and
 * moved. */
static int get_of_arrays(item items[])
{
  static const int64_t odd[2][6] = {{4, 1, 11, 0, 7, 2}, {3, 5, 6, 8, 9, 10}};
  static const int64_t lengths[8] = {6, 6}, *const lists[8] = {odd[0], odd[1]};
  int n = 0, count = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  const dap_dist lines[3] = {dap_dist_padded(6 * n, n, 1), dap_dist_cyclic(6 * n, n, 2),
                             dap_dist_unstructured(12, n, lengths, lists)};
  const dap_dist planes[2][2] = {{dap_dist_even(4 * n, n), dap_dist_even(5, 1)},
                                 {dap_dist_cyclic(4 * n, n, 1), dap_dist_even(5, 1)}};
  for (int i = 0; i < 3; i++) get(&items[count++], VECTOR, 1, &lines[i], NULL);
  for (int i = 0; i < 2; i++) get(&items[count++], FIELD, 2, planes[i], NULL);
  for (int i = 0; i < 2; i++) get(&items[count++], MATRIX, 2, planes[i], NULL);
  expect(any_is_shared(&items[0].view) && !any_is_shared(&items[1].view), "a shared and a moved vector");
  expect(items[2].view.vector.ao != NULL, "a vector with an AO");
  expect(any_is_shared(&items[5].view) && !any_is_shared(&items[6].view), "a shared and a moved matrix");
  return count;
}

/* Makes fields on the DMDA of a field that somebody holds, and a section that is on one process only. */
static int get_on_one_dm(item items[], item *ended)
{
  int n = 0, rank = 0;
  dap_error err = {.rank = -1};
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const dap_dist dists[2] = {dap_dist_padded(4 * n, n, 1), dap_dist_even(5, 1)};
  dap_petsc_field_options options = {.part = {.naxes = 1, .axes = (const int[]){1}}};
  get(&items[0], FIELD, 2, dists, &options);
  expect((items[0].view.field.dm != NULL) == (rank == 0), "the section is on one process");
  get(&items[1], FIELD, 2, dists, NULL);
  DM dm = items[1].view.field.dm;
  expect(!PetscObjectReference((PetscObject)dm), "a reference that nobody drops");
  options = (dap_petsc_field_options){.dm = dm};
  get(&items[2], FIELD, 2, dists, &options); /* uses the same plans */
  options.sharing = DAP_SHARE_NEVER;
  get(&items[3], FIELD, 2, dists, &options); /* makes other plans, for copies */
  get(ended, FIELD, 2, dists, &options);
  expect(!any_do(&ended->view, RESTORE, &err), err.text);
  return 4;
}

static void outlive(bool has_mpi)
{
  item items[KEPT], ended;
  dap_array lent;
  dap_error err = {.rank = -1};
  Vec vec;
  int over = 0, count = get_of_arrays(items);
  count += get_on_one_dm(&items[count], &ended);
  expect(count == KEPT, "all views");
  drop(&ended);
  expect(!VecCreateMPI(MPI_COMM_WORLD, 3, PETSC_DECIDE, &vec), "vector");
  expect(!dap_petsc_vector_import(vec, &lent, NULL, &err), err.text);
  expect(!VecDestroy(&vec) && !PetscFinalize(), "finalise");
  MPI_Finalized(&over);
  expect(!over == has_mpi, "MPI is over too");
  while (count > 0) end_after(&items[--count], has_mpi);
  dap_array_release(&lent);
  expect(!lent.data && !lent.release, "release");
}

int main(int argc, char **argv)
{
  const bool has_mpi = argc > 1 && strcmp(argv[1], "mpi") == 0;
#if UNDER_SANITIZER
  __lsan_disable();
#endif
  if (has_mpi) MPI_Init(&argc, &argv);
  expect(!PetscInitialize(&argc, &argv, NULL, NULL), "start");
  outlive(has_mpi);
  if (has_mpi) MPI_Finalize();
  return failures > 0;
}
