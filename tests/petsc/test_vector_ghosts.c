/* Nodes with ghosts as vectors: which entry each position of a process is, by a model of the tests' own, and
 * what PETSc's updates, both ways, leave in the array's buffer. */
#include <dapbridge/log.h>

#include "ghosts_test.h"

/* clang-format off */
static const ghost_row rows[] = {
  {"random owners", 41, .want = GHOSTED},
  {"random owners, one by one", 41, .owners = FLAGS, .want = GHOSTED},
  {"the lowest that has a node owns it", 41, .owners = LOWEST, .want = GHOSTED},
  {"assembled", 41, .assembled = true, .want = GHOSTED},
  {"assembled, the lowest owns", 41, .owners = LOWEST, .assembled = true, .want = GHOSTED},
  {"ranks in another order", 41, .shuffled = true, .want = GHOSTED},
  {"ranks in another order, assembled", 41, .shuffled = true, .assembled = true, .want = GHOSTED},
  {"ranges with ghosts: natural order, no AO", 41, .cut = RANGES, .want = GHOSTED_IN_ORDER},
  {"ranges with ghosts, natural order asked for", 41, .cut = RANGES, .options = {.natural = true},
   .want = GHOSTED_IN_ORDER},
  {"ranges, assembled, ranks in another order", 41, .cut = RANGES, .shuffled = true, .assembled = true,
   .want = GHOSTED_IN_ORDER},
  {"processes with nothing, and with ghosts alone", 29, .cut = GAPS, .want = GHOSTED},
  {"the same, assembled", 29, .cut = GAPS, .assembled = true, .want = GHOSTED},
  {"the last owns all, others have some", 17, .cut = LAST, .want = GHOSTED},
  {"fewer nodes than processes", 2, .cut = RANGES, .want = GHOSTED_IN_ORDER},
  {"no nodes", 0, .want = GHOSTED_IN_ORDER},
  {"owners given, but no ghosts: ghosted all the same", 41, .share = NONE, .want = GHOSTED},
  {"no ghosts, nobody said so", 41, .owners = LOWEST, .share = NONE, .want = UNGHOSTED},
  {"all have all, each owns some", 23, .share = ALL, .want = GHOSTED},
  {"replicated", 23, .cut = FIRST, .share = ALL, .want = COPIED, .reason = "axis 0|replicated"},
  {"ghosts ahead", 41, .owners = FLAGS, .place = AHEAD, .want = COPIED,
   .reason = "ghosts|follow"},
  {"ghosts ahead of ranges", 41, .cut = RANGES, .owners = FLAGS, .place = AHEAD, .want = COPIED,
   .reason = "ghosts|follow"},
  {"ghosts among what is owned", 41, .owners = FLAGS, .place = AMONG, .want = COPIED,
   .reason = "ghosts|follow"},
  {"the same, assembled", 41, .owners = FLAGS, .place = AMONG, .assembled = true, .want = COPIED,
   .reason = "ghosts|follow"},
  {"natural order asked for, and not there", 41, .options = {.natural = true}, .want = COPIED,
   .reason = "axis 0|unstructured"},
  {"a copy", 41, .options = {.sharing = DAP_SHARE_NEVER}, .want = COPIED, .reason = "copy|asked for"},
  {"three components", 31, .inner = 3, .want = GHOSTED},
  {"three components in blocks", 31, .inner = 3, .options = {.block_size = 3}, .want = GHOSTED},
  {"four components in blocks of two, assembled", 31, .inner = 4, .assembled = true,
   .options = {.block_size = 2}, .want = GHOSTED},
  {"components of ranges in blocks", 31, .inner = 2, .cut = RANGES, .options = {.block_size = 2},
   .want = GHOSTED_IN_ORDER},
  {"components in blocks, gaps", 29, .inner = 3, .cut = GAPS, .options = {.block_size = 3}, .want = GHOSTED},
  {"components without ghosts", 31, .inner = 3, .owners = LOWEST, .share = NONE, .want = UNGHOSTED},
  {"no components", 31, .inner = -1, .want = GHOSTED},
  {"nodes last, F order of both", 31, .inner = 3, .fortran = true, .form = FORM_F,
   .options = {.order = DAP_ORDER_F, .block_size = 3}, .want = GHOSTED},
  {"nodes first, F order of the buffer", 31, .inner = 3, .form = FORM_F, .want = COPIED,
   .reason = "not contiguous|C order"},
  {"nodes last, C order of entries", 31, .inner = 3, .fortran = true, .want = COPIED,
   .reason = "axis 0|slower|C order"},
  {"blocks across nodes", 40, .inner = 3, .options = {.block_size = 4}, .cut = TENS, .want = COPIED,
   .reason = "axis 0|ghosts|3 entries"},
  {"a component of an F order buffer", 31, .inner = 3, .form = FORM_F, .column = 2, .want = GHOSTED},
  {"the same, assembled", 31, .inner = 3, .form = FORM_F, .column = 2, .assembled = true, .want = GHOSTED},
  {"a component of a C order buffer", 31, .inner = 3, .column = 2, .want = COPIED,
   .reason = "not contiguous|C order"},
  {"a range of nodes", 41, .from = 5, .count = 30, .want = COPIED, .reason = "in place"},
  {"a range of nodes with components, assembled", 31, .inner = 2, .from = 7, .count = 24, .assembled = true,
   .want = COPIED, .reason = "in place"},
  {"a layer of nodes, which some processes have", 25, .layers = 5, .want = GHOSTED},
  {"the same, assembled, with components", 25, .layers = 5, .inner = 2, .options = {.block_size = 2},
   .assembled = true, .want = GHOSTED},
  {"the same, ranges", 25, .layers = 5, .cut = RANGES, .want = GHOSTED_IN_ORDER},
};
/* clang-format on */

