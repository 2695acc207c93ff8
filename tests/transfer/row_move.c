/* Private: hosts are pretended. */
#include "row_move.h"

#include "comm_impl.h"
#include "mpi_test.h"

void row_move_make(row_move *m, int64_t block, int64_t salt)
{
  const int nprocs = test_nprocs();
  const dap_dist dists[2] = {dap_dist_even(ROW_SIZE, nprocs), dap_dist_cyclic(ROW_SIZE, nprocs, block)};
  *m = (row_move){.salt = salt};
  for (int k = 0; k < 2; k++) {
    (void)dap_layout_create(1, &dists[k], &m->layouts[k], NULL);
    m->extent[k] = dap_layout_extent(m->layouts[k], 0, test_rank());
  }
}

dap_status row_move_plan(MPI_Comm comm, row_move *m, unsigned transports, dap_error *err)
{
  const dap_side from = {.layout = m->layouts[0], .contiguous = true},
                 to = {.layout = m->layouts[1], .contiguous = true};
  const dap_plan_options options = {.transports = transports, .message_bytes = 64};
  return dap_plan_create(comm, &from, &to, sizeof(double), &options, &m->plan, err);
}

void row_move_free(row_move *m)
{
  dap_plan_destroy(&m->plan);
  for (int k = 0; k < 2; k++) dap_layout_destroy(&m->layouts[k]);
}

static double value(const row_move *m, int64_t global, int64_t turn)
{
  return (double)(global + ROW_SIZE * (m->salt + 100 * turn));
}

void row_move_fill(row_move *m, int64_t turn)
{
  for (int64_t i = 0; i < m->extent[0]; i++) {
    int64_t global;
    (void)dap_layout_globalize(m->layouts[0], test_rank(), &i, &global, NULL, NULL);
    m->from[i] = value(m, global, turn);
  }
  memset(m->to, 0, sizeof m->to);
}

int row_move_wrong(const row_move *m, int64_t turn)
{
  int wrong = 0;
  for (int64_t i = 0; i < m->extent[1]; i++) {
    int64_t global;
    (void)dap_layout_globalize(m->layouts[1], test_rank(), &i, &global, NULL, NULL);
    wrong += m->to[i] != value(m, global, turn);
  }
  return wrong;
}

void row_move_run(row_move *m, int64_t turn)
{
  dap_error err;
  row_move_fill(m, turn);
  EXPECT_OK(dap_plan_run(m->plan, m->from, m->to, &err), &err);
  EXPECT_INT(row_move_wrong(m, turn), 0);
}

/* ---- ways -------------------------------------------------------------------------------------------- */

const row_way row_ways[ROW_WAYS] = {
    {"memory of the node", 0, 1},
    {"messages", DAP_TRANSPORT_MESSAGES, 1},
    {"two nodes", 0, 2},
};

MPI_Comm row_way_comm(int way)
{
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  if (row_ways[way].hosts > 1) EXPECT(dap_node_pretend(comm, test_rank() % row_ways[way].hosts));
  return comm;
}
