#include "ghosts.h"

const ghosts_method *const ghosts_methods[] = {
    &ghosts_halo,
    &ghosts_halo_shared,
    &ghosts_hand,
#ifdef BENCH_WITH_PETSC
    &ghosts_vec,
#endif
};
const int ghosts_methods_count = sizeof ghosts_methods / sizeof *ghosts_methods;
