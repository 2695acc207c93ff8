/* The sets of copy kernels, and the choice among them. It is made when it is asked for, so that nothing is
 * kept. */
#include "kernel_sets.h"

const dap_kernels *const *dap_kernels_all(void)
{
  static const dap_kernels *const all[] = {
#ifdef DAP_KERNELS_X86
      &dap_kernels_avx512,
      &dap_kernels_avx2,
#endif
      &dap_kernels_plain,
      NULL,
  };
  return all;
}

const dap_kernels *dap_kernels_best(void)
{
  const dap_kernels *const *set = dap_kernels_all();
  while (!(*set)->is_usable()) set++;
  return *set;
}
