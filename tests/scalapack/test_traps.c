/* Tests every routine with every bad place. The bridge gets the routine's name, and must share or move
 * operands as the table says. The results must be right. */
#include "traps.h"

#include "operand.h"

#include <dapbridge/blacs_calls.h>

#define LIE(...)                                                                                             \
  {__VA_ARGS__},                                                                                             \
  {                                                                                                          \
    __VA_ARGS__                                                                                              \
  }
#define FOUR .block = {4, 4}

static const trap_place places[] = {
    {"good", "blocks of 4 x 4, nothing else", "", LIE(FOUR), 0},
    {"MB <> NB", "gesvd does not look", "square blocks|4 x 3", LIE(.block = {4, 3}), 0},
    {"RSRC", "evr and evx on a grid of one column, gesvd", "first block|(0, 0)",
     LIE(FOUR, .rotated = {true, false}), 0},
    {"CSRC", "evd, gesvd", "first block|(0, 0)", LIE(FOUR, .rotated = {false, true}), 0},
    {"RSRC, CSRC", "either", "first block|(0, 0)", LIE(FOUR, .rotated = {true, true}), 0},
    {"IA, JA", "evd writes where it must not", "", LIE(FOUR, .start = {4, 4}), 0},
    {"IA <> JA", "drivers for which the diagonal is on the processes with equal block numbers", "",
     LIE(FOUR, .start = {8, 4}), 0},
    {"IA", "a part that begins at a later block row", "", LIE(FOUR, .start = {4, 0}), 0},
    {"JA", "complex drivers on a grid of one column", "", LIE(FOUR, .start = {0, 4}), 0},
    {"IA, JA inside", "a part that begins inside blocks", "", LIE(FOUR, .start = {2, 2}), 0},
    {"IA inside", "the same for rows only", "", LIE(FOUR, .start = {1, 0}), 0},
    {"JA inside", "no ev looks at JA", "", LIE(FOUR, .start = {0, 2}), 0},
    {"n <= NB", "evd gives values on the owner of the block only", "block of columns", LIE(.block = {16, 16}),
     10},
    {"NB = 1", "blocks of one", "", LIE(.block = {1, 1}), 7},
    {"n = 1", "heev leaves Z as it was", "", LIE(FOUR), 1},
    {"B: 3 x 3", "rows in other blocks", "", {FOUR}, {.block = {3, 3}}, 0},
    {"B: 4 x 3", "columns in other blocks", "", {FOUR}, {.block = {4, 3}}, 0},
    {"B: RSRC", "rows begin elsewhere", "", {FOUR}, {FOUR, .rotated = {true, false}}, 0},
    {"B: CSRC", "columns begin elsewhere", "", {FOUR}, {FOUR, .rotated = {false, true}}, 0},
    {"B: IB", "a part beside a whole matrix", "", {FOUR}, {FOUR, .start = {4, 0}}, 0},
    {"B: order", "rows and columns trade places in memory", "", {FOUR}, {FOUR, .turned = true}, 0},
};
enum { PLACES = sizeof places / sizeof places[0] };

/* ---- ScaLAPACK's own faults -------------------------------------------------------------------------- */

/* Routines that are wrong in some versions of ScaLAPACK in every layout. With such a version the test
 * prints a line and does not fail. CMakeLists.txt tells the version. */
static const struct fault {
  const char *routine;
  bool may_be;
  const char *why;
} faults[] = {
    {"pzpotri", TRAPS_MAY_BE_2_2_2,
     "2.2.2's pzlauu2 does not declare ZDOTC (github.com/Reference-ScaLAPACK/scalapack/issues/144)"},
};

static bool is_known(const trap *t, double residual)
{
  for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
    const struct fault *f = &faults[i];
    if (!f->may_be || strcmp(f->routine, t->name) != 0) continue;
    if (test_rank() == 0)
      printf("ScaLAPACK's %s, %s: wrong, residual %g: %s\n", f->routine, t->place->name, residual, f->why);
    return true;
  }
  return false;
}

/* ---- the first operand ------------------------------------------------------------------------------ */

/* Whether the first array must be moved. `as` is its view as it lies. */
static bool must_move(const trap *t, const dap_scalapack_matrix *as)
{
  const dap_matrix_needs *needs = &t->routine->needs;
  const trap_lie *lie = &t->place->first;
  bool move = needs->square_blocks && lie->block[0] != lie->block[1] && t->procs[0] > 1 && t->procs[1] > 1;
  for (int k = 0; k < 2; k++) {
    const int64_t start = lie->start[k];
    move = move || (!needs->any_sources && lie->rotated[k] && t->procs[k] > 1);
    move = move || (needs->offset == DAP_OFFSET_NONE && start > 0);
    move = move || (needs->offset == DAP_OFFSET_BLOCK && start % as->desc[4 + k] != 0);
  }
  return move || (needs->several_blocks && test_nprocs() > 1 && as->n <= lie->block[1]);
}

