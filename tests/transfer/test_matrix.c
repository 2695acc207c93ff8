/* Every kind of distribution to every other, on grids of one to three dimensions, storage in every form on
 * both sides. Every element is checked against the brute-force model. */
#include "axis_procs.h"
#include "case.h"
#include "mpi_test.h"
#include "side.h"

/* ---- distributions ------------------------------------------------------------------------------- */

typedef dap_dist make_dist(int64_t size, int procs, test_random *random, random_memory *memory);

static dap_dist even(int64_t size, int procs, test_random *random, random_memory *memory)
{
  return cut_axis(CUT_EVEN, size, procs, 0, random, memory);
}

static dap_dist padded(int64_t size, int procs, test_random *random, random_memory *memory)
{
  return cut_axis(CUT_PADDED, size, procs, 1, random, memory);
}

static dap_dist ring(int64_t size, int procs, test_random *random, random_memory *memory)
{
  return cut_axis(CUT_RING, size, procs, 1, random, memory);
}

/* The middle process has nothing, the last one the most. */
static dap_dist lengths(int64_t size, int procs, test_random *random, random_memory *memory)
{
  (void)random;
  int64_t rest = size;
  for (int p = 0; p < procs; p++) {
    const int64_t wish = p == procs / 2 && procs > 1 ? 0 : 1 + 2 * p;
    memory->lengths[p] = wish < rest ? wish : rest;
    rest -= memory->lengths[p];
  }
  memory->lengths[procs - 1] += rest;
  return dap_dist_lengths(size, procs, memory->lengths);
}

static dap_dist ceiling(int64_t size, int procs, test_random *random, random_memory *memory)
{
  (void)random;
  (void)memory;
  return dap_dist_ceil(size, procs);
}

static dap_dist cyclic(int64_t size, int procs, test_random *random, random_memory *memory)
{
  (void)random;
  (void)memory;
  return dap_dist_cyclic(size, procs, 1);
}

static dap_dist block_cyclic(int64_t size, int procs, test_random *random, random_memory *memory)
{
  (void)random;
  (void)memory;
  return dap_dist_cyclic(size, procs, 3);
}

static dap_dist rotated(int64_t size, int procs, test_random *random, random_memory *memory)
{
  (void)random;
  (void)memory;
  dap_dist dist = dap_dist_cyclic(size, procs, 2);
  dist.first_owner = procs - 1;
  return dist;
}

static dap_dist shuffled(int64_t size, int procs, test_random *random, random_memory *memory)
{
  return cut_axis(CUT_SHUFFLED, size, procs, 0, random, memory);
}

static dap_dist shared(int64_t size, int procs, test_random *random, random_memory *memory)
{
  return cut_axis(CUT_TWO_HOLDERS, size, procs, 0, random, memory);
}

static dap_dist whole(int64_t size, int procs, test_random *random, random_memory *memory)
{
  return cut_axis(CUT_COPIES, size, procs, 0, random, memory);
}

static const struct kind {
  const char *name, *why;
  make_dist *make;
  bool has_halos;
} kinds[] = {
    {"even", "one run, lengths that differ by one", even, false},
    {"padded", "the run does not begin the buffer; halos are filled with what others own", padded, true},
    {"ring", "halos at the outer edges come from the other end", ring, true},
    {"lengths", "lengths of every size, one process with none", lengths, false},
    {"ceil", "the last processes have less or nothing", ceiling, false},
    {"cyclic(1)", "single elements: the most runs there can be", cyclic, false},
    {"cyclic(3)", "blocks, the last one shorter", block_cyclic, false},
    {"rotated cyclic(2)", "block 0 is not on process 0", rotated, false},
    {"lists", "no order at all: what comes from where is asked for", shuffled, false},
    {"lists that overlap", "read from the owner, written to both holders", shared, false},
    {"whole", "from process 0, to all", whole, false},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* ---- arrays ---------------------------------------------------------------------------------------- */

/* Extents of arrays, and how their axes share the processes. */
static const struct shape {
  const char *why;
  int ndim;
  int64_t size[3];
  axis_procs from[3], to[3];
} shapes[] = {
    {"one axis", 1, {31}, {ALL}, {ALL}},
    {"two axes, the grid transposed", 2, {13, 17}, {LARGER, SMALLER}, {SMALLER, LARGER}},
    {"two axes, rows to columns", 2, {14, 11}, {ALL, ONE}, {ONE, ALL}},
    {"three axes, all of them dealt anew", 3, {7, 9, 6}, {LARGER, ONE, SMALLER}, {ONE, SMALLER, LARGER}},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static random_array arrays[2];

/* The first axis is of this kind, the others of those that follow it, so that all meet all there too. */
static void deal(const struct shape *shape, const axis_procs procs[], int kind, test_random *random,
                 random_array *array)
{
  dap_dist dists[3];
  for (int k = 0; k < shape->ndim; k++)
    dists[k] = kinds[(kind + 3 * k) % KINDS].make(shape->size[k], axis_procs_of(procs[k]), random,
                                                  &array->memory[k]);
  (void)array_deal(shape->ndim, dists, NULL, array);
}

static void move(const test_side *from, const test_side *to, bool fill_halos)
{
  const dap_side a = side_of(from), b = side_of(to);
  const dap_plan_options options = {.fill_halos = fill_halos};
  dap_plan *plan = NULL;
  dap_error err = {0};
  side_fill(from, 1, COPIES_WRONG);
  if (EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &a, &b, from->itemsize, &options, &plan, &err), &err) &&
      EXPECT_OK(dap_plan_run(plan, side_data(from), side_data(to), &err), &err)) {
    side_check(to, 1, COPIES_RIGHT, fill_halos ? PADDING_FILLED : PADDING_POISON);
    side_check(from, 1, COPIES_WRONG, PADDING_POISON);
  }
  dap_plan_destroy(&plan);
}

