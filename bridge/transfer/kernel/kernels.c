/* Has the sets of copy kernels, and chooses among them. It chooses at each call, so that nothing is kept. */
#include "kernel_sets.h"

static bool is_usable(void)
{
  return true;
}

/* Nothing is streamed, and a release orders all plain stores on every processor. */
static void fence(void)
{
}

static const dap_moves no_moves = {0};
static const dap_kernels plain = {"plain", is_usable, fence, &no_moves};

const dap_kernels *const *dap_kernels_all(void)
{
  static const dap_kernels *const all[] = {
#ifdef DAP_KERNELS_X86
      &dap_kernels_avx512,
      &dap_kernels_avx2,
#endif
      &plain,
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
