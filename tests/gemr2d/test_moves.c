/* Compares the drop-in with ScaLAPACK's p?gemr2d and with the numbers that elements must have. There are
 * named edge cases, and random sub-matrices on unequal grids of some of the processes. The seed is
 * printed, DAP_TEST_SEED repeats a run, and DAP_TEST_CASES asks for more cases. */
#include "gemr2d.h"

#include <inttypes.h>

enum { CASES = 200, LIFE = 16 /* cases of a global context */, SHAPES = 6 /* drawn for it */, MOST = 40 };
static const char *const turns[] = {"without a plan", "with a new plan", "with that plan again"};

/* ---- the comparison ------------------------------------------------------------------------------------ */

typedef struct trial {
  matrix_type type;
  call_form form;
  int part[2];
  matrix a, b;
} trial;

/* The blocks of `has_reference` are not too large for ScaLAPACK's own arithmetic. */
static void compare(const trial *given, const grid *all, int salt, bool has_reference)
{
  trial t = *given;
  matrix_start(&t.a, t.type);
  matrix_start(&t.b, t.type);
  matrix_fill(&t.a, salt);
  unsigned char *source = matrix_copy(&t.a);
  const bool calls = t.form >= CALL_FORTRAN_OLD || all->row >= 0;
  if (calls && has_reference) call_gemr2d(reference, t.form, &t.a, &t.b, t.part, all);
  unsigned char *theirs = matrix_copy(&t.b), *model = matrix_model(&t.b, &t.a, t.part, salt);
  if (has_reference) EXPECT_MSG(!memcmp(theirs, model, (size_t)t.b.bytes), "ScaLAPACK's elements");
  for (int turn = 0; turn < 3; turn++) {
    matrix_clear(&t.b);
    call_gemr2d(dropin, t.form, &t.a, &t.b, t.part, all); /* a process outside the context may call, too */
    matrix_holds(&t.b, model, turns[turn]);
  }
  matrix_holds(&t.a, source, "the source");
  free(source), free(theirs), free(model);
  matrix_stop(&t.a);
  matrix_stop(&t.b);
}

/* ---- edges --------------------------------------------------------------------------------------------- */

enum { LAST = -1 /* of a grid's rows or columns */, ALL = -2 /* as many processes as there are */ };

/* A matrix in a row: a grid of nprow x npcol from rank `first` on, or downwards from the last rank. */
typedef struct plot {
  int nprow, npcol, first;
  bool backwards;
  int size[2], block[2], source[2], start[2], gap;
} plot;

