/**
 * @file
 * Facts about the build of this library, for bug reports.
 *
 * The keys of dap_build_info() are:
 *
 *     version       version of dapbridge
 *     build_type    "Release"
 *     compiler      C compiler, "GNU 12.2.0"
 *     hardened      hardening of the binaries, or "no" (reliability.md)
 *     system        "Linux x86_64"
 *     mpi           MPI whose mpi.h was used, "Open MPI 4.1.4 (MPI 3.1)"
 *     scalapack     "2.2.1 (scalapack-openmpi), 32-bit integers"
 *     blas          BLAS that ScaLAPACK used at build time; a program may load another one
 *     petsc         each build, "3.18.5 (real); 3.18.5 (64_complex)"
 *     elpa          "2022.11.001 (elpa)"
 *     hdf5          "1.10.8 (hdf5-openmpi)"
 *     python        version of Python for which the package was built, "3.11.2"
 *     fortran       Fortran compiler, "GNU 12.2.0, PETSc's modules (real)"
 *     command       JSON library of the `dapbridge` command, "jansson 2.14"
 *     kernels       kernels that copy elements on this processor: "avx512", "avx2" or "plain"
 *
 * If a component was not built, the value of its key is "no". Adapters, such as those for PETSc and ELPA, are
 * separate libraries. The keys for adapters describe the adapters that were configured together with this
 * library, even if these adapters are not installed or loaded. No value contains a time or a path, so that
 * builds can be reproducible.
 */
#ifndef DAPBRIDGE_BUILD_INFO_H
#define DAPBRIDGE_BUILD_INFO_H

#include <dapbridge/status.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Writes facts about the build of this library to `text`.
 *
 * Like snprintf(), the function truncates text that does not fit. The function does not use MPI. Not
 * collective.
 *
 * @param key       a key that the top of this header lists; NULL means all keys, as lines "key: value"
 * @param text      receives the value, or "" for an unknown key; may be NULL if `capacity` is 0
 * @param capacity  size of `text` in bytes
 * @return length of the full text, without the NUL
 */
DAP_API size_t dap_build_info(const char *key, char *text, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
