/* One trap: arrays that lie badly, their views, calls of Fortran routines by a text that says their
 * arguments, and what the routines made of the arrays. */
#define _POSIX_C_SOURCE 200809L /* strtok_r(); NOLINT(bugprone-reserved-identifier) */
#include "traps.h"

#include "operand.h"

#include <dapbridge/scalapack_calls.h>

enum { WORK = 1 << 15 /* elements, for matrices of this size more than any routine wants */ };
enum { SPACES = 16, ARGUMENTS = 36, TEXT = 240 };

/* ---- work space --------------------------------------------------------------------------------------- */

/* A word of the row's calls, its arguments so far, and what words of all calls have as theirs. */
typedef struct reader {
  trap *t;
  const char *word, *words[SPACES];
  void *spaces[SPACES], *arguments[ARGUMENTS];
  int count;
} reader;

static bool is(const reader *r, const char *word)
{
  return !strcmp(r->word, word);
}

/* Row i of `m` is swapped with this one. */
static int64_t partner(int64_t i, int64_t m)
{
  return i + (i * i + 5) % (m - i);
}

/* Rows of the whole matrix, counted from 0, that this process has before this one. */
static int64_t rows_before(const dap_scalapack_matrix *a, int64_t row)
{
  dap_scalapack_matrix above = *a;
  int64_t extents[2];
  above.desc[2] = (dap_scalapack_int)row;
  matrix_extents(&above, extents);
  return extents[0];
}

/* As getrf gives them: a process has those of its rows. */
static void fill_swaps(const dap_scalapack_matrix *a, dap_scalapack_int *pivots)
{
  for (int64_t i = 0; i < a->m; i++) {
    const int64_t row = a->ia - 1 + i, here = rows_before(a, row);
    if (rows_before(a, row + 1) > here) pivots[here] = (dap_scalapack_int)(a->ia + partner(i, a->m));
  }
}

/* The descriptor of pivots that are dealt as the matrix's rows. */
static void fill_descriptor(const dap_scalapack_matrix *a, dap_scalapack_int *desc)
{
  int grid[4];
  matrix_grid(a, grid);
  memcpy(desc, a->desc, sizeof a->desc);
  desc[2] = a->desc[2] + a->desc[4] * grid[0], desc[3] = 1, desc[5] = 1, desc[7] = grid[3];
}

/* What some words have in their space at first. */
static void fill_space(const reader *r, void *memory)
{
  static const char *const numbers[] = {"one", "two", "minus"};
  static const double values[] = {1, 2, -1};
  const dap_scalapack_matrix *a = &r->t->views[0];
  for (int i = 0; i < 3; i++)
    if (is(r, numbers[i])) element_store(r->t->type->dtype, values[i], memory);
  if (is(r, "1")) *(dap_scalapack_int *)memory = 1;
  if (is(r, "swaps")) fill_swaps(a, memory);
  if (is(r, "dealt")) fill_descriptor(a, memory);
  if (is(r, "lwork")) *(dap_scalapack_int *)memory = WORK;
  if (is(r, "norm"))
    element_store(r->t->type->real, whole_norm('1', r->t->size[0][0], r->t->size[0][1], r->t->before[0]),
                  memory);
  for (int i = 0; i < WORK && is(r, "last"); i++) ((dap_scalapack_int *)memory)[i] = a->ia + a->m - 1;
}

/* The word's own, which is made where it comes first. */
static void *space_of(reader *r)
{
  int i = 0;
  while (i < SPACES && r->words[i] && !is(r, r->words[i])) i++;
  if (!EXPECT_MSG(i < SPACES, "no room for \"%s\"", r->word)) return NULL;
  if (r->words[i]) return r->spaces[i];
  r->words[i] = r->word;
  r->spaces[i] = zeros(SLACK + 16 * WORK, 1);
  fill_space(r, r->spaces[i]);
  return r->spaces[i];
}

/* ---- arguments ---------------------------------------------------------------------------------------- */

static void add(reader *r, const void *argument)
{
  r->arguments[r->count++] = (void *)argument;
}

