/* Tests one vector without a grid. A predicate of the tests' own predicts the verdict, and every entry is
 * checked on the way in and out. */
#include "live.h"

/* ---- entries ----------------------------------------------------------------------------------------- */

/* Entry `number` in the order asked for, as an element of the array. */
static int64_t element_of(const live *a, int64_t number)
{
  int64_t index[DAP_MAX_NDIM] = {0};
  for (int i = 0; i < live_ndim(a); i++) {
    const int j = a->order == DAP_ORDER_F ? i : live_ndim(a) - 1 - i;
    index[j] = number % live_size(a, j);
    number /= live_size(a, j);
  }
  return live_at(a, index);
}

/* The number of a position's element in the order asked for. */
static int64_t number_of(const live *a, const live_place *p)
{
  int64_t number = 0;
  for (int i = 0; i < live_ndim(a); i++) {
    const int j = a->order == DAP_ORDER_F ? live_ndim(a) - 1 - i : i, k = live_axis(a, j);
    const int64_t first = a->shape[0] && k >= 0 ? a->index[k] : 0;
    number = number * live_size(a, j) + (k < 0 ? 0 : p->walk.global[k] - first);
  }
  return number;
}

void live_visit(const live *a, const dap_petsc_vector *v, vector_deed deed, int64_t shift)
{
  PetscInt begin = 0, end = 0;
  PetscScalar *memory = NULL;
  if (!v->vec) return;
  EXPECT(!VecGetOwnershipRange(v->vec, &begin, &end));
  EXPECT(!(deed == WRITE ? VecGetArray(v->vec, &memory)
                         : VecGetArrayRead(v->vec, (const PetscScalar **)&memory)));
  for (PetscInt entry = begin; entry < end; entry++) {
    PetscInt number = entry;
    if (v->ao) EXPECT(!AOPetscToApplication(v->ao, 1, &number));
    const PetscScalar want = live_entry(a, element_of(a, number), shift);
    if (deed == WRITE) memory[entry - begin] = want;
    EXPECT_MSG(memory[entry - begin] == want, "entry %d, element %d: %g, not %g", (int)entry, (int)number,
               (double)PetscRealPart(memory[entry - begin]), (double)PetscRealPart(want));
  }
  EXPECT(!(deed == WRITE ? VecRestoreArray(v->vec, &memory)
                         : VecRestoreArrayRead(v->vec, (const PetscScalar **)&memory)));
}

void live_check_norm(Vec vec)
{
  PetscReal norm = -1, sum = 0;
  const PetscScalar *memory = NULL;
  PetscInt n = 0;
  if (!vec) return;
  EXPECT(!VecNorm(vec, NORM_1, &norm) && !VecGetLocalSize(vec, &n) && !VecGetArrayRead(vec, &memory));
  for (PetscInt i = 0; i < n; i++) sum += PetscAbsScalar(memory[i]);
  EXPECT(!VecRestoreArrayRead(vec, &memory));
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)vec));
  EXPECT_MSG(PetscAbsReal(norm - sum) <= (PetscReal)1e-5 * sum, "norm %g, not %g", (double)norm, (double)sum);
}

/* ---- places of a shared vector ----------------------------------------------------------------------- */

/* The vector's memory, and with ghosts that of its local form, is the buffer. */
static const PetscScalar *memory_of(Vec vec, bool *has_form, PetscInt *count)
{
  const PetscScalar *memory = NULL, *kept = NULL;
  Vec local = NULL;
  EXPECT(!VecGhostGetLocalForm(vec, &local));
  *has_form = local && local != vec;
  EXPECT(!VecGetLocalSize(*has_form ? local : vec, count));
  EXPECT(!VecGetArrayRead(vec, &memory));
  kept = memory;
  EXPECT(!VecRestoreArrayRead(vec, &memory) && !VecGhostRestoreLocalForm(vec, &local));
  return kept;
}

static bool gives_owners(const live *a)
{
  bool gives = false;
  for (int k = 0; k < a->array.ndim; k++)
    gives = gives || a->model->dists[k].owned || a->model->dists[k].is_owned;
  return gives;
}

void live_check_places(const live *a, const dap_petsc_vector *v)
{
  bool has_form = false;
  PetscInt begin = 0, end = 0, local = 0, owned = 0, held = 0;
  ISLocalToGlobalMapping mapping = NULL;
  const PetscScalar *memory = memory_of(v->vec, &has_form, &local);
  EXPECT(!VecGetOwnershipRange(v->vec, &begin, &end) && !VecGetLocalToGlobalMapping(v->vec, &mapping));
  EXPECT(mapping || !v->ao);
  LIVE_EACH(a, p)
  {
    const PetscInt number = (PetscInt)number_of(a, &p);
    PetscInt entry = number, position, mapped = -1;
    if (!p.inside || p.walk.part == BRUTE_PADDING) continue;
    if (v->ao) EXPECT(!AOApplicationToPetsc(v->ao, 1, &entry));
    if (p.owned)
      EXPECT_MSG(entry >= begin && entry < end && (const char *)(memory + (entry - begin)) == p.at,
                 "element %d is entry %d of %d .. %d, elsewhere", (int)number, (int)entry, (int)begin,
                 (int)end);
    owned += p.owned;
    held++;
    if (!mapping) continue;
    position = (PetscInt)((const PetscScalar *)(const void *)p.at - memory);
    EXPECT(!ISLocalToGlobalMappingApply(mapping, 1, &position, &mapped));
    EXPECT_MSG(mapped == entry, "position %d is entry %d, not %d", (int)position, (int)mapped, (int)entry);
  }
  EXPECT_INT(end - begin, owned);
  EXPECT_INT(local, has_form ? held : owned);
  if (test_nprocs() > 1 && !live_everywhere(held == owned)) EXPECT(has_form && mapping);
  if (!gives_owners(a) && a->model->model.count > 0 && live_everywhere(held == owned)) EXPECT(!has_form);
}

