/* Gives dense matrices as arrays: the memory of a MATDENSE, or a copy of a MATSCALAPACK. */
#include "import_impl.h"
#include "matrix_impl.h"

static PetscErrorCode get(PetscObject object, bool *readonly, PetscScalar **memory)
{
  *readonly = false;
  return MatDenseGetArray((Mat)object, memory);
}

static PetscErrorCode restore(PetscObject object, bool readonly, PetscScalar **memory)
{
  (void)readonly;
  return MatDenseRestoreArray((Mat)object, memory);
}

typedef struct facts {
  PetscBool dense, cyclic, assembled;
  MatFactorType factor;
  MatType type;
} facts;

static PetscErrorCode query_type(Mat matrix, facts *f)
{
  PetscCall(MatGetType(matrix, &f->type));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)matrix, &f->dense, MATSEQDENSE, MATMPIDENSE, ""));
  PetscCall(PetscObjectTypeCompare((PetscObject)matrix, MATSCALAPACK, &f->cyclic));
  PetscCall(MatAssembled(matrix, &f->assembled));
  return f->type ? MatGetFactorType(matrix, &f->factor) : 0; /* without a type a debug build has no answer */
}

static dap_status check(dap_import *import, dap_error *err)
{
  facts f = {.type = NULL};
  DAP_TRY(DAP_CATCH(query_type((Mat)import->object, &f), "asking the matrix for its type", err));
  DAP_REQUIRE(f.dense || f.cyclic, err, DAP_ERR_UNSUPPORTED,
              "a matrix of type %s, which is neither MATDENSE nor MATSCALAPACK", f.type ? f.type : "none");
  DAP_REQUIRE(f.factor == MAT_FACTOR_NONE, err, DAP_ERR_UNSUPPORTED, "a factored matrix");
  DAP_REQUIRE(f.assembled, err, DAP_ERR_ARG, "the matrix is not assembled");
  return DAP_OK;
}

static dap_status import_dense(dap_import *import, dap_error *err)
{
  int64_t strides[2];
  DAP_TRY(dap_dense_layout((Mat)import->object, &import->layout, strides, err));
  DAP_TRY(dap_import_memory(import, err));
  import->array->strides[1] = strides[1];
  return DAP_OK;
}

static PetscErrorCode read_dense(Mat matrix, Mat *dense, const PetscScalar **memory)
{
  PetscCall(dap_matscalapack_read(matrix, dense));
  return MatDenseGetArrayRead(*dense, memory);
}

/* Moves the elements by way of a MATDENSE. Collective. */
static dap_status move_cyclic(const dap_import *import, dap_error *err)
{
  Mat dense = NULL;
  const PetscScalar *memory = NULL;
  dap_layout *rows = NULL;
  dap_plan *plan = NULL;
  int64_t strides[2];
  dap_status s =
      DAP_CATCH(read_dense((Mat)import->object, &dense, &memory), "converting from MATSCALAPACK", err);
  if (!s) s = dap_dense_layout(dense, &rows, strides, err);
  s = dap_agree(import->comm, s, err);
  if (!s)
    s = dap_plan_create(import->comm, &(dap_side){.layout = rows, .strides = strides},
                        &(dap_side){.layout = import->layout, .strides = import->array->strides},
                        (int64_t)sizeof(PetscScalar), NULL, &plan, err);
  if (!s) s = dap_plan_run(plan, memory, import->array->data, err);
  dap_plan_destroy(&plan);
  dap_layout_destroy(&rows);
  const dap_status ended = DAP_CATCH(MatDestroy(&dense), "destroying a matrix", s ? NULL : err);
  return s ? s : ended;
}

static dap_status import_cyclic(dap_import *import, dap_error *err)
{
  dap_status s = dap_matscalapack_layout((Mat)import->object, &import->layout, err);
  if (!s)
    s = dap_array_init(import->array, import->layout, import->rank, DAP_PETSC_DTYPE, DAP_ORDER_F, NULL, err);
  DAP_TRY(dap_agree(import->comm, s, err));
  if (dap_layout_count(import->layout) > 0) DAP_TRY(move_cyclic(import, err));
  import->array->readonly = true;
  return DAP_OK;
}

static dap_status fill(dap_import *import, dap_error *err)
{
  PetscBool is_cyclic = PETSC_FALSE;
  DAP_TRY(
      DAP_CATCH(PetscObjectTypeCompare(import->object, MATSCALAPACK, &is_cyclic), "asking for a type", err));
  return is_cyclic ? import_cyclic(import, err) : import_dense(import, err);
}

dap_status dap_petsc_matrix_import(Mat matrix, dap_array *array, dap_layout **layout, dap_error *err)
{
  static const dap_import_type type = {.name = "matrix",
                                       .function = "dap_petsc_matrix_import",
                                       .describe = check,
                                       .fill = fill,
                                       .order = DAP_ORDER_F,
                                       .get = get,
                                       .restore = restore};
  return dap_import_run(&type, (PetscObject)matrix, array, layout, err);
}
