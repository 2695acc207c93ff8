/* Solves A x = b on 4 processes, A (n, n) and b (n, 1) distributed arrays in C order: first in cyclic blocks over
 * 2 x 2, where ScaLAPACK computes in these very buffers, then in uneven blocks of rows, which are moved. */
#include <dapbridge/linalg.h>
#include <math.h>
#include <stdio.h>
#define CHECK(call) ((call) ? fprintf(stderr, "%s\n", err.text), MPI_Abort(MPI_COMM_WORLD, 1) : 0)
enum { N = 2000, A = 0, X, A2, R }; /* A: work space; b, which becomes x; A again; b, which becomes b - A x */

int main(int argc, char **argv)
{
  int rank;
  dap_error err;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int p = 2; p >= 1; p--) {
    const dap_dist uneven = dap_dist_lengths(N, 4, (int64_t[]){900, 600, 300, 200});
    const dap_dist rows = p == 2 ? dap_dist_cyclic(N, 2, 64) : uneven;
    dap_layout *layout[4];
    dap_array a[4];
    dap_operand o[4];
    for (int i = A; i <= R; o[i] = (dap_operand){layout[i], &a[i]}, i++) {
      const dap_dist columns = dap_dist_cyclic(i % 2 ? 1 : N, p, 64);
      CHECK(dap_layout_create(2, (dap_dist[]){rows, columns}, &layout[i], &err));
      CHECK(dap_array_init(&a[i], layout[i], rank, DAP_F8, DAP_ORDER_C, NULL, &err));
      for (int k = 0; k < dap_array_count(&a[i]); k++) ((double *)a[i].data)[k] = sin(1.0 * k * k + rank);
    }
    double norm[4], one[2] = {1, 0}, minus[2] = {-1, 0}, seconds = -MPI_Wtime();
    dap_linalg_report report;
    CHECK(dap_linalg_solve(MPI_COMM_WORLD, 'N', o[A], o[X], &(dap_linalg_options){.report = &report}, &err));
    seconds += MPI_Wtime();
    CHECK(dap_linalg_multiply(MPI_COMM_WORLD, 'N', 'N', minus, o[A2], o[X], one, o[R], NULL, &err));
    for (int i = X; i <= R; i++) CHECK(dap_linalg_norm(MPI_COMM_WORLD, 'I', o[i], &norm[i], NULL, &err));
    for (int i = 0; i < report.count && rank == 0; i++)
      printf("%c: %s: %s\n", "Ab"[i], report.uses[i].shared ? "shared" : "moved", report.uses[i].reason);
    if (rank == 0) printf("%.3f s, residual %.4f\n\n", seconds, norm[R] / (norm[A2] * norm[X] * N * 0x1p-52));
    for (int i = A; i <= R; i++) dap_array_release(&a[i]), dap_layout_destroy(&layout[i]);
  }
  return MPI_Finalize();
}
