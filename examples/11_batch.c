/* A batch: inverts each matrix A[:, s, :] of an array with 3 axes, in the array's own buffer, where its rows lie M rows
 * apart. A[:, s, :] is 1 everywhere and s + 1 more on the diagonal, so the norm of its inverse is known. */
#include <dapbridge/linalg.h>
#include <dapbridge/slice.h>
#include <math.h>
#include <stdio.h>
#define CHECK(call) ((call) ? fprintf(stderr, "%s\n", err.text), MPI_Abort(MPI_COMM_WORLD, 1) : 0)
enum { N = 300, M = 3 };

int main(int argc, char **argv)
{
  int rank, ranks[4];
  dap_error err;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const dap_dist cyclic = dap_dist_cyclic(N, 2, 32), slabs = dap_dist_even(M, 1);
  dap_layout *whole, *layout;
  dap_array a, slab;
  CHECK(dap_layout_create(3, (dap_dist[]){cyclic, slabs, cyclic}, &whole, &err));
  CHECK(dap_array_init(&a, whole, rank, DAP_F8, DAP_ORDER_C, NULL, &err));
  for (int64_t e = 0, n = a.shape[2], at[3]; e < dap_array_count(&a); e++) {
    CHECK(dap_layout_globalize(whole, rank, (int64_t[]){e / n / M, e / n % M, e % n}, at, NULL, &err));
    ((double *)a.data)[e] = at[0] == at[2] ? 2.0 + (double)at[1] : 1;
  }
  for (int s = 0; s < M; s++) {
    double norm, known = (s + 2.0 * N - 1) / ((s + 1) * (s + 1 + N));
    dap_linalg_report said;
    CHECK(dap_layout_section(whole, 2, (int[]){0, 2}, (int64_t[]){0, s, 0}, &layout, ranks, &err));
    CHECK(dap_array_section(&a, whole, rank, 2, (int[]){0, 2}, (int64_t[]){0, s, 0}, &slab, &err));
    const dap_operand o = {layout, &slab};
    CHECK(dap_linalg_inverse(MPI_COMM_WORLD, o, &(dap_linalg_options){.report = &said}, &err));
    CHECK(dap_linalg_norm(MPI_COMM_WORLD, 'I', o, &norm, NULL, &err));
    if (rank == 0)
      printf("%d: %d bytes moved, norm %.6f of %.6f\n", s, (int)said.uses[0].moved_bytes, norm, known);
    dap_array_release(&slab), dap_layout_destroy(&layout);
  }
  dap_array_release(&a), dap_layout_destroy(&whole);
  return MPI_Finalize();
}
