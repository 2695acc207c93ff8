/* Every routine with every bad place: by its name through the bridge the result is right; by force as it lies
 * it is what ScaLAPACK makes of it, which is logged. */
#include "traps.h"

#define LIE(...)                                                                                             \
  {__VA_ARGS__},                                                                                             \
  {                                                                                                          \
    __VA_ARGS__                                                                                              \
  }
#define FOUR .block = {4, 4}

static const trap_place places[] = {
    {"good", "blocks of 4 x 4, nothing else", "", LIE(FOUR), 0},
    {"MB <> NB", "gesvd does not look", "square blocks are needed|4 x 3", LIE(.block = {4, 3}), 0},
    {"RSRC", "evr and evx on a grid of one column, gesvd", "first block is on process|must be on (0, 0)",
     LIE(FOUR, .rotated = {true, false}), 0},
    {"CSRC", "evd, gesvd", "first block is on process|must be on (0, 0)", LIE(FOUR, .rotated = {false, true}),
     0},
    {"RSRC, CSRC", "either", "first block is on process|must be on (0, 0)",
     LIE(FOUR, .rotated = {true, true}), 0},
    {"IA, JA", "evd writes where it must not", "", LIE(FOUR, .start = {4, 4}), 0},
    {"IA <> JA", "drivers for which the diagonal is on the processes with equal block numbers", "",
     LIE(FOUR, .start = {8, 4}), 0},
    {"IA", "a part that begins at a later block row", "", LIE(FOUR, .start = {4, 0}), 0},
    {"JA", "complex drivers on a grid of one column", "", LIE(FOUR, .start = {0, 4}), 0},
    {"IA, JA inside", "a part that begins inside blocks", "", LIE(FOUR, .start = {2, 2}), 0},
    {"IA inside", "the same for rows only", "", LIE(FOUR, .start = {1, 0}), 0},
    {"JA inside", "no ev looks at JA", "", LIE(FOUR, .start = {0, 2}), 0},
    {"n <= NB", "evd gives values on the owner of the block only", "more than one block of columns is needed",
     LIE(.block = {16, 16}), 10},
    {"NB = 1", "blocks of one", "", LIE(.block = {1, 1}), 7},
    {"n = 1", "heev leaves Z as it was", "", LIE(FOUR), 1},
    {"B: 3 x 3", "rows in other blocks", "", {FOUR}, {.block = {3, 3}}, 0},
    {"B: 4 x 3", "columns in other blocks", "", {FOUR}, {.block = {4, 3}}, 0},
    {"B: RSRC", "rows begin elsewhere", "", {FOUR}, {FOUR, .rotated = {true, false}}, 0},
    {"B: CSRC", "columns begin elsewhere", "", {FOUR}, {FOUR, .rotated = {false, true}}, 0},
    {"B: IB", "a part beside a whole matrix", "", {FOUR}, {FOUR, .start = {4, 0}}, 0},
    {"B: order", "rows and columns trade places in memory", "", {FOUR}, {FOUR, .turned = true}, 0},
};
enum { PLACES = sizeof places / sizeof places[0], ROUTINES = 64 };

/* ---- the log ------------------------------------------------------------------------------------- */

static struct record {
  const char *routine;
  trap_verdict forced[PLACES][2]; /* the worst seen, real and complex */
  int shared[PLACES], moved[PLACES];
} records[ROUTINES];

static struct record *record_of(const trap *t)
{
  int i = 0;
  while (records[i].routine && strcmp(records[i].routine, t->routine->name) != 0) i++;
  records[i].routine = t->routine->name;
  return &records[i];
}

/* Routines that are wrong in some ScaLAPACK however their matrix lies. If this one may be that: said, and no
 * failure of ours. CMakeLists.txt says which it is. */
static const struct fault {
  const char *routine;
  char letter;
  bool may_be;
  const char *why;
} faults[] = {
    {"potri", 'z', TRAPS_MAY_BE_2_2_2,
     "2.2.2's pzlauu2 does not declare ZDOTC (github.com/Reference-ScaLAPACK/scalapack/issues/144)"},
};

