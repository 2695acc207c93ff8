/* A global vector of a DMDA as an array that shares its memory. */
#include "petsc_impl.h"

#include <inttypes.h>
#include <stdlib.h>

/* Behind an imported array. */
typedef struct loan {
  Vec vector;
  PetscScalar *memory;
  bool readonly;
} loan;

/* What PETSc says of the DMDA, by direction: x, y, z. */
typedef struct facts {
  DM dm;
  PetscInt ndim, dof;
  PetscInt size[DAP_GRID_MAX], procs[DAP_GRID_MAX], begin[DAP_GRID_MAX], length[DAP_GRID_MAX];
  const PetscInt *ranges[DAP_GRID_MAX];
  DMBoundaryType outer[DAP_GRID_MAX];
  PetscInt local, start; /* of the vector: entries here, and entries before them */
} facts;

static PetscErrorCode ask(Vec vector, facts *f)
{
  PetscBool is_da = PETSC_FALSE;
  PetscCall(VecGetDM(vector, &f->dm));
  if (f->dm) PetscCall(PetscObjectTypeCompare((PetscObject)f->dm, DMDA, &is_da));
  if (!is_da) {
    f->ndim = 0;
    return 0;
  }
  PetscCall(DMDAGetInfo(f->dm, &f->ndim, &f->size[0], &f->size[1], &f->size[2], &f->procs[0], &f->procs[1],
                        &f->procs[2], &f->dof, NULL, &f->outer[0], &f->outer[1], &f->outer[2], NULL));
  PetscCall(DMDAGetOwnershipRanges(f->dm, &f->ranges[0], &f->ranges[1], &f->ranges[2]));
  PetscCall(DMDAGetCorners(f->dm, &f->begin[0], &f->begin[1], &f->begin[2], &f->length[0], &f->length[1],
                           &f->length[2]));
  PetscCall(VecGetLocalSize(vector, &f->local));
  PetscCall(VecGetOwnershipRange(vector, &f->start, NULL));
  return 0;
}

/* The vector is a global one of its DM, and its processes are in the order that an array's have. */
static dap_status check(Vec vector, const facts *f, const dap_layout *layout, int rank, dap_error *err)
{
  int same = MPI_UNEQUAL, coords[DAP_MAX_NDIM] = {0};
  const int code =
      MPI_Comm_compare(PetscObjectComm((PetscObject)vector), PetscObjectComm((PetscObject)f->dm), &same);
  DAP_TRY(dap_petsc_mpi(code, "MPI_Comm_compare", err));
  const int64_t points = (int64_t)f->length[0] * f->length[1] * f->length[2] * f->dof;
  DAP_REQUIRE((same == MPI_IDENT || same == MPI_CONGRUENT) && f->local == points, err, DAP_ERR_ARG,
              "the vector has %" PRId64 " entries here, a global vector of its DMDA has %" PRId64
              " on all processes of the DMDA",
              (int64_t)f->local, points);
  dap_layout_coords(layout, rank, coords);
  for (int d = 0; d < f->ndim; d++) {
    const int axis = (int)f->ndim - 1 - d;
    dap_run run = {0};
    const bool owns = dap_layout_next_run(layout, axis, coords[axis], &run);
    const int64_t begin = owns ? run.global : f->begin[d];
    DAP_REQUIRE(f->begin[d] == begin && f->length[d] == dap_layout_owned(layout, axis, coords[axis]), err,
                DAP_ERR_UNSUPPORTED,
                "direction %c: the DMDA's process %d has points from %" PRId64 ", in row-major order of the "
                "processes %" PRId64,
                "xyz"[d], rank, (int64_t)f -> begin[d], begin);
  }
  return DAP_OK;
}