/* A size or index of an operand, whose number ends the word; NULL: the word is not one. */
static const void *size_of(const reader *r)
{
  const size_t length = strlen(r->word);
  const char last = r->word[length - 1];
  if (last < '0' || last >= '0' + OPERANDS || length == 1) return NULL;
  const dap_scalapack_matrix *m = &r->t->views[last - '0'];
  return r->word[0] == 'm' ? &m->m : r->word[0] == 'n' ? &m->n : &m->ia;
}

static void *values_of(const reader *r)
{
  const int64_t *size = r->t->size[0];
  r->t->count = is(r, "value") ? 1 : size[0] < size[1] ? size[0] : size[1];
  return r->t->values;
}

static void add_argument(reader *r)
{
  if (r->word[0] >= 'A' && r->word[0] < 'A' + OPERANDS) {
    dap_scalapack_matrix *m = &r->t->views[r->word[0] - 'A'];
    add(r, m->data), add(r, &m->ia), add(r, &m->ja), add(r, m->desc);
    return;
  }
  add(r, r->word[0] == '\''                  ? r->word + 1
         : is(r, "info")                     ? (const void *)&r->t->info
         : is(r, "values") || is(r, "value") ? values_of(r)
         : size_of(r)                        ? size_of(r)
                                             : space_of(r));
}

/* ---- calls -------------------------------------------------------------------------------------------- */

/* Fortran takes addresses only. What follows the last argument is not looked at, unless as the length of
 * characters. */
#define NINE void *, void *, void *, void *, void *, void *, void *, void *, void *
#define NINE_OF(a) (a)[0], (a)[1], (a)[2], (a)[3], (a)[4], (a)[5], (a)[6], (a)[7], (a)[8]
#define ALL NINE_OF(a), NINE_OF(a + 9), NINE_OF(a + 18), NINE_OF(a + 27)
typedef void subroutine(NINE, NINE, NINE, NINE);
typedef float single_function(NINE, NINE, NINE, NINE);
typedef double double_function(NINE, NINE, NINE, NINE);

static void call(reader *r, trap_function *function, bool has_result)
{
  void **a = r->arguments;
  for (int i = r->count; i < ARGUMENTS; i++) a[i] = (void *)1;
  if (!has_result) {
    ((subroutine *)function)(ALL);
    return;
  }
  const bool is_single = r->t->type->real == DAP_F4;
  const double result =
      is_single ? (double)((single_function *)function)(ALL) : ((double_function *)function)(ALL);
  element_store(r->t->type->real, result, r->t->values);
  r->t->count = 1;
}

/* Calls routines one after the other until one says that info is not 0. The row's `calls` has their real
 * stems and arguments, each call ending with ";" or the text:
 *
 *   'X'             a character
 *   A B C           an operand: data, first element, descriptor
 *   m0 n1 ia0       sizes and first row of an operand
 *   one zero two minus   numbers of the type; 1: an integer
 *   values value    room for results: as many as the first operand has columns or rows, or one
 *   =lange          a function, whose result is the value
 *   norm            the 1-norm of the first operand
 *   swaps last      pivots of row i: another row, or the last one for all; dealt: the descriptor of swaps
 *   ?rwork          an argument of complex routines only
 *
 * Any other word is work space that all calls of the row share, lwork its length. */
static void call_all(trap *t)
{
  reader r = {.t = t};
  char text[TEXT], *calls, *rest;
  EXPECT(snprintf(text, TEXT, "%s", t->routine->calls) < TEXT);
  t->info = 0, t->count = 0;
  for (char *one = strtok_r(text, ";", &calls); one && t->info == 0; one = strtok_r(NULL, ";", &calls)) {
    const char *routine = strtok_r(one, " ", &rest);
    const trap_names *names = trap_names_of(routine + (*routine == '='));
    r.count = 0;
    while ((r.word = strtok_r(NULL, " ", &rest)) != NULL) {
      const bool is_optional = *r.word == '?';
      r.word += is_optional;
      if (!is_optional || t->type->is_complex) add_argument(&r);
    }
    if (EXPECT_MSG(names, "no routine is called %s", routine))
      call(&r, names->of[t->letter], *routine == '=');
  }
  for (int i = 0; i < SPACES; i++) free(r.spaces[i]);
}

/* ---- traps --------------------------------------------------------------------------------------------- */

