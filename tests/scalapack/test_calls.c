/* Calls routines as programs of ScaLAPACK do, with the prototypes of scalapack_calls.h. */
#include "mpi_test.h"

#include <dapbridge/scalapack_calls.h>

enum { M = 7, N = 5, MB = 2, NB = 3 };

static void a_program_of_its_own(void **state)
{
  (void)state;
  const dap_scalapack_int one = 1, m = M, n = N, mb = MB, nb = NB, zero = 0, cols = 1;
  dap_scalapack_int number, procs, context, row, col, nprow, npcol, info;
  Cblacs_pinfo(&number, &procs);
  EXPECT(number == test_rank() && procs == test_nprocs());
  context = Csys2blacs_handle(MPI_COMM_WORLD);
  const dap_scalapack_int handle = context;
  Cblacs_gridinit(&context, "Row", procs, cols);
  Cfree_blacs_system_handle(handle);
  Cblacs_gridinfo(context, &nprow, &npcol, &row, &col);
  EXPECT(nprow == procs && npcol == 1 && row == number && col == 0);
  EXPECT_INT(Cblacs_pnum(context, row, col), number);
  Cblacs_pcoord(context, number, &row, &col);
  EXPECT(row == number && col == 0);

  const dap_scalapack_int rows = numroc_(&m, &mb, &row, &zero, &nprow), lld = rows > 0 ? rows : 1;
  dap_scalapack_int desc[9];
  double a[M * N] = {0};
  descinit_(desc, &m, &n, &mb, &nb, &zero, &zero, &context, &lld, &info);
  EXPECT(info == 0 && desc[2] == M && desc[3] == N && desc[4] == MB && desc[5] == NB && desc[8] == lld);
  for (dap_scalapack_int i = 1; i <= M; i++)
    for (dap_scalapack_int j = 1; j <= N; j++) {
      const double value = (double)(10 * i + j);
      pdelset_(a, &i, &j, desc, &value);
      if (indxg2p_(&i, &mb, &zero, &zero, &nprow) != row) continue;
      const dap_scalapack_int local = indxg2l_(&i, &mb, &zero, &zero, &nprow);
      EXPECT(a[(j - 1) * lld + local - 1] == value);
      EXPECT_INT(indxl2g_(&local, &mb, &row, &zero, &nprow), i);
    }
  double last = 0, sum = (double)number;
  pdelget_("All", " ", &last, a, &m, &n, desc);
  EXPECT(last == 10 * M + N);
  Cdgsum2d(context, "All", " ", 1, 1, &sum, 1, -1, 0);
  EXPECT(sum == (double)(procs * (procs - 1) / 2));
  dap_scalapack_int told = number == 0 ? 42 : 0;
  if (number == 0) Cigebs2d(context, "All", " ", one, one, &told, one);
  if (number != 0) Cigebr2d(context, "All", " ", one, one, &told, one, 0, 0);
  EXPECT_INT(told, 42);
  if (number == 0 && procs > 1) Cdgesd2d(context, 1, 1, &last, 1, 1, 0);
  if (number == 1) Cdgerv2d(context, 1, 1, &sum, 1, 0, 0);
  if (number == 1) EXPECT(sum == last);
  Cblacs_barrier(context, "All");
  Cblacs_gridexit(context);
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(a_program_of_its_own)};

MPI_TEST_MAIN(tests)
