/* How N equal masses on a string swing: the eigenvalues W of the stiffness K are the squared frequencies, Z's columns
 * the shapes. K lies in cyclic blocks, the first of them not on process 0; W and Z are whole on every process. */
#include <dapbridge/linalg.h>
#include <math.h>
#include <stdio.h>
#define CHECK(call) ((call) ? fprintf(stderr, "%s\n", err.text), MPI_Abort(MPI_COMM_WORLD, 1) : 0)
enum { N = 300, K = 0, W, Z };

int main(int argc, char **argv)
{
  int rank;
  dap_error err;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const dap_dist cut = {DAP_CUT_CYCLIC, 2, N, .block_size = 32, .first_owner = 1}, all = dap_dist_whole(N, 4);
  const dap_dist dists[3][2] = {{cut, cut}, {all}, {all, dap_dist_even(N, 1)}};
  dap_layout *layout[3];
  dap_array a[3];
  dap_operand o[3];
  for (int i = K; i <= Z; o[i] = (dap_operand){layout[i], &a[i]}, i++) {
    CHECK(dap_layout_create(i == W ? 1 : 2, dists[i], &layout[i], &err));
    CHECK(dap_array_init(&a[i], layout[i], rank, DAP_F8, DAP_ORDER_C, NULL, &err));
  }
  double *k = a[K].data, *w = a[W].data, *z = a[Z].data, angle = acos(-1) / (N + 1), dw = 0, dz = 0;
  for (int64_t e = 0, n = a[K].shape[1], at[2]; e < dap_array_count(&a[K]); e++) { /* springs to both sides */
    CHECK(dap_layout_globalize(layout[K], rank, (int64_t[]){e / n, e % n}, at, NULL, &err));
    k[e] = at[0] == at[1] ? 2 : fabs((double)(at[0] - at[1])) == 1 ? -1 : 0;
  }
  dap_linalg_report said;
  CHECK(dap_linalg_eigh(MPI_COMM_WORLD, 'L', o[K], o[W], o[Z], &(dap_linalg_options){.report = &said}, &err));
  for (int i = K; i <= Z && rank == 0; i++)
    printf("%c: %s: %s\n", "KWZ"[i], said.uses[i].shared ? "shared" : "moved", said.uses[i].reason);
  for (int j = 0; j < N; j++) dw = fmax(dw, fabs(w[j] - 2 + 2 * cos((j + 1) * angle)));
  for (int e = 0; e < N * N; e++) /* row e / N, shape e % N, which may be upside down */
    dz = fmax(dz, fabs(fabs(z[e]) - fabs(sin((e / N + 1) * (e % N + 1) * angle)) / sqrt((N + 1) / 2.)));
  if (rank == 0) printf("largest error: W %.0e, Z %.0e\n", dw, dz);
  for (int i = K; i <= Z; i++) dap_array_release(&a[i]), dap_layout_destroy(&layout[i]);
  return MPI_Finalize();
}
