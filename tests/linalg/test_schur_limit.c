/* Matrices are too large for one process. dap_linalg_schur() and dap_linalg_eig() must name the limit, and
 * what to use instead. No buffer is read or written: A has one element in memory, and W has less than its
 * layout says. */
#include "mpi_test.h"

#include <dapbridge/linalg_schur.h>
#include <dapbridge/scalapack.h>

/* NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): the linker's names */
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);

/* Allocates the library's own memory, but no piece of more than a GiB. */
void *__wrap_calloc(size_t count, size_t size)
{
  enum { LARGEST = 1 << 30 };
  return size > 0 && count > LARGEST / size ? NULL : __real_calloc(count, size);
}
/* NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */

static const struct {
  const char *why;
  int64_t n;
  dap_dtype dtype, wide;
  bool lp64; /* only with ScaLAPACK's integers of 32 bits */
  dap_status status;
  const char *parts;
} rows[] = {
    {"one row too many", 46341, DAP_F4, DAP_C8, true, DAP_ERR_RANGE, "46341 rows|can have 46340|SLEPc"},
    {"one row too many, complex", 46341, DAP_C16, DAP_C16, true, DAP_ERR_RANGE, "can have 46340|SLEPc"},
    {"many", 1000000, DAP_F8, DAP_C16, true, DAP_ERR_RANGE, "1000000 rows|can have 46340|SLEPc"},
    {"the most, and no memory", 46340, DAP_F8, DAP_C16, true, DAP_ERR_NOMEM, "46340 x 46340|SLEPc"},
    {"no memory", 20000, DAP_F8, DAP_C16, false, DAP_ERR_NOMEM, "rank 0|20000 x 20000|SLEPc"},
};

typedef struct operand {
  dap_layout *layout;
  dap_array array;
} operand;

static dap_darray make(operand *o, int ndim, int64_t n, dap_dtype dtype)
{
  static double memory[4]; /* A's element, and the first one of W */
  const dap_dist dists[2] = {dap_dist_even(n, test_nprocs()), dap_dist_local(n)};
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(ndim, dists, &o->layout, &err), &err);
  EXPECT_OK(
      dap_array_init(&o->array, o->layout, test_rank(), dtype, DAP_ORDER_C, &memory[ndim == 2 ? 0 : 2], &err),
      &err);
  return (dap_darray){o->layout, &o->array};
}

static void free_operand(operand *o)
{
  dap_array_release(&o->array);
  dap_layout_destroy(&o->layout);
}

static void too_large(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    if (rows[i].lp64 && sizeof(dap_scalapack_int) != 4) continue;
    for (int is_eig = 0; is_eig < 2; is_eig++) {
      TEST_CASE("%s, %s", rows[i].why, is_eig ? "eig" : "schur");
      const dap_darray none = {0};
      operand a = {0}, w = {0};
      const dap_darray matrix = make(&a, 2, rows[i].n, rows[i].dtype),
                       values = make(&w, 1, rows[i].n, rows[i].wide);
      a.array.strides[0] = a.array.strides[1] = 0;
      dap_error err = {0};
      const dap_status status =
          is_eig ? dap_linalg_eig(MPI_COMM_WORLD, matrix, values, none, NULL, &err)
                 : dap_linalg_schur(MPI_COMM_WORLD, matrix, none, none, values, NULL, &err);
      expect_same_error(MPI_COMM_WORLD, status, &err, rows[i].status, rows[i].parts);
      free_operand(&w), free_operand(&a);
      SETTLE();
    }
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(too_large)};
MPI_TEST_MAIN(tests)