static const struct row {
  const char *why;
  int least_ranks;
  int part[2];
  plot a, b;
  /* clang-format off */
} rows[] = {
  {"one element, on the same process", 1, {1, 1},
   {1, 1, 0, false, {1, 1}, {1, 1}, {0, 0}, .start = {0, 0}}, {1, 1, 0, false, {1, 1}, {1, 1}, {0, 0},
   .start = {0, 0}}},
  {"one element, between disjoint grids", 2, {1, 1},
   {1, 1, 0, false, {9, 9}, {2, 2}, {0, 0}, {8, 8}, 1}, {1, 1, 1, false, {5, 5}, {3, 3}, {0, 0}, {0, 4}, 2}},
  {"from one process to all", 1, {20, 17},
   {1, 1, 0, false, {20, 17}, {4, 4}, {0, 0}, .start = {0, 0}},
   {1, ALL, 0, true, {20, 17}, {3, 2}, {0, LAST}, .start = {0, 0}}},
  {"from all processes to the last", 1, {20, 17},
   {ALL, 1, 0, false, {20, 17}, {1, 1}, {LAST, 0}, {0, 0}, 3},
   {1, 1, 0, true, {20, 17}, {64, 64}, {0, 0}, .start = {0, 0}}},
  {"blocks as large as an INTEGER: all on the source's process", 1, {7, 9},
   {ALL, 1, 0, false, {8, 9}, {INT32_MAX, INT32_MAX}, {LAST, 0}, .start = {1, 0}},
   {1, ALL, 0, false, {7, 9}, {INT32_MAX, INT32_MAX}, {0, LAST}, .start = {0, 0}}},
  {"one row", 1, {1, 30},
   {ALL, 1, 0, false, {12, 30}, {2, 3}, {0, 0}, .start = {11, 0}}, {1, ALL, 0, true, {1, 31}, {5, 4}, {0,
   0}, .start = {0, 1}}},
  {"one column", 1, {30, 1},
   {1, ALL, 0, true, {30, 12}, {3, 2}, {0, LAST}, .start = {0, 11}},
   {ALL, 1, 0, false, {31, 1}, {4, 5}, {LAST, 0}, {1, 0}, 1}},
  {"the last row and column, in a block that is not full", 1, {1, 1},
   {ALL, 1, 0, false, {23, 5}, {3, 2}, {LAST, 0}, .start = {22, 4}},
   {1, ALL, 0, false, {7, 23}, {2, 5}, {0, LAST}, .start = {6, 22}}},
  {"more processes than blocks: some have no elements", 2, {3, 2},
   {ALL, 1, 0, true, {3, 2}, {3, 1}, {LAST, 0}, .start = {0, 0}},
   {1, ALL, 0, false, {3, 2}, {2, 2}, {0, LAST}, .start = {0, 0}}},
  {"the same grid backwards: every element changes process", 2, {25, 25},
   {1, ALL, 0, false, {25, 25}, {5, 5}, {0, 0}, .start = {0, 0}}, {1, ALL, 0, true, {25, 25}, {5, 5}, {0,
   0}, .start = {0, 0}}},
  {"no rows", 1, {0, 5},
   {1, 1, 0, false, {4, 5}, {2, 2}, {0, 0}, .start = {4, 0}}, {ALL, 1, 0, false, {4, 5}, {2, 2}, {0, 0},
   .start = {0, 0}}},
  {"no columns", 1, {5, 0},
   {1, 1, 0, false, {5, 1}, {2, 2}, {0, 0}, .start = {0, 1}}, {ALL, 1, 0, false, {5, 4}, {2, 2}, {0, 0},
   .start = {0, 0}}},
  {"two grids that do not meet, and who is in neither", 3, {12, 12},
   {1, 1, 0, false, {12, 12}, {5, 5}, {0, 0}, .start = {0, 0}}, {1, 1, 1, false, {12, 12}, {2, 7}, {0, 0},
   .start = {0, 0}}},
};
/* clang-format on */

static int procs_of(int asked)
{
  return asked == ALL ? test_nprocs() : asked;
}

static matrix make(const plot *f)
{
  matrix m = {.gap = f->gap};
  m.grid.nprow = procs_of(f->nprow);
  m.grid.npcol = procs_of(f->npcol);
  for (int i = 0; i < m.grid.nprow * m.grid.npcol; i++)
    m.grid.ranks[i] = f->backwards ? test_nprocs() - 1 - i : f->first + i;
  const int procs[] = {m.grid.nprow, m.grid.npcol};
  for (int k = 0; k < 2; k++) {
    m.size[k] = f->size[k];
    m.block[k] = f->block[k];
    m.source[k] = f->source[k] == LAST ? procs[k] - 1 : f->source[k];
    m.start[k] = f->start[k];
  }
  return m;
}

