/* Tests one field, or one vector without a grid, from get to restore. The tests predict the verdict by their
 * own rule, and check the elements that go in and come out. */
#include "live.h"

bool live_has_lists(const live *a)
{
  for (int j = 0; j < live_ndim(a); j++) {
    const int k = live_axis(a, j);
    if (k >= 0 && dap_layout_axis(a->layout, k).dist_type == 'u') return true;
  }
  return false;
}

/* ---- any view ---------------------------------------------------------------------------------------- */

/* Checks that every process has the verdict and the reason of rank 0. Processes without a part have them too.
 * */
static void check_told(bool shared, const char *reason)
{
  char told[DAP_ERROR_TEXT + 1] = {0};
  (void)snprintf(told, sizeof told, "%d%s", shared, reason);
  MPI_Bcast(told, (int)sizeof told, MPI_CHAR, 0, MPI_COMM_WORLD);
  EXPECT_MSG(told[0] - '0' == shared && !strcmp(told + 1, reason), "'%s', not '%s'", reason, told);
  EXPECT(reason[0]);
}

/* Demands to share the array. If it cannot be shared, the demand must be refused for the same reason. */
static void check_demand(const live *a, any_view v, const char *reason)
{
  const dap_status want = any_is_shared(&v) ? DAP_OK : DAP_ERR_SHARE;
  dap_error err = {.rank = -1};
  any_share(&v, DAP_SHARE_OR_FAIL);
  const dap_status s = any_get(MPI_COMM_WORLD, &v, (dap_darray){a->layout, &a->array}, DAP_READ, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, want, reason);
  EXPECT((s == DAP_OK) == any_is_live(&v));
  EXPECT_OK(any_do(&v, RESTORE, &err), &err);
}

/* Checks that a copy was not filled. */
static void expect_zeros(Vec vector)
{
  EXPECT(!vector || norm_of(vector) == 0);
}

/* ---- a field ----------------------------------------------------------------------------------------- */

static void check_field(const live *a, bool local, live_verdict want, unsigned vectors)
{
  const dap_petsc_field *f = &a->field;
  const bool shared = local ? f->shared_local : f->shared_global;
  const char *name = local ? "local" : "global", *reason = local ? f->reason_local : f->reason_global;
  const bool wanted = vectors & (local ? DAP_PETSC_LOCAL : DAP_PETSC_GLOBAL);
  const bool could = !test_any(wanted && !live_lies_there(a, local));
  check_told(shared, reason);
  if (!wanted) {
    EXPECT_MSG(!shared && strcmp(reason, "not wanted") == 0, "%s: %s", name, reason);
    return;
  }
  EXPECT_MSG(shared == (could && a->options.sharing != DAP_SHARE_NEVER), "%s, %s: %s", name,
             shared ? "shared" : "moved", reason);
  if (want == SHARED || (want == MOVED && test_nprocs() > 1))
    EXPECT_MSG(shared == (want == SHARED), "%s: %s", name, reason);
}

static void check_part(const live *a, dap_access access, unsigned vectors)
{
  const dap_petsc_field *f = &a->field;
  EXPECT((f->global != NULL) == !!(vectors & DAP_PETSC_GLOBAL));
  EXPECT((f->local != NULL) == !!(vectors & DAP_PETSC_LOCAL));
  live_check_memory(a);
  const bool all_shared = (!f->local || f->shared_local) && (!f->global || f->shared_global);
  if (all_shared || access == DAP_WRITE) EXPECT_INT(f->moved_bytes, 0);
  if (access & DAP_READ) live_check_vectors(a, BEFORE);
  if (access == DAP_WRITE && !f->shared_global) expect_zeros(f->global);
  if (access == DAP_WRITE && !f->shared_local) expect_zeros(f->local);
}

bool live_begin(live *a, const live_row *want, dap_access access, unsigned vectors)
{
  dap_error err;
  a->options.vectors = vectors;
  a->array.readonly = access == DAP_READ;
  if (!EXPECT_OK(live_get(a, access, &err), &err)) return false;
  const dap_petsc_field *f = &a->field;
  check_field(a, true, want->local, vectors);
  check_field(a, false, want->global, vectors);
  if (want->reason && (vectors & DAP_PETSC_LOCAL) && !f->shared_local && test_nprocs() > 1)
    EXPECT_MSG(test_contains(f->reason_local, want->reason), "reason: %s", f->reason_local);
  EXPECT((f->dm != NULL) == live_is_member(a) && f->handle.view);
  if (f->dm) check_part(a, access, vectors);
  if (!f->dm) EXPECT(!f->global && !f->local && f->moved_bytes == 0);
  if (access == DAP_READ && vectors == DAP_PETSC_LOCAL && a->options.sharing == DAP_SHARE_IF_POSSIBLE)
    check_demand(a, (any_view){.kind = FIELD, .of_field = a->options, .field = *f}, f->reason_local);
  return true;
}

/* Takes PETSc's own update as the oracle for ghost points. With a star stencil it leaves some out. */
static void check_update(const live *a)
{
  const dap_petsc_field *f = &a->field;
  DMDAStencilType stencil = DMDA_STENCIL_STAR;
  if (f->dm) EXPECT(!DMDAGetInfo(f->dm, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, &stencil));
  if (!f->local || stencil == DMDA_STENCIL_STAR) return;
  if (f->global)
    EXPECT(!DMGlobalToLocal(f->dm, f->global, INSERT_VALUES, f->local));
  else
    EXPECT(!DMLocalToLocalBegin(f->dm, f->local, INSERT_VALUES, f->local) &&
           !DMLocalToLocalEnd(f->dm, f->local, INSERT_VALUES, f->local));
  live_check_vector(a, f->local, true, AFTER);
}

