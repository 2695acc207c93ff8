#include "ghosts.h"

const ghosts_method ghosts_methods[] = {
    {.name = "halo",
     .about = "dap_plan_run() of a halo plan, or a reverse one",
     .create = ghosts_halo_create,
     .run = ghosts_halo_run,
     .destroy = ghosts_halo_destroy},
    {.name = "halo_shared",
     .about = "the same, the array from dap_array_alloc()",
     .create = ghosts_halo_shared_create,
     .run = ghosts_halo_run,
     .destroy = ghosts_halo_destroy},
    {.name = "hand",
     .about = "by hand, MPI_Isend and MPI_Irecv",
     .is_peer = true,
     .create = ghosts_hand_create,
     .run = ghosts_hand_run,
     .destroy = ghosts_hand_destroy},
#ifdef BENCH_WITH_PETSC
    {.name = "vecghost",
     .about = "VecGhostUpdateBegin() and End(), either way",
     .is_peer = true,
     .applies = ghosts_vec_applies,
     .create = ghosts_vec_create,
     .run = ghosts_vec_run,
     .destroy = ghosts_vec_destroy},
#endif
};
const int ghosts_methods_count = sizeof ghosts_methods / sizeof *ghosts_methods;
