/* The drop-in against ScaLAPACK's p?gemr2d and against the elements' own numbers: random sub-matrices on
 * unequal grids over parts of the processes. The seed is printed, and DAP_TEST_SEED repeats a run;
 * DAP_TEST_CASES asks for more cases. */
#include "calls.h"

#include <inttypes.h>

enum { CASES = 200, LIFE = 16 /* cases of a global context */, SHAPES = 6 /* drawn for it */, MOST = 40 };
enum { TURNS = 3 /* without a plan, with a new one, with that */ };

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

typedef struct trial {
  matrix_type type;
  call_form form;
  int part[2];
  matrix a, b;
} trial;

/* The same `shape` gives the same extents, blocks and grids' extents: a plan of before fits if the
 * processes' order (drawn from `order`) is the same too. */
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
  t.form = (call_form)test_random_int(order, 0, count == test_nprocs() ? FORMS - 1 : FORM_C);
  return t;
}

/* ---- the comparison ------------------------------------------------------------------------------------ */

static void name_matrix(const char *name, const matrix *m, char text[], size_t capacity)
{
  int length =
      snprintf(text, capacity, "%s (%d, %d) of %d x %d on %d x %d, blocks %d x %d, first %d, %d, ranks", name,
               m->start[0], m->start[1], m->size[0], m->size[1], m->grid.nprow, m->grid.npcol, m->block[0],
               m->block[1], m->source[0], m->source[1]);
  for (int i = 0; i < m->grid.nprow * m->grid.npcol; i++)
    length += snprintf(text + length, capacity - (size_t)length, " %d", m->grid.ranks[i]);
}

static void compare(int number, const trial *given, const grid *all, int salt)
{
  trial t = *given;
  char a[160], b[160];
  name_matrix("from", &t.a, a, sizeof a);
  name_matrix("to", &t.b, b, sizeof b);
  TEST_CASE("seed %" PRIu64 ", case %d: %d x %d of type %c, form %d, %s, %s", test_seed(), number, t.part[0],
            t.part[1], type_letter(t.type), (int)t.form, a, b);
  matrix_start(&t.a, t.type);
  matrix_start(&t.b, t.type);
  matrix_fill(&t.a, salt);
  unsigned char *source = matrix_copy(&t.a);
  const bool calls = t.form >= FORM_FORTRAN_OLD || grid_has(all, test_rank());
  if (calls) call_reference(t.form, &t.a, &t.b, t.part, all);
  unsigned char *theirs = matrix_copy(&t.b);
  matrix_clear(&t.b);
  matrix_expect(&t.b, &t.a, t.part, salt);
  unsigned char *model = matrix_copy(&t.b);
  EXPECT_MSG(!memcmp(theirs, model, (size_t)t.b.bytes), "ScaLAPACK's elements are not right");
  for (int turn = 1; turn <= TURNS; turn++) {
    matrix_clear(&t.b);
    call_dropin(t.form, &t.a, &t.b, t.part, all); /* a process outside the context may call, too */
    EXPECT_MSG(!memcmp(t.b.memory, model, (size_t)t.b.bytes), "turn %d: the drop-in's elements are not right",
               turn);
    EXPECT_MSG(!memcmp(t.b.memory, theirs, (size_t)t.b.bytes), "turn %d: not ScaLAPACK's matrix", turn);
  }
  EXPECT_MSG(!memcmp(t.a.memory, source, (size_t)t.a.bytes), "the source has changed");
  free(source);
  free(theirs);
  free(model);
  matrix_stop(&t.a);
  matrix_stop(&t.b);
}

static void does_what_the_reference_does(void **state)
{
  (void)state;
  test_random random = test_random_init(150);
  int everyone[MATRIX_PROCS];
  uint64_t shapes[SHAPES];
  grid all = {0};
  for (int i = 0; i < test_nprocs(); i++) everyone[i] = i;
  calls_load();
  SETTLE();
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
    compare(i, &t, &all, i % 100);
    SETTLE();
    if (i % LIFE == LIFE - 1 || i == cases - 1) grid_stop(&all);
  }
  if (test_rank() == 0) printf("%d redistributions are ScaLAPACK's, element by element\n", cases);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(does_what_the_reference_does)};
MPI_TEST_MAIN(tests)