static bool is_known(const trap *t, double residual)
{
  for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
    const struct fault *f = &faults[i];
    if (!f->may_be || strcmp(f->routine, t->routine->name) != 0 || f->letter != "sdcz"[t->letter]) continue;
    if (test_rank() == 0)
      printf("ScaLAPACK's p%c%s, %s: wrong, residual %g: %s\n", f->letter, f->routine, t->place->name,
             residual, f->why);
    return true;
  }
  return false;
}

static void note(const trap *t, trap_verdict forced)
{
  struct record *r = record_of(t);
  const size_t place = (size_t)(t->place - places);
  trap_verdict *worst = &r->forced[place][t->type->is_complex];
  if (forced > *worst) *worst = forced;
}

static void log_records(void)
{
  printf("As the operands lie, real / complex, the worst on any grid (by name all must be right); how often "
         "the\n"
         "first's views by name were shared + moved:\n");
  for (int i = 0; i < ROUTINES && records[i].routine; i++)
    for (int p = 0; p < PLACES; p++)
      printf("  %-15s %-14s %8s / %-8s  %d + %d\n", p ? "" : records[i].routine, places[p].name,
             trap_words[records[i].forced[p][0]], trap_words[records[i].forced[p][1]], records[i].shared[p],
             records[i].moved[p]);
}

/* ---- contexts ------------------------------------------------------------------------------------ */

/* The grid on which the arrays' processes sit, in their own order: block 0 is where the array begins. */
static dap_scalapack_int make_context(const int procs[2], char op)
{
  dap_scalapack_int map[64];
  for (int q = 0; q < procs[1]; q++)
    for (int p = 0; p < procs[0]; p++)
      map[q * procs[0] + p] = op == 'N' ? p * procs[1] + q : q * procs[0] + p;
  const dap_scalapack_int handle = Csys2blacs_handle(MPI_COMM_WORLD);
  dap_scalapack_int context = handle;
  Cblacs_gridmap(&context, map, procs[0], procs[0], procs[1]);
  Cfree_blacs_system_handle(handle);
  return context;
}

/* ---- one trap -------------------------------------------------------------------------------------- */

static void check_others(const trap *t)
{
  const char *why = trap_other_reason(t);
  for (int k = 1; k < t->routine->operands; k++) {
    const dap_scalapack_matrix *m = &t->views[k];
    EXPECT_INT(m->desc[1], t->views[0].desc[1]);
    EXPECT_MSG(m->shared == !why, "operand %d %s: %s", k, why ? "shared" : "moved", m->reason);
    EXPECT_MSG(!why || test_contains(m->reason, why), "operand %d: %s", k, m->reason);
  }
}

/* A view that may not be a copy is refused, for the same reason. */
static void expect_refused(const trap *t)
{
  trap_request request;
  trap_options(t, 0, false, &request);
  request.options.sharing = DAP_SHARE_OR_FAIL;
  dap_scalapack_matrix m;
  dap_error err = {0};
  const dap_status status =
      dap_scalapack_get(MPI_COMM_WORLD, (dap_darray){t->arrays[0].layout, &t->arrays[0].array},
                        DAP_READ_WRITE, &request.options, &m, &err);
  expect_same_error(MPI_COMM_WORLD, status, &err, DAP_ERR_SHARE, trap_reason(t));
}

/* Why no view of the first operand can be what the routine needs; NULL: one can. */
static const char *no_view(const trap *t)
{
  const dap_matrix_needs *needs = &t->routine->needs;
  const int64_t extent = t->place->extent;
  if (needs->several_blocks && extent == 1 && test_nprocs() > 1)
    return "more than one block of columns is needed on several processes|has 1 columns in blocks of 1";
  return needs->spans_grid && extent > 0 && extent < test_nprocs() ? "as many rows or columns as processes"
                                                                   : NULL;
}

static bool is_unsafe(const trap *t)
{
  const char *at = t->routine->unsafe, *name = t->place->name;
  for (const size_t length = strlen(name); *at; at += strcspn(at, "|"), at += *at == '|')
    if (strcspn(at, "|") == length && !strncmp(at, name, length)) return true;
  return false;
}

