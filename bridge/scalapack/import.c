/* Makes a matrix of ScaLAPACK a distributed array. */
#include "scalapack_impl.h"

#include <inttypes.h>
#include <stdlib.h>

enum { DTYPE, CTXT, M, N, MB, NB, RSRC, CSRC, LLD };

/* A matrix as the caller describes it. */
typedef struct matrix {
  const dap_scalapack_int *desc; /* [9] */
  void *data;
  dap_dtype dtype;
  char op; /* 'N': the array is the matrix; 'T': its transpose */
} matrix;

static const char *const names[] = {"the descriptor's DTYPE", "the descriptor's CTXT", "the descriptor's M",
                                    "the descriptor's N",     "the descriptor's MB",   "the descriptor's NB",
                                    "the descriptor's RSRC",  "the descriptor's CSRC"};

static dap_status check_desc(const dap_scalapack_int desc[9], const dap_blacs_map *map, dap_error *err)
{
  DAP_REQUIRE(desc[DTYPE] == 1, err, DAP_ERR_ARG, "the descriptor's DTYPE is %lld, not 1 (dense)",
              (long long)desc[DTYPE]);
  for (int i = M; i <= CSRC; i++) {
    const int64_t least = i == MB || i == NB ? 1 : 0;
    DAP_REQUIRE(desc[i] >= least, err, DAP_ERR_ARG, "%s is %lld, below %" PRId64, names[i],
                (long long)desc[i], least);
    DAP_REQUIRE(i < RSRC || desc[i] < map->procs[i - RSRC], err, DAP_ERR_ARG,
                "%s is %lld, outside 0 .. %d of the grid", names[i], (long long)desc[i],
                map->procs[i - RSRC] - 1);
  }
  return DAP_OK;
}

static dap_status make_layout(const dap_scalapack_int desc[9], const dap_blacs_map *map, char op,
                              dap_layout **layout, dap_error *err)
{
  dap_scalapack_form form = {.op = op, .map = *map};
  dap_layout *row_major = NULL;
  int *ranks = NULL;
  for (int k = 0; k < 2; k++) {
    form.size[k] = desc[M + k];
    form.block[k] = desc[MB + k];
    form.source[k] = (int)desc[RSRC + k];
  }
  dap_status status = dap_scalapack_lay_out(&form, &row_major, &ranks, err);
  if (!status) status = dap_layout_reorder(row_major, ranks, layout, err);
  free(ranks);
  dap_layout_destroy(&row_major);
  return status;
}

static dap_status make_array(const matrix *m, int rank, const dap_layout *layout, dap_array *array,
                             dap_error *err)
{
  const int64_t lld = m->desc[LLD];
  const int fast = dap_scalapack_swap(m->op, 0), slow = 1 - fast;
  int coords[DAP_MAX_NDIM];
  dap_layout_coords(layout, rank, coords);
  const int64_t rows = dap_layout_extent(layout, fast, coords[fast]);
  const bool empty = rows == 0 || dap_layout_extent(layout, slow, coords[slow]) == 0;
  DAP_REQUIRE(lld >= (rows > 1 ? rows : 1), err, DAP_ERR_ARG,
              "the descriptor's LLD is %" PRId64 ", below the %" PRId64 " local rows", lld, rows);
  DAP_REQUIRE(empty || m->data, err, DAP_ERR_BUFFER, "the matrix has elements here but no data");
  static char nothing; /* with this address, dap_array_init() makes no buffer */
  DAP_TRY(dap_array_init(array, layout, rank, m->dtype, m->op == 'T' ? DAP_ORDER_C : DAP_ORDER_F,
                         empty ? &nothing : m->data, err));
  if (empty) array->data = NULL;
  array->strides[slow] = lld * array->strides[fast];
  return DAP_OK;
}

static dap_status check(const matrix *m, dap_error *err)
{
  DAP_REQUIRE(m->desc, err, DAP_ERR_ARG, "desc is NULL");
  DAP_REQUIRE(m->op == 'N' || m->op == 'T', err, DAP_ERR_ARG, "op is character %d, not 'N' or 'T'",
              (int)m->op);
  return dap_scalapack_check_dtype(m->dtype, err);
}

static dap_status compare(MPI_Comm comm, const matrix *m, dap_error *err)
{
  enum { TYPE = LLD, OP, WORDS };
  const char *all[WORDS] = {[TYPE] = "the element type", [OP] = "op"};
  uint64_t words[WORDS] = {[TYPE] = (uint64_t)m->dtype, [OP] = (uint64_t)m->op};
  for (int i = DTYPE; i < LLD; i++) {
    all[i] = names[i];
    words[i] = i == CTXT ? 0 : (uint64_t)m->desc[i]; /* each process has its own number of the context */
  }
  return dap_agree_words(comm, words, all, WORDS, err);
}

/* Makes the layout and the array, once the grid is known. Not collective. */
static dap_status make(MPI_Comm comm, const matrix *m, const dap_blacs_map *map, dap_array *array,
                       dap_layout **layout, dap_error *err)
{
  int rank, nprocs;
  DAP_REQUIRE(MPI_Comm_rank(comm, &rank) == MPI_SUCCESS && MPI_Comm_size(comm, &nprocs) == MPI_SUCCESS, err,
              DAP_ERR_LIBRARY, "MPI_Comm_rank failed");
  DAP_REQUIRE(map->procs[0] * (int64_t)map->procs[1] == nprocs, err, DAP_ERR_ARG,
              "the context's grid has %d x %d processes, the communicator %d", map->procs[0], map->procs[1],
              nprocs);
  DAP_TRY(check_desc(m->desc, map, err));
  DAP_TRY(make_layout(m->desc, map, m->op, layout, err));
  return make_array(m, rank, *layout, array, err);
}

dap_status dap_scalapack_import(MPI_Comm comm, const dap_scalapack_int desc[9], void *data, dap_dtype dtype,
                                char op, dap_array *array, dap_layout **layout, dap_error *err)
{
  const matrix m = {desc, data, dtype, op};
  dap_error text;
  if (!err) err = &text;
  if (array) *array = (dap_array){0};
  if (layout) *layout = NULL;
  if (comm == MPI_COMM_NULL) return dap_fail(err, DAP_ERR_ARG, "comm is MPI_COMM_NULL");
  dap_status status =
      array && layout ? check(&m, err) : dap_fail(err, DAP_ERR_ARG, "array and layout must not be NULL");
  status = dap_agree_call(comm, "dap_scalapack_import", status, err);
  if (!status) status = compare(comm, &m, err);
  dap_blacs_grid *grid = NULL;
  if (!status) status = dap_blacs_adopt(comm, desc[CTXT], &grid, err);
  if (!status) status = dap_agree(comm, make(comm, &m, &grid->map, array, layout, err), err);
  if (status && array) dap_array_release(array);
  if (status && layout) dap_layout_destroy(layout);
  dap_blacs_release(&grid);
  return status;
}
