/* One trap: arrays that lie badly, their views, and what the routine made of them. */
#include "traps.h"

#include <dapbridge/scalapack_calls.h>

const char *const trap_words[] = {"right", "refused", "info > 0", "WRONG", "OUTSIDE"};

enum { OUTSIDE = 77, TAIL = 2, SPARE = 8 };

/* ---- arrays ------------------------------------------------------------------------------------- */

static const trap_lie *lie_of(const trap *t, int k)
{
  return k == 0 ? &t->place->first : &t->place->others;
}

static test_form form_of(const trap *t, int k)
{
  return (t->op == 'N') != lie_of(t, k)->turned ? FORM_F : FORM_C;
}

static bool is_part(const trap_lie *lie)
{
  return lie->start[0] || lie->start[1];
}

/* The matrix's dimension that an axis of the arrays is. */
static int dimension(const trap *t, int axis)
{
  return t->op == 'N' ? axis : 1 - axis;
}

/* What the array being filled is of: formulas have no argument for it. */
static struct filling {
  formula *entry;
  const trap *t;
  int k;
} filling;

/* Where an element of the array is in the operand; false: outside. */
static bool locate(const trap *t, int k, int64_t i, int64_t j, int64_t at[2])
{
  const trap_lie *lie = lie_of(t, k);
  at[dimension(t, 0)] = i;
  at[dimension(t, 1)] = j;
  for (int d = 0; d < 2; d++) at[d] -= lie->start[d];
  return at[0] >= 0 && at[1] >= 0 && at[0] < t->size[k][0] && at[1] < t->size[k][1];
}

static double complex entry_filling(int64_t i, int64_t j)
{
  int64_t at[2];
  return locate(filling.t, filling.k, i, j, at) ? filling.entry(at[0], at[1]) : OUTSIDE;
}

static void make_array(trap *t, int k)
{
  const trap_lie *lie = lie_of(t, k);
  source s = {{.why = t->place->name, .ndim = 2}, .form = form_of(t, k)};
  int64_t size[2];
  int grid[2];
  for (int axis = 0; axis < 2; axis++) {
    const int d = dimension(t, axis);
    s.layout.cut[axis] = lie->rotated[d] ? CUT_ROTATED : CUT_CYCLIC;
    s.layout.block[axis] = lie->block[d];
    size[axis] = lie->start[d] + t->size[k][d] + (is_part(lie) ? TAIL : 0);
    grid[axis] = t->procs[d];
  }
  filling = (struct filling){t->routine->entries[k], t, k};
  t->arrays[k] = matrix_make(&s, t->type, size[0], size[1], grid, entry_filling);
}

/* The operand as the routine sees it; *outside: elements of the array that are none of it have changed. */
static double complex *see(const trap *t, int k, bool *outside)
{
  const matrix *m = &t->arrays[k];
  double complex *whole = matrix_whole(m), *seen = zeros(t->size[k][0] * t->size[k][1], sizeof *seen);
  for (int64_t j = 0; j < m->size[1]; j++)
    for (int64_t i = 0; i < m->size[0]; i++) {
      int64_t at[2];
      const double complex element = whole[i + j * m->size[0]];
      if (locate(t, k, i, j, at))
        seen[at[0] + at[1] * t->size[k][0]] = element;
      else if (element != OUTSIDE)
        *outside = true;
    }
  free(whole);
  return seen;
}

/* ---- one process ---------------------------------------------------------------------------------- */

/* Operand k as a matrix of this process alone. */
static void make_alone(trap *t, int k, dap_scalapack_int context)
{
  const dap_scalapack_int m = (dap_scalapack_int)t->size[k][0], n = (dap_scalapack_int)t->size[k][1];
  const int64_t item = dap_dtype_size(t->type->dtype);
  char *data = zeros(SLACK + (int64_t)m * n * item, 1);
  for (int64_t i = 0; i < (int64_t)m * n; i++)
    element_store(t->type->dtype, t->before[k][i], data + i * item);
  t->views[k] = (dap_scalapack_matrix){
      .data = data, .desc = {1, context, m, n, 4, 4, 0, 0, m}, .m = m, .n = n, .ia = 1, .ja = 1};
}