/* One pair; forms and sizes of elements take turns. */
static void check_pair(const struct shape *shape, int from_kind, int to_kind, int number)
{
  static const int64_t itemsizes[] = {8, 1, 4, 16, 2, 3, 12};
  test_random random = test_random_init(90);
  const int64_t itemsize = itemsizes[number % 7];
  const test_form from_form = (test_form)((from_kind + 2 * to_kind + number) % FORM_COUNT);
  const test_form to_form = (test_form)((3 * from_kind + to_kind + 2 * number) % FORM_COUNT);
  TEST_CASE("%s (%s) to %s (%s), %s, forms %d to %d, %d bytes", kinds[from_kind].name, kinds[from_kind].why,
            kinds[to_kind].name, kinds[to_kind].why, shape->why, (int)from_form, (int)to_form, (int)itemsize);
  deal(shape, shape->from, from_kind, &random, &arrays[0]);
  deal(shape, shape->to, to_kind, &random, &arrays[1]);
  test_side from = side_make(&arrays[0], CREATED, NULL, itemsize, from_form, &random);
  test_side to = side_make(&arrays[1], CREATED, NULL, itemsize, to_form, &random);
  bool halos = false;
  for (int k = 0; k < shape->ndim; k++) halos = halos || kinds[(to_kind + 3 * k) % KINDS].has_halos;
  move(&from, &to, halos && number % 2);
  side_free(&from);
  side_free(&to);
  SETTLE();
}

static void each_kind_to_each(void **state)
{
  (void)state;
  for (int s = 0; s < SHAPES; s++)
    for (int from = 0; from < KINDS; from++)
      for (int to = 0; to < KINDS; to++) {
        check_pair(&shapes[s], from, to, 2 * s);
        if (kinds[to].has_halos) check_pair(&shapes[s], from, to, 2 * s + 1);
      }
}

/* ---- forms ----------------------------------------------------------------------------------------- */

/* All forms to all, where kernels differ most: single elements dealt out, whole rows, and columns. */
static void each_form_to_each(void **state)
{
  (void)state;
  static const struct {
    const char *why;
    make_dist *from[2], *to[2];
    int64_t size[2], itemsize;
  } rows[] = {
      {"rows stay whole", {even, even}, {lengths, even}, {23, 40}, 8},
      {"columns stay whole", {even, even}, {even, block_cyclic}, {40, 23}, 8},
      {"single elements alternate along the fastest axis", {even, cyclic}, {cyclic, even}, {19, 37}, 4},
      {"blocks that fill no line", {block_cyclic, block_cyclic}, {rotated, even}, {33, 35}, 16},
      {"bytes", {even, even}, {cyclic, block_cyclic}, {37, 67}, 1},
      {"halves", {ceiling, even}, {block_cyclic, rotated}, {35, 66}, 2},
      {"elements of no power of two", {padded, even}, {even, rotated}, {21, 20}, 12},
  };
  for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
    for (int f = 0; f < FORM_COUNT * FORM_COUNT; f++) {
      test_random random = test_random_init(91);
      TEST_CASE("%s, forms %d to %d", rows[r].why, f / FORM_COUNT, f % FORM_COUNT);
      dap_dist from_dists[2], to_dists[2];
      for (int k = 0; k < 2; k++) {
        from_dists[k] = rows[r].from[k](rows[r].size[k], axis_procs_of(k ? SMALLER : LARGER), &random,
                                        &arrays[0].memory[k]);
        to_dists[k] = rows[r].to[k](rows[r].size[k], axis_procs_of(k ? LARGER : SMALLER), &random,
                                    &arrays[1].memory[k]);
      }
      (void)array_deal(2, from_dists, NULL, &arrays[0]);
      (void)array_deal(2, to_dists, NULL, &arrays[1]);
      const int64_t itemsize = rows[r].itemsize;
      test_side from = side_make(&arrays[0], CREATED, NULL, itemsize, (test_form)(f / FORM_COUNT), &random);
      test_side to = side_make(&arrays[1], CREATED, NULL, itemsize, (test_form)(f % FORM_COUNT), &random);
      move(&from, &to, false);
      side_free(&from);
      side_free(&to);
      SETTLE();
    }
}

