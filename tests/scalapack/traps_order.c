/* What C order does to results: the routine sees the transposed matrix, and gives what is right for that. A
 * row says how the array's own result is read from it; and that reading it as if there were nothing to do is
 * wrong. */
#include "traps.h"

/* Residuals in the array's terms: with `care` as one must, without as one might. */
typedef double reading(const trap *t, bool care);

static double complex *turned(const trap *t, int k, char trans, double complex *const *which)
{
  return whole_op(trans, t->size[k][0], t->size[k][1], which[k]);
}

static double read_vectors(const trap *t, bool care)
{
  const int64_t n = t->count;
  double complex *a = turned(t, 0, 'T', t->before), *rows = turned(t, 1, 'T', t->after);
  double complex *z = whole_op(care ? 'C' : 'T', n, n, rows);
  const double r = residual_eigen(n, a, t->w, z, t->type->eps);
  free(a), free(rows), free(z);
  return r;
}

static double read_factors(const trap *t, bool care)
{
  const int64_t n = t->count;
  double complex *a = turned(t, 0, 'T', t->before), *in_u = turned(t, 1, 'T', t->after),
                 *in_vt = turned(t, 2, 'T', t->after);
  const double r = residual_svd(n, n, a, care ? in_vt : in_u, t->w, care ? in_u : in_vt, t->type->eps);
  free(a), free(in_u), free(in_vt);
  return r;
}

static double read_solution(const trap *t, bool care)
{
  (void)care; /* it is in the call */
  double complex *a = turned(t, 0, 'T', t->before);
  const double r = residual_solve('N', t->size[0][0], RHS, a, t->after[1], t->before[1], t->type->eps);
  free(a);
  return r;
}

static const struct {
  const char *why, *careful, *careless; /* rows of the tables of routines */
  reading *read;
  bool real_too; /* the careless reading of real ones is wrong, too */
} orders[] = {
    {"rows of Z hold eigenvectors, conjugate", "ev", "ev", read_vectors, false},
    {"U's array holds VT, and VT's U", "gesvd", "gesvd", read_factors, true},
    {"A X = B is solved with the transposed factors", "getrf, getrs T", "gesv", read_solution, true},
};

static const trap_routine *routine_named(const char *name)
{
  for (const trap_routine *r = trap_eigen_routines; r->name; r++)
    if (!strcmp(r->name, name)) return r;
  for (const trap_routine *r = trap_system_routines; r->name; r++)
    if (!strcmp(r->name, name)) return r;
  EXPECT_MSG(false, "no routine \"%s\"", name);
  return trap_eigen_routines;
}

static double run(size_t i, int letter, const int procs[2], bool care)
{
  static const trap_place place = {"good", "", "", {.block = {4, 4}}, {.block = {4, 4}}, 0};
  trap t = {.routine = routine_named(care ? orders[i].careful : orders[i].careless),
            .place = &place,
            .type = &element_types[letter],
            .letter = letter,
            .op = 'T',
            .procs = {procs[0], procs[1]}};
  trap_make(&t);
  trap_get(&t, false);
  for (int k = 0; k < t.routine->operands; k++) EXPECT_MSG(t.views[k].shared, "%s", t.views[k].reason);
  const trap_verdict verdict = trap_run(&t, NULL);
  EXPECT_MSG(verdict == TRAP_RIGHT, "%s", trap_words[verdict]);
  const double r = orders[i].read(&t, care);
  trap_free(&t);
  return r;
}

void traps_of_order(void **state)
{
  (void)state;
  const int rows = test_nprocs() % 2 ? 1 : 2, procs[2] = {rows, test_nprocs() / rows};
  for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++)
    for (int letter = 0; letter < ELEMENT_TYPES; letter++) {
      TEST_CASE("%s, %s", orders[i].why, element_types[letter].name);
      const double good = run(i, letter, procs, true);
      expect_residual("with care", good);
      if (!orders[i].real_too && !element_types[letter].is_complex) continue;
      const double bad = run(i, letter, procs, false);
      EXPECT_MSG(bad > 100 * RESIDUAL_LIMIT, "without care: residual %g, no trap at all", bad);
      SETTLE();
    }
  SETTLE();
}
