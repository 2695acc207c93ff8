/* One array as one field: the verdict, by a predicate of the tests' own, and what goes in and out. */
#include "field_trial.h"
#include "variants.h"

/* ---- the test's own predicate -------------------------------------------------------------------- */

/* True iff the elements of this process along an axis are one range, in order, that begins with the DMDA's
 * point `begin` and has `length` of them. */
static bool is_range(const trial *t, int k, PetscInt begin, PetscInt length)
{
  int coords[4] = {0};
  dap_run run = {0}, more;
  dap_layout_coords(t->layout, test_rank(), coords);
  const int64_t low = outside(t->row, k, 0), high = outside(t->row, k, 1),
                size = dap_layout_size(t->layout, k);
  if (dap_layout_axis(t->layout, k).dist_type == 'u') return false;
  if (!dap_layout_next_run(t->layout, k, coords[k], &run)) return length == 0;
  more = run;
  int64_t first = run.global - low, end = first + run.length;
  if (first < 0) first = 0;
  if (end > size - low - high) end = size - low - high;
  return first == begin && end - first == length && !dap_layout_next_run(t->layout, k, coords[k], &more);
}

/* True iff every point of the vector already lies in the buffer where the vector's memory has it. */
static bool lies_there(const trial *t, bool local)
{
  PetscInt g[3] = {0}, n[3] = {1, 1, 1}, points[3], o[3], dof;
  DMDAGetCorners(t->field.dm, &o[0], &o[1], &o[2], &n[0], &n[1], &n[2]);
  memcpy(points, n, sizeof points);
  if (local) DMDAGetGhostCorners(t->field.dm, &g[0], &g[1], &g[2], &n[0], &n[1], &n[2]);
  if (!local) memcpy(g, o, sizeof g);
  DMDAGetInfo(t->field.dm, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &dof, NULL, NULL, NULL, NULL, NULL);
  int coords[4] = {0};
  int64_t low[3] = {0}, held = 1;
  dap_layout_coords(t->layout, test_rank(), coords);
  bool there = true;
  for (int k = 0; k < t->row->ndim; k++) held *= t->array.shape[k];
  for (int d = 0; d < grid_ndim(t->row); d++) {
    const int k = axis_of(t, d), c = coords[k];
    int64_t width[2];
    dap_layout_halo(t->layout, k, c, width);
    low[d] = width[0] + (c == 0 ? outside(t->row, k, 0) : 0);
    there = there && is_range(t, k, o[d], points[d]);
  }
  const bool ordered = !t->row->options.dof_axes || !t->row->lists[t->row->ndim - 1];
  there = there && ordered && !(t->array.swapped && held > 0);
  const PetscInt count = n[0] * n[1] * n[2];
  if (local && held != (int64_t)count * dof) return false;
  for (PetscInt i = 0; i < count && there; i++) {
    const PetscInt p[3] = {i % n[0], i / n[0] % n[1], i / n[0] / n[1]};
    for (PetscInt c = 0; c < dof && there; c++) {
      int64_t offset = t->row->options.dof_axes ? c * t->array.strides[t->row->ndim - 1] : 0;
      for (int d = 0; d < grid_ndim(t->row); d++) {
        const int64_t at = g[d] + p[d] - o[d] + low[d], extent = t->array.shape[axis_of(t, d)];
        there = there && at >= 0 && at < extent;
        offset += at * t->array.strides[axis_of(t, d)];
      }
      const int64_t first = local
                                ? 0
                                : low[0] * t->array.strides[axis_of(t, 0)] +
                                      (grid_ndim(t->row) > 1 ? low[1] * t->array.strides[axis_of(t, 1)] : 0) +
                                      (grid_ndim(t->row) > 2 ? low[2] * t->array.strides[axis_of(t, 2)] : 0);
      there = there && offset - first == (i * dof + c) * (int64_t)sizeof(PetscScalar);
    }
  }
  return there;
}

static bool everywhere(bool here)
{
  int all = here;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  return all;
}

/* ---- one trial ----------------------------------------------------------------------------------- */

static bool in_buffer(const trial *t, Vec vector, bool local)
{
  const PetscScalar *memory;
  PetscInt n;
  VecGetLocalSize(vector, &n);
  VecGetArrayRead(vector, &memory);
  const char *at = (const char *)memory, *data = t->array.data;
  const bool in =
      n == 0 || (at >= data && at + n * (PetscInt)sizeof *memory <= data + dap_array_bytes(&t->array));
  const bool first = !local || n == 0 || at == data;
  VecRestoreArrayRead(vector, &memory);
  return in && first;
}

