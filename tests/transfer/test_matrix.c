/* Every kind of distribution to every other, on grids of one to three dimensions, storage in every form on
 * both sides. Every element is checked against the brute-force model. */
#include "case.h"
#include "mpi_test.h"

/* Kinds of axes, each of which says why it is there. */
static const struct kind {
  const char *why;
  case_cut cut;
  int64_t block;
} kinds[] = {
    {"even: one run, lengths that differ by one", CUT_EVEN, 0},
    {"padded: the run does not begin the buffer; halos are filled with what others own", CUT_PADDED, 0},
    {"ring: halos at the outer edges come from the other end", CUT_RING, 0},
    {"lengths: every second process has none", CUT_HOLES, 0},
    {"ceil: the last processes have less or nothing", CUT_CEIL, 0},
    {"cyclic(1): the most runs there can be", CUT_CYCLIC, 1},
    {"cyclic(3): blocks, the last one shorter", CUT_CYCLIC, 3},
    {"rotated cyclic(2): block 0 is not on process 0", CUT_ROTATED, 2},
    {"lists in no order: what comes from where is asked for", CUT_SHUFFLED, 0},
    {"lists that overlap: read from the owner, written to both holders", CUT_TWO_HOLDERS, 0},
    {"copies: from process 0, to all", CUT_COPIES, 0},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* Extents of arrays, and the axes of both sides over which the processes are spread. */
static const struct shape {
  const char *why;
  int ndim;
  int64_t size[3];
  unsigned from, to;
} shapes[] = {
    {"one axis", 1, {31}, ALL_AXES, ALL_AXES},
    {"two axes", 2, {13, 17}, ALL_AXES, ALL_AXES},
    {"two axes, rows to columns", 2, {14, 11}, FIRST_AXIS, SECOND_AXIS},
    {"three axes, all of them dealt anew", 3, {7, 9, 6}, FIRST_AXIS | THIRD_AXIS, SECOND_AXIS | THIRD_AXIS},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static random_array arrays[2];

static void set_axis(case_layout *c, int k, const struct kind *kind)
{
  c->cut[k] = kind->cut;
  c->block[k] = kind->block;
  c->halo[k] = kind->cut == CUT_PADDED || kind->cut == CUT_RING;
}

/* The first axis is of this kind, the others of those that follow it, so that all meet all there too. */
static test_side make(const struct shape *shape, unsigned axes, int kind, int64_t itemsize, test_form form,
                      test_random *random, random_array *array)
{
  case_layout c = {.why = shape->why, .ndim = shape->ndim, .axes = axes};
  for (int k = 0; k < c.ndim; k++) {
    c.size[k] = shape->size[k];
    set_axis(&c, k, &kinds[(kind + 3 * k) % KINDS]);
  }
  return case_side(&c, itemsize, form, random, array);
}

/* One pair; forms and sizes of elements take turns. */
static void check_pair(const struct shape *shape, int from_kind, int to_kind, int number)
{
  static const int64_t itemsizes[] = {8, 1, 4, 16, 2, 3, 12};
  test_random random = test_random_init(90);
  const int64_t itemsize = itemsizes[number % 7];
  const test_form from_form = (test_form)((from_kind + 2 * to_kind + number) % FORM_COUNT);
  const test_form to_form = (test_form)((3 * from_kind + to_kind + 2 * number) % FORM_COUNT);
  TEST_CASE("%s to %s, %s, forms %d to %d, %d bytes", kinds[from_kind].why, kinds[to_kind].why, shape->why,
            (int)from_form, (int)to_form, (int)itemsize);
  test_side from = make(shape, shape->from, from_kind, itemsize, from_form, &random, &arrays[0]);
  test_side to = make(shape, shape->to, to_kind, itemsize, to_form, &random, &arrays[1]);
  side_move(&from, &to, &(dap_plan_options){.fill_halos = number % 2});
  side_free(&from);
  side_free(&to);
  SETTLE();
}

static bool has_halo(const struct shape *shape, int kind)
{
  for (int k = 0; k < shape->ndim; k++) {
    const case_cut cut = kinds[(kind + 3 * k) % KINDS].cut;
    if (cut == CUT_PADDED || cut == CUT_RING) return true;
  }
  return false;
}

static void each_kind_to_each(void **state)
{
  (void)state;
  for (int s = 0; s < SHAPES; s++)
    for (int from = 0; from < KINDS; from++)
      for (int to = 0; to < KINDS; to++) {
        check_pair(&shapes[s], from, to, 2 * s);
        if (has_halo(&shapes[s], to)) check_pair(&shapes[s], from, to, 2 * s + 1);
      }
}

/* ---- forms ----------------------------------------------------------------------------------------- */

/* All forms to all, where kernels differ most: single elements dealt out, whole rows, and columns. */
static void each_form_to_each(void **state)
{
  (void)state;
  static const struct {
    const char *why;
    case_layout from, to;
    int64_t itemsize;
  } rows[] = {
      {"rows stay whole", {.ndim = 2, .size = {23, 40}}, {.cut = {CUT_HOLES}}, 8},
      {"columns stay whole",
       {.ndim = 2, .size = {40, 23}},
       {.cut = {CUT_EVEN, CUT_CYCLIC}, .block = {0, 3}},
       8},
      {"single elements alternate along the fastest axis",
       {.ndim = 2, .size = {19, 37}, .cut = {CUT_EVEN, CUT_CYCLIC}, .block = {0, 1}},
       {.cut = {CUT_CYCLIC}, .block = {1}},
       4},
      {"blocks that fill no line",
       {.ndim = 2, .size = {33, 35}, .cut = {CUT_CYCLIC, CUT_CYCLIC}, .block = {3, 3}},
       {.cut = {CUT_ROTATED}},
       16},
      {"bytes", {.ndim = 2, .size = {37, 67}}, {.cut = {CUT_CYCLIC, CUT_CYCLIC}, .block = {1, 3}}, 1},
      {"halves",
       {.ndim = 2, .size = {35, 66}, .cut = {CUT_CEIL}},
       {.cut = {CUT_CYCLIC, CUT_ROTATED}, .block = {3}},
       2},
      {"elements of no power of two",
       {.ndim = 2, .size = {21, 20}, .cut = {CUT_PADDED}, .halo = {1}},
       {.cut = {CUT_EVEN, CUT_ROTATED}},
       12},
  };
  for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
    for (int f = 0; f < FORM_COUNT * FORM_COUNT; f++) {
      test_random random = test_random_init(91);
      case_layout target = rows[r].to;
      target.ndim = rows[r].from.ndim;
      memcpy(target.size, rows[r].from.size, sizeof target.size);
      TEST_CASE("%s, forms %d to %d", rows[r].why, f / FORM_COUNT, f % FORM_COUNT);
      test_side from =
          case_side(&rows[r].from, rows[r].itemsize, (test_form)(f / FORM_COUNT), &random, &arrays[0]);
      test_side to = case_side(&target, rows[r].itemsize, (test_form)(f % FORM_COUNT), &random, &arrays[1]);
      side_move(&from, &to, NULL);
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
