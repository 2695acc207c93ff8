/* PETSc's errors as statuses with PETSc's text, and nothing printed; PETSc's own handler back afterwards. */
#include "field_test.h"

#include "petsc_impl.h"

static int other_calls;

static PetscErrorCode other(MPI_Comm comm, int line, const char *function, const char *file,
                            PetscErrorCode code, PetscErrorType type, const char *text, void *context)
{
  (void)comm, (void)line, (void)function, (void)file, (void)type, (void)text, (void)context;
  other_calls++;
  return code;
}

static PetscErrorCode fails(void)
{
  Vec vector;
  PetscCall(VecCreate(PETSC_COMM_SELF, &vector));
  const PetscErrorCode code = VecSetSizes(vector, 5, 3);
  PetscCall(VecDestroy(&vector));
  return code;
}

static PetscErrorCode allocates(void)
{
  char *bytes = NULL;
  PetscCall(PetscMalloc1((size_t)1 << 60, &bytes));
  return PetscFree(bytes);
}

static void catches(void **state)
{
  (void)state;
  dap_error err = {.rank = -1};
  EXPECT(!PetscInitializeNoArguments() && !PetscPushErrorHandler(other, NULL));
  EXPECT_FAIL(DAP_CATCH(fails(), "trying", &err), DAP_ERR_LIBRARY, &err, "trying|VecSetSizes|5|3");
  EXPECT_FAIL(DAP_CATCH(allocates(), "trying", &err), DAP_ERR_NOMEM, &err, "trying|no memory");
  EXPECT_INT(other_calls, 0);
  EXPECT(fails() != 0);
  EXPECT_MSG(other_calls > 0, "the caller's handler is gone");
  EXPECT_OK(DAP_CATCH(0, "trying", &err), &err);
  EXPECT(!PetscPopErrorHandler());
  EXPECT_FAIL(dap_petsc_mpi(MPI_ERR_COMM, "MPI_Try", &err), DAP_ERR_LIBRARY, &err, "MPI_Try");
  EXPECT(!PetscFinalize());
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(catches)};

MPI_TEST_MAIN(tests)