enum { ROWS = sizeof rows / sizeof rows[0], DRAWS = 2 };

static void each(void (*check)(ghost_trial *t))
{
  for (int i = 0; i < ROWS; i++)
    for (int draw = 0; draw < DRAWS; draw++) {
      ghost_trial t;
      TEST_CASE("%s, draw %d", rows[i].why, draw);
      ghosts_make(&t, &rows[i], (uint64_t)draw);
      check(&t);
      ghosts_free(&t);
      SETTLE();
    }
}

/* ---- where entries are ------------------------------------------------------------------------------ */

static void check_places(ghost_trial *t)
{
  dap_petsc_vector v;
  if (!ghosts_get(t, DAP_READ_WRITE, &v)) return;
  ghosts_check_verdict(t, &v);
  if (v.vec) {
    ghosts_check_entries(t, &v);
    if (v.shared) ghosts_check_mapping(t, &v);
  }
  EXPECT_OK(dap_petsc_vector_discard(&v, NULL), NULL);
}

static void places(void **state)
{
  (void)state;
  each(check_places);
}

/* ---- what updates do -------------------------------------------------------------------------------- */

/* PETSc's own ways: each leaves what the model says, in the buffer. */
static void check_updates(ghost_trial *t)
{
  dap_petsc_vector v;
  dap_error err;
  if (!ghosts_get(t, DAP_READ_WRITE, &v)) return;
  if (v.vec && ghosts_are_there(t, &v)) {
    ghosts_update(&v, INSERT_VALUES, SCATTER_FORWARD);
    ghosts_check_buffer(t, PADDING_FILLED);
    ghosts_check_scatter(t, &v);
    ghosts_add_by_position(t, &v);
    ghosts_update(&v, INSERT_VALUES, SCATTER_FORWARD);
    ghosts_check_buffer(t, PADDING_FILLED);
    ghosts_add_in_ghosts(t);
    ghosts_update(&v, ADD_VALUES, SCATTER_REVERSE);
    ghosts_check_buffer(t, PADDING_ANY);
  }
  EXPECT_OK(dap_petsc_vector_store(&v, &err), &err);
  ghosts_check_buffer(t, PADDING_FILLED);
  if (v.shared) EXPECT_INT(v.moved_bytes, 0);
  EXPECT_OK(dap_petsc_vector_discard(&v, &err), &err);
}

