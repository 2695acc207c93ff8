/* What a caller asks for: checked on each process, then compared between them. */
#include "scalapack_impl.h"

#include <inttypes.h>
#include <limits.h>

static dap_status check_layout(const dap_scalapack_request *request, dap_error *err)
{
  const dap_layout *layout = request->layout;
  DAP_REQUIRE(dap_layout_ndim(layout) == 2, err, DAP_ERR_UNSUPPORTED,
              "a matrix is an array of 2 dimensions; the layout has %d", dap_layout_ndim(layout));
  int nprocs;
  DAP_REQUIRE(MPI_Comm_size(request->comm, &nprocs) == MPI_SUCCESS, err, DAP_ERR_LIBRARY,
              "MPI_Comm_size failed");
  DAP_REQUIRE(dap_layout_nprocs(layout) == nprocs, err, DAP_ERR_ARG,
              "the layout has %d processes, the communicator %d", dap_layout_nprocs(layout), nprocs);
  for (int k = 0; k < 2; k++) {
    DAP_REQUIRE(dap_layout_size(layout, k) <= INT_MAX, err, DAP_ERR_RANGE,
                "axis %d: size %" PRId64 " exceeds ScaLAPACK's 32-bit integers", k,
                dap_layout_size(layout, k));
  }
  return DAP_OK;
}

static dap_status check_array(const dap_scalapack_request *request, dap_error *err)
{
  const dap_array *array = request->array;
  DAP_REQUIRE(array->abi == DAP_ARRAY_ABI, err, DAP_ERR_ARG, "the array has ABI %" PRId32 ", not %d",
              array->abi, (int)DAP_ARRAY_ABI);
  DAP_REQUIRE(array->dtype == DAP_F4 || array->dtype == DAP_F8 || array->dtype == DAP_C8 ||
                  array->dtype == DAP_C16,
              err, DAP_ERR_BUFFER, "ScaLAPACK has no matrices of %s", dap_dtype_name(array->dtype));
  DAP_REQUIRE(array->ndim == 2, err, DAP_ERR_BUFFER, "the buffer has %" PRId32 " dimensions, the layout 2",
              array->ndim);
  int coords[DAP_MAX_NDIM];
  dap_layout_coords(request->layout, request->rank, coords);
  for (int k = 0; k < 2; k++) {
    const int64_t extent = dap_layout_extent(request->layout, k, coords[k]);
    DAP_REQUIRE(array->shape[k] == extent, err, DAP_ERR_BUFFER,
                "axis %d: the buffer's extent is %" PRId64 ", the layout's on this process %" PRId64, k,
                array->shape[k], extent);
  }
  const bool empty = array->shape[0] == 0 || array->shape[1] == 0;
  DAP_REQUIRE(empty || array->data, err, DAP_ERR_BUFFER, "the buffer has elements but no data");
  if (empty || !(request->access & DAP_WRITE)) return DAP_OK;
  DAP_RULE(19, !array->readonly, err, DAP_ERR_BUFFER, "the buffer is read-only and access includes writing");
  for (int k = 0; k < 2; k++) {
    DAP_RULE(19, array->strides[k] != 0 || array->shape[k] == 1, err, DAP_ERR_BUFFER,
             "axis %d: stride 0 and access includes writing", k);
  }
  return DAP_OK;
}

static dap_status check_grid(const dap_scalapack_request *request, dap_error *err)
{
  const int *grid = request->options.grid;
  const int nprocs = dap_layout_nprocs(request->layout);
  DAP_REQUIRE(grid[0] >= 0 && grid[1] >= 0, err, DAP_ERR_ARG, "options: grid %d x %d is negative", grid[0],
              grid[1]);
  if (grid[0] && grid[1]) {
    DAP_REQUIRE((int64_t)grid[0] * grid[1] == nprocs, err, DAP_ERR_ARG,
                "options: grid %d x %d does not use exactly the communicator's %d processes", grid[0],
                grid[1], nprocs);
  }
  const int given = grid[0] ? grid[0] : grid[1];
  DAP_REQUIRE(given == 0 || nprocs % given == 0, err, DAP_ERR_ARG,
              "options: grid: %d does not divide the communicator's %d processes", given, nprocs);
  return DAP_OK;
}

static dap_status check_options(const dap_scalapack_request *request, dap_error *err)
{
  const dap_scalapack_options *o = &request->options;
  DAP_REQUIRE(o->sharing == DAP_SHARE_IF_POSSIBLE || o->sharing == DAP_SHARE_OR_FAIL ||
                  o->sharing == DAP_SHARE_NEVER,
              err, DAP_ERR_ARG, "options: sharing is %d, none of its values", (int)o->sharing);
  DAP_REQUIRE(o->op == 0 || o->op == 'N' || o->op == 'T', err, DAP_ERR_ARG,
              "options: op is character %d, not 'N', 'T' or 0", (int)o->op);
  for (int k = 0; k < 2; k++) {
    DAP_REQUIRE(o->block_size[k] >= 0 && o->block_size[k] <= INT_MAX, err, DAP_ERR_ARG,
                "options: block_size[%d] is %" PRId64 ", not within 0..%d", k, o->block_size[k], INT_MAX);
  }
  DAP_REQUIRE(!o->square_blocks || !o->block_size[0] || !o->block_size[1] ||
                  o->block_size[0] == o->block_size[1],
              err, DAP_ERR_ARG, "options: square_blocks with block sizes %" PRId64 " and %" PRId64,
              o->block_size[0], o->block_size[1]);
  return check_grid(request, err);
}

