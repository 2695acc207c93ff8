#include "many.h"

#include "mpi_test.h"

static void *share(MPI_Comm comm, int64_t bytes, dap_array *array)
{
  dap_error err = {0};
  int nprocs = 0;
  MPI_Comm_size(comm, &nprocs);
  MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_INT64_T, MPI_MAX, comm);
  const dap_dist dist = dap_dist_even(bytes * nprocs, nprocs);
  dap_layout *layout = layout_make(1, &dist, NULL);
  EXPECT_OK(dap_array_alloc(comm, layout, DAP_U1, DAP_ORDER_C, array, NULL, &err), &err);
  dap_layout_destroy(&layout);
  return test_must(array->data);
}

void many_make(MPI_Comm comm, const test_side *like, int count, many_memory memory, many_sides *many)
{
  const test_buffer *buffer = &like->buffer;
  const int64_t bytes = buffer->bytes, distance = (unsigned char *)buffer->data - buffer->memory;
  memset(many, 0, sizeof *many);
  many->count = count;
  many->privately = test_must(malloc((size_t)(count * bytes) + 1));
  unsigned char *shared = memory == MANY_PRIVATE ? NULL : share(comm, count * bytes + 1, &many->shared);
  for (int a = 0; a < count; a++) {
    test_side *side = &many->sides[a];
    const bool is_shared = memory == MANY_SHARED || (memory == MANY_MIXED && (count - a) % 2);
    *side = *like;
    side->buffer.memory = (is_shared ? shared : many->privately) + a * bytes;
    if (buffer->data) side->buffer.data = side->buffer.memory + distance;
    side_poison(side);
    many->data[a] = side_data(side);
  }
}

void many_free(many_sides *many)
{
  if (many->shared.data) dap_array_release(&many->shared);
  free(many->privately);
  many->privately = NULL;
}
