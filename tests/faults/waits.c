#define _POSIX_C_SOURCE 200809L /* NOLINT(bugprone-reserved-identifier): nanosleep() */
#include "waits.h"

#include "comm_impl.h"
#include "mpi_test.h"

#include <dapbridge/shared.h>
#include <string.h>
#include <time.h>

const wait_row wait_rows[WAIT_ROWS] = {
    {"shared memory", 0, 1, false},
    {"direct copies", 0, 1, true},
    {"messages", DAP_TRANSPORT_MESSAGES, 1, false},
    {"two nodes", 0, 2, false},
    {"two nodes, directly", 0, 2, true},
    {"as many nodes", 0, 0, false},
};

void wait_rest(double seconds)
{
  struct timespec left = {.tv_sec = (time_t)seconds,
                          .tv_nsec = (long)(1e9 * (seconds - (double)(time_t)seconds))};
  while (nanosleep(&left, &left)) continue;
}

dap_status wait_plan(wait_move *m, int row, double seconds, dap_error *err)
{
  const dap_side from = {.layout = m->row.layouts[0], .contiguous = true},
                 to = {.layout = m->row.layouts[1], .contiguous = true};
  const dap_plan_options options = {.transports = wait_rows[row].transports, .message_bytes = 64};
  const dap_status s = dap_wait_limit(m->comm, seconds, err);
  return s ? s : dap_plan_create(m->comm, &from, &to, sizeof(double), &options, &m->row.plan, err);
}

dap_status wait_start(wait_move *m, int row, double seconds, dap_error *err)
{
  dap_status s = DAP_OK;
  MPI_Comm_dup(MPI_COMM_WORLD, &m->comm);
  const int hosts = wait_rows[row].hosts ? wait_rows[row].hosts : test_nprocs();
  if (hosts > 1) EXPECT(dap_node_pretend(m->comm, test_rank() % hosts));
  row_move_make(&m->row, 5, row);
  m->to = (dap_array){0};
  m->data = m->row.to;
  if (wait_rows[row].shared) {
    s = dap_array_alloc(m->comm, m->row.layouts[1], DAP_F8, DAP_ORDER_C, &m->to, NULL, err);
    if (!s) m->data = m->to.data;
  }
  return s ? s : wait_plan(m, row, seconds, err);
}

void wait_end(wait_move *m)
{
  if (m->to.release) dap_array_release(&m->to);
  row_move_free(&m->row);
  MPI_Comm_free(&m->comm);
}

dap_status wait_run(wait_move *m, int64_t turn, dap_error *err)
{
  row_move_fill(&m->row, turn);
  const dap_status s = dap_plan_run(m->row.plan, m->row.from, m->data, err);
  if (m->data != m->row.to) memcpy(m->row.to, m->data, (size_t)m->row.extent[1] * sizeof(double));
  return s;
}
