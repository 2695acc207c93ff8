/* Converts between descriptors and arrays. A descriptor with its local part becomes an array, and a view
 * gives an array as a descriptor with its local part. */
#include "fortran_impl.h"

#include <dapbridge/blacs_calls.h>
#include <dapbridge/scalapack.h>
#include <dapbridge/scalapack_calls.h>
#include <stdlib.h>

/* ---- from a descriptor ------------------------------------------------------------------------- */

enum { CTXT = 1, LLD = 8 }; /* entries of a descriptor */

static void local_extents(const dap_scalapack_int desc[9], int64_t extents[2])
{
  dap_scalapack_int procs[2], at[2];
  Cblacs_gridinfo(desc[CTXT], &procs[0], &procs[1], &at[0], &at[1]);
  for (int k = 0; k < 2; k++) {
    const bool is_legal = at[k] >= 0 && desc[2 + k] >= 0 && desc[4 + k] > 0 && desc[6 + k] >= 0;
    extents[k] = is_legal && desc[6 + k] < procs[k]
                     ? numroc_(&desc[2 + k], &desc[4 + k], &at[k], &desc[6 + k], &procs[k])
                     : 0;
  }
}

/* Checks the memory against the descriptor: the leading dimension and the columns of a section, the length of
 * a vector. An extent of 1 can be an element of an array, which is how older programs pass arrays. The last
 * extent of an assumed-size array is not known. */
static dap_status check_memory(const CFI_cdesc_t *a, const dap_scalapack_int desc[9], dap_error *err)
{
  int64_t extents[2];
  local_extents(desc, extents);
  const int64_t item = (int64_t)a->elem_len, lld = desc[LLD];
  const int64_t last = a->rank > 0 ? (int64_t)a->dim[a->rank - 1].extent : 1;
  if (extents[0] == 0 || extents[1] == 0) return DAP_OK;
  if (!a->base_addr) return dap_f_refuse_memory("a", err);
  if (a->rank < 1 || a->rank > 2 || last == 1) return DAP_OK;
  if (a->dim[0].extent != 1 && (int64_t)a->dim[0].sm != item)
    return dap_fail(err, DAP_ERR_BUFFER, "the local part's columns are not contiguous");
  const int64_t needed = a->rank == 2 ? extents[1] : lld * (extents[1] - 1) + extents[0];
  if (a->rank == 2 && (int64_t)a->dim[1].sm != lld * item)
    return dap_fail(err, DAP_ERR_BUFFER,
                    "the local part's leading dimension is %lld, the descriptor's LLD is %lld",
                    (long long)((int64_t)a->dim[1].sm / item), (long long)lld);
  if (last != -1 && last < needed)
    return dap_fail(err, DAP_ERR_BUFFER, "the local part has %lld %s, the descriptor needs %lld",
                    (long long)last, a->rank == 2 ? "columns" : "elements", (long long)needed);
  return DAP_OK;
}

/* Refuses a context that is not valid on this process, because the other processes of the grid would wait in
 * vain. */
static dap_status check_context(dap_scalapack_int context, dap_error *err)
{
  dap_scalapack_int nprow = -1, npcol = -1, row = -1, column = -1;
  if (context < 0) return DAP_OK;
  Cblacs_gridinfo(context, &nprow, &npcol, &row, &column);
  if (nprow > 0 && row >= 0) return DAP_OK;
  return dap_fail(err, DAP_ERR_ARG,
                  "the descriptor's context (desc(2)) is %lld: no BLACS grid that this process is in; -1 on "
                  "processes outside the grid",
                  (long long)context);
}

/* Finds the ranks in comm of the processes of the grid's communicator. */
static dap_status find_ranks(MPI_Comm comm, MPI_Comm grid, dap_f_array *array, dap_error *err)
{
  MPI_Group all, some;
  const int count = dap_layout_nprocs(array->layout);
  int *own = malloc((size_t)count * sizeof *own);
  array->ranks = malloc((size_t)count * sizeof *array->ranks);
  dap_status status =
      own && array->ranks ? DAP_OK : dap_fail(err, DAP_ERR_NOMEM, "no memory for %d ranks", count);
  if (!status) {
    for (int i = 0; i < count; i++) own[i] = i;
    MPI_Comm_group(comm, &all);
    MPI_Comm_group(grid, &some);
    if (MPI_Group_translate_ranks(some, count, own, all, array->ranks) != MPI_SUCCESS)
      status = dap_fail(err, DAP_ERR_LIBRARY, "MPI_Group_translate_ranks failed");
    MPI_Group_free(&all);
    MPI_Group_free(&some);
    for (int i = 0; i < count && !status; i++)
      if (array->ranks[i] == MPI_UNDEFINED)
        status = dap_fail(err, DAP_ERR_ARG, "a process of the grid is not in the communicator");
  }
  free(own);
  return status;
}

