/* Tests plans with two passes. With beta != 0, padding and copies must receive their owner's sum after all
 * sums have been computed. */
#include "mpi_test.h"
#include "plans.h"

#include <dapbridge/shared.h>

enum { OWN = 4 /* elements of each process */, HALO = 1, ROW = 64 };

static const double one[] = {1, 0};

/* Each process has rows of ROW elements, or the rest of a row. The axis of rows has a halo. */
typedef struct rows {
  dap_layout *from, *to;
} rows;

static rows rows_make(int64_t length)
{
  const int n = test_nprocs();
  const dap_dist from[] = {dap_dist_cyclic(OWN * n, n, 1), dap_dist_even(length, 1)};
  const dap_dist to[] = {dap_dist_padded(OWN * n, n, HALO), dap_dist_even(length, 1)};
  return (rows){.from = layout_make(2, from, NULL), .to = layout_make(2, to, NULL)};
}

static void rows_free(rows *r)
{
  dap_layout_destroy(&r->from);
  dap_layout_destroy(&r->to);
}

/* ---- direct copies alone ----------------------------------------------------------------------------- */

typedef struct direct_case {
  const char *why;
  bool shares_from, shares_to;
  const char *parts; /* parts of the error; NULL: there is no error */
} direct_case;

static const direct_case direct_cases[] = {
    {"both are seen", true, true, NULL},
    {"the second pass moves from destination to destination", true, false, "transports|copies and padding"},
    {"sources need not be seen", false, true, NULL},
    {"neither is seen", false, false, "transports|neither"}};

static double *allocate(const dap_layout *layout, bool shares, dap_array *array)
{
  dap_error err = {0};
  if (shares)
    EXPECT_OK(dap_array_alloc(MPI_COMM_WORLD, layout, DAP_F8, DAP_ORDER_C, array, NULL, &err), &err);
  else
    EXPECT_OK(dap_array_init(array, layout, test_rank(), DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  SETTLE();
  return array->data;
}

/* Each process has pairs that see neither buffer in the first or the second pass, so it fails. */
static void check_direct(const rows *r, const direct_case *c)
{
  const dap_plan_options options = {.transports = DAP_TRANSPORT_DIRECT, .beta = one, .fill_halos = true};
  dap_array source = {0}, destination = {0};
  dap_plan *plan = NULL;
  dap_error err = {0};
  double *from = allocate(r->from, c->shares_from, &source);
  double *to = allocate(r->to, c->shares_to, &destination);
  const dap_side a = dap_side_of((dap_darray){r->from, &source});
  const dap_side b = dap_side_of((dap_darray){r->to, &destination});
  EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &a, &b, 0, &options, &plan, &err), &err);
  for (int run = 0; run < 2; run++) {
    MPI_Barrier(MPI_COMM_WORLD);
    for (int64_t i = 0; i < source.shape[0]; i++) from[i * source.strides[0] / 8] = 100;
    for (int64_t i = 0; i < destination.shape[0]; i++) to[i * destination.strides[0] / 8] = 1;
    const dap_status s = dap_plan_run(plan, from, to, &err);
    if (c->parts)
      EXPECT_FAIL(s, DAP_ERR_ARG, &err, c->parts);
    else
      EXPECT_OK(s, &err);
    for (int64_t i = 0; i < source.shape[0]; i++) EXPECT(from[i * source.strides[0] / 8] == 100);
    for (int64_t i = 0; i < destination.shape[0] && !c->parts; i++)
      EXPECT_INT(to[i * destination.strides[0] / 8], 101);
  }
  dap_plan_destroy(&plan);
  dap_array_release(&source);
  dap_array_release(&destination);
}

static void refused_where_memory_is_not_seen(void **state)
{
  (void)state;
  if (test_nodes() > 1) return; /* this needs one node */
  rows r = rows_make(1);
  for (size_t i = 0; i < sizeof direct_cases / sizeof direct_cases[0]; i++) {
    TEST_CASE("%s", direct_cases[i].why);
    if (test_nprocs() > 1 || !direct_cases[i].parts) check_direct(&r, &direct_cases[i]);
    SETTLE();
  }
  rows_free(&r);
}

/* ---- memory ------------------------------------------------------------------------------------------ */

/* Returns the bytes of the buffers of both passes. 0: there is no limit. */
static int64_t buffers(const rows *r, unsigned transports, int64_t most)
{
  const dap_plan_options options = {
      .transports = test_joining(transports), .beta = one, .fill_halos = true, .memory_bytes = most};
  const dap_side a = side_in_c_order(r->from, DAP_F8), b = side_in_c_order(r->to, DAP_F8);
  const size_t bytes = (OWN + 2 * HALO) * ROW * sizeof(double);
  double *from = malloc(bytes), *to = malloc(bytes);
  dap_plan *plan = NULL;
  dap_error err = {0};
  int64_t here = -1, all = -1;
  const dap_status s = dap_plan_create(MPI_COMM_WORLD, &a, &b, 0, &options, &plan, &err);
  if (s) expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "memory_bytes|too little|two passes");
  if (!s && EXPECT(from && to)) {
    const int64_t held = OWN + HALO * ((test_rank() > 0) + (test_rank() < test_nprocs() - 1));
    for (int64_t i = 0; i < OWN * ROW; i++) from[i] = 100;
    for (int64_t i = 0; i < held * ROW; i++) to[i] = 1;
    EXPECT_OK(dap_plan_run(plan, from, to, &err), &err);
    for (int64_t i = 0; i < held * ROW; i++) EXPECT_INT(to[i], 101);
    here = dap_plan_summarize(plan).bytes_buffer;
  }
  MPI_Allreduce(&here, &all, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  dap_plan_destroy(&plan);
  free(from);
  free(to);
  return all;
}

/* A preview counts both passes. */
static void previews_have_both_passes(void **state)
{
  (void)state;
  const dap_plan_options options = {.transports = DAP_TRANSPORT_MESSAGES, .beta = one, .fill_halos = true};
  rows r = rows_make(ROW);
  const dap_side a = side_in_c_order(r.from, DAP_F8), b = side_in_c_order(r.to, DAP_F8);
  dap_plan *plan = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &a, &b, 0, &options, &plan, &err), &err);
  expect_preview(&a, &b, 0, &options, plan);
  dap_plan_destroy(&plan);
  rows_free(&r);
  SETTLE();
}

/* memory_bytes is a limit for both passes together. If it is too small, the plan is refused. */
static void both_passes_stay_within_memory(void **state)
{
  (void)state;
  rows r = rows_make(ROW);
  for (int way = 0; way < 2; way++) {
    const unsigned transports = way ? DAP_TRANSPORT_MESSAGES : DAP_TRANSPORT_STAGED;
    int64_t most = buffers(&r, transports, 0), used = most;
    EXPECT((most > 0) == (test_nprocs() > 1));
    for (; used > 0; most = most * 9 / 10) {
      TEST_CASE("%s within %lld bytes", way ? "messages" : "slots", (long long)most);
      used = buffers(&r, transports, most);
      EXPECT_MSG(used <= most, "both passes take %lld bytes", (long long)used);
      SETTLE();
    }
  }
  rows_free(&r);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(refused_where_memory_is_not_seen),
                                          cmocka_unit_test(previews_have_both_passes),
                                          cmocka_unit_test(both_passes_stay_within_memory)};
MPI_TEST_MAIN(tests)