/* ---- the other operands ---------------------------------------------------------------------------- */

static bool is_beside(const trap *t)
{
  const trap_lie *a = &t->place->first, *b = &t->place->others;
  bool alike = !b->turned;
  for (int k = 0; k < 2; k++)
    alike =
        alike && a->block[k] == b->block[k] && a->rotated[k] == b->rotated[k] && a->start[k] == b->start[k];
  return !alike;
}

/* Compares the blocks of one dimension, and where they begin, with those of the first view. */
static const char *differ(const trap *t, int d, int across)
{
  const trap_lie *b = &t->place->others;
  if (t->procs[d] == 1) return NULL;
  if (b->block[d] != t->views[0].desc[4 + across]) return "in blocks of";
  const int64_t begin = b->start[d] / b->block[d] + (b->rotated[d] ? t->procs[d] - 1 : 0);
  return d == across && begin % t->procs[d] != 0 ? "its first" : NULL;
}

/* The reason to move another array, or NULL. The first array needs no move. */
static const char *other_reason(const trap *t)
{
  const dap_matrix_needs *needs = &t->routine->needs;
  const trap_lie *b = &t->place->others;
  const bool wide = t->routine->align == DAP_ALIGN_LONGER && t->size[0][0] < t->size[0][1];
  const bool part = b->start[0] > 0 || b->start[1] > 0;
  const char *why = NULL;
  if (needs->offset == DAP_OFFSET_NONE && part) return "whole matrix";
  if (needs->offset == DAP_OFFSET_BLOCK && part && t->procs[0] == 1 &&
      t->views[0].desc[wide ? 5 : 4] > b->start[0])
    return "inside a block";
  if (needs->offset == DAP_OFFSET_NONE && b->block[0] != b->block[1] && t->procs[0] > 1 && t->procs[1] > 1)
    return "square blocks";
  for (int d = 0; d < 2; d++)
    if (!needs->any_sources && b->rotated[d] && t->procs[d] > 1) return "first block";
  if (t->routine->align >= DAP_ALIGN_ROWS) why = differ(t, 0, wide ? 1 : 0);
  if (!why && t->routine->align == DAP_ALIGN_SAME) why = differ(t, 1, 1);
  return why ? why : b->turned ? "contiguous" : NULL;
}

static const char *reason_of(const trap *t)
{
  if (!t->place->first.start[0] && !t->place->first.start[1]) return t->place->reason;
  return t->routine->needs.offset == DAP_OFFSET_NONE ? "whole matrix" : "sub-matrix|inside a block";
}

/* ---- one trap -------------------------------------------------------------------------------------- */

static void check_others(const trap *t)
{
  const char *why = other_reason(t);
  for (int k = 1; k < t->operands; k++) {
    const dap_scalapack_matrix *m = &t->views[k];
    EXPECT_INT(m->desc[1], t->views[0].desc[1]);
    EXPECT_MSG(m->shared == !why, "operand %d %s: %s", k, why ? "shared" : "moved", m->reason);
    EXPECT_MSG(!why || test_contains(m->reason, why), "operand %d: %s", k, m->reason);
  }
}

/* A view that may not be a copy is refused, for the same reason. */
static void expect_refused(const trap *t)
{
  trap other = *t;
  dap_error err = {0};
  const dap_status status = trap_try(&other, 0, NULL, DAP_SHARE_OR_FAIL, &err);
  expect_same_error(MPI_COMM_WORLD, status, &err, DAP_ERR_SHARE, reason_of(t));
}

/* The reason why no view of the first array meets the routine's needs. NULL: a view can meet them. */
static const char *no_view(const trap *t)
{
  const dap_matrix_needs *needs = &t->routine->needs;
  const int64_t extent = t->place->extent;
  if (needs->several_blocks && extent == 1 && test_nprocs() > 1)
    return "block of columns|several processes|1 columns";
  return needs->spans_grid && extent > 0 && extent < test_nprocs() ? "as processes" : NULL;
}

