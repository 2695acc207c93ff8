/* Lends the memory of a vector or a matrix to an array until the array is released. */
#include "import_impl.h"

#include <stdlib.h>

/* Behind an imported array. */
typedef struct got_array {
  const dap_import_type *type;
  PetscObject object;
  PetscScalar *memory;
  bool readonly;
} got_array;

static PetscErrorCode get(PetscObject object, got_array *g)
{
  PetscCall(g->type->get(object, &g->readonly, &g->memory));
  g->object = object;
  return PetscObjectReference(object);
}

static PetscErrorCode restore(got_array *g)
{
  if (!g->object) return 0;
  const PetscErrorCode code = g->type->restore(g->object, g->readonly, &g->memory);
  const PetscErrorCode last = PetscObjectDestroy(&g->object);
  return code ? code : last;
}

/* After PetscFinalize() the objects are gone. */
static void end(got_array *g)
{
  if (dap_petsc_is_here(NULL)) return;
  (void)DAP_CATCH(restore(g), "restoring an object's memory", NULL);
}

static void release(dap_array *array)
{
  end(array->private_data);
  free(array->private_data);
}

/* Fills *array, which keeps the memory that was got. */
static dap_status fill(const dap_import *import, const got_array *g, dap_error *err)
{
  dap_array *array = import->array;
  static PetscScalar nothing; /* for NULL dap_array_init() would allocate */
  void *memory = g->memory ? g->memory : &nothing;
  got_array *kept = malloc(sizeof *kept);
  DAP_REQUIRE(kept, err, DAP_ERR_NOMEM, "no memory for an array");
  const dap_status s =
      dap_array_init(array, import->layout, import->rank, DAP_PETSC_DTYPE, g->type->order, memory, err);
  if (s) free(kept);
  if (s) return s;
  *kept = *g;
  array->data = g->memory;
  array->readonly = g->readonly;
  array->private_data = kept;
  array->release = release;
  return DAP_OK;
}

/* If an allocation fails after PETSc has given the memory, the memory is restored. */
dap_status dap_import_memory(dap_import *import, dap_error *err)
{
  got_array g = {.type = import->type};
  dap_status s = DAP_CATCH(get(import->object, &g), "getting the object's memory", err);
  if (!s) s = fill(import, &g, err);
  if (s) end(&g);
  return s;
}

PetscErrorCode dap_import_get_vec(PetscObject object, bool *readonly, PetscScalar **memory)
{
  Vec vector = (Vec)object;
  PetscInt locked = 0;
  (void)(VecLockGet(vector, &locked)); /* an assignment, not a call, in an optimised PETSc */
  *readonly = locked > 0;
  return *readonly ? VecGetArrayRead(vector, (const PetscScalar **)memory) : VecGetArray(vector, memory);
}

PetscErrorCode dap_import_restore_vec(PetscObject object, bool readonly, PetscScalar **memory)
{
  Vec vector = (Vec)object;
  return readonly ? VecRestoreArrayRead(vector, (const PetscScalar **)memory)
                  : VecRestoreArray(vector, memory);
}

/* Checks and describes the object on this process. */
static dap_status describe(const dap_import_type *type, dap_import *import, dap_error *err)
{
  DAP_REQUIRE(import->array, err, DAP_ERR_ARG, "array is NULL");
  DAP_TRY(dap_petsc_mpi(MPI_Comm_rank(import->comm, &import->rank), "MPI_Comm_rank", err));
  return type->describe(import, err);
}

dap_status dap_import_run(const dap_import_type *type, PetscObject object, dap_array *array,
                          dap_layout **layout, dap_error *err)
{
  dap_error text = {.rank = -1};
  dap_import import = {.type = type, .object = object, .comm = MPI_COMM_NULL, .array = array};
  dap_status s = DAP_OK;
  if (!err) err = &text;
  if (array) *array = (dap_array){0};
  if (layout) *layout = NULL;
  DAP_REQUIRE(object, err, DAP_ERR_ARG, "%s is NULL", type->name);
  if (type->find_comm)
    s = type->find_comm(&import, err);
  else
    import.comm = PetscObjectComm(object);
  if (import.comm == MPI_COMM_NULL) return s; /* there is nobody to agree with */
  if (!s) s = describe(type, &import, err);
  s = dap_agree_call(import.comm, type->function, s, err);
  if (!s) s = dap_agree(import.comm, (type->fill ? type->fill : dap_import_memory)(&import, err), err);
  if (s && array) dap_array_release(array);
  if (!s && layout) *layout = dap_layout_retain(import.layout);
  dap_layout_destroy(&import.layout);
  return s;
}