/* Imports the matrix on a process of the grid. If the grid has all processes of comm, the array is on comm
 * itself, so all functions take it. If the grid has fewer, the array is on the grid's communicator, and knows
 * the ranks of these processes in comm. */
static dap_status import(MPI_Comm comm, const dap_scalapack_int desc[9], const CFI_cdesc_t *a,
                         dap_f_array *array, dap_error *err)
{
  dap_scalapack_int nprow, npcol, row, column;
  int size = 0, rank = 0;
  MPI_Comm_size(comm, &size);
  Cblacs_gridinfo(desc[CTXT], &nprow, &npcol, &row, &column);
  const bool is_whole = (int64_t)nprow * npcol == size;
  MPI_Comm grid = is_whole ? comm : dap_scalapack_context_comm(desc[CTXT]);
  const dap_status status =
      dap_scalapack_import(grid, desc, a->base_addr, array->dtype, 'N', &array->local, &array->layout, err);
  if (status) return status;
  MPI_Comm_rank(grid, &rank);
  array->rank = rank;
  return is_whole ? DAP_OK : find_ranks(comm, grid, array, err);
}

dap_status dap_f_array_import(const MPI_Fint *comm, const dap_scalapack_int desc[9], const CFI_cdesc_t *a,
                              void **variable, dap_error *err)
{
  MPI_Comm c = dap_f_comm(comm);
  dap_error own = {.rank = -1};
  dap_f_array *array = dap_f_new(&dap_f_array_kind, &own);
  dap_status status = array ? DAP_OK : DAP_ERR_NOMEM;
  if (array) array->dtype = dap_f_dtype(a);
  if (!status) status = dap_f_check_type(a, "a", &own);
  if (!status && !desc) status = dap_fail(&own, DAP_ERR_ARG, "desc is not allocated");
  if (!status) status = check_context(desc[CTXT], &own);
  if (!status && desc[CTXT] >= 0) status = check_memory(a, desc, &own);
  status = dap_agree_call(c, "dap_array_import", status, &own);
  if (!status) {
    if (desc[CTXT] >= 0) status = import(c, desc, a, array, &own);
    status = dap_agree(c, status, &own);
  }
  if (status) {
    dap_f_drop(array);
    if (err) *err = own;
  }
  dap_f_put(variable, status ? NULL : array);
  return status;
}

MPI_Fint dap_f_context_comm(dap_scalapack_int context)
{
  return MPI_Comm_c2f(dap_scalapack_context_comm(context));
}

/* ---- views ------------------------------------------------------------------------------------- */

typedef struct dap_f_matrix {
  dap_f_object object;
  dap_scalapack_matrix matrix;
  dap_dtype dtype;
  bool is_live;
  void *array; /* kept, because the view may use its buffer */
} dap_f_matrix;

/* Ending a live view would be collective. */
static bool end(void *object)
{
  return !((dap_f_matrix *)object)->is_live;
}

/* A(LLD, local columns), as ScaLAPACK wants it. */
static void get_buffer(const void *object, dap_f_buffer *buffer)
{
  const dap_f_matrix *view = object;
  dap_scalapack_int nprow, npcol, row, column, rows = 0, columns = 0;
  const dap_scalapack_int *desc = view->matrix.desc;
  if (view->is_live && desc[CTXT] >= 0) {
    Cblacs_gridinfo(desc[CTXT], &nprow, &npcol, &row, &column);
    rows = numroc_(&desc[2], &desc[4], &row, &desc[6], &nprow);
    columns = numroc_(&desc[3], &desc[5], &column, &desc[7], &npcol);
  }
  const int64_t size = dap_dtype_size(view->dtype);
  *buffer = (dap_f_buffer){.data = view->matrix.data,
                           .dtype = view->dtype,
                           .ndim = 2,
                           .shape = {rows > 0 && columns > 0 ? desc[LLD] : 0, columns},
                           .strides = {size, size * desc[LLD]}};
}

