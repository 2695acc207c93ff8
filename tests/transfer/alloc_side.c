#include "alloc_side.h"

#include "mpi_test.h"

/* ---- memory ------------------------------------------------------------------------------------- */

alloc_side alloc_side_make(MPI_Comm comm, const test_side *side)
{
  alloc_side alloc = {.side = *side};
  test_buffer *buffer = &alloc.side.buffer;
  int64_t most = buffer->bytes;
  dap_layout *layout = NULL;
  dap_error err = {0};
  int nprocs = 0;
  MPI_Comm_size(comm, &nprocs);
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT64_T, MPI_MAX, comm);
  const dap_dist bytes = dap_dist_even(most * nprocs, nprocs);
  EXPECT_OK(dap_layout_create(1, &bytes, &layout, &err), &err);
  EXPECT_OK(dap_array_alloc(comm, layout, DAP_U1, DAP_ORDER_C, &alloc.array, NULL, &err), &err);
  dap_layout_destroy(&layout);
  if (!alloc.array.data) { /* which is recorded */
    fprintf(stderr, "no memory of the library's\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  memset(alloc.array.data, TEST_POISON, (size_t)most);
  buffer->memory = alloc.array.data;
  if (buffer->data)
    buffer->data = buffer->memory + ((unsigned char *)side->buffer.data - side->buffer.memory);
  return alloc;
}

void alloc_side_free(alloc_side *alloc)
{
  dap_array_release(&alloc->array);
  *alloc = (alloc_side){0};
}

/* ---- counted ------------------------------------------------------------------------------------ */

/* Whether process p of the side has the element: as its owner, or the same along axes that are whole. */
static bool has_copy(const test_side *from, int p, const int64_t global[])
{
  const brute_array *model = &from->array->model;
  int coords[DAP_MAX_NDIM];
  brute_coords(model, p, coords);
  for (int k = 0; k < model->ndim; k++)
    if (!model->axes[k].whole && model->axes[k].owner[global[k]] != coords[k]) return false;
  return true;
}

/* An element comes from the nearest process that has it. */
static void count_position(const test_side *from, const brute_walk *w, const int hosts[], traffic *t)
{
  const int rank = test_rank();
  bool is_here = false, is_near = !hosts;
  for (int p = 0; p < from->array->nprocs; p++) {
    if (!has_copy(from, p, w->global)) continue;
    is_here = is_here || from->ranks[p] == rank;
    is_near = is_near || hosts[from->ranks[p]] == hosts[rank];
  }
  t->kept += is_here;
  t->received += !is_here;
  t->is_foreign = t->is_foreign || !is_near;
}

traffic traffic_count(const test_side *from, const test_side *to, bool halos, const int hosts[])
{
  traffic t = {0};
  if (to->process >= 0)
    for (brute_walk w = brute_walk_start(&to->array->model, to->process); !w.done; brute_walk_next(&w))
      if (halos || w.part != BRUTE_PADDING) count_position(from, &w, hosts, &t);
  int any[] = {t.is_foreign, t.received > 0};
  MPI_Allreduce(MPI_IN_PLACE, any, 2, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
  t.is_foreign = any[0];
  t.crosses = any[1];
  return t;
}
