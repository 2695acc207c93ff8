/**
 * @file
 * Defines the names of the PETSc adapter's functions for each build of PETSc.
 *
 * A build of PETSc has real or complex scalars, and 32- or 64-bit indices. The adapter has a separate library
 * for each build: libdapbridge_petsc_real, _petsc_complex, _petsc64_real, _petsc64_complex. A process can use
 * only one of these libraries, because all builds of PETSc define the same symbols. Each function has a
 * different name in each library. This header chooses the names according to the macros of PETSc's headers.
 * So a program that was compiled with the headers of one build does not link with the library for another
 * build.
 */
#ifndef DAPBRIDGE_PETSC_BUILD_H
#define DAPBRIDGE_PETSC_BUILD_H

#include <petscsys.h>

/**
 * @def DAP_PETSC_NAME(name)
 * The symbol of the function dap_petsc_NAME() in the library for this build of PETSc.
 *
 * @param name  name of a function without the prefix dap_petsc_
 */
#if defined(PETSC_USE_COMPLEX) && defined(PETSC_USE_64BIT_INDICES)
#define DAP_PETSC_NAME(name) dap_petsc64_complex_##name
#elif defined(PETSC_USE_COMPLEX)
#define DAP_PETSC_NAME(name) dap_petsc_complex_##name
#elif defined(PETSC_USE_64BIT_INDICES)
#define DAP_PETSC_NAME(name) dap_petsc64_real_##name
#else
#define DAP_PETSC_NAME(name) dap_petsc_real_##name
#endif

#endif