enum { OUTSIDE = 77, TAIL = 2, SPARE = 8 };

trap trap_of(const trap_routine *routine, const trap_place *place, int letter, char op, const int procs[2])
{
  trap t = {.routine = routine, .place = place, .letter = letter, .op = op, .procs = {procs[0], procs[1]}};
  t.type = &element_types[letter];
  while (t.operands < OPERANDS && routine->entries[t.operands]) t.operands++;
  const char *stem = trap_names_of(routine->name)->stem[t.type->is_complex];
  (void)snprintf(t.name, sizeof t.name, "p%c%s", "sdcz"[letter], stem);
  return t;
}

/* ---- arrays ------------------------------------------------------------------------------------- */

static const trap_lie *lie_of(const trap *t, int k)
{
  return k == 0 ? &t->place->first : &t->place->others;
}

/* The matrix's dimension that an axis of the arrays is. */
static int dimension(const trap *t, int axis)
{
  return t->op == 'N' ? axis : 1 - axis;
}

/* The operand that is made: formulas have no arguments for it. */
static struct {
  formula *entry;
  bool is_turned;
  const int64_t *start, *size;
} now;

static double complex entry_now(int64_t i, int64_t j)
{
  const int64_t row = (now.is_turned ? j : i) - now.start[0], col = (now.is_turned ? i : j) - now.start[1];
  const bool is_inside = row >= 0 && col >= 0 && row < now.size[0] && col < now.size[1];
  return is_inside ? now.entry(row, col) : OUTSIDE;
}

static void make_array(trap *t, int k)
{
  const trap_lie *lie = lie_of(t, k);
  const bool is_f = (t->op == 'N') != lie->turned, is_part = lie->start[0] || lie->start[1];
  source s = {{.why = t->place->name, .ndim = 2}, .form = is_f ? FORM_F : FORM_C};
  int64_t size[2];
  int grid[2];
  for (int axis = 0; axis < 2; axis++) {
    const int d = dimension(t, axis);
    s.layout.cut[axis] = lie->rotated[d] ? CUT_ROTATED : CUT_CYCLIC;
    s.layout.block[axis] = lie->block[d];
    size[axis] = lie->start[d] + t->size[k][d] + (is_part ? TAIL : 0);
    grid[axis] = t->procs[d];
  }
  now.entry = t->routine->entries[k], now.is_turned = t->op != 'N', now.start = lie->start,
  now.size = t->size[k];
  t->arrays[k] = matrix_make(&s, t->type, size[0], size[1], grid, entry_now);
}

/* The operand as the routine sees it. Elements of the array that are none of it may not have changed. */
static double complex *see(const trap *t, int k)
{
  const matrix *array = &t->arrays[k];
  const int64_t m = t->size[k][0], n = t->size[k][1], *start = lie_of(t, k)->start;
  double complex *whole = matrix_whole(array), *seen = zeros(m * n, sizeof *seen);
  for (int64_t e = 0; e < m * n; e++) {
    const int64_t row = start[0] + e % m, col = start[1] + e / m;
    double complex *element = &whole[t->op == 'N' ? row + col * array->size[0] : col + row * array->size[0]];
    seen[e] = *element;
    *element = OUTSIDE;
  }
  for (int64_t e = 0; e < array->size[0] * array->size[1]; e++)
    EXPECT_MSG(whole[e] == OUTSIDE, "operand %d: an element outside has changed", k);
  free(whole);
  return seen;
}

/* ---- one process ---------------------------------------------------------------------------------- */

static double complex *load(dap_dtype dtype, int64_t count, const void *memory)
{
  double complex *values = zeros(count, sizeof *values);
  const int64_t item = dap_dtype_size(dtype);
  for (int64_t i = 0; i < count; i++) values[i] = element_load(dtype, (const char *)memory + i * item);
  return values;
}