/* Loads, writes, stores, and updates halos. The last values written must be those that remain. */
static void load_and_store(live *a)
{
  dap_error err;
  EXPECT_OK(dap_petsc_field_load(&a->field, &err), &err);
  live_solve(a, AFTER);
  check_update(a);
  EXPECT_OK(dap_petsc_field_store(&a->field, &err), &err);
  EXPECT_OK(dap_petsc_field_halo(&a->field, &err), &err);
}

void live_finish(live *a, dap_access access, unsigned vectors)
{
  const int64_t moved = a->field.moved_bytes;
  dap_error err;
  if (access == DAP_READ_WRITE) load_and_store(a);
  if (access & DAP_WRITE) live_solve(a, AFTER);
  if (!a->field.dm) EXPECT_INT(a->field.moved_bytes, 0);
  live_restore(a);
  if (access == DAP_READ) EXPECT_INT(a->field.moved_bytes, moved);
  EXPECT_OK(dap_petsc_field_restore(&a->field, &err), &err);
  if (access == DAP_READ)
    live_check(a, BEFORE, BEFORE, BEFORE, PADDING_POISON);
  else
    live_check(a, AFTER, BEFORE, vectors & DAP_PETSC_LOCAL ? AFTER : BEFORE, PADDING_FILLED);
}

/* ---- a vector without a grid ------------------------------------------------------------------------- */

/* Whether only one axis is distributed, and no slower one has more than one element. Otherwise a vector is
 * moved, even if the elements of each process happen to be one range. */
static bool is_cut_once(const live *a)
{
  bool is_behind = false, is_so = true;
  for (int i = 0; i < a->array.ndim; i++) {
    const brute_axis *axis = &a->model->model.axes[a->order == DAP_ORDER_F ? a->array.ndim - 1 - i : i];
    if (axis->procs > 1) is_so = is_so && !is_behind;
    is_behind = is_behind || axis->procs > 1 || axis->size > 1;
  }
  return is_so;
}

static void check_vector(const live *a, const live_row *want, const dap_petsc_vector *v)
{
  check_told(v->shared, v->reason);
  EXPECT(v->shared || !v->ao);
  const bool could = !test_any(!live_is_range(a)) && want->vector.sharing != DAP_SHARE_NEVER;
  const bool is_plain = !live_has_lists(a) && a->model->model.count > 0 && want->vector.block_size == 0;
  if (v->shared && !v->ao) EXPECT_MSG(could, "shared: %s", v->reason);
  if (is_plain) EXPECT_MSG(v->shared == (could && is_cut_once(a)), "%s", v->reason);
  if (v->shared) live_check_places(a, v);
  if (test_nprocs() == 1 || want->global == DEPENDS) return;
  const live_verdict got = !v->shared ? MOVED : v->ao ? LISTED : SHARED;
  EXPECT_MSG(got == want->global, "verdict %d, not %d: %s", (int)got, (int)want->global, v->reason);
  if (want->reason) EXPECT_MSG(test_contains(v->reason, want->reason), "reason: %s", v->reason);
}

/* Checks sizes. A moved array of one axis must be spread as PETSC_DECIDE spreads vectors. */
static void check_spread(const live *a, const live_row *want, const dap_petsc_vector *v)
{
  PetscInt count = PETSC_DECIDE, all = 0, block = 0, local = 0;
  EXPECT(!VecGetBlockSize(v->vec, &block) && !VecGetLocalSize(v->vec, &local) && !VecGetSize(v->vec, &all));
  EXPECT_INT(all, a->model->model.count);
  EXPECT_INT(block, want->vector.block_size ? want->vector.block_size : 1);
  EXPECT_INT(local % block, 0);
  if (v->shared || a->array.ndim != 1) return;
  EXPECT(!PetscSplitOwnershipBlock(MPI_COMM_WORLD, block, &count, &all));
  EXPECT_INT(local, count);
}

static void check_in(const live *a, const live_row *want, dap_access access, const any_view *view)
{
  const dap_petsc_vector *v = &view->vector;
  check_vector(a, want, v);
  check_spread(a, want, v);
  if (v->shared || access == DAP_WRITE) EXPECT_INT(v->moved_bytes, 0);
  if (!v->shared && access == DAP_WRITE) expect_zeros(v->vec);
  if (!(access & DAP_READ)) return;
  live_visit(a, v, CHECK, BEFORE);
  live_check_norm(v->vec);
  if (want->vector.sharing == DAP_SHARE_IF_POSSIBLE) check_demand(a, *view, v->reason);
}

void live_try_vector(live *a, const live_row *want, dap_access access)
{
  any_view v = {.kind = VECTOR, .of_vector = want->vector};
  dap_error err;
  v.of_vector.lossy = a->options.lossy;
  a->array.readonly = access == DAP_READ;
  a->order = want->vector.order;
  const dap_darray array = {a->layout, &a->array};
  if (!EXPECT_OK(any_get(MPI_COMM_WORLD, &v, array, access, &err), &err)) return;
  check_in(a, want, access, &v);
  const int64_t in = any_moved(&v), shift = access == DAP_READ ? BEFORE : AFTER;
  const bool shared = any_is_shared(&v);
  if (access & DAP_WRITE) live_visit(a, &v.vector, WRITE, AFTER);
  EXPECT_OK(any_do(&v, RESTORE, &err), &err);
  EXPECT(!any_is_live(&v) && any_is_shared(&v) == shared);
  if (shared || access == DAP_READ) EXPECT_INT(any_moved(&v), in);
  EXPECT_OK(any_do(&v, RESTORE, &err), &err);
  live_check(a, shift, shift, shift, access == DAP_READ ? PADDING_POISON : PADDING_FILLED);
}
