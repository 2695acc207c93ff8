/* Hides differences between PETSc 3.18 and 3.25 in functions that are used here, by PETSc's
 * doc/changes/<version>.md. No other file asks for PETSc's version. */
#ifndef DAP_PETSC_VERSIONS_H
#define DAP_PETSC_VERSIONS_H

#include <petscsys.h>

/* The destructor of a context, dap_context_end, for MatShellSetContextDestroy() and
 * PetscContainerSetCtxDestroy(). dap_context_of() finds the context from its argument. Up to 3.22, the
 * argument is the context itself. Since 3.23 (PetscCtxDestroyFn) it is the address of a pointer to the
 * context: a void ** in 3.23 and 3.24, and a void * again in 3.25 (PetscCtxRt). So no compiler notices code
 * that takes it for the context. */
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

/* For tests. PETSc calls `made` for each object that it makes from now on, and `gone` for each one that it
 * destroys. From 3.20 on, a log handler makes these calls. */
static inline PetscErrorCode dap_watch_objects(PetscErrorCode (*made)(PetscObject),
                                               PetscErrorCode (*gone)(PetscObject))
{
#if PETSC_VERSION_LT(3, 20, 0)
  PetscLogPHC = made;
  PetscLogPHD = gone;
  return 0;
#else
  return PetscLogLegacyCallbacksBegin(NULL, NULL, made, gone);
#endif
}

#endif
