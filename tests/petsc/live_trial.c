/* Tests one field from get to restore. A predicate of the tests' own predicts the verdict, and the elements
 * that go in and come out are checked. */
#include "live.h"

bool live_everywhere(bool here)
{
  int all = here;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  return all;
}

bool live_has_lists(const live *a)
{
  for (int j = 0; j < live_ndim(a); j++) {
    const int k = live_axis(a, j);
    if (k >= 0 && dap_layout_axis(a->layout, k).dist_type == 'u') return true;
  }
  return false;
}

/* Verdicts and reasons are rank 0's on every process, also on those without a part. */
static void check_report(const dap_petsc_field *f)
{
  dap_petsc_field root = *f;
  MPI_Bcast(&root, (int)sizeof root, MPI_BYTE, 0, MPI_COMM_WORLD);
  EXPECT(f->shared_global == root.shared_global && f->shared_local == root.shared_local);
  EXPECT_MSG(strcmp(f->reason_global, root.reason_global) == 0, "%s", f->reason_global);
  EXPECT_MSG(strcmp(f->reason_local, root.reason_local) == 0, "%s", f->reason_local);
  EXPECT(f->reason_global[0] && f->reason_local[0]);
}

static void check_verdict(const live *a, bool local, live_verdict want, unsigned vectors)
{
  const dap_petsc_field *f = &a->field;
  const bool shared = local ? f->shared_local : f->shared_global;
  const char *name = local ? "local" : "global", *reason = local ? f->reason_local : f->reason_global;
  const bool wanted = vectors & (local ? DAP_PETSC_LOCAL : DAP_PETSC_GLOBAL);
  const bool could = live_everywhere(!wanted || live_lies_there(a, local));
  if (!wanted) {
    EXPECT_MSG(!shared && strcmp(reason, "not wanted") == 0, "%s: %s", name, reason);
    return;
  }
  EXPECT_MSG(shared == (could && a->options.sharing != DAP_SHARE_NEVER), "%s, %s: %s", name,
             shared ? "shared" : "moved", reason);
  if (want == SHARED || (want == MOVED && test_nprocs() > 1))
    EXPECT_MSG(shared == (want == SHARED), "%s: %s", name, reason);
}

/* Where the local vector cannot be shared, a demand to share it is refused for the same reason. */
static void check_demand(const live *a)
{
  live other = *a;
  dap_error err = {.rank = -1};
  if (a->options.sharing != DAP_SHARE_IF_POSSIBLE) return;
  other.options.sharing = DAP_SHARE_OR_FAIL;
  const dap_status s = live_get(&other, DAP_READ, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, a->field.shared_local ? DAP_OK : DAP_ERR_SHARE,
                    a->field.reason_local);
  EXPECT_OK(dap_petsc_field_restore(&other.field, &err), &err);
}

/* Copies that are not filled. */
static void expect_zeros(Vec vector)
{
  PetscReal norm = 0;
  if (vector) EXPECT(!VecNorm(vector, NORM_1, &norm) && norm == 0);
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
  check_report(f);
  check_verdict(a, true, want->local, vectors);
  check_verdict(a, false, want->global, vectors);
  if (want->reason && (vectors & DAP_PETSC_LOCAL) && !f->shared_local && test_nprocs() > 1)
    EXPECT_MSG(test_contains(f->reason_local, want->reason), "reason: %s", f->reason_local);
  EXPECT((f->dm != NULL) == live_is_member(a) && f->handle.view);
  if (f->dm) check_part(a, access, vectors);
  if (!f->dm) EXPECT(!f->global && !f->local && f->moved_bytes == 0);
  if (access == DAP_READ && vectors == DAP_PETSC_LOCAL) check_demand(a);
  return true;
}

/* PETSc's own update is the oracle for ghost points. That of a star leaves some out. */
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

/* Copies are as before after a load, and all is as it was written at last. */
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
