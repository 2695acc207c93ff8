#include "redistribute.h"

/* Methods, in the order of the tables. */
const bench_method *const bench_methods[] = {
    &bench_nt_copy,       &bench_dap_alloc, &bench_dap_malloc,
    &bench_pack_isend,    &bench_alltoallw, &bench_neighbor,
#ifdef BENCH_WITH_SCALAPACK
    &bench_gemr2d_dropin, &bench_gemr2d,
#endif
#ifdef BENCH_WITH_PETSC
    &bench_vecscatter,    &bench_dmda,
#endif
#ifdef BENCH_WITH_FFTW
    &bench_fftw,
#endif
};
const int bench_methods_count = sizeof bench_methods / sizeof *bench_methods;