/* Sets t->want and t->want_values. */
static void compute_alone(trap *t)
{
  trap alone = *t;
  const dap_scalapack_int handle = Csys2blacs_handle(MPI_COMM_SELF);
  dap_scalapack_int context = handle;
  const int64_t item = dap_dtype_size(t->type->dtype);
  Cblacs_gridinit(&context, "R", 1, 1);
  Cfree_blacs_system_handle(handle);
  for (int k = 0; k < t->operands; k++) {
    const dap_scalapack_int m = (dap_scalapack_int)t->size[k][0], n = (dap_scalapack_int)t->size[k][1];
    char *data = zeros(SLACK + (int64_t)m * n * item, 1);
    for (int64_t i = 0; i < (int64_t)m * n; i++)
      element_store(t->type->dtype, t->before[k][i], data + i * item);
    alone.views[k] = (dap_scalapack_matrix){
        .data = data, .desc = {1, context, m, n, 4, 4, 0, 0, m}, .m = m, .n = n, .ia = 1, .ja = 1};
  }
  call_all(&alone);
  EXPECT_INT(alone.info, 0);
  for (int k = 0; k < t->operands; k++) {
    t->want[k] = load(t->type->dtype, t->size[k][0] * t->size[k][1], alone.views[k].data);
    free(alone.views[k].data);
  }
  t->want_values = load(t->type->real, alone.count, alone.values);
  Cblacs_gridexit(context);
}

void trap_make(trap *t)
{
  const int64_t usual = t->place->extent ? t->place->extent : USUAL;
  for (int k = 0; k < t->operands; k++) {
    for (int d = 0; d < 2; d++) t->size[k][d] = t->routine->size[k][d] ? t->routine->size[k][d] : usual;
    make_array(t, k);
    t->before[k] = whole_make(t->size[k][0], t->size[k][1], t->routine->entries[k], t->type);
  }
  t->values = zeros(SLACK + (usual + SPARE) * 8, 1);
  compute_alone(t);
}

void trap_free(trap *t)
{
  for (int k = 0; k < t->operands; k++) {
    dap_error err = {0};
    EXPECT_OK(dap_scalapack_discard(&t->views[k], &err), &err);
    matrix_free(&t->arrays[k]);
    free(t->before[k]), free(t->after[k]), free(t->want[k]);
  }
  free(t->values), free(t->w), free(t->want_values);
}

/* ---- views -------------------------------------------------------------------------------------- */

dap_status trap_try(trap *t, int k, const dap_matrix_needs *needs, dap_sharing sharing, dap_error *err)
{
  int64_t start[2], shape[2];
  dap_scalapack_options options = {.op = t->op, .sharing = sharing, .part = {.start = start, .shape = shape}};
  for (int axis = 0; axis < 2; axis++) {
    const int d = dimension(t, axis);
    start[axis] = lie_of(t, k)->start[d];
    shape[axis] = t->size[k][d];
  }
  if (needs)
    options.needs = *needs;
  else
    options.routine = t->name;
  if (k > 0)
    options.aligned_with = &t->views[0];
  else
    options.context = t->context;
  return dap_scalapack_get(MPI_COMM_WORLD, matrix_operand(&t->arrays[k]), DAP_READ_WRITE, &options,
                           &t->views[k], err);
}

/* ---- results ------------------------------------------------------------------------------------ */

/* The condition of what the rows compute is below this. */
enum { CONDITION = 100 };

static double difference(const trap *t, int k)
{
  const int64_t m = t->size[k][0], n = t->size[k][1];
  const double scale = CONDITION * whole_norm('1', m, n, t->want[k]);
  return residual_difference(m, n, t->after[k], t->want[k], scale, m > n ? m : n, t->type->eps);
}

double trap_value_difference(const trap *t)
{
  const double scale = whole_norm('1', t->size[0][0], t->size[0][1], t->before[0]);
  return residual_difference(t->count, 1, t->w, t->want_values, scale, t->size[0][1], t->type->eps);
}

double trap_run(trap *t)
{
  call_all(t);
  EXPECT_INT(t->info, 0);
  for (int k = t->operands - 1; k >= 0; k--) {
    dap_error err = {0};
    EXPECT_OK(dap_scalapack_restore(&t->views[k], &err), &err);
    t->after[k] = see(t, k);
  }
  t->w = load(t->type->real, t->count, t->values);
  if (t->routine->residual) return t->routine->residual(t);
  double worst = trap_value_difference(t);
  for (int k = 0; k < t->operands; k++) worst = worse(worst, difference(t, k));
  return worst;
}
