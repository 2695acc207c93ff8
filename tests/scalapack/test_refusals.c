/* Wrong input: the same status and text on every process, nothing hangs, and the next call works. */
#include "operand.h"

/* The arguments of one call; a row of the tables spoils some of them. */
typedef struct call {
  const dap_layout *layout;
  const dap_array *array;
  dap_access access;
  dap_scalapack_options options;
  dap_scalapack_matrix *matrix;
  dap_array own;                          /* *array, to be changed */
  dap_scalapack_matrix live, dead, other; /* on the same communicator; restored; on another one */
} call;

typedef void spoil(call *c);

#define SPOIL(name, ...)                                                                                     \
  static void name(call *c)                                                                                  \
  {                                                                                                          \
    __VA_ARGS__;                                                                                             \
  }

SPOIL(no_layout, c->layout = NULL)
SPOIL(no_array, c->array = NULL)
SPOIL(no_matrix, c->matrix = NULL)
SPOIL(access_0, c->access = (dap_access)0)
SPOIL(access_4, c->access = (dap_access)4)
SPOIL(access_write, c->access = DAP_WRITE)
SPOIL(bad_abi, c->own.abi = 9)
SPOIL(type_i2, c->own.dtype = DAP_I2)
SPOIL(type_none, c->own.dtype = DAP_NONE)
SPOIL(type_f4, c->own.dtype = DAP_F4)
SPOIL(ndim_1, c->own.ndim = 1)
SPOIL(extent_0, c->own.shape[0]++)
SPOIL(extent_1, c->own.shape[1]--)
SPOIL(no_data, c->own.data = NULL)
SPOIL(readonly, c->own.readonly = true)
SPOIL(broadcast, c->own.strides[0] = 0)
SPOIL(sharing_9, c->options.sharing = (dap_sharing)9)
SPOIL(sharing_never, c->options.sharing = DAP_SHARE_NEVER)
SPOIL(op_c, c->options.op = 'C')
SPOIL(op_n, c->options.op = 'N')
SPOIL(square, c->options.needs.square_blocks = true)
SPOIL(block_negative, c->options.block_size[1] = -1)
SPOIL(block_huge, c->options.block_size[0] = (int64_t)1 << 31)
SPOIL(block_4, c->options.block_size[0] = 4)
SPOIL(block_both, c->options = (dap_scalapack_options){.needs.square_blocks = true, .block_size = {4, 5}})
SPOIL(grid_negative, c->options.grid[0] = -1)
SPOIL(grid_product, c->options.grid[0] = c->options.grid[1] = test_nprocs() + 1)
SPOIL(grid_divides, c->options.grid[1] = test_nprocs() + 1)
SPOIL(grid_1, c->options.grid[0] = 1)
SPOIL(aligned_alone, c->options.needs.align = DAP_ALIGN_ROWS)
SPOIL(like_live, c->options.aligned_with = &c->live)
SPOIL(like_dead, c->options.aligned_with = &c->dead)
SPOIL(like_self, c->options.aligned_with = c->matrix)
SPOIL(like_other, c->options.aligned_with = &c->other)
SPOIL(like_grid, (c->options.aligned_with = &c->live, c->options.grid[0] = 1))
SPOIL(like_block, (c->options.aligned_with = &c->live, c->options.block_size[0] = 1))
SPOIL(strict_n, c->options = ((dap_scalapack_options){.sharing = DAP_SHARE_OR_FAIL, .op = 'N'}))
SPOIL(other_place, c->own.dims[0].proc_grid_rank += 1)
SPOIL(strict_gaps, (c->options.sharing = DAP_SHARE_OR_FAIL, c->own.strides[0] += 1))

enum { FIRST = 1, LAST = 2, BUT_LAST = 4, ALL = 8 };