/* Sets *as to the view of the first array as it lies. */
static void look(trap *t, dap_scalapack_matrix *as)
{
  const bool unequal = t->place->first.block[0] != t->place->first.block[1];
  const dap_matrix_needs any = {.square_blocks = t->routine->needs.square_blocks && !unequal,
                                .any_sources = true,
                                .offset = DAP_OFFSET_ANY};
  dap_error err = {0};
  EXPECT_OK(trap_try(t, 0, &any, DAP_SHARE_IF_POSSIBLE, &err), &err);
  *as = t->views[0];
  EXPECT_MSG(as->shared, "%s", as->reason);
  for (int k = 0; k < 2; k++) {
    const trap_lie *lie = &t->place->first;
    EXPECT_INT((k ? as->ja : as->ia), lie->start[k] + 1);
    EXPECT_INT(as->desc[6 + k], lie->rotated[k] ? t->procs[k] - 1 : 0);
    if (t->procs[k] > 1 && t->size[0][k] > lie->block[k]) EXPECT_INT(as->desc[4 + k], lie->block[k]);
  }
  EXPECT_OK(dap_scalapack_discard(&t->views[0], &err), &err);
}

/* Gets all views by name. */
static void get_views(trap *t)
{
  for (int k = 0; k < t->operands; k++) {
    dap_error err = {0};
    EXPECT_OK(trap_try(t, k, NULL, DAP_SHARE_IF_POSSIBLE, &err), &err);
    EXPECT_INT(t->views[k].m, t->size[k][0]);
    EXPECT_INT(t->views[k].n, t->size[k][1]);
    EXPECT_INT(t->views[k].op, t->op);
  }
}

static void by_name(trap *t, const dap_scalapack_matrix *as)
{
  get_views(t);
  const bool moved = must_move(t, as);
  EXPECT_MSG(t->views[0].shared == !moved, "%s: %s", moved ? "shared" : "moved", t->views[0].reason);
  EXPECT_MSG(!moved || test_contains(t->views[0].reason, reason_of(t)), "%s", t->views[0].reason);
  if (moved) expect_refused(t);
  if (is_beside(t) && !moved) check_others(t);
  const double residual = trap_run(t);
  if (!(residual <= RESIDUAL_LIMIT) && !is_known(t, residual)) expect_residual("the results", residual);
}

static void check_no_view(trap *t, const char *reason)
{
  dap_error err = {0};
  const dap_status status = trap_try(t, 0, NULL, DAP_SHARE_IF_POSSIBLE, &err);
  expect_same_error(MPI_COMM_WORLD, status, &err, DAP_ERR_UNSUPPORTED, reason);
}

/* heev does not write a Z of one element, so no view of such a Z is given. */
static bool leaves_second(const trap *t)
{
  return t->place->extent == 1 && !strcmp(t->name + 2, "heev");
}

static void check_no_second(trap *t)
{
  dap_error err = {0};
  for (int k = 0; k < 2; k++) {
    const dap_status status = trap_try(t, k, NULL, DAP_SHARE_IF_POSSIBLE, &err);
    if (k == 0)
      EXPECT_OK(status, &err);
    else
      expect_same_error(MPI_COMM_WORLD, status, &err, DAP_ERR_UNSUPPORTED, "2 x 2|1 x 1");
  }
}

static void check(const trap_routine *routine, const trap_place *place, int letter, char op,
                  const int procs[2])
{
  trap t = trap_make(routine, place, letter, op, procs);
  const bool rotated = place->first.rotated[0] || place->first.rotated[1];
  const int along[2] = {procs[op != 'N'], procs[op == 'N']}; /* the array's axes */
  dap_scalapack_int context = rotated ? grid_in_order(along, op) : -1;
  if (rotated) t.context = &context;
  dap_scalapack_matrix as;
  look(&t, &as);
  if (no_view(&t))
    check_no_view(&t, no_view(&t));
  else if (leaves_second(&t))
    check_no_second(&t);
  else
    by_name(&t, &as);
  trap_free(&t);
  if (rotated) Cblacs_gridexit(context);
  SETTLE();
}

/* Chooses the next type and order, mostly double precision. By night on few processes all are tried, else
 * one. */
static void check_grid(const trap_routine *routine, const trap_place *place, size_t turn, const int procs[2])
{
  static const int cycle[] = {1, 3, 1, 3, 0, 3, 1, 2};
  if (test_nprocs() > 2 || test_scale() > 1) {
    check(routine, place, cycle[turn % 8], turn / 2 % 2 ? 'N' : 'T', procs);
    return;
  }
  for (int letter = 0; letter < 4; letter++)
    if (letter % 2 || (turn + (size_t)letter) % 3 == 0)
      check(routine, place, letter, (turn + (size_t)letter / 2) % 2 ? 'N' : 'T', procs);
}

/* With up to three processes all grids have one row or column. With four processes only drivers get such
 * grids, by day one of the two. With six processes every second one of the other grids is tried. */
