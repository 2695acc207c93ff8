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
 *     mpi           MPI of the headers, "Open MPI 4.1.4 (MPI 3.1)"
 *     scalapack     "2.2.1 (scalapack-openmpi), 32-bit integers"
 *     blas          BLAS that ScaLAPACK used at build time; a program may load another one
 *     petsc         each build, "3.18.5 (real); 3.18.5 (64_complex)"
 *     elpa          "2022.11.001 (elpa)"
 *     hdf5          "1.10.8 (hdf5-openmpi)"
 *     python, fortran, command
 *     kernels       kernels that copy elements on this processor: "avx512", "avx2" or "plain"
 *
 * "no" stands for a part that was not built. Adapters are separate libraries. The text names the adapters
 * that were configured together with this library. It does not say whether they are installed or loaded. The
 * text contains no times or paths, so that the same sources make the same library everywhere.
 */
#ifndef DAPBRIDGE_BUILD_INFO_H
#define DAPBRIDGE_BUILD_INFO_H

#include <dapbridge/status.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Writes facts about the build of this library.
 *
 * Like snprintf(), the function writes at most `capacity` bytes, the final NUL included. It does not use MPI
 * and cannot fail. Not collective.
 *
 * @param key       one key from the list at the top of this header; NULL means all, as lines "key: value"
 * @param text      receives the value, or nothing for an unknown key; NULL if `capacity` is 0
 * @param capacity  bytes of `text`
 * @return length of the full text, without the NUL
 */
DAP_API size_t dap_build_info(const char *key, char *text, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
