/* Tests wrong input. Every process gets the same status and text, no process hangs, and the next call
 * works. */
#include "case.h"
#include "mutate.h"
#include "operand.h"

/* The wrong argument of a call, besides the array and the options. */
typedef enum wrong {
  NOTHING,
  NO_LAYOUT,
  NO_ARRAY,
  NO_MATRIX,
  NO_ACCESS,
  NO_TYPE,
  OTHER_PLACE, /* the array is another process's part */
  LIKE_LIVE,   /* aligned with a view on the same communicator, */
  LIKE_DEAD,   /* a restored one, */
  LIKE_SELF,   /* the one that is got, */
  LIKE_OTHER   /* one on another communicator */
} wrong;

enum { FIRST = 1, LAST = 2, BUT_LAST = 4, ALL = 8 };
enum { P = -1 /* one process more than exist */ };

typedef struct row {
  const char *why;
  int who; /* processes with wrong arguments; BUT_LAST needs two processes to contradict each other */
  dap_status want;
  const char *parts;
  wrong wrong;
  const char *array; /* see change_array() */
  dap_access access;
  dap_scalapack_options options;
} row;

/* clang-format off */
static const row rows[] = {
  {"no layout", ALL, DAP_ERR_ARG, "rank 0|layout|NULL", .wrong = NO_LAYOUT},
  {"no layout on one", LAST, DAP_ERR_ARG, "layout|NULL", .wrong = NO_LAYOUT},
  {"no array", FIRST, DAP_ERR_ARG, "rank 0|local|NULL", .wrong = NO_ARRAY},
  {"no matrix", LAST, DAP_ERR_ARG, "matrix|NULL", .wrong = NO_MATRIX},
  {"no access", LAST, DAP_ERR_ARG, "access is 0", .wrong = NO_ACCESS},
  {"an access that is none", ALL, DAP_ERR_ARG, "rank 0|access is 4", .access = (dap_access)4},
  {"accesses differ", BUT_LAST, DAP_ERR_ARG, "access|not the same|rank 0", .access = DAP_WRITE},
  {"another ABI", LAST, DAP_ERR_ARG, "ABI 9", .array = "abi 9"},
  {"short integers", ALL, DAP_ERR_BUFFER, "matrices of int16", .array = "dtype int16"},
  {"no type", FIRST, DAP_ERR_BUFFER, "rank 0|no type", .wrong = NO_TYPE},
  {"types differ", BUT_LAST, DAP_ERR_ARG, "element type|not the same|rank 0", .array = "dtype float32"},
  {"a 1-D buffer", LAST, DAP_ERR_BUFFER, "ndim is 1", .array = "ndim 1"},
  {"too many rows", LAST, DAP_ERR_BUFFER, "axis 0|extent 5|the 4", .array = "extent 5"},
  {"too few columns", FIRST, DAP_ERR_BUFFER, "axis 1|extent 6|the 7", .array = "axis 1 extent 6"},
  {"the part of another communicator's rank", LAST, DAP_ERR_BUFFER, "axis 0|proc_grid_rank",
   .wrong = OTHER_PLACE},
  {"no data", LAST, DAP_ERR_BUFFER, "no data", .array = "no_data"},
  {"writing to a read-only buffer", LAST, DAP_ERR_BUFFER, "read-only|(rule 19)", .array = "readonly 1"},
  {"writing to a broadcast buffer", LAST, DAP_ERR_BUFFER, "axis 0|DAP_WRITE|zero stride|(rule 19)",
   .array = "stride 0"},
  {"sharing", ALL, DAP_ERR_ARG, "sharing is 9", .options.sharing = (dap_sharing)9},
  {"sharing differs", BUT_LAST, DAP_ERR_ARG, "sharing|not the same|rank 0",
   .options.sharing = DAP_SHARE_NEVER},
  {"op", LAST, DAP_ERR_ARG, "op is|67", .options.op = 'C'},
  {"ops differ", BUT_LAST, DAP_ERR_ARG, "op|not the same|rank 0", .options.op = 'N'},
  {"needs differ", BUT_LAST, DAP_ERR_ARG, "needs|not the same|rank 0", .options.needs.square_blocks = true},
  {"a negative block size", LAST, DAP_ERR_ARG, "block_size[1] is -1", .options.block_size = {0, -1}},
  {"a block size beyond int", LAST, DAP_ERR_ARG, "block_size[0] is 2147483648",
   .options.block_size = {(int64_t)1 << 31}},
  {"block sizes differ", BUT_LAST, DAP_ERR_ARG, "block_size[0]|not the same|rank 0",
   .options.block_size = {4}},
  {"unequal square blocks", ALL, DAP_ERR_ARG, "square blocks|4|5",
   .options = {.needs.square_blocks = true, .block_size = {4, 5}}},
  {"a negative grid", LAST, DAP_ERR_ARG, "-1 x 0", .options.grid = {-2}},
  {"a grid of too many", ALL, DAP_ERR_ARG, "has more than", .options.grid = {P, P}},
  {"a grid extent that divides nothing", ALL, DAP_ERR_ARG, "does not divide", .options.grid = {0, P}},
  {"grids differ", BUT_LAST, DAP_ERR_ARG, "grid[0]|not the same|rank 0", .options.grid = {1}},
  {"aligned with nothing", ALL, DAP_ERR_ARG, "needs.align|aligned_with",
   .options.needs.align = DAP_ALIGN_ROWS},
  {"like on some only", BUT_LAST, DAP_ERR_ARG, "aligned_with|not the same|rank 0", .wrong = LIKE_LIVE},
  {"like a restored view", LAST, DAP_ERR_ARG, "aligned_with|live view", .wrong = LIKE_DEAD},
  {"like itself", ALL, DAP_ERR_ARG, "aligned_with|live view", .wrong = LIKE_SELF},
  {"like a view elsewhere", BUT_LAST, DAP_ERR_ARG, "aligned_with|other processes", .wrong = LIKE_OTHER},
  {"like and a grid", ALL, DAP_ERR_ARG, "grid|0|aligned_with", .wrong = LIKE_LIVE, .options.grid = {1}},
  {"like and a block size", LAST, DAP_ERR_ARG, "block_size|0|aligned_with", .wrong = LIKE_LIVE,
   .options.block_size = {1}},
  {"never copy, C order as N", ALL, DAP_ERR_SHARE, "rank 0|op 'N'|axis 0|contiguous",
   .options = {.sharing = DAP_SHARE_OR_FAIL, .op = 'N'}},
  {"never copy, one odd stride", ALL, DAP_ERR_SHARE, "rank 0|axis 0|57 bytes", .array = "stride 57",
   .options.sharing = DAP_SHARE_OR_FAIL},
};
/* clang-format on */

