/* One trap: arrays that lie badly, their views, and what the routine made of them. */
#include "traps.h"

const char *const trap_words[] = {"-", "right", "refused", "info > 0", "differs", "WRONG", "OUTSIDE"};

enum { OUTSIDE = 77, TAIL = 2, SPARE = 8 };

void *trap_space(int64_t bytes)
{
  void *memory = calloc(1, (size_t)bytes + 64);
  if (!memory) {
    fprintf(stderr, "out of memory\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return memory;
}

/* ---- arrays ------------------------------------------------------------------------------------- */

static const trap_lie *lie_of(const trap *t, int k)
{
  return k == 0 ? &t->place->first : &t->place->others;
}

static char order_of(const trap *t, int k)
{
  return (t->op == 'N') != lie_of(t, k)->turned ? 'F' : 'C';
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
  source s = {.order = order_of(t, k)};
  int64_t size[2];
  int grid[2];
  for (int axis = 0; axis < 2; axis++) {
    const int d = dimension(t, axis);
    s.axes[axis].cut = lie->rotated[d] ? CUT_ROTATED : CUT_CYCLIC;
    s.axes[axis].block = lie->block[d];
    size[axis] = lie->start[d] + t->size[k][d] + (is_part(lie) ? TAIL : 0);
    grid[axis] = t->procs[d];
  }
  filling = (struct filling){t->routine->entries[k], t, k};
  t->arrays[k] = matrix_make(&s, t->type, 2, size, grid, entry_filling);
}

/* The operand as the routine sees it; *outside: elements of the array that are none of it have changed. */
static double complex *see(const trap *t, int k, bool *outside)
{
  const matrix *m = &t->arrays[k];
  double complex *whole = matrix_whole(m), *seen = trap_space(t->size[k][0] * t->size[k][1] * 16);
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

void trap_make(trap *t)
{
  const int64_t usual = t->place->extent ? t->place->extent : 23;
  bool outside = false;
  for (int k = 0; k < t->routine->operands; k++) {
    for (int d = 0; d < 2; d++) t->size[k][d] = t->routine->size[k][d] ? t->routine->size[k][d] : usual;
    make_array(t, k);
    t->before[k] = see(t, k, &outside);
  }
  EXPECT(!outside);
  t->values = trap_space((usual + SPARE) * 8);
}

void trap_free(trap *t)
{
  for (int k = 0; k < t->routine->operands; k++) {
    dap_error err = {0};
    EXPECT_OK(dap_scalapack_discard(&t->views[k], &err), &err);
    matrix_free(&t->arrays[k]);
    free(t->before[k]);
    free(t->after[k]);
  }
  free(t->values);
  free(t->w);
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

void trap_get(trap *t, bool force)
{
  for (int k = 0; k < t->routine->operands; k++) {
    trap_request request;
    dap_error err = {0};
    trap_options(t, k, force, &request);
    EXPECT_OK(dap_scalapack_get(MPI_COMM_WORLD, (dap_darray){t->arrays[k].layout, &t->arrays[k].array},
                                DAP_READ_WRITE, &request.options, &t->views[k], &err),
              &err);
    EXPECT_INT(t->views[k].m, t->size[k][0]);
    EXPECT_INT(t->views[k].n, t->size[k][1]);
    EXPECT_INT(t->views[k].op, t->op);
  }
}

/* ---- verdicts ----------------------------------------------------------------------------------- */

/* Values of rank 0 to t->w; the largest difference of other processes', NaN if one has a NaN. */
static double compare_values(trap *t)
{
  const bool is_single = t->type->real == DAP_F4;
  double *own = trap_space(t->count * 8), *all = trap_space(t->count * 8), difference = 0;
  t->w = trap_space(t->count * 16);
  for (int64_t i = 0; i < t->count; i++)
    own[i] = all[i] = is_single ? (double)((float *)t->values)[i] : ((double *)t->values)[i];
  MPI_Bcast(all, (int)t->count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  for (int64_t i = 0; i < t->count; i++) {
    t->w[i] = all[i];
    const double d = fabs(own[i] - all[i]);
    if (!(d <= difference)) difference = d;
  }
  int differs = !(difference <= 100 * t->type->eps * (double)(t->count + 10));
  MPI_Allreduce(MPI_IN_PLACE, &differs, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  free(own);
  free(all);
  return differs;
}

trap_verdict trap_run(trap *t, double *residual)
{
  double ignored;
  bool outside = false;
  t->info = -999;
  if (!residual) residual = &ignored;
  t->routine->run(t);
  int most = (int)t->info, least = (int)t->info;
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  for (int k = t->routine->operands - 1; k >= 0; k--) {
    dap_error err = {0};
    EXPECT_OK(dap_scalapack_restore(&t->views[k], &err), &err);
    t->after[k] = see(t, k, &outside);
  }
  const double differs = compare_values(t);
  *residual = least < 0 ? 0 : t->routine->residual(t);
  if (outside) return TRAP_OUTSIDE;
  if (least < 0) return TRAP_REFUSED;
  if (most > 0) return TRAP_FAILED;
  if (!(*residual <= RESIDUAL_LIMIT)) return TRAP_WRONG;
  return differs != 0 ? TRAP_DIFFERS : TRAP_RIGHT;
}
