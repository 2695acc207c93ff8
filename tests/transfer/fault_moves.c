#include "fault_moves.h"

#include "comm_impl.h"
#include "mpi_test.h"
#include "problem_impl.h"

enum { SIZE = 60, ITEM = 8 };
static random_array arrays[2][2]; /* of two moves: from, to */

const fault_row fault_rows[FAULT_ROWS] = {
    {.why = "all to all", .from = EVEN, .to = DEALT},
    {.why = "all to all, in more chunks than there are slots", .from = EVEN, .to = DEALT, .message_bytes = 8},
    {.why = "one to all", .from = FIRST, .to = EVEN},
    {.why = "one to all, in chunks", .from = FIRST, .to = EVEN, .message_bytes = 8},
    {.why = "all to one", .from = DEALT, .to = FIRST},
    {.why = "elements of all sources take turns in each line", .from = DEALT, .to = EVEN},
    {.why = "nothing moves", .from = EVEN, .to = EVEN},
    {.why = "one to all, in passes", .from = FIRST, .to = WHOLE, .fan_out = 2},
    {.why = "all to all, in passes", .from = DEALT, .to = WHOLE, .message_bytes = 8, .fan_out = 2},
    {.why = "all to all, then one to one", .from = DEALT, .to = GHOST, .combine = DAP_COMBINE_MAX},
    {.why = "nothing moves, and only directly", .from = EVEN, .to = EVEN, .transports = DAP_TRANSPORT_DIRECT},
    {.why = "all to all, in two phases",
     .from = EVEN,
     .to = DEALT,
     .everyone = true,
     .transports = DAP_TRANSPORT_MESSAGES | DAP_FORCED_TWO_PHASES},
};

/* Behind the distribution with a ghost. */
static int64_t listed[SIZE + 1], lengths[BRUTE_PROCS], owned[BRUTE_PROCS];
static const int64_t *lists[BRUTE_PROCS];

static dap_dist with_ghost(int n)
{
  int64_t next = 0, *at = listed;
  for (int rank = 0; rank < n; rank++) {
    lists[rank] = at;
    owned[rank] = lengths[rank] = SIZE / n + (rank < SIZE % n);
    for (int64_t i = 0; i < owned[rank]; i++) *at++ = next++;
    if (rank == 0 && n > 1) *at++ = next;
    lengths[rank] = at - lists[rank];
  }
  return dap_dist_unstructured_ghosted(SIZE, n, lengths, owned, lists);
}

static test_side make_side(random_array *array, cut kind, test_random *random)
{
  const int n = test_nprocs();
  const dap_dist dist = kind == EVEN    ? dap_dist_even(SIZE, n)
                        : kind == WHOLE ? dap_dist_replicated(SIZE, n)
                        : kind == GHOST ? with_ghost(n)
                        : kind == DEALT ? dap_dist_cyclic(SIZE, n, 1)
                                        : dap_dist_cyclic(SIZE, n, SIZE);
  (void)array_deal(1, &dist, NULL, array);
  return side_make(array, CREATED, NULL, ITEM, FORM_C, random);
}

bool fault_cut_has(cut kind, int rank)
{
  return kind != FIRST || rank == 0;
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
