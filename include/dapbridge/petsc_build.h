/* dapbridge/petsc_build.h: which build of PETSc the headers beside this one are compiled with.
 *
 * There is a library of the adapter for each build of PETSc, with real or complex numbers, 32- or 64-bit indices:
 * libdapbridge_petsc_real, _petsc_complex, _petsc64_real, _petsc64_complex. A process can have one of them, since all
 * builds of PETSc define the same symbols. Each library has its own names for the functions, here chosen by
 * PETSc's headers: with those of one build and the library for another a program does not link. */
#ifndef DAPBRIDGE_PETSC_BUILD_H
#define DAPBRIDGE_PETSC_BUILD_H

#include <petscsys.h>

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