/* The arguments of one call. */
typedef struct call {
  const dap_layout *layout;
  const dap_array *array;
  dap_access access;
  dap_scalapack_options options;
  dap_scalapack_matrix *matrix;
  dap_array own;                          /* *array, to be changed */
  dap_scalapack_matrix own_matrix;        /* *matrix */
  dap_scalapack_matrix live, dead, other; /* on the same communicator; restored; on another one */
} call;

static void spoil(const row *r, call *c)
{
  c->options = r->options;
  for (int k = 0; k < 2; k++) {
    if (r->options.grid[k] == P) c->options.grid[k] = test_nprocs() + 1;
    if (r->options.grid[k] < P) c->options.grid[k] = -1;
  }
  if (r->access || r->wrong == NO_ACCESS) c->access = r->access;
  if (r->array) change_array(&c->own, r->array);
  if (r->wrong == NO_LAYOUT) c->layout = NULL;
  if (r->wrong == NO_ARRAY) c->array = NULL;
  if (r->wrong == NO_MATRIX) c->matrix = NULL;
  if (r->wrong == NO_TYPE) c->own.dtype = DAP_NONE;
  if (r->wrong == OTHER_PLACE) c->own.dims[0].proc_grid_rank += 1;
  if (r->wrong == LIKE_LIVE) c->options.aligned_with = &c->live;
  if (r->wrong == LIKE_DEAD) c->options.aligned_with = &c->dead;
  if (r->wrong == LIKE_SELF) c->options.aligned_with = c->matrix;
  if (r->wrong == LIKE_OTHER) c->options.aligned_with = &c->other;
}