static const struct {
  const char *why;
  spoil *spoil;
  int who; /* processes that are wrong; with BUT_LAST it takes two for a contradiction */
  dap_status want;
  const char *parts;
} rows[] = {
    {"no layout", no_layout, ALL, DAP_ERR_ARG, "rank 0: array: layout is NULL"},
    {"no layout on one", no_layout, LAST, DAP_ERR_ARG, "array: layout is NULL"},
    {"no array", no_array, FIRST, DAP_ERR_ARG, "rank 0: array: local is NULL"},
    {"no matrix", no_matrix, LAST, DAP_ERR_ARG, "matrix is NULL"},
    {"no access", access_0, LAST, DAP_ERR_ARG, "access is 0"},
    {"an access that is none", access_4, ALL, DAP_ERR_ARG, "rank 0: access is 4"},
    {"accesses differ", access_write, BUT_LAST, DAP_ERR_ARG, "access|not the same|rank 0"},
    {"another ABI", bad_abi, LAST, DAP_ERR_ARG, "ABI 9"},
    {"short integers", type_i2, ALL, DAP_ERR_BUFFER, "no matrices of int16"},
    {"no type", type_none, FIRST, DAP_ERR_BUFFER, "rank 0: |the elements have no type"},
    {"types differ", type_f4, BUT_LAST, DAP_ERR_ARG, "the element type|not the same|rank 0"},
    {"a 1-D buffer", ndim_1, LAST, DAP_ERR_BUFFER, "ndim is 1"},
    {"too many rows", extent_0, LAST, DAP_ERR_BUFFER, "axis 0: the buffer's extent 5 differs from the 4"},
    {"too few columns", extent_1, FIRST, DAP_ERR_BUFFER, "axis 1: the buffer's extent 6 differs from the 7"},
    {"the part of another communicator's rank", other_place, LAST, DAP_ERR_BUFFER,
     "axis 0: the array is the part of proc_grid_rank|another communicator"},
    {"no data", no_data, LAST, DAP_ERR_BUFFER, "no data"},
    {"writing to a read-only buffer", readonly, LAST, DAP_ERR_BUFFER, "read-only|(rule 19)"},
    {"writing to a broadcast buffer", broadcast, LAST, DAP_ERR_BUFFER,
     "axis 0: DAP_WRITE to a buffer with a zero stride|(rule 19)"},
    {"sharing", sharing_9, ALL, DAP_ERR_ARG, "options: sharing is 9"},
    {"sharing differs", sharing_never, BUT_LAST, DAP_ERR_ARG, "options: sharing|not the same|rank 0"},
    {"op", op_c, LAST, DAP_ERR_ARG, "options: op is character 67"},
    {"ops differ", op_n, BUT_LAST, DAP_ERR_ARG, "options: op|not the same|rank 0"},
    {"needs differ", square, BUT_LAST, DAP_ERR_ARG, "options: needs or routine|not the same|rank 0"},
    {"a negative block size", block_negative, LAST, DAP_ERR_ARG, "block_size[1] is -1"},
    {"a block size beyond int", block_huge, LAST, DAP_ERR_ARG, "block_size[0] is 2147483648"},
    {"block sizes differ", block_4, BUT_LAST, DAP_ERR_ARG, "options: block_size[0]|not the same|rank 0"},
    {"unequal square blocks", block_both, ALL, DAP_ERR_ARG, "square blocks with block sizes 4 and 5"},
    {"a negative grid", grid_negative, LAST, DAP_ERR_ARG, "grid -1 x 0 is negative"},
    {"a grid of too many", grid_product, ALL, DAP_ERR_ARG, "has more than"},
    {"a grid extent that divides nothing", grid_divides, ALL, DAP_ERR_ARG, "does not divide"},
    {"grids differ", grid_1, BUT_LAST, DAP_ERR_ARG, "options: grid[0]|not the same|rank 0"},
    {"aligned with nothing", aligned_alone, ALL, DAP_ERR_ARG, "needs.align needs aligned_with"},
    {"like on some only", like_live, BUT_LAST, DAP_ERR_ARG, "options: aligned_with|not the same|rank 0"},
    {"like a restored view", like_dead, LAST, DAP_ERR_ARG, "aligned_with is not a live view"},
    {"like itself", like_self, ALL, DAP_ERR_ARG, "aligned_with is not a live view"},
    {"like a view elsewhere", like_other, BUT_LAST, DAP_ERR_ARG, "aligned_with is a view of other processes"},
    {"like and a grid", like_grid, ALL, DAP_ERR_ARG, "grid must be 0 with aligned_with"},
    {"like and a block size", like_block, LAST, DAP_ERR_ARG, "block_size must be 0 with aligned_with"},
    {"never copy, C order as N", strict_n, ALL, DAP_ERR_SHARE, "rank 0: op 'N' needs axis 0 contiguous"},
    {"never copy, one odd stride", strict_gaps, ALL, DAP_ERR_SHARE, "rank 0: axis 0: stride of 57 bytes"},
};

/* The call, on a good array and with the spoiled arguments; afterwards on the good ones again. */
static void run_row(size_t i, const operand *o, call *c)
{
  const int n = test_nprocs(), last = n - 1, me = test_rank(), who = rows[i].who;
  const bool wrong = (who == ALL) || (who == FIRST && me == 0) || (who == LAST && me == last) ||
                     (who == BUT_LAST && me < last);
  if (who == BUT_LAST && n == 1) return;
  dap_scalapack_matrix m;
  memset(&m, 0x55, sizeof m);
  m.view.view = NULL;
  c->layout = o->layout;
  c->own = o->array;
  c->array = &c->own;
  c->access = DAP_READ_WRITE;
  c->options = (dap_scalapack_options){0};
  c->matrix = &m;
  if (wrong) rows[i].spoil(c);
  TEST_CASE("%s", rows[i].why);
  dap_error err = {0};
  dap_status status =
      dap_scalapack_get(o->comm, (dap_darray){c->layout, c->array}, c->access, &c->options, c->matrix, &err);
  expect_same_error(o->comm, status, &err, rows[i].want, rows[i].parts);
  dap_scalapack_matrix zero = {0};
  EXPECT(!c->matrix ||
         (!m.data && !m.view.view && !m.op && !m.reason[0] && !memcmp(m.desc, zero.desc, sizeof m.desc)));

  status =
      dap_scalapack_get(o->comm, (dap_darray){c->layout, c->array}, c->access, &c->options, c->matrix, NULL);
  EXPECT_INT(status, rows[i].want);

  operand_get(o, DAP_READ, NULL, &m);
  EXPECT(m.shared && m.desc[1] == c->live.desc[1]);
  operand_restore(&m);
  SETTLE();
}