static size_t describe(const void *object, char *text, size_t capacity)
{
  return dap_scalapack_describe(&((const dap_f_matrix *)object)->matrix, text, capacity);
}

static const dap_f_kind matrix_kind = {"matrix", sizeof(dap_f_matrix), end, describe, get_buffer};

/* Facts about the view, in the module's variable. */
typedef struct dap_f_matrix_info {
  dap_scalapack_int desc[9], m, n, ia, ja;
  char op;
  bool shared;
  int64_t moved_bytes;
  char reason[DAP_ERROR_TEXT];
} dap_f_matrix_info;

static void fill_info(const dap_scalapack_matrix *matrix, dap_f_matrix_info *info)
{
  *info = (dap_f_matrix_info){.m = matrix->m,
                              .n = matrix->n,
                              .ia = matrix->ia,
                              .ja = matrix->ja,
                              .op = matrix->op,
                              .shared = matrix->shared,
                              .moved_bytes = matrix->moved_bytes};
  for (int i = 0; i < 9; i++) info->desc[i] = matrix->desc[i];
  for (int i = 0; i < DAP_ERROR_TEXT; i++) info->reason[i] = matrix->reason[i];
}

/* The options of a view as the module passes them. Options that are not given are NULL or 0. */
typedef struct dap_f_scalapack_options {
  int sharing;
  char op;
  const char *routine;
  const dap_f_matrix *aligned_with;
  const dap_scalapack_int *context;
  int64_t block_size[2];
  int grid[2];
} dap_f_scalapack_options;

dap_status dap_f_scalapack_get(const MPI_Fint *comm, dap_f_array *array, int access,
                               const dap_f_scalapack_options *given, void **variable, dap_f_matrix_info *info,
                               dap_error *err)
{
  MPI_Comm c = dap_f_comm(comm);
  const dap_scalapack_options options = {
      .sharing = (dap_sharing)given->sharing,
      .routine = given->routine && given->routine[0] ? given->routine : NULL,
      .op = given->op,
      .aligned_with = given->aligned_with ? &given->aligned_with->matrix : NULL,
      .context = given->context,
      .block_size = {given->block_size[0], given->block_size[1]},
      .grid = {given->grid[0], given->grid[1]}};
  dap_error own = {.rank = -1};
  dap_f_matrix *view = dap_f_new(&matrix_kind, &own);
  dap_f_put(variable, view);
  dap_status status = dap_agree_call(c, "dap_scalapack_get", view ? DAP_OK : DAP_ERR_NOMEM, &own);
  if (!status)
    status = dap_scalapack_get(c, dap_f_darray(array), (dap_access)access, &options, &view->matrix, &own);
  if (status) {
    dap_f_put(variable, NULL);
    if (err) *err = own;
    return status;
  }
  view->is_live = true;
  view->dtype = array->dtype;
  view->array = dap_f_keep(array);
  fill_info(&view->matrix, info);
  return DAP_OK;
}

/* Restores the view, or discards it. Its variable still tells the result. */
dap_status dap_f_scalapack_end(dap_f_matrix *view, bool discards, dap_f_matrix_info *info, dap_error *err)
{
  if (!view) return DAP_OK;
  const dap_status status =
      discards ? dap_scalapack_discard(&view->matrix, err) : dap_scalapack_restore(&view->matrix, err);
  view->is_live = false;
  dap_f_drop(view->array);
  view->array = NULL;
  fill_info(&view->matrix, info);
  return status;
}

dap_status dap_f_scalapack_load(dap_f_matrix *view, dap_error *err)
{
  return dap_scalapack_load(view ? &view->matrix : NULL, err);
}

dap_status dap_f_scalapack_store(dap_f_matrix *view, dap_error *err)
{
  return dap_scalapack_store(view ? &view->matrix : NULL, err);
}

dap_status dap_f_scalapack_halo(dap_f_matrix *view, dap_error *err)
{
  return dap_scalapack_halo(view ? &view->matrix : NULL, err);
}
