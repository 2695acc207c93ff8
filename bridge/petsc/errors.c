/* Turns foreign error codes into statuses with a text, and checks whether PETSc is running. */
#include "petsc_impl.h"

#include <stdio.h>
#include <string.h>

dap_status dap_petsc_mpi(int code, const char *what, dap_error *err)
{
  if (code == MPI_SUCCESS) return DAP_OK;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) text[0] = '\0';
  return dap_fail(err, DAP_ERR_LIBRARY, "%s: %.300s", what, text);
}

/* There is one for the process, because PETSc has one stack of handlers. */
static dap_caught *innermost;

/* PETSc 3.18 exchanges the line and the error number if it runs out of memory. */
static bool is_out_of_memory(const char *function, int line, PetscErrorCode code)
{
  const bool allocates = function && !strcmp(function, "PetscMallocAlign");
  return code == PETSC_ERR_MEM || (allocates && line == PETSC_ERR_MEM);
}

/* Keeps the text of an error. PETSc calls this for each function that the error passes through, first with
 * the text. */
static PetscErrorCode keep(MPI_Comm comm, int line, const char *function, const char *file,
                           PetscErrorCode code, PetscErrorType type, const char *text, void *context)
{
  dap_caught *caught = innermost;
  (void)comm, (void)file, (void)context;
  if (!caught || type != PETSC_ERROR_INITIAL || caught->text[0]) return code;
  caught->no_memory = is_out_of_memory(function, line, code);
  (void)snprintf(caught->text, sizeof caught->text, "%s: %s", function ? function : "PETSc",
                 text ? text : "");
  for (char *c = caught->text; *c; c++)
    if (*c == '\n') *c = ' ';
  return code;
}

/* Without memory for the handler PETSc prints the error, or the outer handler keeps it. */
void dap_catch_begin(dap_caught *caught)
{
  caught->outer = innermost;
  innermost = caught;
  caught->pushed = PetscPushErrorHandler(keep, NULL) == 0;
  caught->no_memory = false;
  caught->text[0] = '\0';
}

dap_status dap_catch_end(PetscErrorCode code, const char *what, dap_error *err)
{
  const dap_caught *caught = innermost;
  const PetscErrorCode pop = caught->pushed ? PetscPopErrorHandler() : 0;
  innermost = caught->outer;
  if (code == 0) code = pop;
  DAP_REQUIRE(code == 0 || !caught->no_memory, err, DAP_ERR_NOMEM, "%s: PETSc has no memory: %s", what,
              caught->text);
  DAP_REQUIRE(code == 0, err, DAP_ERR_LIBRARY, "%s: PETSc error %d: %s", what, (int)code, caught->text);
  return DAP_OK;
}

dap_status dap_petsc_is_here(dap_error *err)
{
  PetscBool over = PETSC_FALSE;
  DAP_REQUIRE(PetscFinalized(&over) == 0 && !over, err, DAP_ERR_LIBRARY, "PETSc has been finalised");
  return DAP_OK;
}

/* The program starts PETSc, because it has the options and chooses PETSC_COMM_WORLD. A second
 * PetscInitialize() does nothing. */
dap_status dap_petsc_is_started(dap_error *err)
{
  PetscBool up = PETSC_FALSE;
  DAP_REQUIRE(DAP_PETSC_DTYPE != DAP_NONE, err, DAP_ERR_BUFFER,
              "no array has elements of PetscScalar's type");
  DAP_TRY(dap_petsc_is_here(err));
  DAP_REQUIRE(PetscInitialized(&up) == 0 && up, err, DAP_ERR_LIBRARY,
              "PETSc is not initialised: call PetscInitialize() first");
  return DAP_OK;
}
