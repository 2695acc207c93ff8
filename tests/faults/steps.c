#include "steps.h"

#include "comm_impl.h"
#include "mpi_test.h"

#include <dapbridge/export.h>
#include <dapbridge/plan.h>
#include <dapbridge/shared.h>
#include <stdio.h>

enum { SIZE = 300 };

static dap_layout *make_layout(dap_dist dist)
{
  dap_layout *layout = NULL;
  EXPECT_OK(dap_layout_create(1, &dist, &layout, NULL), NULL);
  return layout;
}

static dap_status agree(MPI_Comm comm, bool *is_right, dap_error *err)
{
  uint64_t bits = UINT64_C(1) | UINT64_C(2) << test_rank();
  const dap_status s = dap_agree_bits(comm, "dap_bits", DAP_OK, &bits, err);
  *is_right = bits == (test_nprocs() > 1 ? 1 : 3);
  return s;
}

/* Every process's list has its own indices and none of the others'; who has which is asked. */
static dap_status assemble(MPI_Comm comm, bool *is_right, dap_error *err)
{
  int64_t indices[SIZE], count = 0, local = -1;
  int owner = -1;
  const int64_t wanted = SIZE - 1;
  for (int64_t i = test_rank(); i < SIZE; i += test_nprocs()) indices[count++] = i;
  const dap_array part = {.abi = DAP_ARRAY_ABI,
                          .dim_count = 1,
                          .version = "0.10.0",
                          .dims = {{.dist_type = 'u',
                                    .indices_dtype = DAP_I8,
                                    .size = SIZE,
                                    .proc_grid_size = test_nprocs(),
                                    .proc_grid_rank = test_rank(),
                                    .index_count = count,
                                    .indices = indices}},
                          .dtype = DAP_I8,
                          .ndim = 1,
                          .shape = {count},
                          .strides = {sizeof *indices},
                          .data = indices};
  dap_layout *layout = NULL;
  dap_status s = dap_layout_assemble(comm, &part, &layout, err);
  if (!s) s = dap_layout_lookup(comm, layout, 1, &wanted, &owner, &local, err);
  *is_right = owner == wanted % test_nprocs() && local == wanted / test_nprocs();
  dap_layout_destroy(&layout);
  return s;
}

static dap_status allocate(MPI_Comm comm, bool *is_right, dap_error *err)
{
  dap_array array = {0};
  dap_layout *layout = make_layout(dap_dist_even(SIZE, test_nprocs()));
  const dap_status s = dap_array_alloc(comm, layout, DAP_F8, DAP_ORDER_C, &array, NULL, err);
  *is_right = array.data && array.shape[0] == dap_layout_extent(layout, 0, test_rank());
  for (int64_t i = 0; i < array.shape[0] && *is_right; i++) *is_right = ((double *)array.data)[i] == 0;
  if (array.release) dap_array_release(&array);
  dap_layout_destroy(&layout);
  return s;
}

/* From rank 0, which alone knows the source's layout, to all. */
static dap_status make_plan(MPI_Comm comm, bool *is_right, dap_error *err)
{
  const bool is_first = test_rank() == 0;
  dap_layout *source = is_first ? make_layout(dap_dist_even(SIZE, 1)) : NULL,
             *target = make_layout(dap_dist_cyclic(SIZE, test_nprocs(), 7));
  const dap_side from = {.layout = source, .contiguous = true}, to = {.layout = target, .contiguous = true};
  dap_plan *plan = NULL;
  int64_t numbers[2][SIZE] = {{0}};
  for (int64_t i = 0; i < SIZE; i++) numbers[0][i] = i;
  dap_status s = dap_plan_create(comm, &from, &to, sizeof numbers[0][0], NULL, &plan, err);
  if (!s) s = dap_plan_run(plan, is_first ? numbers[0] : NULL, numbers[1], err);
  *is_right = true;
  for (int64_t i = 0; i < dap_layout_extent(target, 0, test_rank()); i++) {
    int64_t global;
    (void)dap_layout_globalize(target, test_rank(), &i, &global, NULL, NULL);
    *is_right = *is_right && numbers[1][i] == global;
  }
  dap_plan_destroy(&plan);
  dap_layout_destroy(&source);
  dap_layout_destroy(&target);
  return s;
}

static dap_status export(MPI_Comm comm, bool *is_right, dap_error *err)
{
  static const char begin[] = "[";
  char text[2] = "";
  dap_layout *layout = make_layout(dap_dist_even(SIZE, test_nprocs()));
  FILE *file = tmpfile();
  const dap_status s = dap_layout_export(comm, NULL, (dap_darray){layout, NULL}, file, err);
  if (file) rewind(file);
  *is_right = test_rank() > 0 || (file && fgets(text, sizeof text, file) && strcmp(text, begin) == 0);
  if (file) (void)fclose(file);
  dap_layout_destroy(&layout);
  return s;
}

const step_row step_rows[STEP_ROWS] = {
    {"an agreement", 1, false, agree},
    {"an agreement in the node's memory", 1, true, agree},
    {"an agreement of two nodes", 2, true, agree},
    {"a layout from dictionaries", 1, false, assemble},
    {"a layout, on one node", 1, true, assemble},
    {"a layout, on as many nodes", 0, true, assemble},
    {"an array, the first thing there", 1, false, allocate},
    {"an array", 1, true, allocate},
    {"an array on two nodes", 2, true, allocate},
    {"a plan, the first thing there", 1, false, make_plan},
    {"a plan", 1, true, make_plan},
    {"a plan of two nodes", 2, true, make_plan},
    {"a document", 1, true, export},
    {"a document of two nodes", 2, true, export},
};

MPI_Comm step_comm(int row, double seconds)
{
  const step_row *r = &step_rows[row];
  const int hosts = r->hosts ? r->hosts : test_nprocs();
  MPI_Comm comm;
  dap_error err = {0};
  dap_context *context = NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  if (hosts > 1) EXPECT(dap_node_pretend(comm, test_rank() % hosts));
  EXPECT_OK(dap_wait_limit(comm, seconds, &err), &err);
  if (r->has_context) EXPECT_OK(dap_context_get(comm, NULL, &context, &err), &err);
  if (context) dap_context_release(&context);
  return comm;
}

dap_status step_take(int row, MPI_Comm comm, bool *is_right, dap_error *err)
{
  *is_right = false;
  return step_rows[row].step(comm, is_right, err);
}