/* As it lies, unless by its name it would be the same; *as: the view of the first operand, as it was. */
static void by_force(trap t, dap_scalapack_matrix *as)
{
  trap_make(&t);
  trap_get(&t, true);
  *as = t.views[0];
  EXPECT_MSG(as->shared, "%s", as->reason);
  for (int k = 0; k < 2; k++) {
    const trap_lie *lie = &t.place->first;
    EXPECT_INT((k ? as->ja : as->ia), lie->start[k] + 1);
    EXPECT_INT(as->desc[6 + k], lie->rotated[k] ? t.procs[k] - 1 : 0);
    if (t.procs[k] > 1 && t.size[0][k] > lie->block[k]) EXPECT_INT(as->desc[4 + k], lie->block[k]);
  }
  const bool other =
      trap_is_beside(&t) ? trap_other_reason(&t) != NULL : trap_must_move(&t, as) || t.place->extent == 1;
  if (other && !is_unsafe(&t)) note(&t, trap_run(&t, NULL));
  trap_free(&t);
}

static void by_name(trap t, const dap_scalapack_matrix *as)
{
  trap_make(&t);
  trap_get(&t, false);
  const bool moved = trap_must_move(&t, as);
  struct record *r = record_of(&t);
  (t.views[0].shared ? r->shared : r->moved)[t.place - places]++;
  EXPECT_MSG(t.views[0].shared == !moved, "%s: %s", moved ? "shared" : "moved", t.views[0].reason);
  EXPECT_MSG(!moved || test_contains(t.views[0].reason, trap_reason(&t)), "%s", t.views[0].reason);
  if (moved) expect_refused(&t);
  if (trap_is_beside(&t) && !moved) check_others(&t);
  double residual;
  const trap_verdict verdict = trap_run(&t, &residual);
  if (!(verdict == TRAP_WRONG && is_known(&t, residual)))
    EXPECT_MSG(verdict == TRAP_RIGHT, "%s: residual %g, info %d", trap_words[verdict], residual, (int)t.info);
  trap_free(&t);
}

static void check_no_view(trap t, const char *reason)
{
  trap_make(&t);
  trap_request request;
  trap_options(&t, 0, false, &request);
  dap_error err = {0};
  const dap_status status =
      dap_scalapack_get(MPI_COMM_WORLD, (dap_darray){t.arrays[0].layout, &t.arrays[0].array}, DAP_READ_WRITE,
                        &request.options, &t.views[0], &err);
  expect_same_error(MPI_COMM_WORLD, status, &err, DAP_ERR_UNSUPPORTED, reason);
  trap_free(&t);
}

/* heev leaves Z of one element as it was: no view of it is given for the routine. */
static bool leaves_second(const trap *t)
{
  return t->place->extent == 1 && !strcmp(t->routine->stem[t->type->is_complex], "heev");
}

static void check_no_second(trap t)
{
  trap_request request;
  dap_error err = {0};
  trap_make(&t);
  for (int k = 0; k < 2; k++) {
    trap_options(&t, k, false, &request);
    const dap_status status =
        dap_scalapack_get(MPI_COMM_WORLD, (dap_darray){t.arrays[k].layout, &t.arrays[k].array},
                          DAP_READ_WRITE, &request.options, &t.views[k], &err);
    if (k == 0)
      EXPECT_OK(status, &err);
    else
      expect_same_error(MPI_COMM_WORLD, status, &err, DAP_ERR_UNSUPPORTED,
                        "smaller than 2 x 2|this one is 1 x 1");
  }
  trap_free(&t);
}

/* gesvd, with more processes than rows and columns; or it finds its values to differ. */
static bool hangs(const trap *t)
{
  return t->routine->needs.spans_grid && t->place->extent > 0 && t->place->extent < test_nprocs();
}

