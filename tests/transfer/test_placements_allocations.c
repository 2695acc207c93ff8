/* An allocation that one process alone is refused while a plan of replicas, of partial sums or of a tree is
 * made: each in turn. All learn of it, and what is made in spite of it is right. */
#include "allocations.h"
#include "mpi_test.h"
#include "problem_impl.h"
#include "refused.h"
#include "tensors.h"

static double sources[TENSOR_ELEMENTS], destinations[TENSOR_ELEMENTS];

typedef struct trial {
  const tensor *from, *to;
  const dap_plan_options *options;
} trial;

static void run_plan(const trial *t, dap_plan *plan)
{
  dap_error err = {0};
  tensor_fill(t->from, 3, sources);
  tensor_spoil(destinations);
  if (EXPECT_OK(dap_plan_run(plan, sources, destinations, &err), &err))
    tensor_check(t->to, tensor_addends(t->from), 3, 0, destinations);
}

/* On a communicator that has not been seen, so that its nodes are asked for as well. Allocation number
 * `number` of this process is refused, or none if 0. Returns whether there was one on any. */
static bool refuse_one(const void *given, int64_t number)
{
  const trial *t = given;
  const dap_side a = tensor_side(t->from), b = tensor_side(t->to);
  dap_plan *plan = NULL;
  dap_error err = {0};
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  allocations_start(number);
  const dap_status s = dap_plan_create(comm, &a, &b, 0, t->options, &plan, &err);
  const refusal r = refusal_of(number, s);
  if (r.failed) {
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_NOMEM, "memory");
    EXPECT(plan == NULL);
  } else {
    run_plan(t, plan);
  }
  dap_plan_destroy(&plan);
  MPI_Comm_free(&comm);
  return r.was_met;
}

static void allocations_of_one_process(void **state)
{
  (void)state;
  static const struct {
    const char *why;
    place from[2], to[2];
    unsigned transports;
    bool is_elsewhere; /* the source has ranks of its own */
  } rows[] = {
      {"copies", {R, S0}, {S0, R}, DAP_TRANSPORT_MESSAGES, false},
      {"copies, ranks in another order", {R, S0}, {R, R}, 0, true},
      {"sums", {P, P}, {R, R}, 0, false},
      {"sums, as a tree", {S0, P}, {R, R}, DAP_TRANSPORT_MESSAGES | DAP_FORCED_FAN_OUT, false},
      {"blocks, as a tree", {S0, S1}, {R, R}, DAP_FORCED_FAN_OUT, false},
  };
  const int64_t files = open_files(), maps = mapped_files();
  const int nprocs = test_nprocs();
  int reversed[TENSOR_PROCS];
  for (int r = 0; r < nprocs; r++) reversed[r] = nprocs - 1 - r;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const tensor_mesh mesh = tensor_mesh_of(nprocs, NULL),
                      turned = tensor_mesh_of(nprocs, rows[i].is_elsewhere ? reversed : NULL);
    const dap_plan_options o = {.transports = rows[i].transports};
    tensor from = tensor_make(&turned, rows[i].from, false), to = tensor_make(&mesh, rows[i].to, true);
    const trial t = {.from = &from, .to = &to, .options = &o};
    refuse_each(rows[i].why, refuse_one, &t);
    tensor_free(&from);
    tensor_free(&to);
    SETTLE();
  }
  EXPECT(test_same_files(files, open_files()));
  EXPECT_INT(mapped_files(), maps);
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(allocations_of_one_process)};
MPI_TEST_MAIN(tests)