/* ---- size ------------------------------------------------------------------------------------------ */

enum { ROWS = 500, COLUMNS = 2400 /* ROWS a process: 9.6 MB */ };

/* One side of a large matrix of doubles, all by arithmetic: local (i, j) is global (first[0] + step[0] * i,
 * first[1] + step[1] * j). */
typedef struct large {
  dap_dist dists[2];
  int64_t extent[2], first[2], step[2];
  int64_t strides[2]; /* bytes */
  double *data;
} large;

typedef enum cut_of { BY_ROWS, BY_COLUMNS, DEALT_COLUMNS } cut_of;

static large large_make(cut_of cut, bool is_fortran)
{
  const int n = test_nprocs(), rank = test_rank(), axis = cut == BY_ROWS ? 0 : 1;
  const int64_t size[] = {(int64_t)ROWS * n, COLUMNS};
  large m = {.extent = {size[0], size[1]}, .step = {1, 1}};
  m.extent[axis] = size[axis] / n;
  m.first[axis] = cut == DEALT_COLUMNS ? rank : rank * m.extent[axis];
  m.step[axis] = cut == DEALT_COLUMNS ? n : 1;
  for (int k = 0; k < 2; k++) m.dists[k] = dap_dist_even(size[k], k == axis ? n : 1);
  if (cut == DEALT_COLUMNS) m.dists[1] = dap_dist_cyclic(size[1], n, 1);
  m.strides[0] = 8 * (is_fortran ? 1 : m.extent[1]);
  m.strides[1] = 8 * (is_fortran ? m.extent[0] : 1);
  m.data = malloc((size_t)(m.extent[0] * m.extent[1]) * sizeof *m.data);
  if (!m.data) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int64_t i = 0; i < m.extent[0] * m.extent[1]; i++) m.data[i] = -1;
  return m;
}

static double *large_at(const large *m, int64_t i, int64_t j)
{
  return m->data + (i * m->strides[0] + j * m->strides[1]) / 8;
}

static double large_value(const large *m, int64_t i, int64_t j)
{
  return (double)((m->first[0] + i * m->step[0]) * COLUMNS + m->first[1] + j * m->step[1]);
}

static void large_move(const large *from, const large *to)
{
  dap_side sides[] = {{.strides = from->strides}, {.strides = to->strides}};
  dap_layout *layouts[2] = {NULL};
  dap_plan *plan = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(2, from->dists, &layouts[0], &err), &err);
  EXPECT_OK(dap_layout_create(2, to->dists, &layouts[1], &err), &err);
  for (int s = 0; s < 2; s++) sides[s].layout = layouts[s];
  for (int64_t i = 0; i < from->extent[0]; i++)
    for (int64_t j = 0; j < from->extent[1]; j++) *large_at(from, i, j) = large_value(from, i, j);
  if (EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &sides[0], &sides[1], 8, NULL, &plan, &err), &err))
    EXPECT_OK(dap_plan_run(plan, from->data, to->data, &err), &err);
  for (int64_t i = 0; i < to->extent[0]; i++)
    for (int64_t j = 0; j < to->extent[1]; j++)
      if (*large_at(to, i, j) != large_value(to, i, j) &&
          !EXPECT_MSG(false, "local (%d, %d) is %g, not %g", (int)i, (int)j, *large_at(to, i, j),
                      large_value(to, i, j)))
        i = to->extent[0] - 1, j = to->extent[1];
  dap_plan_destroy(&plan);
  for (int s = 0; s < 2; s++) dap_layout_destroy(&layouts[s]);
}

/* Moves in many tiles, stored past the caches. */
static void large_moves(void **state)
{
  (void)state;
  static const struct {
    const char *why;
    cut_of from, to;
    bool from_is_fortran, to_is_fortran;
  } rows[] = {
      {"long stretches", BY_ROWS, BY_COLUMNS, false, false},
      {"and those of Fortran order", BY_COLUMNS, BY_ROWS, true, true},
      {"from C order to Fortran order", BY_ROWS, BY_COLUMNS, false, true},
      {"from Fortran order to C order", BY_ROWS, BY_ROWS, true, false},
      {"single elements are taken out of rows", BY_ROWS, DEALT_COLUMNS, false, false},
      {"and come together", DEALT_COLUMNS, BY_ROWS, false, false},
      {"columns come together, across", DEALT_COLUMNS, BY_ROWS, true, false},
  };
  for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
    TEST_CASE("%s", rows[r].why);
    large from = large_make(rows[r].from, rows[r].from_is_fortran);
    large to = large_make(rows[r].to, rows[r].to_is_fortran);
    large_move(&from, &to);
    free(from.data);
    free(to.data);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_kind_to_each),
    cmocka_unit_test(each_form_to_each),
    cmocka_unit_test(large_moves),
};
MPI_TEST_MAIN(tests)
