/* Allocates arrays in memory that the processes of a node share. */
#include "comm_impl.h"

#include <inttypes.h>
#include <stdlib.h>

/* Bytes. Lines at this distance compete for the same places of a first-level cache. */
enum { CACHE_WAY = 4096 };

/* The request for an array. */
typedef struct form {
  const char *function; /* the caller's */
  dap_dtype dtype;
  dap_order order;
  bool contiguous;
} form;

/* Memory that an array keeps until it is released. */
typedef struct keep {
  dap_allocation *allocation; /* NULL: the buffer is private */
  void *buffer;               /* private; NULL: the buffer is shared */
  dap_layout *layout;         /* owns the indices of 'u' axes */
} keep;

static void release_keep(dap_array *array)
{
  keep *kept = array->private_data;
  dap_allocation_release(&kept->allocation);
  dap_lines_free(kept->buffer);
  dap_layout_destroy(&kept->layout);
  free(kept);
}

/* ---- form ------------------------------------------------------------------------------------------- */

/* Finds the bytes from one row to the next. If a row is longer than a cache line, they are whole lines, but
 * not a multiple of CACHE_WAY: there the elements of a column, as in a transpose, would displace each
 * other. */
static bool find_pitch(int64_t row, int64_t *pitch)
{
  *pitch = row;
  if (row <= DAP_LINE) return true;
  if (!dap_add(row, DAP_LINE - 1, pitch)) return false;
  *pitch -= *pitch % DAP_LINE;
  return *pitch % CACHE_WAY != 0 || dap_add(*pitch, DAP_LINE, pitch);
}

/* Returns whether the layout is a padded field of three axes or more. PETSc could not share it with gaps,
 * which hardly speed up anything but transposes. */
static bool is_field(const dap_layout *layout)
{
  bool is_padded = false;
  for (int k = 0; k < layout->ndim; k++) {
    const dap_map *map = &layout->maps[k];
    is_padded = is_padded || map->axis.boundary[0] > 0 || map->axis.boundary[1] > 0;
    for (int c = 0; map->halo && c < map->axis.procs; c++)
      is_padded = is_padded || map->halo[c][0] > 0 || map->halo[c][1] > 0;
  }
  return layout->ndim >= 3 && is_padded;
}

/* Makes the array without its buffer. A process outside the layout only keeps the mapping of others'
 * parts. */
static dap_status start(int rank, const dap_layout *layout, const form *f, dap_array *array, int64_t *bytes,
                        dap_error *err)
{
  *bytes = 0;
  keep *kept = calloc(1, sizeof *kept);
  DAP_REQUIRE(kept, err, DAP_ERR_NOMEM, "no memory for an array");
  array->private_data = kept;
  array->release = release_keep;
  if (rank >= layout->nprocs) return DAP_OK;
  DAP_TRY(dap_array_describe(array, layout, rank, NULL, err));
  array->dtype = f->dtype;
  if (dap_layout_has_lists(layout)) kept->layout = dap_layout_retain(layout);
  return dap_array_set_strides(array, f->order, f->contiguous || is_field(layout) ? NULL : find_pitch, bytes,
                               err);
}

/* ---- buffers ----------------------------------------------------------------------------------------- */

/* Allocates shared memory if the node has several processes. If the system has none, that is not an error. */
static dap_status allocate_shared(const dap_context *context, int64_t bytes, keep *kept, dap_error *err)
{
  dap_error reason = {0};
  dap_status s = DAP_OK;
  if (context->node.size > 1 && !context->pool.never)
    s = dap_allocation_create(&context->node, bytes, &kept->allocation, &reason);
  if (s && err) *err = reason;
  return dap_agree(context->comm, s, err);
}

static dap_status attach(const dap_context *context, int64_t bytes, dap_array *array, dap_error *err)
{
  keep *kept = array->private_data;
  DAP_TRY(allocate_shared(context, bytes, kept, err));
  dap_status s = DAP_OK;
  if (bytes > 0 && !kept->allocation) kept->buffer = dap_lines_allocate(bytes);
  if (bytes > 0) array->data = kept->allocation ? dap_allocation_data(kept->allocation) : kept->buffer;
  if (bytes > 0 && !array->data)
    s = dap_fail(err, DAP_ERR_NOMEM, "no memory for a buffer of %" PRId64 " bytes", bytes);
  return dap_agree(context->comm, s, err);
}

/* ---- all of it --------------------------------------------------------------------------------------- */

static dap_status check(const dap_array *array, const dap_layout *layout, const form *f, int nprocs,
                        dap_error *err)
{
  DAP_REQUIRE(array, err, DAP_ERR_ARG, "array must not be NULL");
  DAP_TRY(dap_layout_check(layout, err));
  DAP_REQUIRE(layout->nprocs <= nprocs, err, DAP_ERR_ARG,
              "the layout has %d processes, the communicator only %d", layout->nprocs, nprocs);
  DAP_REQUIRE(dap_dtype_size(f->dtype) > 0, err, DAP_ERR_ARG, "dtype %d is not an element type",
              (int)f->dtype);
  DAP_REQUIRE(f->order == DAP_ORDER_C || f->order == DAP_ORDER_F, err, DAP_ERR_ARG,
              "order %d is neither 'C' nor 'F'", (int)f->order);
  return DAP_OK;
}

static dap_status create(const dap_context *context, const dap_layout *layout, const form *f,
                         dap_array *array, dap_error *err)
{
  static const char *const names[] = {"the layout", "dtype"};
  int64_t bytes = 0;
  const dap_status s = check(array, layout, f, context->nprocs, err);
  const uint64_t words[] = {s ? 0 : dap_layout_hash(layout), (uint64_t)f->dtype};
  const int count = sizeof words / sizeof words[0];
  DAP_TRY(dap_agree_all(
      context->comm,
      &(dap_agreement){.function = f->function, .status = s, .words = words, .names = names, .count = count},
      err));
  DAP_TRY(dap_agree(context->comm, start(context->rank, layout, f, array, &bytes, err), err));
  return attach(context, bytes, array, err);
}

static dap_status allocate(MPI_Comm comm, const dap_layout *layout, const form *f, dap_array *array,
                           bool *shared, dap_error *err)
{
  dap_context *context;
  dap_error own = {0};
  err = err ? err : &own;
  if (array) *array = (dap_array){0};
  if (shared) *shared = false;
  DAP_TRY(dap_context_get(comm, f->function, &context, err));
  const dap_status s = create(context, layout, f, array, err);
  dap_context_release(&context);
  if (s && array) dap_array_release(array);
  if (!s && shared) *shared = ((const keep *)array->private_data)->allocation != NULL;
  return s;
}

dap_status dap_array_alloc(MPI_Comm comm, const dap_layout *layout, dap_dtype dtype, dap_order order,
                           dap_array *array, bool *shared, dap_error *err)
{
  return allocate(comm, layout, &(form){"dap_array_alloc", dtype, order, false}, array, shared, err);
}

dap_status dap_array_alloc_contiguous(MPI_Comm comm, const dap_layout *layout, dap_dtype dtype,
                                      dap_order order, dap_array *array, bool *shared, dap_error *err)
{
  return allocate(comm, layout, &(form){"dap_array_alloc_contiguous", dtype, order, true}, array, shared,
                  err);
}
