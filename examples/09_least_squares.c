/* Fits a cubic to M measurements that 4 processes have taken, each as many as it could: A (m, n) and B (m,) lie in
 * uneven blocks of rows, X (n,) whole on every process, so that all know the coefficients. */
#include <dapbridge/linalg.h>
#include <math.h>
#include <stdio.h>
#define CHECK(call) ((call) ? fprintf(stderr, "%s\n", err.text), MPI_Abort(MPI_COMM_WORLD, 1) : 0)
enum { M = 1000, N = 4, A = 0, B, X };

int main(int argc, char **argv)
{
  int rank;
  dap_error err;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const dap_dist taken = dap_dist_lengths(M, 4, (int64_t[]){420, 80, 300, 200});
  const dap_dist dists[3][2] = {{taken, dap_dist_even(N, 1)}, {taken}, {dap_dist_whole(N, 4)}};
  dap_layout *layout[3];
  dap_array a[3];
  dap_operand o[3];
  for (int i = A; i <= X; o[i] = (dap_operand){layout[i], &a[i]}, i++) {
    CHECK(dap_layout_create(i == A ? 2 : 1, dists[i], &layout[i], &err));
    CHECK(dap_array_init(&a[i], layout[i], rank, DAP_F8, DAP_ORDER_C, NULL, &err));
  }
  double *power = a[A].data, *y = a[B].data, *x = a[X].data;
  for (int64_t i = 0, at; i < a[B].shape[0]; i++) { /* at time t: y = 1 - 3 t^2 + 2 t^3 and some noise */
    CHECK(dap_layout_globalize(layout[B], rank, &i, &at, NULL, &err));
    const double t = (double)at / M, noise = 1e-3 * sin((double)(at * at));
    for (int k = 0; k < N; k++) power[i * N + k] = pow(t, k);
    y[i] = 1 + t * t * (2 * t - 3) + noise;
  }
  dap_linalg_report said;
  CHECK(dap_linalg_least_squares(MPI_COMM_WORLD, o[A], o[B], o[X], &(dap_linalg_options){.report = &said},
                                 &err));
  for (int i = A; i <= X && rank == 0; i++)
    printf("%s: %s: %s\n", said.uses[i].name, said.uses[i].shared ? "shared" : "moved", said.uses[i].reason);
  if (rank == 0) printf("y = %.2f %+.2f t %+.2f t^2 %+.2f t^3\n", x[0], x[1], x[2], x[3]);
  for (int i = A; i <= X; i++) dap_array_release(&a[i]), dap_layout_destroy(&layout[i]);
  return MPI_Finalize();
}