/* Makes the call on a good array with the wrong arguments, and then with the right ones. */
static void run_row(size_t i, const held_array *o, call *c)
{
  const int n = test_nprocs(), last = n - 1, me = test_rank(), who = rows[i].who;
  const bool is_wrong = (who == ALL) || (who == FIRST && me == 0) || (who == LAST && me == last) ||
                        (who == BUT_LAST && me < last);
  if (who == BUT_LAST && n == 1) return;
  dap_scalapack_matrix *m = &c->own_matrix;
  memset(m, 0x55, sizeof *m);
  m->view.view = NULL;
  c->layout = o->layout;
  c->own = o->array;
  c->array = &c->own;
  c->access = DAP_READ_WRITE;
  c->options = (dap_scalapack_options){0};
  c->matrix = m;
  if (is_wrong) spoil(&rows[i], c);
  TEST_CASE("%s", rows[i].why);
  dap_error err = {0};
  dap_status status =
      dap_scalapack_get(o->comm, (dap_darray){c->layout, c->array}, c->access, &c->options, c->matrix, &err);
  expect_same_error(o->comm, status, &err, rows[i].want, rows[i].parts);
  dap_scalapack_matrix zero = {0};
  EXPECT(!c->matrix || (!m->data && !m->view.view && !m->op && !m->reason[0] &&
                        !memcmp(m->desc, zero.desc, sizeof m->desc)));

  status =
      dap_scalapack_get(o->comm, (dap_darray){c->layout, c->array}, c->access, &c->options, c->matrix, NULL);
  EXPECT_INT(status, rows[i].want);

  operand_get(o, DAP_READ, NULL, m);
  EXPECT(m->shared && m->desc[1] == c->live.desc[1]);
  operand_restore(m);
  SETTLE();
}

static void wrong_input_is_refused_alike(void **state)
{
  (void)state;
  const int n = test_nprocs();
  const dap_dist dists[2] = {dap_dist_even(4 * n, n), dap_dist_even(7, 1)};
  MPI_Comm elsewhere;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -test_rank(), &elsewhere);
  held_array o = operand_make(MPI_COMM_WORLD, dists, DAP_F8, FORM_C);
  call c = {0};
  dap_error err = {0};
  operand_get(&o, DAP_READ, NULL, &c.live);
  dap_array there = o.array; /* the part of the other process, which is as large */
  there.dims[0].proc_grid_rank = n - 1 - test_rank();
  EXPECT_OK(dap_scalapack_get(elsewhere, (dap_darray){o.layout, &there}, DAP_READ, NULL, &c.other, &err),
            &err);
  EXPECT(c.live.shared && c.other.shared && c.live.desc[1] != c.other.desc[1]);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) run_row(i, &o, &c);
  EXPECT_OK(dap_scalapack_restore(&c.live, &err), &err);
  EXPECT_OK(dap_scalapack_restore(&c.other, &err), &err);
  check_global(o.layout, o.rank, &o.array, PADDING_POISON);
  held_array_free(&o);
  MPI_Comm_free(&elsewhere);
  SETTLE();
}

/* Layouts that no matrix can have; the buffer does not matter. */
static const struct {
  const char *why;
  int ndim;
  int64_t size;
  int more; /* processes, beyond those of the communicator */
  dap_status want;
  const char *parts;
} layouts[] = {
    {"no dimensions", 0, 10, 0, DAP_ERR_UNSUPPORTED, "the array has 0"},
    {"more processes than there are", 2, 10, 1, DAP_ERR_ARG, "the communicator"},
    {"more elements than an int counts", 2, (int64_t)1 << 31, 0, DAP_ERR_RANGE, "axis 0: size 2147483648"},
};

static void wrong_layouts_are_refused_alike(void **state)
{
  (void)state;
  const int n = test_nprocs();
  for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
    if (layouts[i].ndim == 0 && n > 1) continue; /* a scalar lives on one process */
    if (layouts[i].want == DAP_ERR_RANGE && sizeof(dap_scalapack_int) == 8) continue; /* ILP64 counts them */
    TEST_CASE("%s", layouts[i].why);
    const dap_dist one = dap_dist_even(3, 1);
    const dap_dist dists[3] = {dap_dist_even(layouts[i].size, n + layouts[i].more), one, one};
    dap_layout *layout = NULL;
    dap_error err = {0};
    EXPECT_OK(dap_layout_create(layouts[i].ndim, dists, &layout, &err), &err);
    double element = 1;
    dap_array array = {.abi = DAP_ARRAY_ABI, .dtype = DAP_F8, .ndim = layouts[i].ndim, .data = &element};
    for (int k = 0; k < layouts[i].ndim; k++)
      array.shape[k] = dap_layout_extent(layout, k, k == 0 ? test_rank() : 0);
    dap_scalapack_matrix m;
    const dap_status status =
        dap_scalapack_get(MPI_COMM_WORLD, (dap_darray){layout, &array}, DAP_READ, NULL, &m, &err);
    expect_same_error(MPI_COMM_WORLD, status, &err, layouts[i].want, layouts[i].parts);
    dap_layout_destroy(&layout);
    SETTLE();
  }
}