/* The verdict and its reason are no process's own. */
static void check_same(bool shared, const char *reason)
{
  char told[DAP_ERROR_TEXT + 1] = {0};
  (void)snprintf(told, sizeof told, "%d%s", shared, reason);
  MPI_Bcast(told, (int)sizeof told, MPI_CHAR, 0, MPI_COMM_WORLD);
  EXPECT_MSG(told[0] - '0' == shared && strcmp(told + 1, reason) == 0, "'%s' here, '%s' on rank 0", reason,
             told);
}

static void check_verdict(const trial *t, Vec vector, bool local)
{
  const bool shared = local ? t->field.shared_local : t->field.shared_global;
  const char *reason = local ? t->field.reason_local : t->field.reason_global;
  const test_verdict want = local ? t->row->local : t->row->global;
  check_same(shared, reason);
  if (!vector) {
    EXPECT(!shared && strcmp(reason, "not wanted") == 0);
    return;
  }
  const bool never = t->row->options.sharing == DAP_SHARE_NEVER;
  EXPECT_MSG(shared == (everywhere(lies_there(t, local)) && !never), "%s: %s: %s", local ? "local" : "global",
             shared ? "shared" : "moved", reason);
  if (test_nprocs() > 1 && want != DEPENDS)
    EXPECT_MSG(shared == (want == SHARED), "%s: %s", local ? "local" : "global", reason);
  if (shared) EXPECT_MSG(in_buffer(t, vector, local), "shared, but not in the buffer");
  if (local && !shared && test_nprocs() > 1 && t->row->reason)
    EXPECT_MSG(strstr(reason, t->row->reason), "reason: %s", reason);
  EXPECT(strlen(reason) > 0);
}

static bool has_outer_ghosts(const field_row *row)
{
  for (int k = 0; k < grid_ndim(row); k++)
    if (!row->periodic[k] && outside(row, k, 0) + outside(row, k, 1) > 0) return true;
  return false;
}

/* After get: what came in. */
static void check_in(const trial *t)
{
  const dap_petsc_field *f = &t->field;
  const bool all_shared = (!f->local || f->shared_local) && (!f->global || f->shared_global);
  EXPECT_MSG((f->local != NULL) == !!(t->vectors & DAP_PETSC_LOCAL), "local vector");
  EXPECT_MSG((f->global != NULL) == !!(t->vectors & DAP_PETSC_GLOBAL), "global vector");
  if (all_shared || t->access == DAP_WRITE) EXPECT_INT(f->moved_bytes, 0);
  check_verdict(t, f->local, true);
  check_verdict(t, f->global, false);
  const deed work = t->access == DAP_WRITE ? POISON : CHECK;
  if (f->global && (!f->shared_global || work == CHECK))
    visit_vector(t, f->global, false, POINTS, work, BEFORE);
  if (f->local && !f->shared_local) visit_vector(t, f->local, true, ALL, work, BEFORE);
  if (f->local && f->shared_local && work == CHECK) visit_vector(t, f->local, true, POINTS, work, BEFORE);
}

/* The caller's solve: right values in the vector that counts, garbage in all other places. */
static void write_vectors(const trial *t)
{
  const dap_petsc_field *f = &t->field;
  if (f->local) visit_vector(t, f->local, true, ALL, FILL, GARBAGE);
  if (f->local && has_outer_ghosts(t->row)) visit_vector(t, f->local, true, OUTER, FILL, AFTER);
  if (f->local && !f->global) visit_vector(t, f->local, true, POINTS, FILL, AFTER);
  if (f->global) visit_vector(t, f->global, false, POINTS, FILL, AFTER);
}

/* PETSc's own update as the oracle for ghost points. */
static void check_update(const trial *t)
{
  const dap_petsc_field *f = &t->field;
  if (!f->local || t->access != DAP_READ_WRITE || t->row->options.star) return; /* DAP_WRITE: garbage stays */
  if (f->global)
    EXPECT(!DMGlobalToLocal(f->dm, f->global, INSERT_VALUES, f->local));
  else
    EXPECT(!DMLocalToLocalBegin(f->dm, f->local, INSERT_VALUES, f->local) &&
           !DMLocalToLocalEnd(f->dm, f->local, INSERT_VALUES, f->local));
  visit_vector(t, f->local, true, ALL, CHECK, AFTER);
}

