/* Private: hosts are pretended, and transports are forced. */
#include "small_moves.h"

#include "comm_impl.h"
#include "mpi_test.h"
#include "problem_impl.h"

static test_side make_side(random_array *array, case_cut cut, test_random *random)
{
  const case_layout c = {"", 1, {60}, .cut = {cut}, .block = {1}};
  return case_side(&c, SMALL_ITEM, FORM_C, random, array);
}

void small_move_make(small_move *m, case_cut from, case_cut to, int hosts)
{
  test_random random = test_random_init(950);
  m->from = make_side(&m->arrays[0], from, &random);
  m->to = make_side(&m->arrays[1], to, &random);
  m->options = (dap_plan_options){.message_bytes = SMALL_ITEM};
  m->plan = NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &m->comm);
  EXPECT(dap_node_pretend(m->comm, test_rank() % hosts));
}

dap_status small_move_plan(small_move *m, dap_error *err)
{
  dap_side from = side_of(&m->from), to = side_of(&m->to);
  if (m->options.combine) from.dtype = to.dtype = DAP_I8;
  return dap_plan_create(m->comm, &from, &to, SMALL_ITEM, &m->options, &m->plan, err);
}

void small_move_free(small_move *m)
{
  dap_plan_destroy(&m->plan);
  if (m->comm != MPI_COMM_NULL) MPI_Comm_free(&m->comm);
  side_free(&m->from);
  side_free(&m->to);
}

const struct small_way small_ways[SMALL_WAYS] = {
    {"memory of the node", 0, 1}, {"messages", DAP_TRANSPORT_MESSAGES, 1}, {"two hosts", 0, 2}};

void small_move_start(small_move *m, int way)
{
  dap_error err = {0};
  TEST_CASE("%s", small_ways[way].why);
  small_move_make(m, CUT_EVEN, CUT_CYCLIC, small_ways[way].hosts);
  m->options.transports = small_ways[way].transports;
  EXPECT_OK(small_move_plan(m, &err), &err);
}

void small_move_run(const small_move *m, int shift)
{
  dap_error err = {0};
  side_fill(&m->from, shift, COPIES_RIGHT);
  side_poison(&m->to);
  if (m->plan && EXPECT_OK(dap_plan_run(m->plan, side_data(&m->from), side_data(&m->to), &err), &err))
    side_check(&m->to, shift, COPIES_RIGHT, PADDING_POISON);
}

/* ---- faults ------------------------------------------------------------------------------------------- */

const fault_row fault_rows[FAULT_ROWS] = {
    {"all to all", .from = CUT_EVEN, .to = CUT_CYCLIC},
    {"all to all, in more chunks than there are slots", .from = CUT_EVEN, .to = CUT_CYCLIC,
     .message_bytes = SMALL_ITEM},
    {"one to all", .from = CUT_LAST, .to = CUT_EVEN},
    {"one to all, in chunks", .from = CUT_LAST, .to = CUT_EVEN, .message_bytes = SMALL_ITEM},
    {"all to one", .from = CUT_CYCLIC, .to = CUT_LAST},
    {"elements of all sources take turns in each line", .from = CUT_CYCLIC, .to = CUT_EVEN},
    {"nothing moves", .from = CUT_EVEN, .to = CUT_EVEN},
    {"one to all, in passes", .from = CUT_LAST, .to = CUT_COPIES, .fan_out = 2},
    {"all to all, in passes", .from = CUT_CYCLIC, .to = CUT_COPIES, .message_bytes = SMALL_ITEM,
     .fan_out = 2},
    {"all to all, then to those with ghosts", .from = CUT_CYCLIC, .to = CUT_GHOSTS_BEHIND,
     .combine = DAP_COMBINE_MAX},
    {"nothing moves, and only directly", .from = CUT_EVEN, .to = CUT_EVEN,
     .transports = DAP_TRANSPORT_DIRECT},
    {"all to all, in two phases", .from = CUT_EVEN, .to = CUT_CYCLIC, .everyone = true,
     .transports = DAP_TRANSPORT_MESSAGES | DAP_FORCED_TWO_PHASES},
};

void fault_move_make(small_move *m, int row, int hosts, unsigned transports)
{
  const fault_row *r = &fault_rows[row];
  dap_error err = {0};
  small_move_make(m, r->from, r->to, hosts);
  m->options = (dap_plan_options){.message_bytes = r->message_bytes, .combine = r->combine};
  m->options.transports =
      (r->transports ? r->transports : transports) | (unsigned)r->fan_out * DAP_FORCED_FAN_OUT;
  EXPECT_OK(small_move_plan(m, &err), &err);
}

bool fault_cut_has(case_cut cut, int rank)
{
  return cut != CUT_LAST || rank == test_nprocs() - 1;
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
