/* One process that goes wrong while a plan is made or run: an argument that only it has, an allocation that only it is
 * refused, a buffer that only it lacks. All learn of it, in the same words, and the next plan is none the worse. */
#include "allocations.h"
#include "comm_impl.h"
#include "lent.h"
#include "mpi_test.h"

#include <inttypes.h>

static random_array arrays[2];

static bool is_last(void)
{
  return test_rank() == test_nprocs() - 1;
}

/* ---- arguments ---------------------------------------------------------------------------------------- */

/* All that a plan of doubles is made of. */
typedef struct request {
  dap_side from, to;
  int64_t from_strides[2], to_strides[2], from_start[2], to_start[2], shape[2], itemsize;
  int axes[2];
  double alpha[2], beta[2];
  dap_plan_options options;
} request;

static void other_axes(request *r)
{
  r->axes[0] = 0;
  r->axes[1] = 1;
}

static void no_axes(request *r)
{
  r->options.axes = NULL;
}

static void axis_twice(request *r)
{
  r->axes[1] = r->axes[0];
}

static void axis_outside(request *r)
{
  r->axes[0] = -1;
}

static void other_shape(request *r)
{
  r->shape[1]--;
}

static void shape_outside(request *r)
{
  r->shape[0] = 1000;
}

static void negative_shape(request *r)
{
  r->shape[0] = -1;
}

static void no_shape(request *r)
{
  r->options.shape = NULL;
}

static void other_from_start(request *r)
{
  r->from_start[1]--;
}

static void other_to_start(request *r)
{
  r->to_start[0]++;
}

static void start_outside(request *r)
{
  r->to_start[1] = 1000;
}

static void negative_start(request *r)
{
  r->from_start[0] = -1;
}

static void other_type(request *r)
{
  r->to.dtype = DAP_C16;
}

static void no_type(request *r)
{
  r->from.dtype = DAP_NONE;
}

static void bad_type(request *r)
{
  r->from.dtype = (dap_dtype)99;
}

static void lossy_type(request *r)
{
  r->to.dtype = DAP_F4;
}

static void bad_itemsize(request *r)
{
  r->itemsize = 4;
}

static void conjugated(request *r)
{
  r->options.conjugate = true;
}

static void other_alpha(request *r)
{
  r->alpha[0] = 3;
}

static void other_beta(request *r)
{
  r->beta[0] = 3;
}

static void other_memory(request *r)
{
  r->options.memory_bytes = 1 << 20;
}

static void negative_memory(request *r)
{
  r->options.memory_bytes = -1;
}

static void other_transports(request *r)
{
  r->options.transports = DAP_TRANSPORT_MESSAGES;
}

static void bad_transports(request *r)
{
  r->options.transports = 16;
}

static void zero_stride(request *r)
{
  r->to_strides[0] = 0;
}

static void no_layout(request *r)
{
  r->from.layout = NULL;
}

typedef struct mistake {
  const char *why;
  void (*make)(request *r);
  dap_status status;
  const char *parts; /* of the text, separated by '|' */
  int least;         /* processes that it takes */
} mistake;

static const mistake mistakes[] = {
    {"axes say where each element goes", other_axes, DAP_ERR_ARG, "axes|not the same", 2},
    {"none are others than these", no_axes, DAP_ERR_ARG, "axes|not the same", 2},
    {"each axis goes to one", axis_twice, DAP_ERR_ARG, "axes[1]|twice", 1},
    {"and is there", axis_outside, DAP_ERR_ARG, "axes[0] = -1|outside", 1},
    {"the part is as large everywhere", other_shape, DAP_ERR_ARG, "sub-array|not the same", 2},
    {"it lies in the arrays", shape_outside, DAP_ERR_ARG, "1000 elements", 1},
    {"it has no negative extent", negative_shape, DAP_ERR_ARG, "-1 elements", 1},
    {"no shape: to the ends of both, which differ", no_shape, DAP_ERR_ARG, "dim 0", 1},
    {"it begins at the same element of the source", other_from_start, DAP_ERR_ARG, "sub-array|not the same",
     2},
    {"and of the destination", other_to_start, DAP_ERR_ARG, "sub-array|not the same", 2},
    {"which is there", start_outside, DAP_ERR_ARG, "to|dim 1|1000", 1},
    {"and not before the first", negative_start, DAP_ERR_ARG, "from|-1", 1},
    {"elements become the same everywhere", other_type, DAP_ERR_ARG, "dtypes|not the same", 2},
    {"both sides have types or neither", no_type, DAP_ERR_ARG, "from has none|to has a dtype", 1},
    {"a type that there is", bad_type, DAP_ERR_ARG, "dtypes|99", 1},
    {"a cast that one process alone may not make", lossy_type, DAP_ERR_ARG, "float64|float32|lossy|rule 20",
     1},
    {"an itemsize that is not the type's", bad_itemsize, DAP_ERR_ARG, "itemsize 4|8", 1},
    {"what is done to elements is the same: conjugate", conjugated, DAP_ERR_ARG, "conjugate|not the same", 2},
    {"alpha", other_alpha, DAP_ERR_ARG, "alpha|not the same", 2},
    {"beta", other_beta, DAP_ERR_ARG, "beta|not the same", 2},
    {"memory decides how moves are cut", other_memory, DAP_ERR_ARG, "memory_bytes|not the same", 2},
    {"there is no less than none", negative_memory, DAP_ERR_ARG, "memory_bytes -1", 1},
    {"both ends take the same way", other_transports, DAP_ERR_ARG, "transports|not the same", 2},
    {"a way that there is", bad_transports, DAP_ERR_ARG, "transports 0x10", 1},
    {"elements at one place cannot be written", zero_stride, DAP_ERR_BUFFER, "to|dim 0|stride 0", 1},
    {"who has a part brings the layout", no_layout, DAP_ERR_ARG, "from|NULL", 1},
};

