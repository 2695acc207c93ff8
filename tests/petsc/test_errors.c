/* PETSc's errors become statuses with PETSc's text, and nothing is printed. Afterwards PETSc's own handler
 * is active again. Private: DAP_CATCH() catches errors that no view meets. */
#include "live.h"

#include <dapbridge/petsc_vector.h>

#include "petsc_impl.h"
#include "petsc_versions.h"

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
  SETTLE();
}

/* ---- one within another ------------------------------------------------------------------------------ */

static PetscErrorCode (*usual_malloc)(size_t, PetscBool, int, const char[], const char[], void **);
static int refused;

/* PETSc allocates memory when it destroys a vector, and leaves the vector behind if there is none. */
static PetscErrorCode no_handler(size_t size, PetscBool clear, int line, const char function[],
                                 const char file[], void **memory)
{
  if (strcmp(function, "PetscPushErrorHandler") != 0)
    return usual_malloc(size, clear, line, function, file, memory);
  *memory = NULL;
  refused++;
  return PETSC_ERR_MEM;
}

/* Destroys an object of the program. It releases an array, which catches PETSc's errors. */
static PetscErrorCode releases(dap_context_arg arg)
{
  dap_array_release(dap_context_of(arg));
  return 0;
}

/* Catches an error where there is no memory for another handler. */
static PetscErrorCode releases_without_memory(dap_context_arg arg)
{
  usual_malloc = PetscTrMalloc;
  PetscTrMalloc = no_handler;
  dap_array_release(dap_context_of(arg));
  PetscTrMalloc = usual_malloc;
  return 0;
}

/* The error comes before the vector is destroyed, which also destroys the objects composed with it. */
static PetscErrorCode fails_before(Vec *vector)
{
  const PetscErrorCode code = fails(), last = VecDestroy(vector);
  return code ? code : last;
}

static PetscErrorCode fails_after(Vec *vector)
{
  const PetscErrorCode code = VecDestroy(vector), last = fails();
  return code ? code : last;
}

static Vec make_vector(dap_context_end *end, dap_array *array)
{
  Vec lent = NULL, vector = NULL;
  PetscContainer container = NULL;
  dap_error err;
  EXPECT(!VecCreateMPI(MPI_COMM_WORLD, 3, PETSC_DETERMINE, &lent));
  EXPECT(!VecCreateMPI(MPI_COMM_WORLD, 3, PETSC_DETERMINE, &vector));
  EXPECT_OK(dap_petsc_vector_import(lent, array, NULL, &err), &err);
  EXPECT(!PetscContainerCreate(PETSC_COMM_SELF, &container) && !PetscContainerSetPointer(container, array));
  EXPECT(!PetscContainerSetCtxDestroy(container, end));
  EXPECT(!PetscObjectCompose((PetscObject)vector, "array", (PetscObject)container));
  EXPECT(!PetscContainerDestroy(&container) && !VecDestroy(&lent));
  return vector;
}

static void catches_within(void **state)
{
  (void)state;
  static const struct {
    const char *why;
    dap_context_end *end;
    PetscErrorCode (*fails)(Vec *vector);
  } rows[] = {
      {"an error before the inner catch", releases, fails_before},
      {"an error after it", releases, fails_after},
      {"an error before an inner catch without memory", releases_without_memory, fails_before},
      {"an error after it", releases_without_memory, fails_after},
  };
  dap_error err = {.rank = -1};
  dap_array array;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    TEST_CASE("%s", rows[i].why);
    Vec vector = make_vector(rows[i].end, &array);
    EXPECT(!PetscPushErrorHandler(other, NULL));
    other_calls = refused = 0;
    EXPECT_FAIL(DAP_CATCH(rows[i].fails(&vector), "trying", &err), DAP_ERR_LIBRARY, &err,
                "trying|VecSetSizes|5|3");
    EXPECT(!array.release && (refused > 0) == (rows[i].end == releases_without_memory));
    EXPECT_INT(other_calls, 0);
    EXPECT(fails() != 0);
    EXPECT_MSG(other_calls > 0, "the caller's handler is gone");
    EXPECT(!PetscPopErrorHandler());
    SETTLE();
  }
}

/* An inner error keeps its own text, and is not reported as the outer error. */
static PetscErrorCode catches_and_fails(dap_error *inner)
{
  EXPECT_FAIL(DAP_CATCH(allocates(), "within", inner), DAP_ERR_NOMEM, inner, "within|no memory");
  return fails();
}

static void tells_apart(void **state)
{
  (void)state;
  dap_error err = {.rank = -1}, inner = {.rank = -1};
  EXPECT_FAIL(DAP_CATCH(catches_and_fails(&inner), "trying", &err), DAP_ERR_LIBRARY, &err,
              "trying|VecSetSizes|5|3");
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(catches),
    cmocka_unit_test(catches_within),
    cmocka_unit_test(tells_apart),
    cmocka_unit_test(petsc_ends),
};

MPI_TEST_MAIN(tests)