static void make_array(trial *t, test_random *random)
{
  t->buffer = test_buffer_make(t->layout, test_rank(), sizeof(PetscScalar), t->row->form, random);
  t->array = test_buffer_array(&t->buffer, scalar_dtype());
  t->array.readonly = t->access == DAP_READ;
  visit_array(t, t->access == DAP_WRITE ? POISON : FILL, BEFORE);
  if (t->row->bytes == SWAPPED || (t->row->bytes == SWAPPED_ON_ODD && test_rank() % 2 == 1))
    variant_swap(&t->array);
}

/* Where the local vector cannot be shared, a demand to share it is refused for the same reason. */
static void check_demand(const trial *t)
{
  dap_petsc_field_options options = t->row->options;
  dap_petsc_field field;
  dap_error err;
  if (options.sharing != DAP_SHARE_IF_POSSIBLE || t->vectors != DAP_PETSC_LOCAL) return;
  options.vectors = t->vectors;
  options.sharing = DAP_SHARE_OR_FAIL;
  const dap_status s = dap_petsc_field_get(MPI_COMM_WORLD, (dap_darray){t->layout, &t->array}, DAP_READ,
                                           &options, &field, &err);
  if (t->field.shared_local)
    EXPECT_OK(s, &err);
  else
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_SHARE, t->field.reason_local);
  EXPECT_OK(dap_petsc_field_restore(&field, &err), &err);
}

static void try_field(trial *t)
{
  test_random random = test_random_init(7);
  dap_error err;
  char text[1024];
  dap_petsc_field_options options = t->row->options;
  options.vectors = t->vectors;
  t->layout = row_layout(t->row);
  make_array(t, &random);
  const dap_status s = dap_petsc_field_get(MPI_COMM_WORLD, (dap_darray){t->layout, &t->array}, t->access,
                                           &options, &t->field, &err);
  if (EXPECT_OK(s, &err)) {
    dap_petsc_field_describe(&t->field, text, sizeof text);
    t->fortran = strstr(text, "x is axis 0") != NULL;
    EXPECT(!t->fortran || t->row->form != FORM_C);
    check_in(t);
    check_demand(t);
    if (t->access & DAP_WRITE) write_vectors(t);
    check_update(t);
    const int64_t moved_in = t->field.moved_bytes;
    EXPECT_OK(dap_petsc_field_restore(&t->field, &err), &err);
    EXPECT(!t->field.dm && !t->field.global && !t->field.local && !t->field.handle.view);
    if (t->access == DAP_READ) EXPECT_INT(t->field.moved_bytes, moved_in);
    EXPECT_OK(dap_petsc_field_restore(&t->field, &err), &err);
    if (t->access == DAP_READ)
      visit_array(t, CHECK, BEFORE);
    else if (t->vectors != DAP_PETSC_GLOBAL || !has_outer_ghosts(t->row))
      visit_array(t, CHECK_PADDED, AFTER);
    EXPECT(check_gaps(&t->buffer));
  }
  test_buffer_free(&t->buffer);
  dap_layout_destroy(&t->layout);
}

void check_field_row(const field_row *row)
{
  static const struct {
    dap_access access;
    unsigned vectors;
    bool always; /* else on few ranks only: more have to share the cores, and time is short */
  } trials[] = {
      {DAP_READ, DAP_PETSC_GLOBAL | DAP_PETSC_LOCAL, true},
      {DAP_READ, DAP_PETSC_GLOBAL, false},
      {DAP_READ, DAP_PETSC_LOCAL, false},
      {DAP_WRITE, DAP_PETSC_GLOBAL | DAP_PETSC_LOCAL, true},
      {DAP_WRITE, DAP_PETSC_GLOBAL, false},
      {DAP_WRITE, DAP_PETSC_LOCAL, true},
      {DAP_READ_WRITE, DAP_PETSC_GLOBAL | DAP_PETSC_LOCAL, false},
      {DAP_READ_WRITE, DAP_PETSC_GLOBAL, true},
      {DAP_READ_WRITE, DAP_PETSC_LOCAL, false},
  };
  for (size_t i = 0; i < sizeof trials / sizeof trials[0]; i++) {
    if (!trials[i].always && test_nprocs() > 2) continue;
    trial t = {.row = row, .access = trials[i].access, .vectors = trials[i].vectors};
    TEST_CASE("%s; access %d, vectors %u", row->why, (int)t.access, t.vectors);
    try_field(&t);
    SETTLE();
  }
}