static void wrong_input_is_refused_alike(void **state)
{
  (void)state;
  const int n = test_nprocs();
  const dap_dist dists[2] = {dap_dist_even(4 * n, n), dap_dist_even(7, 1)};
  MPI_Comm elsewhere;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -test_rank(), &elsewhere);
  operand o = operand_make(MPI_COMM_WORLD, dists, DAP_F8, OPERAND_C);
  call c = {0};
  dap_error err = {0};
  operand_get(&o, DAP_READ, NULL, &c.live);
  dap_array there = o.array; /* the part of this process's rank there, which is as large */
  there.dims[0].proc_grid_rank = n - 1 - test_rank();
  EXPECT_OK(dap_scalapack_get(elsewhere, (dap_darray){o.layout, &there}, DAP_READ, NULL, &c.other, &err),
            &err);
  EXPECT(c.live.shared && c.other.shared && c.live.desc[1] != c.other.desc[1]);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) run_row(i, &o, &c);
  EXPECT_OK(dap_scalapack_restore(&c.live, &err), &err);
  EXPECT_OK(dap_scalapack_restore(&c.other, &err), &err);
  check_global(o.layout, o.rank, &o.array, PADDING_POISON);
  operand_free(&o);
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
    {"no dimensions", 0, 10, 0, DAP_ERR_UNSUPPORTED, "ndim is 0"},
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

/* Each process's own layout is fine, but they are not the same. */
static void different_layouts_are_refused(void **state)
{
  (void)state;
  const int n = test_nprocs(), mine = test_rank() == 0;
  if (n == 1) skip();
  for (int axis = 0; axis < 2; axis++) {
    TEST_CASE("axis %d", axis);
    dap_dist dists[2] = {dap_dist_cyclic(12 * n, n, 2), dap_dist_cyclic(12, 1, 2)};
    if (axis == 0 && mine) dists[0].block_size = 3;
    if (axis == 1 && mine) dists[1].size = 13;
    operand o = operand_make(MPI_COMM_WORLD, dists, DAP_F8, OPERAND_C);
    dap_scalapack_matrix m;
    dap_error err = {0};
    const dap_status status = operand_try(&o, DAP_READ, NULL, &m, &err);
    expect_same_error(o.comm, status, &err, DAP_ERR_ARG,
                      axis == 0 ? "axis 0 of the layout|not the same|rank 0"
                                : "axis 1 of the layout|not the same|rank 0");
    operand_free(&o);
    SETTLE();
  }
}

static void no_communicator_is_refused(void **state)
{
  (void)state;
  const dap_dist dists[2] = {dap_dist_even(4 * test_nprocs(), test_nprocs()), dap_dist_even(7, 1)};
  operand o = operand_make(MPI_COMM_WORLD, dists, DAP_F8, OPERAND_C);
  dap_scalapack_matrix m;
  dap_error err = {0};
  EXPECT_FAIL(dap_scalapack_get(MPI_COMM_NULL, (dap_darray){o.layout, &o.array}, DAP_READ, NULL, &m, &err),
              DAP_ERR_ARG, &err, "MPI_COMM_NULL");
  EXPECT(!m.view.view && !m.data);
  operand_free(&o);
  SETTLE();
}

/* One process imports a matrix while the others get one. */
static void other_functions_are_named(void **state)
{
  (void)state;
  const bool last = test_rank() > 0 && test_rank() == test_nprocs() - 1;
  dap_scalapack_matrix m;
  dap_array array;
  dap_layout *layout;
  dap_error err = {0};
  const dap_status s =
      last ? dap_scalapack_import(MPI_COMM_WORLD, NULL, NULL, DAP_F8, 'N', &array, &layout, &err)
           : dap_scalapack_get(MPI_COMM_WORLD, (dap_darray){NULL, NULL}, DAP_READ, NULL, &m, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG,
                    test_nprocs() > 1 ? "this process is in dap_scalapack_import, rank 0 in dap_scalapack_get"
                                      : "layout is NULL");
  SETTLE();
}

/* The kind is kept by then, and its grid not made. */
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

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_input_is_refused_alike),
      cmocka_unit_test(wrong_layouts_are_refused_alike),
      cmocka_unit_test(different_layouts_are_refused),
      cmocka_unit_test(no_communicator_is_refused),
      cmocka_unit_test(other_functions_are_named),
      cmocka_unit_test(views_without_memory_are_refused_again),
  };
  return mpi_test_main(&argc, &argv, tests, sizeof tests / sizeof tests[0]);
}
