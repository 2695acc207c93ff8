/* A vector's memory as an array's buffer, until the array is released. */
#include "import_impl.h"

#include <stdlib.h>

/* Behind an imported array. */
typedef struct loan {
  Vec vector;
  PetscScalar *memory;
  bool readonly;
} loan;

static PetscErrorCode lend(Vec vector, loan *l)
{
  PetscInt locked = 0;
  (void)(VecLockGet(vector, &locked)); /* an assignment, not a call, in an optimised PETSc */
  l->readonly = locked > 0;
  if (l->readonly)
    PetscCall(VecGetArrayRead(vector, (const PetscScalar **)&l->memory));
  else
    PetscCall(VecGetArray(vector, &l->memory));
  PetscCall(PetscObjectReference((PetscObject)vector));
  l->vector = vector;
  return 0;
}

static PetscErrorCode take_back(loan *l)
{
  if (!l->vector) return 0;
  if (l->readonly)
    PetscCall(VecRestoreArrayRead(l->vector, (const PetscScalar **)&l->memory));
  else
    PetscCall(VecRestoreArray(l->vector, &l->memory));
  PetscCall(VecDestroy(&l->vector));
  return 0;
}

/* After PetscFinalize() there is no vector any more that could be given anything back. */
static void end_loan(loan *l)
{
  PetscBool over = PETSC_FALSE;
  dap_catch caught;
  if (PetscFinalized(&over) || over) return;
  dap_catch_begin(&caught);
  (void)dap_catch_end(&caught, take_back(l), "giving a vector's memory back", NULL);
}

static void release(dap_array *array)
{
  end_loan(array->private_data);
  free(array->private_data);
}

/* Fills *array of the loan, and keeps that with it. */
static dap_status fill(const dap_layout *layout, int rank, const loan *l, dap_array *array, dap_error *err)
{
  static PetscScalar nothing; /* for NULL dap_array_init() would allocate */
  void *memory = l->memory ? l->memory : &nothing;
  loan *kept = malloc(sizeof *kept);
  DAP_REQUIRE(kept, err, DAP_ERR_NOMEM, "no memory for an array");
  const dap_status s = dap_array_init(array, layout, rank, DAP_PETSC_DTYPE, DAP_ORDER_C, memory, err);
  if (s) free(kept);
  if (s) return s;
  *kept = *l;
  array->data = l->memory;
  array->readonly = l->readonly;
  array->private_data = kept;
  array->release = release;
  return DAP_OK;
}

/* What can fail here alone, memory, comes after the loan: the end of a loan is then an end on all processes. */
dap_status dap_loan(Vec vector, const dap_layout *layout, int rank, dap_array *array, dap_error *err)
{
  loan l = {0};
  dap_catch caught;
  dap_catch_begin(&caught);
  dap_status s = dap_catch_end(&caught, lend(vector, &l), "borrowing the vector's memory", err);
  if (!s) s = fill(layout, rank, &l, array, err);
  if (s) end_loan(&l);
  return s;
}

dap_status dap_loan_begin(const void *object, const char *name, dap_array *array, dap_layout **layout,
                          dap_error *err)
{
  if (array) *array = (dap_array){0};
  if (layout) *layout = NULL;
  DAP_REQUIRE(object, err, DAP_ERR_ARG, "%s is NULL", name);
  return DAP_OK;
}

dap_status dap_loan_settle(MPI_Comm comm, dap_status s, dap_layout *made, dap_array *array,
                           dap_layout **layout, dap_error *err)
{
  s = dap_agree(comm, s, err);
  if (s && array) dap_array_release(array);
  if (!s && layout) *layout = dap_layout_retain(made);
  dap_layout_destroy(&made);
  return s;
}