static double complex *values_of(const trap *t, int64_t count)
{
  double complex *values = zeros(count, sizeof *values);
  const int64_t item = dap_dtype_size(t->type->real);
  for (int64_t i = 0; i < count; i++) values[i] = element_load(t->type->real, (char *)t->values + i * item);
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
  for (int k = 0; k < t->operands; k++) make_alone(&alone, k, context);
  trap_call(&alone);
  EXPECT_INT(alone.info, 0);
  for (int k = 0; k < t->operands; k++) {
    char *data = alone.views[k].data;
    const int64_t count = t->size[k][0] * t->size[k][1];
    t->want[k] = zeros(count, sizeof *t->want[k]);
    for (int64_t i = 0; i < count; i++) t->want[k][i] = element_load(t->type->dtype, data + i * item);
    free(data);
  }
  t->want_values = values_of(&alone, alone.count);
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

void trap_options(const trap *t, int k, bool force, trap_request *request)
{
  const bool unequal = t->place->first.block[0] != t->place->first.block[1];
  dap_scalapack_options *options = &request->options;
  *request = (trap_request){.options = {.op = t->op}};
  (void)snprintf(request->name, sizeof request->name, "p%c%s", "sdcz"[t->letter],
                 t -> routine -> stem[t->type->is_complex]);
  if (force)
    options->needs =
        (dap_matrix_needs){.square_blocks = k == 0 && t->routine->needs.square_blocks && !unequal,
                           .any_sources = true,
                           .offset = DAP_OFFSET_ANY};
  else
    options->routine = request->name;
  for (int axis = 0; axis < 2; axis++) {
    const int d = dimension(t, axis);
    request->start[axis] = lie_of(t, k)->start[d];
    request->shape[axis] = t->size[k][d];
  }
  options->part = (dap_part){.start = request->start, .shape = request->shape};
  if (k > 0)
    options->aligned_with = &t->views[0];
  else
    options->context = t->context;
}

dap_status trap_try(trap *t, int k, const trap_request *request, dap_error *err)
{
  return dap_scalapack_get(MPI_COMM_WORLD, matrix_operand(&t->arrays[k]), DAP_READ_WRITE, &request->options,
                           &t->views[k], err);
}

void trap_get(trap *t)
{
  for (int k = 0; k < t->operands; k++) {
    trap_request request;
    dap_error err = {0};
    trap_options(t, k, false, &request);
    EXPECT_OK(trap_try(t, k, &request, &err), &err);
    EXPECT_INT(t->views[k].m, t->size[k][0]);
    EXPECT_INT(t->views[k].n, t->size[k][1]);
    EXPECT_INT(t->views[k].op, t->op);
  }
}

/* ---- verdicts ----------------------------------------------------------------------------------- */

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

/* Of all that the routine gave. */
static double residual_of(const trap *t)
{
  if (t->routine->residual) return t->routine->residual(t);
  double worst = trap_value_difference(t);
  for (int k = 0; k < t->operands; k++) {
    const double r = difference(t, k);
    if (!(r <= worst)) worst = r;
  }
  return worst;
}

trap_verdict trap_run(trap *t, double *residual)
{
  bool outside = false;
  trap_call(t);
  int most = (int)t->info, least = (int)t->info;
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  for (int k = t->operands - 1; k >= 0; k--) {
    dap_error err = {0};
    EXPECT_OK(dap_scalapack_restore(&t->views[k], &err), &err);
    t->after[k] = see(t, k, &outside);
  }
  t->w = values_of(t, t->count);
  *residual = least < 0 ? 0 : residual_of(t);
  if (outside) return TRAP_OUTSIDE;
  if (least < 0) return TRAP_REFUSED;
  if (most > 0) return TRAP_FAILED;
  return *residual <= RESIDUAL_LIMIT ? TRAP_RIGHT : TRAP_WRONG;
}
