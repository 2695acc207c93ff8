/* Takes and ends ELPA views: a ScaLAPACK view of the array, and an elpa_t for it. */
#include "elpa_impl.h"

#include <dapbridge/blacs_calls.h>
#include <inttypes.h>

/* ---- the options --------------------------------------------------------------------------------------- */

enum { CTXT = 1, ROWS, COLUMNS, BLOCK = 5, LLD = 8 }; /* of a descriptor */

static bool is_live(const dap_elpa_matrix *m)
{
  return m->self == m;
}

static dap_status check_options(const dap_elpa_options *o, dap_error *err)
{
  DAP_REQUIRE(o->vectors >= 0, err, DAP_ERR_ARG, "options: vectors is %d", o->vectors);
  DAP_REQUIRE(!o->like || is_live(o->like), err, DAP_ERR_ARG, "options: like is not a live view");
  DAP_REQUIRE(!o->like || !o->vectors, err, DAP_ERR_ARG, "options: vectors must be 0 with like");
  return DAP_OK;
}

/* Checks the options on this process, and that they are the same on all. Collective. */
static dap_status check(MPI_Comm comm, const dap_elpa_options *o, const dap_elpa_matrix *m, dap_error *err)
{
  static const char *const names[] = {"options: vectors", "options: like"};
  dap_status status = m ? check_options(o, err) : dap_fail(err, DAP_ERR_ARG, "matrix must not be NULL");
  DAP_TRY(dap_agree_call(comm, "dap_elpa_get", status, err));
  return dap_agree_words(comm, (const uint64_t[]){(uint64_t)o->vectors, o->like != NULL}, names, 2, err);
}

/* ---- ScaLAPACK's view ---------------------------------------------------------------------------------- */

static dap_status get_matrix(MPI_Comm comm, dap_darray array, dap_access access, const dap_elpa_options *o,
                             dap_scalapack_matrix *matrix, dap_error *err)
{
  const uint32_t types = 1u << DAP_F4 | 1u << DAP_F8 | 1u << DAP_C8 | 1u << DAP_C16;
  const dap_scalapack_options options = {
      .sharing = o->sharing,
      .part = o->part,
      .needs = {.dtypes = types,
                .square = !o->like,
                .square_blocks = true,
                .occupied = true,
                .align = o->like ? DAP_ALIGN_LEADING : DAP_ALIGN_GRID},
      .aligned_with = o->like ? &o->like->matrix : NULL,
      .op = o->op,
      .block_size = {o->block_size, o->block_size},
      .grid = {o->grid[0], o->grid[1]},
      .columns = o->like ? o->like->size : 0,
  };
  return dap_scalapack_get(comm, array, access, &options, matrix, err);
}

/* Refuses a view that ELPA does not take. */
static dap_status check_matrix(const dap_elpa_matrix *m, const dap_elpa_options *o, dap_error *err)
{
  const dap_scalapack_int *desc = m->matrix.desc;
  DAP_REQUIRE(o->vectors <= desc[ROWS], err, DAP_ERR_ARG, "options: vectors is %d, not within 0 .. %" PRId64,
              o->vectors, (int64_t)desc[ROWS]);
  DAP_REQUIRE(desc[COLUMNS] == desc[ROWS], err, DAP_ERR_ARG,
              "ELPA's matrices are square, and the array is %" PRId64 " x %" PRId64, (int64_t)desc[ROWS],
              (int64_t)desc[COLUMNS]);
  DAP_REQUIRE(!o->like || o->like->dtype == m->dtype, err, DAP_ERR_BUFFER,
              "options: like is of %s, and the array of %s", dap_dtype_name(o->like->dtype),
              dap_dtype_name(m->dtype));
  return dap_elpa_can(m->dtype, err);
}

/* Reads the descriptor, this process's place on the grid, and its extents. */
static void read_matrix(dap_elpa_matrix *m)
{
  const dap_scalapack_int *desc = m->matrix.desc, none = 0;
  dap_scalapack_int grid[2] = {0, 0}, place[2] = {-1, -1};
  m->size = (int)desc[ROWS], m->block_size = (int)desc[BLOCK];
  if (desc[CTXT] >= 0) Cblacs_gridinfo(desc[CTXT], &grid[0], &grid[1], &place[0], &place[1]);
  for (int k = 0; k < 2; k++) m->grid[k] = (int)grid[k], m->place[k] = (int)place[k];
  if (place[0] >= 0) m->local_nrows = (int)desc[LLD];
  if (place[0] >= 0) m->local_ncols = (int)numroc_(&desc[COLUMNS], &desc[BLOCK], &place[1], &none, &grid[1]);
}

/* ---- the elpa_t ---------------------------------------------------------------------------------------- */