/* A context follows the environment of its first call: it uses whatever is faster, or only plans. */
static void run_row(const struct row *row, matrix_type type)
{
  const bool is_huge = row->a.block[0] == INT32_MAX;
  for (int only_plans = is_huge; only_plans < 2; only_plans++) {
    grid all = grid_from(1, test_nprocs(), 0);
    calls_take_plans_only(only_plans);
    grid_start(&all);
    for (call_form form = CALL_FORTRAN; form < CALL_FORMS; form++) {
      TEST_CASE("%s, type %c, form %d, plans %d", row->why, TYPE_LETTERS[type], (int)form, only_plans);
      const trial t = {
          .type = type, .form = form, .part = {row->part[0], row->part[1]}, make(&row->a), make(&row->b)};
      compare(&t, &all, 7, !is_huge);
    }
    grid_stop(&all);
    SETTLE();
  }
}

static void rows_come_out_right(void **state)
{
  (void)state;
  calls_load();
  SETTLE();
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    for (matrix_type t = TYPE_I; t < TYPES && test_nprocs() >= rows[i].least_ranks; t++) run_row(&rows[i], t);
}

/* If there is nothing to move, ScaLAPACK looks at no other argument, and neither may the drop-in. */
static void nothing_to_move_looks_at_nothing(void **state)
{
  (void)state;
  const dap_scalapack_int rubbish[9] = {-9, -9, -9, -9, -9, -9, -9, -9, -9};
  matrix a = {.type = TYPE_D}, b = {.type = TYPE_D};
  const grid nowhere = {.context = -5};
  memcpy(a.desc, rubbish, sizeof rubbish);
  memcpy(b.desc, rubbish, sizeof rubbish);
  for (call_form form = CALL_FORTRAN; form < CALL_FORMS; form++) {
    call_gemr2d(dropin, form, &a, &b, (const int[]){0, 3}, &nowhere);
    call_gemr2d(dropin, form, &a, &b, (const int[]){3, 0}, &nowhere);
  }
  SETTLE();
}

/* Two parts of one matrix that have no element in common. */
static void parts_of_one_matrix(void **state)
{
  (void)state;
  static const int part[] = {11, 8};
  const plot f = {1, ALL, 0, false, {24, 20}, {3, 2}, {0, LAST}, {1, 0}, 2};
  grid all = grid_from(1, test_nprocs(), 0);
  grid_start(&all);
  matrix m = make(&f);
  matrix_start(&m, TYPE_Z);
  matrix_fill(&m, 3);
  matrix from = m;
  m.start[0] = 12;
  m.start[1] = 9;
  unsigned char *before = matrix_copy(&m);
  matrix_expect(&m, &from, part, 3);
  unsigned char *model = matrix_copy(&m);
  for (int turn = 0; turn < 3; turn++) {
    memcpy(m.memory, before, (size_t)m.bytes);
    call_gemr2d(dropin, CALL_C, &from, &m, part, &all);
    matrix_holds(&m, model, turn ? "the matrix, again" : "the matrix");
  }
  free(before);
  free(model);
  matrix_stop(&m);
  grid_stop(&all);
  SETTLE();
}

/* ---- drawing ------------------------------------------------------------------------------------------- */

/* As many of candidates[count], in any order, as fit a random grid. */
static void draw_grid(test_random *random, const int candidates[], int count, grid *g)
{
  const int64_t kind = test_random_int(random, 0, 3);
  g->nprow = kind == 0 ? 1 : (int)test_random_int(random, 1, count);
  g->npcol = kind == 1 ? 1 : (int)test_random_int(random, 1, count / g->nprow);
  int ranks[MATRIX_PROCS];
  memcpy(ranks, candidates, (size_t)count * sizeof *ranks);
  test_shuffle(random, count, ranks);
  memcpy(g->ranks, ranks, (size_t)count * sizeof *ranks);
}

static void draw_matrix(test_random *random, const int part[2], matrix *m)
{
  for (int k = 0; k < 2; k++) {
    const int procs = k == 0 ? m->grid.nprow : m->grid.npcol;
    m->start[k] = (int)test_random_int(random, 0, 12);
    m->size[k] = m->start[k] + part[k] + (int)test_random_int(random, part[k] ? 0 : 1, 9);
    m->block[k] = (int)test_random_int(random, 1, test_random_one_in(random, 3) ? m->size[k] + 3 : 5);
    m->source[k] = (int)test_random_int(random, 0, procs - 1);
  }
  m->gap = test_random_one_in(random, 2) ? 0 : (int)test_random_int(random, 1, 5);
}

