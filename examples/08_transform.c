/* Moves a part of a field from processes 0 and 1 to processes 2 and 3. The field contains complex numbers
 * in single precision. The part arrives in double precision, conjugated and doubled, with its axes in
 * another order, in memory that the node shares. Neither pair knows the other pair's layout. Runs on 4
 * processes. */
#include "log.h"

#include <dapbridge.h>

#include <complex.h>
#include <stdio.h>

enum { X = 12, Y = 20, Z = 30, PART = 16 /* of Z, from START on */, START = 5 };

static void check(dap_status status, const dap_error *err)
{
  if (status == DAP_OK) return;
  fprintf(stderr, "%s\n", err->text);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static double complex value(int64_t x, int64_t y, int64_t z)
{
  return (double)(x * Y + y) + (double)z * I;
}

/* Rows of shared arrays are padded to whole cache lines, so use the strides. */
static void *element(const dap_array *a, int64_t i, int64_t j, int64_t k)
{
  return (char *)a->data + i * a->strides[0] + j * a->strides[1] + k * a->strides[2];
}

int main(int argc, char **argv)
{
  int rank, nprocs, moved = 0, wrong = 0;
  MPI_Comm half;
  MPI_Init(&argc, &argv);
  log_if_wanted();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  if (nprocs != 4) {
    if (rank == 0) fprintf(stderr, "this example needs 4 processes\n");
    MPI_Finalize();
    return 1;
  }
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
  const bool has = rank < 2;
  dap_error err;
  dap_layout *layout; /* of this pair: x, y, z with y cyclic; or z, x, y with z in blocks */
  const dap_dist source[] = {dap_dist_local(X), dap_dist_cyclic(Y, 2, 3), dap_dist_local(Z)};
  const dap_dist target[] = {dap_dist_even(PART, 2), dap_dist_local(X), dap_dist_local(Y)};
  check(dap_layout_create(3, has ? source : target, &layout, &err), &err);
  dap_array array;
  check(dap_array_alloc(half, layout, has ? DAP_C8 : DAP_C16, DAP_ORDER_C, &array, NULL, &err), &err);
  for (int64_t i = 0; has && i < dap_array_count(&array); i++) {
    int64_t at[] = {i / Z / array.shape[1], i / Z % array.shape[1], i % Z}, global[3];
    dap_layout_globalize(layout, rank, at, global, NULL, NULL);
    *(float complex *)element(&array, at[0], at[1], at[2]) =
        (float complex)value(global[0], global[1], global[2]);
  }
  const int axes[] = {2, 0, 1};
  const int64_t start[] = {0, 0, START}, shape[] = {X, Y, PART};
  const dap_darray own = {layout, &array}, none = {NULL, NULL};
  dap_side from = dap_side_of(has ? own : none), to = dap_side_of(has ? none : own);
  from.dtype = DAP_C8;
  from.part = (dap_part){.naxes = 3, .axes = axes, .start = start, .shape = shape};
  to.dtype = DAP_C16;
  to.ranks = (int[]){2, 3};
  const dap_plan_options options = {.conjugate = true, .alpha = (double[]){2, 0}};
  dap_plan *plan;
  check(dap_plan_create(MPI_COMM_WORLD, &from, &to, 0, &options, &plan, &err), &err);
  check(dap_plan_run(plan, has ? array.data : NULL, has ? NULL : array.data, &err), &err);
  for (int64_t z = 0; !has && z < array.shape[0]; z++)
    for (int64_t x = 0; x < X; x++)
      for (int64_t y = 0; y < Y; y++) {
        const double complex known = 2 * conj(value(x, y, START + (rank - 2) * PART / 2 + z));
        if (*(double complex *)element(&array, z, x, y) != known) wrong++;
        moved++;
      }
  MPI_Allreduce(MPI_IN_PLACE, &moved, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("moved %d elements to the other processes, %d wrong\n", moved, wrong);
  dap_plan_destroy(&plan);
  dap_array_release(&array);
  dap_layout_destroy(&layout);
  MPI_Comm_free(&half);
  MPI_Finalize();
  return moved == X * Y * PART && wrong == 0 ? 0 : 1;
}