static dap_status make_layout(const facts *f, dap_layout **layout, dap_error *err)
{
  dap_dist dist[DAP_GRID_MAX + 1] = {{0}};
  int64_t *lengths[DAP_GRID_MAX] = {NULL};
  const int ndim = (int)f->ndim;
  dap_status s = DAP_OK;
  for (int d = 0; d < ndim && !s; d++) {
    const int axis = ndim - 1 - d, procs = (int)f->procs[d];
    lengths[d] = calloc((size_t)procs, sizeof *lengths[d]);
    if (!lengths[d]) s = dap_fail(err, DAP_ERR_NOMEM, "no memory for %d processes", procs);
    for (int c = 0; c < procs && !s; c++) lengths[d][c] = f->ranges[d][c];
    dist[axis] = (dap_dist){.cut = DAP_CUT_LENGTHS,
                            .procs = procs,
                            .size = f->size[d],
                            .lengths = lengths[d],
                            .periodic = f->outer[d] == DM_BOUNDARY_PERIODIC};
  }
  dist[ndim] = dap_dist_even(f->dof, 1);
  if (!s) s = dap_layout_create(ndim + (f->dof > 1), dist, layout, err);
  for (int d = 0; d < ndim; d++) free(lengths[d]);
  return s;
}

/* ---- the loan --------------------------------------------------------------------------------------- */

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
  if (PetscFinalized(&over) == 0 && !over) {
    dap_catch_begin(&caught);
    (void)dap_catch_end(&caught, take_back(l), "giving a vector's memory back", NULL);
  }
  free(l);
}

static void release(dap_array *array)
{
  end_loan(array->private_data);
}

/* ---- import ----------------------------------------------------------------------------------------- */

/* Fills *array of `l`, which owns the loan from then on. */
static dap_status fill(const dap_layout *layout, int rank, loan *l, dap_array *array, dap_error *err)
{
  static PetscScalar nothing; /* for NULL dap_array_init() would allocate */
  void *memory = l->memory ? l->memory : &nothing;
  DAP_TRY(dap_array_init(array, layout, rank, DAP_PETSC_DTYPE, DAP_ORDER_C, memory, err));
  array->data = l->memory;
  array->readonly = l->readonly;
  array->private_data = l;
  array->release = release;
  return DAP_OK;
}

static dap_status import_here(Vec vector, dap_array *array, dap_layout **layout, dap_error *err)
{
  facts f = {0};
  int rank = 0;
  dap_catch caught;
  dap_catch_begin(&caught);
  DAP_TRY(dap_catch_end(&caught, ask(vector, &f), "asking the vector for its DMDA", err));
  DAP_REQUIRE(f.ndim >= 1, err, DAP_ERR_ARG, "the vector has no DMDA; VecSetDM() gives it one");
  DAP_TRY(make_layout(&f, layout, err));
  const int code = MPI_Comm_rank(PetscObjectComm((PetscObject)vector), &rank);
  DAP_TRY(dap_petsc_mpi(code, "MPI_Comm_rank", err));
  DAP_TRY(check(vector, &f, *layout, rank, err));
  loan *l = calloc(1, sizeof *l);
  DAP_REQUIRE(l, err, DAP_ERR_NOMEM, "no memory for an array");
  dap_catch_begin(&caught);
  dap_status s = dap_catch_end(&caught, lend(vector, l), "borrowing the vector's memory", err);
  if (!s) s = fill(*layout, rank, l, array, err);
  if (s) end_loan(l);
  return s;
}

dap_status dap_petsc_import(Vec vector, dap_array *array, dap_layout **layout, dap_error *err)
{
  dap_error text = {.rank = -1};
  if (!err) err = &text;
  if (array) *array = (dap_array){0};
  if (layout) *layout = NULL;
  DAP_REQUIRE(vector, err, DAP_ERR_ARG, "vector is NULL");
  MPI_Comm comm = PetscObjectComm((PetscObject)vector);
  dap_layout *made = NULL;
  dap_status s = array ? import_here(vector, array, &made, err) : dap_fail(err, DAP_ERR_ARG, "array is NULL");
  s = dap_agree(comm, s, err);
  if (s && array) dap_array_release(array);
  if (!s && layout) *layout = dap_layout_retain(made);
  dap_layout_destroy(&made);
  return s;
}