/* Makes the communicator of the grid's processes, row by row. Collective. */
static dap_status make_grid(MPI_Comm comm, dap_elpa_matrix *m, dap_error *err)
{
  const bool inside = m->place[0] >= 0;
  const int key = inside ? m->place[0] * m->grid[1] + m->place[1] : 0;
  const int code = MPI_Comm_split(comm, inside ? 0 : MPI_UNDEFINED, key, &m->comm);
  DAP_REQUIRE(code == MPI_SUCCESS, err, DAP_ERR_LIBRARY, "MPI_Comm_split failed");
  DAP_REQUIRE(!inside || MPI_Comm_set_errhandler(m->comm, MPI_ERRORS_RETURN) == MPI_SUCCESS, err,
              DAP_ERR_LIBRARY, "MPI_Comm_set_errhandler failed");
  return DAP_OK;
}

/* Makes the elpa_t and its communicator, or takes those of options.like. Collective on `comm`. */
static dap_status make_handle(MPI_Comm comm, dap_elpa_matrix *m, const dap_elpa_options *o, dap_error *err)
{
  if (o->like) {
    m->comm = o->like->comm;
    m->handle = o->like->handle;
    return DAP_OK;
  }
  m->owns = true, m->comm = MPI_COMM_NULL;
  DAP_TRY(dap_agree(comm, make_grid(comm, m, err), err));
  dap_status status = DAP_OK;
  if (m->comm != MPI_COMM_NULL && m->size > 0)
    status = dap_elpa_allocate(m, o->vectors ? o->vectors : m->size, err);
  DAP_TRY(dap_agree(comm, status, err));
  status = m->handle ? dap_elpa_says(elpa_setup(m->handle), "elpa_setup", err) : DAP_OK;
  if (status) m->handle = NULL; /* it must not be deallocated, see handle.c */
  return dap_agree(comm, status, err);
}

static dap_status free_handle(dap_elpa_matrix *m, dap_error *err)
{
  int code = ELPA_OK;
  if (m->handle) elpa_deallocate(m->handle, &code);
  dap_status status = dap_elpa_says(code, "elpa_deallocate", err);
  if (m->comm != MPI_COMM_NULL && MPI_Comm_free(&m->comm) != MPI_SUCCESS && !status)
    status = dap_fail(err, DAP_ERR_LIBRARY, "MPI_Comm_free failed");
  return status;
}

dap_status dap_elpa_attach(MPI_Comm comm, const dap_elpa_options *o, dap_elpa_matrix *m, dap_error *err)
{
  DAP_TRY(dap_agree(comm, check_matrix(m, o, err), err));
  read_matrix(m);
  const int code =
      MPI_Allreduce(MPI_IN_PLACE, m->grid, 2, MPI_INT, MPI_MAX, comm); /* for processes outside it */
  const dap_status status = code ? dap_fail(err, DAP_ERR_LIBRARY, "MPI_Allreduce failed") : DAP_OK;
  DAP_TRY(dap_agree(comm, status, err));
  return make_handle(comm, m, o, err);
}

dap_status dap_elpa_detach(MPI_Comm comm, const char *function, dap_elpa_matrix *m, dap_error *err)
{
  return m->owns ? dap_agree_call(comm, function, free_handle(m, err), err) : DAP_OK;
}

/* ---- elpa.h -------------------------------------------------------------------------------------------- */

static dap_status end(dap_elpa_matrix *m, const char *function,
                      dap_status (*end_matrix)(dap_scalapack_matrix *matrix, dap_error *err), dap_error *err)
{
  dap_status status = DAP_OK;
  if (!m) return DAP_OK;
  if (!is_live(m)) return end_matrix(&m->matrix, err); /* is zeroed, or a copy, which is refused */
  if (dap_mpi_is_running()) status = dap_elpa_detach(dap_context_comm(m->context), function, m, err);
  const dap_status ended = end_matrix(&m->matrix, status ? NULL : err);
  dap_context_release(&m->context);
  *m = (dap_elpa_matrix){.matrix = m->matrix};
  return status ? status : ended;
}

dap_status dap_elpa_get(MPI_Comm comm, dap_darray array, dap_access access, const dap_elpa_options *options,
                        dap_elpa_matrix *matrix, dap_error *err)
{
  static const dap_elpa_options none;
  const dap_elpa_options *o = options ? options : &none;
  if (matrix) *matrix = (dap_elpa_matrix){0};
  DAP_TRY(check(comm, o, matrix, err));
  DAP_TRY(get_matrix(comm, array, access, o, &matrix->matrix, err));
  matrix->self = matrix;
  matrix->dtype = array.local->dtype;
  dap_status status = dap_context_get(comm, NULL, &matrix->context, err);
  if (!status) status = dap_elpa_attach(dap_context_comm(matrix->context), o, matrix, err);
  if (!status) return DAP_OK;
  (void)end(matrix, "dap_elpa_get", dap_scalapack_discard, NULL);
  *matrix = (dap_elpa_matrix){0};
  return status;
}

dap_status dap_elpa_restore(dap_elpa_matrix *matrix, dap_error *err)
{
  return end(matrix, __func__, dap_scalapack_restore, err);
}

dap_status dap_elpa_discard(dap_elpa_matrix *matrix, dap_error *err)
{
  return end(matrix, __func__, dap_scalapack_discard, err);
}