/* A part of 20 x 9 elements, its axes exchanged, added to what is there. */
static void make_request(request *r, const dap_layout *from, const dap_layout *to)
{
  *r = (request){.from = {.layout = from, .dtype = DAP_F8},
                 .to = {.layout = to, .dtype = DAP_F8},
                 .from_start = {1, 2},
                 .to_start = {2, 1},
                 .shape = {20, 9},
                 .axes = {1, 0},
                 .alpha = {2, 0},
                 .beta = {1, 0},
                 .from_strides = {8 * 30, 8},
                 .to_strides = {8 * 30, 8}};
  r->from.start = r->from_start;
  r->to.start = r->to_start;
  r->from.strides = r->from_strides;
  r->to.strides = r->to_strides;
  r->options = (dap_plan_options){.axes = r->axes, .shape = r->shape, .alpha = r->alpha, .beta = r->beta};
}

static void arguments_of_one_process(void **state)
{
  (void)state;
  const int n = test_nprocs();
  const dap_dist from_dists[] = {dap_dist_even(24, 1), dap_dist_even(30, n)};
  const dap_dist to_dists[] = {dap_dist_cyclic(26, n, 2), dap_dist_even(25, 1)};
  dap_layout *from = NULL, *to = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(2, from_dists, &from, &err), &err);
  EXPECT_OK(dap_layout_create(2, to_dists, &to, &err), &err);
  const int64_t files = open_files(), maps = mapped_files();
  for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
    const mistake *m = &mistakes[i];
    request r;
    dap_plan *plan = NULL;
    TEST_CASE("%s", m->why);
    make_request(&r, from, to);
    if (is_last() && n >= m->least) m->make(&r);
    const dap_status s = dap_plan_create(MPI_COMM_WORLD, &r.from, &r.to, r.itemsize, &r.options, &plan, &err);
    if (n < m->least)
      EXPECT_OK(s, &err);
    else
      expect_same_error(MPI_COMM_WORLD, s, &err, m->status, m->parts);
    EXPECT((plan == NULL) == (n >= m->least));
    dap_plan_destroy(&plan);
    SETTLE();
  }
  EXPECT_INT(open_files(), files);
  EXPECT_INT(mapped_files(), maps);
  dap_layout_destroy(&from);
  dap_layout_destroy(&to);
  SETTLE();
}

/* ---- allocations ---------------------------------------------------------------------------------------- */

/* What is made while one process is refused memory. */
typedef struct trial {
  test_side from, to;
  dap_plan_options options;
  bool tells, is_many, is_halo;
} trial;

static dap_side side_given(const trial *t, const test_side *s)
{
  dap_side side = side_of(s);
  if (t->tells && s->process < 0) side = (dap_side){0};
  return side;
}

static dap_status make_plan(const trial *t, dap_plan **plan, dap_error *err)
{
  const dap_side a = side_given(t, &t->from), b = side_given(t, &t->to);
  const int64_t item = t->from.itemsize;
  if (t->is_halo) return dap_plan_create_halo(MPI_COMM_WORLD, &b, item, &t->options, plan, err);
  if (!t->is_many) return dap_plan_create(MPI_COMM_WORLD, &a, &b, item, &t->options, plan, err);
  const dap_side from[] = {a, a}, to[] = {b, b};
  const dap_plan_options options[] = {t->options, t->options};
  return dap_plan_create_many(MPI_COMM_WORLD, 2, from, to, (const int64_t[]){item, item}, options, plan, err);
}

