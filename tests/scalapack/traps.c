/* Makes the arrays of a trap and their views, calls Fortran routines, and checks the results in the
 * arrays. */
#include "traps.h"

#include "operand.h"

#include <dapbridge/scalapack_calls.h>

enum { LENGTH = 1 << 15 /* of work space: more than any routine needs for matrices of this size */ };

/* ---- arguments ---------------------------------------------------------------------------------------- */

/* Writes pivots as getrf does: a process has the pivots of its rows. */
static void fill_swaps(const dap_scalapack_matrix *a, dap_scalapack_int *pivots)
{
  int grid[4];
  matrix_grid(a, grid);
  for (int64_t row = 0; row < a->desc[2]; row++) {
    const int64_t i = row - (a->ia - 1);
    if ((row / a->desc[4] + a->desc[6]) % grid[0] != grid[2]) continue;
    if (i >= 0 && i < a->m) *pivots = (dap_scalapack_int)(a->ia + i + (i * i + 5) % (a->m - i));
    pivots++;
  }
}

/* Returns the word's memory, which is made and filled at its first use. */
static void *space_of(const trap *t, int word, void *spaces[])
{
  const dap_scalapack_matrix *a = &t->views[0];
  if (spaces[word]) return spaces[word];
  dap_scalapack_int *integers = spaces[word] = zeros(SLACK + 16 * LENGTH, 1);
  if (word >= ZERO && word <= MINUS)
    element_store(t->type->dtype, (const double[]){0, 1, 2, -1}[word - ZERO], integers);
  if (word == FIRST) *integers = 1;
  if (word == LWORK || word == LRWORK) *integers = LENGTH;
  if (word == SWAPS) fill_swaps(a, integers);
  if (word == DEALT) { /* the pivots are dealt as the matrix's rows */
    int grid[4];
    matrix_grid(a, grid);
    memcpy(integers, a->desc, sizeof a->desc);
    integers[2] += a->desc[4] * grid[0], integers[3] = integers[5] = 1, integers[7] = grid[3];
  }
  if (word == NORM)
    element_store(t->type->real, whole_norm('1', t->size[0][0], t->size[0][1], t->before[0]), integers);
  for (int i = 0; i < LENGTH && word == LAST; i++) integers[i] = a->ia + a->m - 1;
  return integers;
}

/* Writes the arguments that a word stands for, and returns how many there are. */
static int add(trap *t, int word, void *spaces[], void *arguments[])
{
  static char letters[A];
  if (word >= A && word <= C) {
    dap_scalapack_matrix *m = &t->views[word - A];
    arguments[0] = m->data, arguments[1] = &m->ia, arguments[2] = &m->ja, arguments[3] = m->desc;
    return 4;
  }
  if ((word == RWORK || word == LRWORK) && !t->type->is_complex) return 0;
  if (word < A) letters[word] = (char)word;
  if (word == VALUES) t->count = t->size[0][0] < t->size[0][1] ? t->size[0][0] : t->size[0][1];
  if (word == VALUE) t->count = 1;
  *arguments = word < A                          ? &letters[word]
               : word <= M2                      ? &t->views[word - M0].m
               : word <= N2                      ? &t->views[word - N0].n
               : word == IA0                     ? &t->views[0].ia
               : word == INFO                    ? &t->info
               : word == VALUES || word == VALUE ? t->values
                                                 : space_of(t, word, spaces);
  return 1;
}

/* ---- calls -------------------------------------------------------------------------------------------- */

/* All arguments of Fortran are addresses. A routine looks behind its last argument only for the lengths of
 * characters. */
#define NINE void *, void *, void *, void *, void *, void *, void *, void *, void *
#define NINE_OF(a) (a)[0], (a)[1], (a)[2], (a)[3], (a)[4], (a)[5], (a)[6], (a)[7], (a)[8]
#define ALL NINE_OF(a), NINE_OF(a + 9), NINE_OF(a + 18), NINE_OF(a + 27)
typedef void subroutine(NINE, NINE, NINE, NINE);
typedef float single_function(NINE, NINE, NINE, NINE);
typedef double double_function(NINE, NINE, NINE, NINE);

static void call(trap *t, const trap_call *c, void *spaces[])
{
  void *a[ARGUMENTS];
  const bool has_result = c->arguments[0] == RESULT;
  int count = 0;
  for (const int *word = c->arguments + has_result; *word; word++) count += add(t, *word, spaces, a + count);
  while (count < ARGUMENTS) a[count++] = (void *)1;
  trap_function *function = c->of[t->letter];
  if (!has_result) {
    ((subroutine *)function)(ALL);
    return;
  }
  const double result = t->type->real == DAP_F4 ? (double)((single_function *)function)(ALL)
                                                : ((double_function *)function)(ALL);
  element_store(t->type->real, result, t->values);
  t->count = 1;
}