static void updates(void **state)
{
  (void)state;
  each(check_updates);
}

/* The library's ways: halo, store and restore update ghosts, load and discard do not. */
static void check_life(ghost_trial *t)
{
  dap_petsc_vector v;
  dap_error err;
  if (!ghosts_get(t, DAP_READ_WRITE, &v)) return;
  ghosts_check_buffer(t, PADDING_POISON);
  EXPECT_OK(dap_petsc_vector_halo(&v, &err), &err);
  ghosts_check_buffer(t, PADDING_FILLED);
  ghosts_check_norm(t, &v);
  ghosts_fill(t, 700);
  EXPECT_OK(dap_petsc_vector_load(&v, &err), &err);
  ghosts_check_norm(t, &v);
  ghosts_check_buffer(t, PADDING_POISON);
  if (v.vec) EXPECT(!VecScale(v.vec, 2));
  ghosts_scale(t, 2);
  EXPECT_OK(dap_petsc_vector_store(&v, &err), &err);
  ghosts_check_buffer(t, PADDING_FILLED);
  ghosts_fill(t, 300); /* ghosts are poison again */
  EXPECT_OK(dap_petsc_vector_discard(&v, &err), &err);
  ghosts_check_buffer(t, PADDING_POISON);
  for (int access = DAP_WRITE; access <= DAP_READ_WRITE; access++) {
    if (!ghosts_get(t, (dap_access)access, &v)) return;
    if (v.vec) EXPECT(!VecSet(v.vec, access));
    EXPECT_OK(dap_petsc_vector_restore(&v, &err), &err);
    ghosts_fill_with(t, access);
    ghosts_check_buffer(t, PADDING_FILLED);
  }
}

static void life(void **state)
{
  (void)state;
  each(check_life);
}

/* ---- the reverse update ----------------------------------------------------------------------------- */

/* What PETSc makes of the same ghosts, in a vector of its own: that is what the owners are to get. */
static void add_by_petsc(const dap_petsc_vector *v, Vec *sums)
{
  Vec from = NULL, to = NULL;
  EXPECT(!VecDuplicate(v->vec, sums));
  EXPECT(!VecGhostGetLocalForm(v->vec, &from) && !VecGhostGetLocalForm(*sums, &to));
  EXPECT(!VecCopy(from, to));
  EXPECT(!VecGhostRestoreLocalForm(v->vec, &from) && !VecGhostRestoreLocalForm(*sums, &to));
  EXPECT(!VecGhostUpdateBegin(*sums, ADD_VALUES, SCATTER_REVERSE));
  EXPECT(!VecGhostUpdateEnd(*sums, ADD_VALUES, SCATTER_REVERSE));
}

static void check_ghosts_are_zero(const ghost_trial *t)
{
  for (int64_t p = 0; t->coord >= 0 && p < t->model.lengths[t->coord]; p++)
    for (int64_t j = 0; j < t->inner; j++) {
      PetscScalar found;
      memcpy(&found, t->first + p * t->step + j * t->within, sizeof found);
      if (t->model.flags[t->coord][p] || !ghosts_has(t, t->model.lists[t->coord][p])) continue;
      EXPECT_MSG(found == (PetscScalar)0, "ghost at %d: %g", (int)p, (double)PetscRealPart(found));
    }
}

/* Every kind of vector, also one that is moved: in the buffer. */
static void check_reverse(ghost_trial *t)
{
  dap_petsc_vector v;
  dap_error err;
  if (!ghosts_get(t, DAP_READ_WRITE, &v)) return;
  for (int padding = DAP_PADDING_KEEP; padding <= DAP_PADDING_REFRESH; padding++) {
    Vec sums = NULL;
    PetscBool same = PETSC_FALSE;
    ghosts_add_in_ghosts(t);
    if (v.vec && ghosts_are_there(t, &v)) add_by_petsc(&v, &sums);
    EXPECT_OK(dap_petsc_vector_halo_reverse(&v, DAP_COMBINE_NONE, (dap_padding)padding, &err), &err);
    ghosts_check_buffer(t, padding == DAP_PADDING_REFRESH ? PADDING_FILLED : PADDING_ANY);
    if (padding == DAP_PADDING_CLEAR) check_ghosts_are_zero(t);
    if (v.shared) ghosts_check_norm(t, &v);
    if (sums) EXPECT(!VecEqual(sums, v.vec, &same) && same && !VecDestroy(&sums));
  }
  EXPECT_OK(dap_petsc_vector_discard(&v, &err), &err);
}