/* A plan that was made in spite of all moves all elements. */
static void run_plan(const trial *t, dap_plan *plan)
{
  dap_error err = {0};
  const bool halos = t->is_halo || t->options.fill_halos;
  const test_side *source = t->is_halo ? &t->to : &t->from;
  side_poison(&t->to);
  side_fill(source, 3, COPIES_WRONG);
  if (t->is_many) return;
  if (EXPECT_OK(dap_plan_run(plan, side_data(source), side_data(&t->to), &err), &err))
    side_check(&t->to, 3, t->is_halo ? COPIES_WRONG : COPIES_RIGHT, halos ? PADDING_FILLED : PADDING_POISON);
}

/* Allocation number `number` of this process is refused, or of none if 0. Returns whether there was one on any. */
static bool refuse_one(const trial *t, int64_t number)
{
  dap_plan *plan = NULL;
  dap_error err = {0};
  allocations_start(number);
  const dap_status s = make_plan(t, &plan, &err);
  int was_refused = number > 0 && allocations_count() >= number, failed = s != DAP_OK;
  allocations_start(0);
  MPI_Allreduce(MPI_IN_PLACE, &was_refused, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
  if (failed) {
    /* what can only go through shared memory cannot go where there is none */
    const bool staged = t->options.transports == DAP_TRANSPORT_STAGED && s == DAP_ERR_UNSUPPORTED;
    expect_same_error(MPI_COMM_WORLD, s, &err, staged ? DAP_ERR_UNSUPPORTED : DAP_ERR_NOMEM, "memory");
    EXPECT(was_refused && plan == NULL);
  } else {
    run_plan(t, plan);
  }
  dap_plan_destroy(&plan);
  return was_refused;
}

/* One after the other, on the first process and on the last. */
static void refuse_all(const trial *t, const char *why)
{
  for (int victim = 0; victim<test_nprocs(); victim += test_nprocs()> 1 ? test_nprocs() - 1 : 1) {
    int64_t number = 1;
    bool more = true;
    while (more) {
      TEST_CASE("%s: allocation %" PRId64 " of rank %d is refused", why, number, victim);
      more = refuse_one(t, test_rank() == victim ? number++ : (number++, 0));
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
    side_origin origin;
    bool tells, is_many, is_halo, is_listed;
    unsigned transports;
  } rows[] = {
      {"shared memory", CREATED, false, false, false, false, DAP_TRANSPORT_STAGED},
      {"messages", CREATED, false, false, false, false, DAP_TRANSPORT_MESSAGES},
      {"lists that nobody has all of", ASSEMBLED, false, false, false, true, 0},
      {"layouts that are told", CREATED, true, false, false, false, 0},
      {"lists that are told", MIXED, true, false, false, true, 0},
      {"two arrays", CREATED, false, true, false, false, 0},
      {"halos", CREATED, true, false, true, false, 0},
  };
  const int64_t files = open_files(), maps = mapped_files();
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    test_random random = test_random_init(120);
    static random_memory memory[4];
    const int n = test_nprocs(), fewer = rows[i].tells && n > 1 ? n - 1 : n;
    const dap_dist lists[] = {random_lists(&random, fewer, 17, &memory[0]),
                              random_lists(&random, fewer, 17, &memory[1])};
    const dap_dist from[] = {rows[i].is_listed ? lists[0] : dap_dist_even(17, fewer), dap_dist_even(5, 1)};
    const dap_dist to[] = {rows[i].is_listed ? lists[1]
                           : rows[i].is_halo ? dap_dist_padded(17, fewer, 2)
                                             : dap_dist_cyclic(17, fewer, 2),
                           dap_dist_even(5, 1)};
    TEST_CASE("%s", rows[i].why);
    (void)array_deal(2, from, NULL, &arrays[0]);
    (void)array_deal(2, to, NULL, &arrays[1]);
    trial t = {.options = {.transports = rows[i].transports},
               .tells = rows[i].tells,
               .is_many = rows[i].is_many,
               .is_halo = rows[i].is_halo};
    t.from = side_make(&arrays[0], rows[i].origin, NULL, 8, FORM_C, &random);
    t.to = side_make(&arrays[1], rows[i].origin, NULL, 8, FORM_F, &random);
    refuse_all(&t, rows[i].why);
    side_free(&t.from);
    side_free(&t.to);
    SETTLE();
  }
  EXPECT_INT(open_files(), files);
  EXPECT_INT(mapped_files(), maps);
  SETTLE();
}

/* dap_array_alloc(): refused everywhere, or private memory on all of the node. */
static void shared_arrays_of_one_process(void **state)
{
  (void)state;
  const dap_dist dists[] = {dap_dist_even(40, test_nprocs()), dap_dist_even(50, 1)};
  dap_layout *layout = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(2, dists, &layout, &err), &err);
  const int64_t files = open_files(), maps = mapped_files();
  int was_refused = 1;
  for (int64_t number = 1; was_refused; number++) {
    dap_array array;
    bool shared = false;
    TEST_CASE("allocation %" PRId64 " of the last rank is refused", number);
    allocations_start(is_last() ? number : 0);
    const dap_status s = dap_array_alloc(MPI_COMM_WORLD, layout, DAP_F8, DAP_ORDER_C, &array, &shared, &err);
    was_refused = is_last() && allocations_count() >= number;
    allocations_start(0);
    int seen[] = {was_refused, s != DAP_OK, s == DAP_OK && shared, s == DAP_OK && !shared};
    MPI_Allreduce(MPI_IN_PLACE, seen, 4, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
    was_refused = seen[0];
    EXPECT_MSG(!(seen[2] && seen[3]), "shared on some processes of the node only");
    if (seen[1]) expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_NOMEM, "memory");
    if (!s) memset(array.data, 1, 8); /* is there */
    dap_array_release(&array);
    SETTLE();
  }
  EXPECT_INT(open_files(), files);
  EXPECT_INT(mapped_files(), maps);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* ---- buffers -------------------------------------------------------------------------------------------- */

/* Without one buffer nothing is written anywhere; with it, the same plan moves all. */
static void run_without(MPI_Comm comm, const test_side *from, const test_side *to, unsigned transports,
                        bool is_source)
{
  const dap_side a = side_of(from), b = side_of(to);
  const dap_plan_options options = {.transports = transports};
  dap_plan *plan = NULL;
  dap_error err = {0};
  if (!EXPECT_OK(dap_plan_create(comm, &a, &b, from->itemsize, &options, &plan, &err), &err)) return;
  for (int run = 0; run < 4; run++) {
    const bool lacks = run % 2 == 0 && is_last();
    side_fill(from, run, COPIES_RIGHT);
    side_poison(to);
    EXPECT_OK(dap_plan_begin(plan, lacks && is_source ? NULL : side_data(from),
                             lacks && !is_source ? NULL : side_data(to), &err),
              &err);
    const dap_status s = dap_plan_end(plan, &err);
    if (run % 2)
      EXPECT_OK(s, &err);
    else
      expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, is_source ? "source|NULL" : "destination|NULL");
    if (run % 2)
      side_check(to, run, COPIES_RIGHT, PADDING_POISON);
    else
      for (int64_t i = 0; i < to->buffer.bytes; i++)
        if (to->buffer.memory[i] != TEST_POISON && !EXPECT_MSG(false, "byte %" PRId64 " was written", i))
          break;
  }
  dap_plan_destroy(&plan);
}

