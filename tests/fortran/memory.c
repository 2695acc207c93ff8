/* Gives the tests in Fortran the memory in use, and the sizes of C's structs. */
#include <dapbridge/linalg.h>
#include <dapbridge/plan.h>
#include <malloc.h>

int64_t test_memory_in_use(void)
{
  return (int64_t)mallinfo2().uordblks;
}

void test_sizes_of_structs(int64_t sizes[3])
{
  sizes[0] = sizeof(dap_plan_options);
  sizes[1] = sizeof(dap_linalg_options);
  sizes[2] = sizeof(dap_plan_stats);
}

/* The last members show by their places that all members before them are as in C. */
int64_t test_last_of_plan_options(const dap_plan_options *options)
{
  return options->arrays;
}

int64_t test_last_of_linalg_options(const dap_linalg_options *options)
{
  return (int64_t)(intptr_t)options->eigh.backend + 100 * (int64_t)options->svd.solver;
}
