/* Private: hosts are pretended, and transports are forced. */
#include "fault_moves.h"

#include "comm_impl.h"
#include "mpi_test.h"
#include "problem_impl.h"

enum { SIZE = 60, ITEM = 8 };
static random_array arrays[2][2]; /* of two moves: from, to */

const fault_row fault_rows[FAULT_ROWS] = {
    {.why = "all to all", .from = CUT_EVEN, .to = CUT_CYCLIC},
    {.why = "all to all, in more chunks than there are slots",
     .from = CUT_EVEN,
     .to = CUT_CYCLIC,
     .message_bytes = 8},
    {.why = "one to all", .from = CUT_LAST, .to = CUT_EVEN},
    {.why = "one to all, in chunks", .from = CUT_LAST, .to = CUT_EVEN, .message_bytes = 8},
    {.why = "all to one", .from = CUT_CYCLIC, .to = CUT_LAST},
    {.why = "elements of all sources take turns in each line", .from = CUT_CYCLIC, .to = CUT_EVEN},
    {.why = "nothing moves", .from = CUT_EVEN, .to = CUT_EVEN},
    {.why = "one to all, in passes", .from = CUT_LAST, .to = CUT_COPIES, .fan_out = 2},
    {.why = "all to all, in passes", .from = CUT_CYCLIC, .to = CUT_COPIES, .message_bytes = 8, .fan_out = 2},
    {.why = "all to all, then to those with ghosts",
     .from = CUT_CYCLIC,
     .to = CUT_GHOSTS_BEHIND,
     .combine = DAP_COMBINE_MAX},
    {.why = "nothing moves, and only directly",
     .from = CUT_EVEN,
     .to = CUT_EVEN,
     .transports = DAP_TRANSPORT_DIRECT},
    {.why = "all to all, in two phases",
     .from = CUT_EVEN,
     .to = CUT_CYCLIC,
     .everyone = true,
     .transports = DAP_TRANSPORT_MESSAGES | DAP_FORCED_TWO_PHASES},
};

static test_side make_side(random_array *array, case_cut cut, test_random *random)
{
  const case_layout c = {"", 1, {SIZE}, .cut = {cut}, .block = {1}};
  return case_side(&c, ITEM, FORM_C, random, array);
}

bool fault_cut_has(case_cut cut, int rank)
{
  return cut != CUT_LAST || rank == test_nprocs() - 1;
}

fault_move fault_move_start(int nth, int row, int hosts, unsigned transports, test_random *random)
{
  fault_move m = {.from = make_side(&arrays[nth][0], fault_rows[row].from, random),
                  .to = make_side(&arrays[nth][1], fault_rows[row].to, random)};
  dap_side a = side_of(&m.from), b = side_of(&m.to);
  const unsigned allowed = fault_rows[row].transports ? fault_rows[row].transports : transports;
  const dap_plan_options o = {.transports = allowed | (unsigned)fault_rows[row].fan_out * DAP_FORCED_FAN_OUT,
                              .message_bytes = fault_rows[row].message_bytes,
                              .combine = fault_rows[row].combine};
  if (o.combine) a.dtype = b.dtype = DAP_I8;
  dap_error err = {0};
  MPI_Comm_dup(MPI_COMM_WORLD, &m.comm);
  EXPECT(dap_node_pretend(m.comm, test_rank() % hosts));
  EXPECT_OK(dap_plan_create(m.comm, &a, &b, ITEM, &o, &m.plan, &err), &err);
  return m;
}

void fault_move_end(fault_move *m)
{
  dap_plan_destroy(&m->plan);
  MPI_Comm_free(&m->comm);
  side_free(&m->from);
  side_free(&m->to);
  SETTLE();
}

void fault_move_run(const fault_move *m, int shift)
{
  dap_error err = {0};
  side_fill(&m->from, shift, COPIES_RIGHT);
  side_poison(&m->to);
  if (m->plan && EXPECT_OK(dap_plan_run(m->plan, side_data(&m->from), side_data(&m->to), &err), &err))
    side_check(&m->to, shift, COPIES_RIGHT, PADDING_POISON);
}

bool fault_row_has_one_pass(int row)
{
  return !fault_rows[row].fan_out && !fault_rows[row].combine && !fault_rows[row].everyone;
}

bool fault_row_sends(int row, int from, int to)
{
  return from != to && fault_rows[row].from != fault_rows[row].to &&
         fault_cut_has(fault_rows[row].from, from) && fault_cut_has(fault_rows[row].to, to);
}
