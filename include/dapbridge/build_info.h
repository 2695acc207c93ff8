/* dapbridge/build_info.h: what this library was built with, for reports of bugs. */
#ifndef DAPBRIDGE_BUILD_INFO_H
#define DAPBRIDGE_BUILD_INFO_H

#include <dapbridge/status.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes what this library was built with to `text` of `capacity` bytes; as dap_layout_describe(). It takes
 * no MPI, not even one that has been started, and cannot fail. Not collective.
 *
 * key NULL: all, a line "key: value" each; else the value of that key, and no text for a key that there is
 * not. The keys are
 *     version     of dapbridge                         build_type   "Release"
 *     compiler    of C, "GNU 12.2.0"                   hardened     by what, or "no" (reliability.md)
 *     system      "Linux x86_64"                       python, fortran, command
 *     mpi         of the headers, "Open MPI 4.1.4 (MPI 3.1)"
 *     scalapack   "2.2.1 (scalapack-openmpi), 32-bit integers"
 *     blas        that ScaLAPACK had then: another one may be loaded now
 *     petsc       each build, "3.18.5 (real); 3.18.5 (64_complex)"
 *     elpa        "2022.11.001 (elpa)"
 *     hdf5        "1.10.8 (hdf5-openmpi)"
 *     kernels     that copy elements on this processor: "avx512", "avx2" or "plain"
 * "no" stands for what was left out. The adapters are libraries of their own: the text says what was
 * configured with this one, not what is installed or loaded. It has no times and no paths, so that the same
 * sources give the same library anywhere. */
DAP_API size_t dap_build_info(const char *key, char *text, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
