/* Solves A x = b with ScaLAPACK on 4 processes. A (n, n) and b (1, n) are distributed arrays in C order: first in
 * cyclic blocks of 64, which ScaLAPACK takes where they lie, then in uneven blocks of rows. */
#include <dapbridge/scalapack.h>
#include <math.h>
#include <stdio.h>
void pdgetrf_(int *m, int *n, double *a, int *ia, int *ja, int *desca, int *pivots, int *info);
void pdgetrs_(char *op, int *n, int *nrhs, double *a, int *ia, int *ja, int *desca, int *pivots, double *b,
              int *ib, int *jb, int *descb, int *info);

enum { N = 2000, A = 0, B = 1 };
static dap_error err;

static void check(dap_status status)
{
  if (status) fprintf(stderr, "%s\n", err.text), MPI_Abort(MPI_COMM_WORLD, 1);
}

static double entry(int64_t i, int64_t j) /* of A, and with i = N of b: something irregular in [-1, 1] */
{
  return sin((double)(i * N + j) * (double)(i * N + j));
}

static void solve(int rank, dap_dist cut[2][2])
{
  dap_layout *layout[2];
  dap_array array[2];
  dap_scalapack_matrix m[2], *a = &m[A], *b = &m[B];
  const dap_scalapack_options options[2] = {{.square_blocks = true}, {.like = a, .aligned = true}};
  for (int i = A; i <= B; i++) {
    check(dap_layout_create(2, cut[i], &layout[i], &err));
    check(dap_array_init(&array[i], layout[i], rank, DAP_F8, DAP_ORDER_C, NULL, &err));
    for (int64_t k = 0, at[2]; k < dap_array_count(&array[i]); k++) {
      const int64_t local[2] = {k / array[i].shape[1], k % array[i].shape[1]};
      check(dap_layout_globalize(layout[i], rank, local, at, NULL, &err));
      ((double *)array[i].data)[k] = entry(i * N + at[0], at[1]);
    }
    const double start = MPI_Wtime();
    check(dap_scalapack_get(MPI_COMM_WORLD, layout[i], &array[i], DAP_READ_WRITE, &options[i], &m[i], &err));
    const char *how = m[i].shared ? "shared" : "moved";
    if (rank == 0) printf("%c: %s in %.4f s: %s\n", "Ab"[i], how, MPI_Wtime() - start, m[i].reason);
  }
  int n = N, one = 1, info, pivots[N + 64];                  /* LOCr(M) + MB are needed */
  double x[N + 1] = {0}, norm[3] = {0}, start = MPI_Wtime(); /* norms of Ax - b, A, x; x[N]: bytes */
  pdgetrf_(&n, &n, a->data, &one, &one, a->desc, pivots, &info);
  if (info == 0)
    pdgetrs_(&a->op, &n, &one, a->data, &one, &one, a->desc, pivots, b->data, &one, &one, b->desc, &info);
  check(info ? dap_fail(&err, DAP_ERR_LIBRARY, "LU factorisation or solve: info is %d", info) : DAP_OK);
  const double solved = MPI_Wtime();
  for (int i = A; i <= B; i++) check(dap_scalapack_restore(&m[i], &err)); /* array[B] holds x now */
  if (rank == 0) printf("solved in %.4f s, restored in %.4f s\n", solved - start, MPI_Wtime() - solved);
  for (int64_t k = 0, at[2]; k < dap_array_count(&array[B]); k++) {
    check(dap_layout_globalize(layout[B], rank, (int64_t[2]){0, k}, at, NULL, &err));
    x[at[1]] = ((double *)array[B].data)[k];
  }
  x[N] = (double)(a->moved_bytes + b->moved_bytes);
  MPI_Allreduce(MPI_IN_PLACE, x, N + 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < N; i++) {
    double r = -entry(N, i), sum = 0; /* the residual is ||Ax - b|| / (||A|| ||x|| n eps) */
    for (int j = 0; j < N; j++) r += entry(i, j) * x[j], sum += fabs(entry(i, j));
    norm[0] = fmax(norm[0], fabs(r)), norm[1] = fmax(norm[1], sum), norm[2] = fmax(norm[2], fabs(x[i]));
  }
  const double residual = norm[0] / norm[1] / norm[2] / N * 0x1p52;
  if (rank == 0) printf("moved %.0f bytes, residual %.4f\n\n", x[N], residual);
  check(residual <= 10 ? DAP_OK : dap_fail(&err, DAP_ERR_LIBRARY, "the residual exceeds 10"));
  for (int i = A; i <= B; i++) dap_array_release(&array[i]), dap_layout_destroy(&layout[i]);
}

int main(int argc, char **argv)
{
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int64_t rows[4] = {900, 600, 300, 200};
  const dap_dist cyclic = dap_dist_cyclic(N, 2, 64);
  const dap_dist uneven = {.cut = DAP_CUT_LENGTHS, .procs = 4, .size = N, .lengths = rows};
  solve(rank, (dap_dist[2][2]){{cyclic, cyclic}, {dap_dist_cyclic(1, 2, 64), cyclic}});
  solve(rank, (dap_dist[2][2]){{uneven, dap_dist_even(N, 1)}, {dap_dist_even(1, 1), uneven}});
  MPI_Finalize();
}
