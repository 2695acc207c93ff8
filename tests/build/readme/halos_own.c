/* Runs the program of bridge/docs/halos.md, and checks that its function also describes blocks in 3-D. */
#define main page_main
#include "halos_own.inc"
#undef main

static int check_3d(void)
{
  static double block[(N + 2) * (N + 2) * (N + 2)];
  const int procs[3] = {3, 1, 2};
  for (int rank = 0; rank < 6; rank++) {
    dap_error err;
    dap_layout *layout;
    dap_array u;
    check(describe_layers(3, rank, procs, block, &layout, &u, &err), &err);
    const int is_wrong = u.data != block || u.shape[0] != N + 2 || u.shape[1] != N + 2 || u.shape[2] != N + 2;
    dap_array_release(&u);
    dap_layout_destroy(&layout);
    if (is_wrong) return 1;
  }
  const int many[3] = {MOST + 1, 1, 1};
  return describe_layers(3, 0, many, block, &(dap_layout *){NULL}, &(dap_array){0}, NULL) != DAP_ERR_ARG;
}

int main(int argc, char **argv)
{
  return page_main(argc, argv) || check_3d();
}