/* Calls the row's routines one after the other until one says that info is not 0. */
static void call_all(trap *t)
{
  const trap_routine *r = t->routine;
  const trap_call *const calls[] = {&r->before, &r->call, &r->after};
  void *spaces[WORDS] = {0};
  t->info = 0, t->count = 0;
  for (int i = 0; i < 3 && t->info == 0; i++)
    if (calls[i]->of[0]) call(t, calls[i], spaces);
  for (int i = 0; i < WORDS; i++) free(spaces[i]);
}

/* ---- arrays ------------------------------------------------------------------------------------- */

enum { OUTSIDE = 77, TAIL = 2, SPARE = 8 };

/* The operand that is made. Formulas have no arguments for it. */
static struct {
  const trap *t;
  int k;
} now;

static double complex entry_now(int64_t i, int64_t j)
{
  const int64_t *start = now.t->start[now.k], *shape = now.t->shape[now.k], row = i - start[0],
                col = j - start[1];
  if (row < 0 || col < 0 || row >= shape[0] || col >= shape[1]) return OUTSIDE;
  formula *entry = now.t->routine->entries[now.k];
  return now.t->op == 'N' ? entry(row, col) : entry(col, row);
}

static void make_array(trap *t, int k)
{
  const trap_lie *lie = k == 0 ? &t->place->first : &t->place->others;
  const bool is_f = (t->op == 'N') != lie->turned, is_part = lie->start[0] || lie->start[1];
  source s = {{.why = t->place->name, .ndim = 2}, .form = is_f ? FORM_F : FORM_C};
  int64_t size[2];
  int grid[2];
  for (int axis = 0; axis < 2; axis++) {
    const int d = t->op == 'N' ? axis : 1 - axis; /* the matrix's dimension */
    s.layout.cut[axis] = lie->rotated[d] ? CUT_ROTATED : CUT_CYCLIC;
    s.layout.block[axis] = lie->block[d];
    t->start[k][axis] = lie->start[d], t->shape[k][axis] = t->size[k][d];
    size[axis] = lie->start[d] + t->size[k][d] + (is_part ? TAIL : 0);
    grid[axis] = t->procs[d];
  }
  now.t = t, now.k = k;
  t->arrays[k] = matrix_make(&s, t->type, size[0], size[1], grid, entry_now);
}

/* Returns the operand as the routine sees it. Checks that other elements of the array have not changed. */
static double complex *see(const trap *t, int k)
{
  const int64_t *start = t->start[k], *shape = t->shape[k], *size = t->arrays[k].size;
  double complex *whole = matrix_whole(&t->arrays[k]), *seen = zeros(shape[0] * shape[1], sizeof *seen);
  for (int64_t i = 0; i < shape[0]; i++)
    for (int64_t j = 0; j < shape[1]; j++) {
      double complex *element = &whole[start[0] + i + (start[1] + j) * size[0]];
      seen[t->op == 'N' ? i + j * shape[0] : j + i * shape[1]] = *element;
      *element = OUTSIDE;
    }
  for (int64_t e = 0; e < size[0] * size[1]; e++)
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

trap trap_make(const trap_routine *routine, const trap_place *place, int letter, char op, const int procs[2])
{
  trap t = {.routine = routine, .place = place, .letter = letter, .op = op, .procs = {procs[0], procs[1]}};
  const int64_t usual = place->extent ? place->extent : USUAL;
  t.type = &element_types[letter];
  const char *stem = routine->call.stem[t.type->is_complex], *what = routine->what ? routine->what : "usual";
  (void)snprintf(t.name, sizeof t.name, "p%c%s", "sdcz"[letter], stem);
  TEST_CASE("%s (%s), %s (%s): op %c, %d x %d", t.name, what, place->name, place->why, op, procs[0],
            procs[1]);
  for (int k = 0; k < OPERANDS && routine->entries[k]; k++) {
    for (int d = 0; d < 2; d++) t.size[k][d] = routine->size[k][d] ? routine->size[k][d] : usual;
    make_array(&t, k);
    t.before[k] = whole_make(t.size[k][0], t.size[k][1], routine->entries[k], t.type);
    t.operands++;
  }
  t.values = zeros(SLACK + (usual + SPARE) * 8, 1);
  compute_alone(&t);
  return t;
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
  dap_scalapack_options options = {
      .op = t->op, .sharing = sharing, .part = {.start = t->start[k], .shape = t->shape[k]}};
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

/* The rows compute results with a condition number below this. */
enum { CONDITION = 100 };

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
  for (int k = 0; k < t->operands; k++) {
    const int64_t m = t->size[k][0], n = t->size[k][1], terms = m > n ? m : n;
    const double scale = CONDITION * whole_norm('1', m, n, t->want[k]);
    worst = worse(worst, residual_difference(m, n, t->after[k], t->want[k], scale, terms, t->type->eps));
  }
  return worst;
}