static void buffers_of_one_process(void **state)
{
  (void)state;
  const int n = test_nprocs();
  const dap_dist block = dap_dist_even(60, n), dealt = dap_dist_cyclic(60, n, 1);
  test_random random = test_random_init(130);
  (void)array_deal(1, &block, NULL, &arrays[0]);
  (void)array_deal(1, &dealt, NULL, &arrays[1]);
  test_side from = side_make(&arrays[0], CREATED, NULL, 8, FORM_C, &random);
  test_side to = side_make(&arrays[1], CREATED, NULL, 8, FORM_C, &random);
  lent_side lent_from = lend(MPI_COMM_WORLD, &from), lent_to = lend(MPI_COMM_WORLD, &to);
  for (int hosts = 1; hosts <= 3; hosts++)
    for (unsigned transports = 0; transports <= 7; transports++)
      for (int is_source = 0; is_source < 2; is_source++) {
        MPI_Comm comm = MPI_COMM_NULL;
        if (hosts > 1 && transports && !(transports & DAP_TRANSPORT_MESSAGES)) continue;
        TEST_CASE("%d hosts, transports %#x, no %s", hosts, transports, is_source ? "source" : "destination");
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        EXPECT(dap_node_pretend(comm, test_rank() % hosts));
        if (transports != DAP_TRANSPORT_DIRECT) run_without(comm, &from, &to, transports, is_source);
        run_without(comm, &lent_from.side, &lent_to.side, transports, is_source);
        MPI_Comm_free(&comm);
        SETTLE();
      }
  lent_free(&lent_from);
  lent_free(&lent_to);
  side_free(&from);
  side_free(&to);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(arguments_of_one_process),
    cmocka_unit_test(allocations_of_one_process),
    cmocka_unit_test(shared_arrays_of_one_process),
    cmocka_unit_test(buffers_of_one_process),
};
MPI_TEST_MAIN(tests)
