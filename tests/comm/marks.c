#include "marks.h"

#include "mpi_test.h"

#include <inttypes.h>

dap_layout *make_layout(int nprocs, int ndim, const int64_t shape[])
{
  dap_dist dists[DAP_MAX_NDIM];
  dap_layout *layout = NULL;
  for (int k = 0; k < ndim; k++)
    dists[k] = dap_dist_even(shape[k] * (k == 0 ? nprocs : 1), k == 0 ? nprocs : 1);
  EXPECT_OK(dap_layout_create(ndim, dists, &layout, NULL), NULL);
  return layout;
}

dap_array make_array(MPI_Comm comm, bool *shared)
{
  int nprocs = 0;
  dap_array array;
  dap_error err = {0};
  MPI_Comm_size(comm, &nprocs);
  dap_layout *layout = make_layout(nprocs, 2, (const int64_t[]){ROWS, COLUMNS});
  EXPECT_OK(dap_array_alloc(comm, layout, DAP_I4, DAP_ORDER_C, &array, shared, &err), &err);
  dap_layout_destroy(&layout);
  return array;
}

/* ---- elements --------------------------------------------------------------------------------------- */

/* The walk over all positions of a buffer, in C order. */
static bool step_on(const dap_array *array, int64_t position[])
{
  int k = array->ndim - 1;
  while (k >= 0 && ++position[k] == array->shape[k]) position[k--] = 0;
  return k >= 0;
}

static int64_t offset_of(const dap_array *array, const int64_t position[])
{
  int64_t offset = 0;
  for (int k = 0; k < array->ndim; k++) offset += position[k] * array->strides[k];
  return offset;
}

unsigned char mark(int writer, int64_t offset)
{
  return (unsigned char)(1 + (writer * 37 + offset * 5 + offset / 127) % 255);
}

void write_marks(const dap_array *form, char *base, int writer)
{
  int64_t position[DAP_MAX_NDIM] = {0};
  for (bool more = dap_array_count(form) > 0; more; more = step_on(form, position))
    for (int64_t i = 0, at = offset_of(form, position); i < dap_dtype_size(form->dtype); i++, at++)
      base[at] = (char)mark(writer, at);
}

void check_marks(const dap_array *form, const char *base, int writer)
{
  int64_t position[DAP_MAX_NDIM] = {0};
  bool good = true;
  for (bool more = dap_array_count(form) > 0; more && good; more = step_on(form, position))
    for (int64_t i = 0, at = offset_of(form, position); i < dap_dtype_size(form->dtype); i++, at++)
      good = good && EXPECT_MSG((unsigned char)base[at] == (writer < 0 ? 0 : mark(writer, at)),
                                "offset %" PRId64 " of what rank %d wrote is %d", at, writer, base[at]);
}

dap_segment segment_of(const void *at)
{
  const dap_segment segment = dap_segment_find(dap_self_lock(false), at);
  dap_self_unlock();
  return segment;
}

char *segment_at(const dap_segment *segment)
{
  char *at = dap_segment_at(dap_self_lock(false), segment);
  dap_self_unlock();
  return at;
}

bool segment_seen(const dap_segment *segment, uint64_t id)
{
  const bool is_seen = dap_segment_seen(dap_self_lock(false), segment, id);
  dap_self_unlock();
  return is_seen;
}

void tell_segments(MPI_Comm comm, const void *at, dap_segment segments[])
{
  const dap_segment own = segment_of(at);
  MPI_Allgather(&own, (int)sizeof own, MPI_BYTE, segments, (int)sizeof own, MPI_BYTE, comm);
}