static void check(const trap_routine *routine, const trap_place *place, int letter, char op,
                  const int procs[2])
{
  trap t = {.routine = routine, .place = place, .letter = letter, .op = op, .procs = {procs[0], procs[1]}};
  t.type = &element_types[letter];
  TEST_CASE("%s, %s (%s): %s, op %c, %d x %d", routine->name, place->name, place->why, t.type->name, op,
            procs[0], procs[1]);
  const bool rotated = place->first.rotated[0] || place->first.rotated[1];
  dap_scalapack_int context = rotated ? make_context(procs, op) : -1;
  if (rotated) t.context = &context;
  dap_scalapack_matrix as;
  if (!hangs(&t)) by_force(t, &as);
  if (no_view(&t))
    check_no_view(t, no_view(&t));
  else if (leaves_second(&t))
    check_no_second(t);
  else
    by_name(t, &as);
  if (rotated) Cblacs_gridexit(context);
  SETTLE();
}

/* Which type and order comes next: double precision mostly; all on few processes, one at a time on many. */
static void check_grid(const trap_routine *routine, const trap_place *place, size_t turn, const int procs[2])
{
  static const int cycle[] = {1, 3, 1, 3, 0, 3, 1, 2};
  if (test_nprocs() > 2) {
    check(routine, place, cycle[turn % 8], turn / 2 % 2 ? 'N' : 'T', procs);
    return;
  }
  for (int letter = 0; letter < 4; letter++)
    if (letter % 2 || (turn + (size_t)letter) % 3 == 0)
      check(routine, place, letter, (turn + (size_t)letter / 2) % 2 ? 'N' : 'T', procs);
}

/* With up to three processes all grids have one row or column; with four the drivers get those too. Of the
 * others of six every second one. */
static bool takes_grid(const trap_routine *routine, size_t number, const int procs[2])
{
  const int nprocs = procs[0] * procs[1];
  if (nprocs <= 3) return true;
  if (procs[0] == 1 || procs[1] == 1) return nprocs == 4 && routine->needs.offset == DAP_OFFSET_NONE;
  return nprocs == 4 || (number + (size_t)procs[0]) % 2 == 0;
}

static void check_routine(const trap_routine *routine, size_t number)
{
  for (size_t i = 0; i < PLACES; i++) {
    const trap t = {.routine = routine, .place = &places[i]};
    if (trap_is_beside(&t) && routine->operands == 1) continue;
    if (places[i].extent && routine->size[0][0]) continue; /* sizes of its own */
    size_t turn = number + i;
    for (int p = 1; p <= test_nprocs(); p++) {
      const int procs[2] = {p, test_nprocs() / p};
      if (test_nprocs() % p == 0 && takes_grid(routine, number + i, procs))
        check_grid(routine, &places[i], turn++, procs);
    }
  }
}

static void drivers_get_what_they_need(void **state)
{
  (void)state;
  for (size_t i = 0; trap_eigen_routines[i].name; i++) check_routine(&trap_eigen_routines[i], i);
}

static void systems_get_what_they_need(void **state)
{
  (void)state;
  for (size_t i = 0; trap_system_routines[i].name; i++) check_routine(&trap_system_routines[i], i);
}

static void pblas_gets_what_it_needs(void **state)
{
  (void)state;
  for (size_t i = 0; trap_pblas_routines[i].name; i++) check_routine(&trap_pblas_routines[i], i);
}

static void auxiliary_routines_get_what_they_need(void **state)
{
  (void)state;
  for (size_t i = 0; trap_auxiliary_routines[i].name; i++) check_routine(&trap_auxiliary_routines[i], i);
}

static void hermitian_routines_get_what_they_need(void **state)
{
  (void)state;
  for (size_t i = 0; trap_hermitian_routines[i].name; i++) check_routine(&trap_hermitian_routines[i], i);
}

/* The word of a routine that refuses: not ours to print. */
void pxerbla_(const dap_scalapack_int *context, const char *routine, const dap_scalapack_int *info,
              size_t length)
{
  (void)context, (void)routine, (void)info, (void)length;
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(traps_of_order),
      cmocka_unit_test(systems_get_what_they_need),
      cmocka_unit_test(pblas_gets_what_it_needs),
      cmocka_unit_test(auxiliary_routines_get_what_they_need),
      cmocka_unit_test(hermitian_routines_get_what_they_need),
      cmocka_unit_test(drivers_get_what_they_need),
  };
  const int code = mpi_test_main(&argc, &argv, tests, sizeof tests / sizeof tests[0]);
  log_records();
  return code;
}