static void reverse(void **state)
{
  (void)state;
  each(check_reverse);
}

/* ---- kept forms ------------------------------------------------------------------------------------- */

static void count_kept(void *context, const char *line)
{
  if (strstr(line, "vector got by plans that were kept")) ++*(int *)context;
}

/* Another buffer of the same kind while the first view lives: by the entries found for that. */
static void check_kept(ghost_trial *t)
{
  dap_petsc_vector v, w;
  dap_error err;
  ghost_trial other;
  int kept = 0;
  ghosts_make_again(&other, t);
  if (ghosts_get(t, DAP_READ_WRITE, &v)) {
    dap_log_set(count_kept, &kept);
    if (ghosts_get(&other, DAP_READ_WRITE, &w)) {
      EXPECT_INT(kept, 1);
      EXPECT(v.shared == w.shared && (v.ao != NULL) == (w.ao != NULL));
      if (w.vec) ghosts_check_entries(&other, &w);
      if (w.vec && w.shared) ghosts_check_mapping(&other, &w);
      EXPECT_OK(dap_petsc_vector_restore(&w, &err), &err);
      ghosts_check_buffer(&other, PADDING_FILLED);
    }
    dap_log_set(NULL, NULL);
    EXPECT_OK(dap_petsc_vector_restore(&v, &err), &err);
    ghosts_check_buffer(t, PADDING_FILLED);
  }
  ghosts_free(&other);
}

static void kept_forms(void **state)
{
  (void)state;
  each(check_kept);
}

/* Layouts with the same owners are equal, whether these were given or not; the vectors of those that were
 * given are ghosted. */
static void given_or_not(void **state)
{
  (void)state;
  static const ghost_row one = {"not given", 41, .owners = LOWEST, .share = NONE, .want = UNGHOSTED};
  static const ghost_row two = {"given", 41, .share = NONE, .want = GHOSTED};
  for (int i = 0; i < 4; i++) {
    ghost_trial t;
    TEST_CASE("%d", i);
    ghosts_make(&t, i % 2 ? &two : &one, 5);
    check_places(&t);
    ghosts_free(&t);
    SETTLE();
  }
}

/* ---- locks ------------------------------------------------------------------------------------------ */

/* To be read only: neither the entries nor the ghosts can be written to. */
static void locks(void **state)
{
  (void)state;
  ghost_trial t;
  dap_petsc_vector v;
  for (int access = DAP_READ; access <= DAP_READ_WRITE; access++) {
    ghosts_make(&t, &rows[0], 1);
    if (ghosts_get(&t, (dap_access)access, &v)) {
      Vec local = NULL;
      PetscScalar *memory = NULL;
      if (access & DAP_READ) EXPECT_OK(dap_petsc_vector_load(&v, NULL), NULL);
      EXPECT(!VecGhostGetLocalForm(v.vec, &local));
      const PetscErrorCode code = VecGetArray(local, &memory);
      EXPECT((code != 0) == (access == DAP_READ && petsc_keeps_locks()));
      if (!code) EXPECT(!VecRestoreArray(local, &memory));
      EXPECT(!VecGhostRestoreLocalForm(v.vec, &local));
      EXPECT_OK(dap_petsc_vector_restore(&v, NULL), NULL);
    }
    ghosts_free(&t);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_starts), cmocka_unit_test(places),     cmocka_unit_test(updates),
    cmocka_unit_test(life),         cmocka_unit_test(kept_forms), cmocka_unit_test(given_or_not),
    cmocka_unit_test(locks),        cmocka_unit_test(reverse),    cmocka_unit_test(petsc_ends),
};

MPI_TEST_MAIN(tests)