static dap_status check_like(const dap_scalapack_request *request, const dap_scalapack_matrix *matrix,
                             dap_error *err)
{
  const dap_scalapack_options *o = &request->options;
  DAP_REQUIRE(o->like || !o->aligned, err, DAP_ERR_ARG, "options: aligned needs like");
  if (!o->like) return DAP_OK;
  DAP_REQUIRE(o->like != matrix, err, DAP_ERR_ARG, "options: like is the matrix to be filled");
  DAP_REQUIRE(request->like, err, DAP_ERR_ARG, "options: like is not a live view");
  DAP_REQUIRE(request->like->grid->set->owner == request->comm, err, DAP_ERR_ARG,
              "options: like is a view on another communicator");
  DAP_REQUIRE(!o->grid[0] && !o->grid[1] && !o->block_size[0] && !o->block_size[1], err, DAP_ERR_ARG,
              "options: grid and block_size must be 0 with like");
  return DAP_OK;
}

dap_status dap_scalapack_request_check(const dap_scalapack_request *request,
                                       const dap_scalapack_matrix *matrix, dap_error *err)
{
  DAP_REQUIRE(request->layout && request->array && matrix, err, DAP_ERR_ARG, "%s is NULL",
              !request->layout  ? "layout"
              : !request->array ? "array"
                                : "matrix");
  DAP_REQUIRE(request->access == DAP_READ || request->access == DAP_WRITE ||
                  request->access == DAP_READ_WRITE,
              err, DAP_ERR_ARG, "access is %d, none of its values", (int)request->access);
  DAP_TRY(check_layout(request, err));
  DAP_TRY(check_array(request, err));
  DAP_TRY(check_options(request, err));
  return check_like(request, matrix, err);
}

/* ---- the same on every process ---------------------------------------------------------------- */

/* FNV-1a over the eight bytes of `value` (http://www.isthe.com/chongo/tech/comp/fnv/). */
static uint64_t hash(uint64_t seed, int64_t value)
{
  const uint64_t bits = (uint64_t)value;
  for (int shift = 0; shift < 64; shift += 8) {
    seed = (seed ^ ((bits >> shift) & 0xff)) * UINT64_C(0x100000001b3);
  }
  return seed;
}

static const uint64_t hash_start = UINT64_C(0xcbf29ce484222325);

static uint64_t hash_axis(const dap_layout *layout, int k)
{
  const dap_axis axis = dap_layout_axis(layout, k);
  uint64_t h = hash(hash(hash_start, axis.dist_type), axis.size);
  h = hash(hash(hash(h, axis.procs), axis.first_owner), axis.block_size);
  for (int c = 0; c < axis.procs; c++) {
    int64_t halo[2];
    dap_layout_halo(layout, k, c, halo);
    h = hash(hash(hash(h, dap_layout_owned(layout, k, c)), halo[0]), halo[1]);
  }
  return h;
}

/* Not its context: that number differs between processes. */
static uint64_t hash_view(const dap_scalapack_state *view)
{
  if (!view) return 0;
  const dap_blacs_map *map = &view->grid->map;
  uint64_t h = hash(hash(hash_start, map->nprow), map->npcol);
  h = hash(hash(hash(hash(h, map->row_shift), map->col_shift), map->row_stride), map->col_stride);
  return hash(hash(hash(h, view->op), view->block[0]), view->block[1]);
}

dap_status dap_scalapack_request_compare(const dap_scalapack_request *request, dap_error *err)
{
  const dap_scalapack_options *o = &request->options;
  const char *const names[] = {"access",
                               "the element type",
                               "options: sharing",
                               "options: op",
                               "options: square_blocks",
                               "options: aligned",
                               "options: like",
                               "options: block_size[0]",
                               "options: block_size[1]",
                               "options: grid[0]",
                               "options: grid[1]",
                               "axis 0 of the layout",
                               "axis 1 of the layout",
                               "the layout"};
  const uint64_t words[] = {
      (uint64_t)request->access,
      (uint64_t)request->array->dtype,
      (uint64_t)o->sharing,
      (uint64_t)o->op,
      o->square_blocks,
      o->aligned,
      hash_view(request->like),
      (uint64_t)o->block_size[0],
      (uint64_t)o->block_size[1],
      (uint64_t)o->grid[0],
      (uint64_t)o->grid[1],
      hash_axis(request->layout, 0),
      hash_axis(request->layout, 1),
      dap_layout_hash(request->layout), /* the rest: order of ranks, indices */
  };
  return dap_agree_words(request->comm, words, names, (int)(sizeof words / sizeof words[0]), err);
}
