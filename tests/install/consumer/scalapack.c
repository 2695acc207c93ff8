/* A user of the ScaLAPACK adapter: shares a C-order array as a matrix and asks ScaLAPACK for its largest
 * element. */
#include <dapbridge.h>
#include <dapbridge/scalapack.h>
#include <stdio.h>

/* ScaLAPACK has no C header. */
double pdlange_(const char *norm, const dap_scalapack_int *m, const dap_scalapack_int *n, const double *a,
                const dap_scalapack_int *ia, const dap_scalapack_int *ja, const dap_scalapack_int *desc,
                double *work);

enum { SIZE = 12 };

static dap_status fill(int rank, int nprocs, dap_layout **layout, dap_array *array, dap_error *err)
{
  const dap_dist dists[] = {dap_dist_cyclic(SIZE, nprocs, 2), dap_dist_cyclic(SIZE, 1, 2)};
  dap_status s = dap_layout_create(2, dists, layout, err);
  if (!s) s = dap_array_init(array, *layout, rank, DAP_F8, DAP_ORDER_C, NULL, err);
  if (s) return s;
  double *data = array->data;
  for (int64_t i = 0; i < dap_array_count(array); i++) data[i] = rank + 1;
  return DAP_OK;
}

int main(int argc, char **argv)
{
  int rank, nprocs;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);

  dap_layout *layout = NULL;
  dap_array array = {0};
  dap_scalapack_matrix a = {0};
  dap_error err = {0};
  dap_status s = dap_agree(MPI_COMM_WORLD, fill(rank, nprocs, &layout, &array, &err), &err);
  const dap_darray operand = {layout, &array};
  if (!s) s = dap_scalapack_get(MPI_COMM_WORLD, operand, DAP_READ, NULL, &a, &err);

  double largest = 0;
  bool shared = false;
  if (!s) {
    const dap_scalapack_int one = 1;
    largest = pdlange_("M", &a.desc[2], &a.desc[3], a.data, &one, &one, a.desc, NULL);
    shared = a.shared && a.data == array.data;
    s = dap_scalapack_restore(&a, &err);
  }
  int good = !s && shared && largest == nprocs;
  MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  if (rank == 0) printf("scalapack: largest %g, status %s %s\n", largest, dap_status_name(s), err.text);

  dap_array_release(&array);
  dap_layout_destroy(&layout);
  MPI_Finalize();
  return !good;
}