/* Each process's layout is valid, but rank 0 has another one. Some differences are not in the axes. */
static void different_layouts_are_refused(void **state)
{
  (void)state;
  enum { BLOCK, SIZE, ORDER, LISTS };
  static const struct {
    int kind;
    const char *parts;
  } kinds[] = {{BLOCK, "axis 0|not the same|rank 0"},
               {SIZE, "axis 1|not the same|rank 0"},
               {ORDER, "the layout|not the same|rank 0"},
               {LISTS, "the layout|not the same|rank 0"}};
  static random_memory memory;
  const int n = test_nprocs(), mine = test_rank() == 0;
  if (n == 1) skip();
  for (int i = 0; i < 4; i++) {
    const int kind = kinds[i].kind;
    int ranks[BRUTE_PROCS];
    test_random random = test_random_init(8);
    dap_dist dists[2] = {dap_dist_cyclic(12 * n, n, kind == BLOCK && mine ? 3 : 2),
                         dap_dist_cyclic(kind == SIZE && mine ? 13 : 12, 1, 2)};
    TEST_CASE("%s, %d", kinds[i].parts, i);
    if (kind == LISTS) dists[0] = cut_axis(CUT_DEALT, 3 * n, n, 0, &random, &memory);
    if (kind == LISTS && mine) memory.lists[0][0] = n, memory.lists[0][1] = 0; /* turned round */
    for (int r = 0; r < n; r++) ranks[r] = kind == ORDER && mine ? n - 1 - r : r;
    held_array o = operand_of(MPI_COMM_WORLD, layout_make(2, dists, ranks), DAP_F8, FORM_C);
    dap_scalapack_matrix m;
    dap_error err = {0};
    const dap_status status = dap_scalapack_get(o.comm, held_darray(&o), DAP_READ, NULL, &m, &err);
    expect_same_error(o.comm, status, &err, DAP_ERR_ARG, kinds[i].parts);
    held_array_free(&o);
    SETTLE();
  }
}

static void no_communicator_is_refused(void **state)
{
  (void)state;
  const dap_dist dists[2] = {dap_dist_even(4 * test_nprocs(), test_nprocs()), dap_dist_even(7, 1)};
  held_array o = operand_make(MPI_COMM_WORLD, dists, DAP_F8, FORM_C);
  dap_scalapack_matrix m;
  dap_error err = {0};
  EXPECT_FAIL(dap_scalapack_get(MPI_COMM_NULL, held_darray(&o), DAP_READ, NULL, &m, &err), DAP_ERR_ARG, &err,
              "MPI_COMM_NULL");
  EXPECT(!m.view.view && !m.data);
  held_array_free(&o);
  SETTLE();
}

/* The kind of grid is kept by then, but the grid is not made. */
static void views_without_memory_are_refused_again(void **state)
{
  (void)state;
  const dap_dist dists[2] = {dap_dist_even(INT64_C(1) << 27, test_nprocs()), dap_dist_even(1 << 25, 1)};
  const dap_scalapack_options options = {
      .routine = "gemm", .sharing = DAP_SHARE_NEVER, .block_size = {1 << 25, 1 << 25}};
  double value = 1;
  dap_layout *layout;
  dap_array array;
  dap_error err;
  dap_scalapack_matrix m;
  EXPECT_OK(dap_layout_create(2, dists, &layout, &err), &err);
  EXPECT_OK(dap_array_init(&array, layout, test_rank(), DAP_F8, DAP_ORDER_C, &value, &err), &err);
  array.strides[0] = array.strides[1] = 0; /* one element for all */
  for (int i = 0; i < 2; i++) {
    const dap_status s =
        dap_scalapack_get(MPI_COMM_WORLD, (dap_darray){layout, &array}, DAP_READ, &options, &m, &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_NOMEM, "no memory for |bytes of a matrix");
  }
  dap_array_release(&array);
  dap_layout_destroy(&layout);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(wrong_input_is_refused_alike),
    cmocka_unit_test(wrong_layouts_are_refused_alike),
    cmocka_unit_test(different_layouts_are_refused),
    cmocka_unit_test(no_communicator_is_refused),
    cmocka_unit_test(views_without_memory_are_refused_again),
};
MPI_TEST_MAIN(tests)
