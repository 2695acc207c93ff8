/* Where PETSc 3.18 to 3.25 differ in what is used here. No other file asks for PETSc's version. The changes
 * are those of PETSc's doc/changes/<version>.md. What needs no version: `void (*)(void)` is what
 * MatSetOperation() has always wanted (since 3.24 by the name PetscErrorCodeFn *), and a function with the
 * arguments that PETSc passes needs no cast to a type whose name has changed. */
#ifndef DAP_PETSC_VERSIONS_H
#define DAP_PETSC_VERSIONS_H

#include <petscsys.h>

/* The destructor of a context, as dap_context_end: MatShellSetContextDestroy(), PetscContainerSetCtxDestroy().
 * What it is called with leads to the context by dap_context_of(). Up to 3.22 it is the context; since 3.23
 * (PetscCtxDestroyFn) the address of a pointer to it, which in 3.23 and 3.24 is a void ** and in 3.25
 * (PetscCtxRt) a void * again: there no compiler notices a destructor that takes it for the context. */
#if PETSC_VERSION_LT(3, 23, 0)
typedef void *dap_context_arg;
typedef PetscErrorCode dap_context_end(dap_context_arg arg);
#define PetscContainerSetCtxDestroy PetscContainerSetUserDestroy /* deprecated in 3.23 */
#else
#if PETSC_VERSION_LT(3, 25, 0)
typedef void **dap_context_arg;
#else
typedef PetscCtxRt dap_context_arg;
#endif
typedef PetscCtxDestroyFn dap_context_end;
#endif

static inline void *dap_context_of(dap_context_arg arg)
{
#if PETSC_VERSION_LT(3, 23, 0)
  return arg;
#else
  return *(void **)arg;
#endif
}

#endif
