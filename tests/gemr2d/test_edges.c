/* What random cases seldom meet, one row each: against the elements' own numbers, and ScaLAPACK's
 * p?gemr2d. */
#include "calls.h"

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
} rows[] = {
    {"one element, on the same process",
     1,
     {1, 1},
     {1, 1, 0, false, {1, 1}, {1, 1}, {0, 0}, {0, 0}, 0},
     {1, 1, 0, false, {1, 1}, {1, 1}, {0, 0}, {0, 0}, 0}},
    {"one element, between disjoint grids",
     2,
     {1, 1},
     {1, 1, 0, false, {9, 9}, {2, 2}, {0, 0}, {8, 8}, 1},
     {1, 1, 1, false, {5, 5}, {3, 3}, {0, 0}, {0, 4}, 2}},
    {"from one process to all",
     1,
     {20, 17},
     {1, 1, 0, false, {20, 17}, {4, 4}, {0, 0}, {0, 0}, 0},
     {1, ALL, 0, true, {20, 17}, {3, 2}, {0, LAST}, {0, 0}, 0}},
    {"from all processes to the last",
     1,
     {20, 17},
     {ALL, 1, 0, false, {20, 17}, {1, 1}, {LAST, 0}, {0, 0}, 3},
     {1, 1, 0, true, {20, 17}, {64, 64}, {0, 0}, {0, 0}, 0}},
    {"blocks as large as an INTEGER: all on the source's process",
     1,
     {7, 9},
     {ALL, 1, 0, false, {8, 9}, {INT32_MAX, INT32_MAX}, {LAST, 0}, {1, 0}, 0},
     {1, ALL, 0, false, {7, 9}, {INT32_MAX, INT32_MAX}, {0, LAST}, {0, 0}, 0}},
    {"one row",
     1,
     {1, 30},
     {ALL, 1, 0, false, {12, 30}, {2, 3}, {0, 0}, {11, 0}, 0},
     {1, ALL, 0, true, {1, 31}, {5, 4}, {0, 0}, {0, 1}, 0}},
    {"one column",
     1,
     {30, 1},
     {1, ALL, 0, true, {30, 12}, {3, 2}, {0, LAST}, {0, 11}, 0},
     {ALL, 1, 0, false, {31, 1}, {4, 5}, {LAST, 0}, {1, 0}, 1}},
    {"the last row and column, in a block that is not full",
     1,
     {1, 1},
     {ALL, 1, 0, false, {23, 5}, {3, 2}, {LAST, 0}, {22, 4}, 0},
     {1, ALL, 0, false, {7, 23}, {2, 5}, {0, LAST}, {6, 22}, 0}},
    {"more processes than blocks: some have no elements",
     2,
     {3, 2},
     {ALL, 1, 0, true, {3, 2}, {3, 1}, {LAST, 0}, {0, 0}, 0},
     {1, ALL, 0, false, {3, 2}, {2, 2}, {0, LAST}, {0, 0}, 0}},
    {"the same grid backwards: every element changes process",
     2,
     {25, 25},
     {1, ALL, 0, false, {25, 25}, {5, 5}, {0, 0}, {0, 0}, 0},
     {1, ALL, 0, true, {25, 25}, {5, 5}, {0, 0}, {0, 0}, 0}},
    {"no rows",
     1,
     {0, 5},
     {1, 1, 0, false, {4, 5}, {2, 2}, {0, 0}, {4, 0}, 0},
     {ALL, 1, 0, false, {4, 5}, {2, 2}, {0, 0}, {0, 0}, 0}},
    {"no columns",
     1,
     {5, 0},
     {1, 1, 0, false, {5, 1}, {2, 2}, {0, 0}, {0, 1}, 0},
     {ALL, 1, 0, false, {5, 4}, {2, 2}, {0, 0}, {0, 0}, 0}},
    {"two grids that do not meet, and who is in neither",
     3,
     {12, 12},
     {1, 1, 0, false, {12, 12}, {5, 5}, {0, 0}, {0, 0}, 0},
     {1, 1, 1, false, {12, 12}, {2, 7}, {0, 0}, {0, 0}, 0}},
};

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

static void run_row(const struct row *row, matrix_type type, const grid *all)
{
  matrix a = make(&row->a), b = make(&row->b);
  TEST_CASE("%s, type %c", row->why, type_letter(type));
  matrix_start(&a, type);
  matrix_start(&b, type);
  matrix_fill(&a, 7);
  unsigned char *model = matrix_model(&b, &a, row->part, 7);
  const bool is_huge = row->a.block[0] == INT32_MAX; /* the reference's own arithmetic overflows */
  if (!is_huge) call_reference(FORM_FORTRAN, &a, &b, row->part, all);
  if (!is_huge)
    EXPECT_MSG(!memcmp(b.memory, model, (size_t)b.bytes), "ScaLAPACK does not do what the row says");
  matrix_clear(&b);
  grid own = *all; /* a context keeps to what the environment says at its first call */
  for (int turn = 0; turn < 3 * FORMS;
       turn++) { /* each by whatever is faster, by a new plan, by that again */
    calls_take_plans_only(turn >= FORMS || is_huge);
    if (turn == FORMS) grid_stop(&own);
    if (turn == 0 || turn == FORMS) grid_start(&own);
    call_dropin((call_form)(turn % FORMS), &a, &b, row->part, &own);
    EXPECT_MSG(!memcmp(b.memory, model, (size_t)b.bytes), "turn %d", turn);
    matrix_clear(&b);
  }
  grid_stop(&own);
  free(model);
  matrix_stop(&a);
  matrix_stop(&b);
}

static void rows_come_out_right(void **state)
{
  (void)state;
  grid all = grid_from(1, test_nprocs(), 0);
  calls_load();
  SETTLE();
  grid_start(&all);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    for (matrix_type t = TYPE_I; t < TYPES && test_nprocs() >= rows[i].least_ranks; t++) {
      run_row(&rows[i], t, &all);
      SETTLE();
    }
  grid_stop(&all);
}

/* Nothing to move: the reference looks at nothing else, so neither do we. */
static void nothing_to_move_looks_at_nothing(void **state)
{
  (void)state;
  const dap_scalapack_int rubbish[9] = {-9, -9, -9, -9, -9, -9, -9, -9, -9};
  matrix a = {.type = TYPE_D}, b = {.type = TYPE_D};
  const grid nowhere = {.context = -5};
  memcpy(a.desc, rubbish, sizeof rubbish);
  memcpy(b.desc, rubbish, sizeof rubbish);
  for (call_form form = FORM_FORTRAN; form < FORMS; form++) {
    call_dropin(form, &a, &b, (const int[]){0, 3}, &nowhere);
    call_dropin(form, &a, &b, (const int[]){3, 0}, &nowhere);
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
    call_dropin(FORM_C, &from, &m, part, &all);
    EXPECT_MSG(!memcmp(m.memory, model, (size_t)m.bytes), "turn %d: the matrix is not right", turn);
  }
  free(before);
  free(model);
  matrix_stop(&m);
  grid_stop(&all);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(rows_come_out_right),
    cmocka_unit_test(nothing_to_move_looks_at_nothing),
    cmocka_unit_test(parts_of_one_matrix),
};
MPI_TEST_MAIN(tests)