static bool takes_grid(const trap_routine *routine, size_t number, const int procs[2])
{
  const int nprocs = procs[0] * procs[1];
  if (nprocs <= 3) return true;
  const bool has_turn = test_scale() == 1 || (number + (size_t)(procs[0] > 1)) % 2 == 0;
  if (procs[0] == 1 || procs[1] == 1)
    return nprocs == 4 && routine->needs.offset == DAP_OFFSET_NONE && has_turn;
  return nprocs == 4 || (number + (size_t)procs[0]) % 2 == 0;
}

static void check_routine(const trap_routine *routine, size_t number)
{
  for (size_t i = 0; i < PLACES; i++) {
    const trap t = {.routine = routine, .place = &places[i]};
    if (is_beside(&t) && !routine->entries[1]) continue;
    if (places[i].extent && routine->size[0][0]) continue; /* sizes of its own */
    size_t turn = number + i;
    for (int p = 1; p <= test_nprocs(); p++) {
      const int procs[2] = {p, test_nprocs() / p};
      if (test_nprocs() % p == 0 && takes_grid(routine, number + i, procs))
        check_grid(routine, &places[i], turn++, procs);
    }
  }
}

static void routines_get_what_they_need(void **state)
{
  (void)state;
  for (int i = 0; i < trap_routine_count; i++) check_routine(&trap_routines[i], (size_t)i);
}

/* ---- results in C order ------------------------------------------------------------------------------ */

/* The routine sees the transposes of the arrays. A `reading` checks its results in the arrays. `was` and
 * `is` are the arrays before and after the call. */
typedef double reading(const trap *t, double complex *const was[], double complex *const is[]);

static double read_vectors(const trap *t, double complex *const was[], double complex *const is[])
{
  double complex *z = whole_op('C', USUAL, USUAL, is[1]);
  const double norm = whole_norm('1', USUAL, USUAL, was[0]);
  const double r = residual_eigen(USUAL, USUAL, was[0], t->w, z, norm, t->type->eps);
  free(z);
  return r;
}

static double read_factors(const trap *t, double complex *const was[], double complex *const is[])
{
  return residual_svd(USUAL, USUAL, was[0], is[2], t->w, is[1], t->type->eps);
}

static double read_solution(const trap *t, double complex *const was[], double complex *const is[])
{
  double complex *b = whole_op('T', RHS, USUAL, was[1]), *x = whole_op('T', RHS, USUAL, is[1]);
  const double r = residual_solve('N', USUAL, RHS, was[0], x, b, t->type->eps);
  free(x), free(b);
  return r;
}

static const struct {
  const char *why, *routine;
  reading *read;
} readings[] = {
    {"rows of Z hold eigenvectors, conjugate", "syev", read_vectors},
    {"U's array holds VT, and VT's U", "gesvd", read_factors},
    {"A X = B is solved with the transposed factors", "getrs", read_solution},
};

static void results_in_c_order(void **state)
{
  (void)state;
  const int rows = test_nprocs() % 2 ? 1 : 2, procs[2] = {rows, test_nprocs() / rows};
  for (int i = 0; i < 3 * ELEMENT_TYPES; i++) {
    const int row = i / ELEMENT_TYPES, letter = i % ELEMENT_TYPES;
    const trap_routine *routine = trap_routines;
    while (strcmp(routine->call.stem[0], readings[row].routine) != 0) routine++;
    trap t = trap_make(routine, &places[0], letter, 'T', procs);
    TEST_CASE("%s, %s", readings[row].why, t.type->name);
    double complex *was[OPERANDS] = {0}, *is[OPERANDS] = {0};
    for (int k = 0; k < t.operands; k++) was[k] = matrix_whole(&t.arrays[k]);
    get_views(&t);
    for (int k = 0; k < t.operands; k++) EXPECT_MSG(t.views[k].shared, "%s", t.views[k].reason);
    const double residual = trap_run(&t);
    expect_residual("the results", residual);
    for (int k = 0; k < t.operands; k++) is[k] = matrix_whole(&t.arrays[k]);
    expect_residual("read from the arrays", readings[row].read(&t, was, is));
    for (int k = 0; k < t.operands; k++) free(was[k]), free(is[k]);
    trap_free(&t);
    SETTLE();
  }
}

/* Replaces the function by which routines report wrong arguments, because it prints. */
void pxerbla_(const dap_scalapack_int *context, const char *routine, const dap_scalapack_int *info,
              size_t length)
{
  (void)context, (void)routine, (void)info, (void)length;
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(results_in_c_order),
                                          cmocka_unit_test(routines_get_what_they_need)};
MPI_TEST_MAIN(tests)