/* ---- the verdict ------------------------------------------------------------------------------------- */

/* True iff the elements of this process are a range of entries that lie in its buffer one after the other. */
static bool lies_there(const live *a)
{
  int64_t low = INT64_MAX, high = -1, count = 0;
  const char *first = NULL;
  bool there = true;
  LIVE_EACH(a, p)
  {
    const int64_t number = number_of(a, &p);
    if (!p.owned) continue;
    if (number < low) first = p.at;
    if (number < low) low = number;
    if (number > high) high = number;
    count++;
  }
  LIVE_EACH(a, p)
  if (p.owned) there = there && p.at - first == (number_of(a, &p) - low) * (int64_t)sizeof(PetscScalar);
  return count == 0 ||
         (there && high - low + 1 == count && !a->array.swapped && a->array.dtype == scalar_dtype());
}

/* Whether the vector is shared wherever it can be. Ranges of several axes that happen to be one are not. */
static bool must_share(const live *a)
{
  int distributed = 0;
  for (int k = 0; k < a->array.ndim; k++) distributed += a->model->model.axes[k].procs > 1;
  return distributed < 2 && !live_has_lists(a) && a->model->model.count > 0;
}

static void check_verdict(const live *a, const live_row *want, const dap_petsc_vector *v)
{
  char told[DAP_ERROR_TEXT + 1] = {0};
  (void)snprintf(told, sizeof told, "%d%s", v->shared, v->reason);
  MPI_Bcast(told, (int)sizeof told, MPI_CHAR, 0, MPI_COMM_WORLD);
  EXPECT_MSG(told[0] - '0' == v->shared && !strcmp(told + 1, v->reason), "'%s', not '%s'", v->reason, told);
  EXPECT(strlen(v->reason) > 0 && (v->shared || !v->ao));
  const bool could = live_everywhere(lies_there(a)) && want->vector.sharing != DAP_SHARE_NEVER;
  if (v->shared && !v->ao) EXPECT_MSG(could, "shared: %s", v->reason);
  if (must_share(a) && want->vector.block_size == 0) EXPECT_MSG(v->shared == could, "%s", v->reason);
  if (v->shared) live_check_places(a, v);
  if (test_nprocs() == 1 || want->global == DEPENDS) return;
  const live_verdict got = !v->shared ? MOVED : v->ao ? LISTED : SHARED;
  EXPECT_MSG(got == want->global, "verdict %d, not %d: %s", (int)got, (int)want->global, v->reason);
  if (want->reason) EXPECT_MSG(test_contains(v->reason, want->reason), "reason: %s", v->reason);
}

/* A moved line lies as PETSC_DECIDE has it. */
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

/* ---- one trial --------------------------------------------------------------------------------------- */

static dap_status get(const live *a, const live_row *want, dap_access access, dap_sharing sharing,
                      dap_petsc_vector *view, dap_error *err)
{
  dap_petsc_vector_options options = want->vector;
  options.lossy = a->options.lossy;
  options.sharing = sharing;
  return dap_petsc_vector_get(MPI_COMM_WORLD, (dap_darray){a->layout, &a->array}, access, &options, view,
                              err);
}

/* Where the vector cannot be shared, a demand to share it is refused for the same reason. */
static void check_demand(const live *a, const live_row *want, const dap_petsc_vector *v)
{
  dap_petsc_vector view;
  dap_error err;
  if (want->vector.sharing != DAP_SHARE_IF_POSSIBLE) return;
  const dap_status s = get(a, want, DAP_READ, DAP_SHARE_OR_FAIL, &view, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, v->shared ? DAP_OK : DAP_ERR_SHARE, v->reason);
  EXPECT((s == DAP_OK) == (view.handle.view != NULL));
  EXPECT_OK(dap_petsc_vector_restore(&view, &err), &err);
}

static void check_in(const live *a, const live_row *want, dap_access access, const dap_petsc_vector *v)
{
  PetscReal norm = -1;
  check_verdict(a, want, v);
  check_spread(a, want, v);
  if (v->shared || access == DAP_WRITE) EXPECT_INT(v->moved_bytes, 0);
  if (access & DAP_READ) live_visit(a, v, CHECK, BEFORE);
  if (access & DAP_READ) live_check_norm(v->vec);
  if (!v->shared && access == DAP_WRITE) EXPECT(!VecNorm(v->vec, NORM_1, &norm) && norm == 0);
  if (access & DAP_READ) check_demand(a, want, v);
}

void live_try_vector(live *a, const live_row *want, dap_access access)
{
  dap_petsc_vector v;
  dap_error err;
  a->array.readonly = access == DAP_READ;
  a->order = want->vector.order;
  if (!EXPECT_OK(get(a, want, access, want->vector.sharing, &v, &err), &err)) return;
  check_in(a, want, access, &v);
  const int64_t in = v.moved_bytes;
  const bool shared = v.shared;
  if (access & DAP_WRITE) live_visit(a, &v, WRITE, AFTER);
  EXPECT_OK(dap_petsc_vector_restore(&v, &err), &err);
  EXPECT(!v.vec && !v.ao && !v.handle.view && v.shared == shared);
  if (shared || access == DAP_READ) EXPECT_INT(v.moved_bytes, in);
  EXPECT_OK(dap_petsc_vector_restore(&v, &err), &err);
  const int64_t shift = access == DAP_READ ? BEFORE : AFTER;
  live_check(a, shift, shift, shift, access == DAP_READ ? PADDING_POISON : PADDING_FILLED);
}
