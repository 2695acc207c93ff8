/* An allocation that one process alone is refused while a plan of replicas, of partial sums or of a tree is
 * made: each in turn. All learn of it, and what is made in spite of it is right. */
#include "allocations.h"
#include "mpi_test.h"
#include "tensors.h"

#include <inttypes.h>

static double sources[TENSOR_ELEMENTS], destinations[TENSOR_ELEMENTS];

static void run_plan(const tensor *from, const tensor *to, dap_plan *plan)
{
  dap_error err = {0};
  tensor_fill(from, 3, sources);
  tensor_spoil(destinations);
  if (EXPECT_OK(dap_plan_run(plan, sources, destinations, &err), &err))
    tensor_check(to, tensor_terms(from), 3, 0, destinations);
}

/* On a communicator that has not been seen, so that its nodes are asked for as well. Allocation number
 * `number` of this process is refused, or none if 0. Returns whether there was one on any. */
static bool refuse_one(const tensor *from, const tensor *to, const dap_plan_options *o, int64_t number)
{
  const dap_side a = tensor_side(from), b = tensor_side(to);
  dap_plan *plan = NULL;
  dap_error err = {0};
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  allocations_start(number);
  const dap_status s = dap_plan_create(comm, &a, &b, 0, o, &plan, &err);
  int was_refused = number > 0 && allocations_count() >= number, failed = s != DAP_OK;
  allocations_start(0);
  MPI_Allreduce(MPI_IN_PLACE, &was_refused, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
  if (failed) {
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_NOMEM, "memory");
    EXPECT(was_refused && plan == NULL);
  } else {
    run_plan(from, to, plan);
  }
  dap_plan_destroy(&plan);
  MPI_Comm_free(&comm);
  return was_refused;
}

/* One after the other, on the first process and on the last. */
static void refuse_all(const tensor *from, const tensor *to, const dap_plan_options *o, const char *why)
{
  const int last = test_nprocs() - 1;
  for (int victim = 0; victim <= last; victim += last > 0 ? last : 1) {
    int64_t number = 0;
    for (bool more = true; more;) {
      number++;
      TEST_CASE("%s: allocation %" PRId64 " of rank %d is refused", why, number, victim);
      more = refuse_one(from, to, o, test_rank() == victim ? number : 0);
      SETTLE();
    }
    EXPECT_MSG(number > 5, "only %" PRId64 " allocations", number);
  }
}

static void allocations_of_one_process(void **state)
{
  (void)state;
  static const struct {
    const char *why;
    place from[2], to[2];
    int fan_out;
    unsigned transports;
    bool is_elsewhere; /* the source has ranks of its own */
  } rows[] = {
      {"copies", {R, S0}, {S0, R}, 0, DAP_TRANSPORT_MESSAGES, false},
      {"copies, ranks in another order", {R, S0}, {R, R}, 0, 0, true},
      {"sums", {P, P}, {R, R}, 0, 0, false},
      {"sums, as a tree", {S0, P}, {R, R}, 1, DAP_TRANSPORT_MESSAGES, false},
      {"blocks, as a tree", {S0, S1}, {R, R}, 1, 0, false},
  };
  const int64_t files = open_files(), maps = mapped_files();
  const int nprocs = test_nprocs();
  int reversed[TENSOR_PROCS];
  for (int r = 0; r < nprocs; r++) reversed[r] = nprocs - 1 - r;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const tensor_mesh mesh = tensor_mesh_of(nprocs, NULL),
                      turned = tensor_mesh_of(nprocs, rows[i].is_elsewhere ? reversed : NULL);
    const dap_plan_options o = {.fan_out = rows[i].fan_out, .transports = rows[i].transports};
    tensor from = tensor_make(&turned, rows[i].from, false), to = tensor_make(&mesh, rows[i].to, true);
    refuse_all(&from, &to, &o, rows[i].why);
    tensor_free(&from);
    tensor_free(&to);
    SETTLE();
  }
  EXPECT_INT(open_files(), files);
  EXPECT_INT(mapped_files(), maps);
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(allocations_of_one_process)};
MPI_TEST_MAIN(tests)
