/* A vector's memory as an array's buffer, until the array is released. */
#include "import_impl.h"

#include <stdlib.h>

/* Behind an imported array. */
typedef struct got_array {
  Vec vector;
  PetscScalar *memory;
  bool readonly;
} got_array;

static PetscErrorCode get(Vec vector, got_array *g)
{
  PetscInt locked = 0;
  (void)(VecLockGet(vector, &locked)); /* an assignment, not a call, in an optimised PETSc */
  g->readonly = locked > 0;
  if (g->readonly)
    PetscCall(VecGetArrayRead(vector, (const PetscScalar **)&g->memory));
  else
    PetscCall(VecGetArray(vector, &g->memory));
  PetscCall(PetscObjectReference((PetscObject)vector));
  g->vector = vector;
  return 0;
}

static PetscErrorCode restore(got_array *g)
{
  if (!g->vector) return 0;
  if (g->readonly)
    PetscCall(VecRestoreArrayRead(g->vector, (const PetscScalar **)&g->memory));
  else
    PetscCall(VecRestoreArray(g->vector, &g->memory));
  PetscCall(VecDestroy(&g->vector));
  return 0;
}

/* After PetscFinalize() there is no vector any more that could be given anything back. */
static void end(got_array *g)
{
  PetscBool over = PETSC_FALSE;
  if (PetscFinalized(&over) || over) return;
  (void)DAP_CATCH(restore(g), "restoring a vector's memory", NULL);
}

static void release(dap_array *array)
{
  end(array->private_data);
  free(array->private_data);
}

/* Fills *array, which keeps what was got. */
static dap_status fill(const dap_layout *layout, int rank, const got_array *g, dap_array *array,
                       dap_error *err)
{
  static PetscScalar nothing; /* for NULL dap_array_init() would allocate */
  void *memory = g->memory ? g->memory : &nothing;
  got_array *kept = malloc(sizeof *kept);
  DAP_REQUIRE(kept, err, DAP_ERR_NOMEM, "no memory for an array");
  const dap_status s = dap_array_init(array, layout, rank, DAP_PETSC_DTYPE, DAP_ORDER_C, memory, err);
  if (s) free(kept);
  if (s) return s;
  *kept = *g;
  array->data = g->memory;
  array->readonly = g->readonly;
  array->private_data = kept;
  array->release = release;
  return DAP_OK;
}

/* What can fail here alone, memory, comes after the memory was got: it is then restored on all processes. */
dap_status dap_import_vec(Vec vector, const dap_layout *layout, int rank, dap_array *array, dap_error *err)
{
  got_array g = {0};
  dap_status s = DAP_CATCH(get(vector, &g), "getting the vector's memory", err);
  if (!s) s = fill(layout, rank, &g, array, err);
  if (s) end(&g);
  return s;
}

dap_status dap_import_begin(const void *object, const char *name, dap_array *array, dap_layout **layout,
                            dap_error *err)
{
  if (array) *array = (dap_array){0};
  if (layout) *layout = NULL;
  DAP_REQUIRE(object, err, DAP_ERR_ARG, "%s is NULL", name);
  return DAP_OK;
}

dap_status dap_import_end(MPI_Comm comm, dap_status s, dap_layout *made, dap_array *array,
                          dap_layout **layout, dap_error *err)
{
  s = dap_agree(comm, s, err);
  if (s && array) dap_array_release(array);
  if (!s && layout) *layout = dap_layout_retain(made);
  dap_layout_destroy(&made);
  return s;
}