/* The same `shape` gives the same sizes, blocks and grid sizes. An earlier plan fits if the order of the
 * processes, which is drawn from `order`, is also the same. */
static trial draw_trial(uint64_t shape, test_random *order, const grid *all)
{
  test_random random = {shape};
  trial t = {.type = (matrix_type)test_random_int(&random, 0, TYPES - 1)};
  const int count = all->nprow * all->npcol;
  for (int k = 0; k < 2; k++)
    t.part[k] = test_random_one_in(&random, 24) ? 0 : (int)test_random_int(&random, 1, MOST);
  matrix *const both[] = {&t.a, &t.b};
  for (int k = 0; k < 2; k++) {
    draw_grid(&random, all->ranks, count, &both[k]->grid);
    draw_matrix(&random, t.part, both[k]);
    const grid extents = both[k]->grid;
    if (!test_random_one_in(order, 3)) continue;
    draw_grid(order, all->ranks, count, &both[k]->grid);
    both[k]->grid.nprow = extents.nprow;
    both[k]->grid.npcol = extents.npcol;
  }
  t.form = (call_form)test_random_int(order, 0, count == test_nprocs() ? CALL_FORMS - 1 : CALL_C);
  return t;
}

static void name_matrix(const char *name, const matrix *m, char text[], size_t capacity)
{
  int length =
      snprintf(text, capacity, "%s (%d, %d) of %d x %d on %d x %d, blocks %d x %d, first %d, %d, ranks", name,
               m->start[0], m->start[1], m->size[0], m->size[1], m->grid.nprow, m->grid.npcol, m->block[0],
               m->block[1], m->source[0], m->source[1]);
  for (int i = 0; i < m->grid.nprow * m->grid.npcol; i++)
    length += snprintf(text + length, capacity - (size_t)length, " %d", m->grid.ranks[i]);
}

static void label(int number, const trial *t)
{
  char a[160], b[160];
  name_matrix("from", &t->a, a, sizeof a);
  name_matrix("to", &t->b, b, sizeof b);
  TEST_CASE("seed %" PRIu64 ", case %d: %d x %d of type %c, form %d, %s, %s", test_seed(), number, t->part[0],
            t->part[1], TYPE_LETTERS[t->type], (int)t->form, a, b);
}

static void does_what_the_reference_does(void **state)
{
  (void)state;
  test_random random = test_random_init(150);
  int everyone[MATRIX_PROCS];
  uint64_t shapes[SHAPES];
  grid all = {0};
  for (int i = 0; i < test_nprocs(); i++) everyone[i] = i;
  const int cases = test_cases(CASES);
  for (int i = 0; i < cases; i++) {
    if (i % LIFE == 0) {
      calls_take_plans_only(i / LIFE % 2 == 0);
      draw_grid(&random, everyone, test_nprocs(), &all);
      if (test_random_one_in(&random, 2)) all.nprow = 1, all.npcol = test_nprocs();
      grid_start(&all);
      for (int s = 0; s < SHAPES; s++) shapes[s] = test_random_bits(&random);
    }
    const trial t = draw_trial(shapes[test_random_int(&random, 0, SHAPES - 1)], &random, &all);
    label(i, &t);
    compare(&t, &all, i % 100, true);
    SETTLE();
    if (i % LIFE == LIFE - 1 || i == cases - 1) grid_stop(&all);
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(rows_come_out_right),
    cmocka_unit_test(nothing_to_move_looks_at_nothing),
    cmocka_unit_test(parts_of_one_matrix),
    cmocka_unit_test(does_what_the_reference_does),
};
MPI_TEST_MAIN(tests)
