/* One array as one vector: the verdict, by a predicate of the tests' own, and what goes in and out. */
#include "vector_check.h"
#include "vector_test.h"

typedef struct trial {
  const vector_row *row;
  dap_access access;
  live a;
  dap_petsc_vector view;
} trial;

/* ---- the test's own predicate -------------------------------------------------------------------- */

/* The number of an element among the entries in the order asked for. */
static int64_t number_of(const live *a, const live_place *p)
{
  int64_t number = 0;
  for (int i = 0; i < a->array.ndim; i++) {
    const int k = a->options.order == DAP_ORDER_F ? a->array.ndim - 1 - i : i;
    number = number * dap_layout_size(a->layout, k) + p->global[k];
  }
  return number;
}

/* True iff the elements of this process are a range of entries that lie in its buffer one after the other. */
static bool lies_there(const live *a)
{
  int64_t low = INT64_MAX, high = -1, count = 0;
  const char *first = NULL;
  bool there = true;
  for (int round = 0; round < 2; round++)
    for (int64_t i = 0; i < dap_array_count(&a->array); i++) {
      const live_place p = live_look(a, i);
      const int64_t number = number_of(a, &p);
      if (!p.owned) continue;
      if (round == 1) there = there && p.at - first == (number - low) * (int64_t)sizeof(PetscScalar);
      if (round == 1) continue;
      if (number < low) first = p.at, low = number;
      if (number > high) high = number;
      count++;
    }
  return count == 0 || (there && high - low + 1 == count && !a->array.swapped);
}

static bool everywhere(bool here)
{
  int all = here;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  return all;
}

static void check_verdict(const trial *t)
{
  const dap_petsc_vector *v = &t->view;
  char told[DAP_ERROR_TEXT + 1] = {0};
  (void)snprintf(told, sizeof told, "%d%s", v->shared, v->reason);
  MPI_Bcast(told, (int)sizeof told, MPI_CHAR, 0, MPI_COMM_WORLD);
  EXPECT_MSG(told[0] - '0' == v->shared && !strcmp(told + 1, v->reason), "'%s', not '%s'", v->reason, told);
  EXPECT(strlen(v->reason) > 0 && (v->shared || !v->ao));
  const bool could = everywhere(lies_there(&t->a)) && t->row->options.sharing != DAP_SHARE_NEVER;
  if (v->shared && !v->ao) EXPECT_MSG(could, "shared: %s", v->reason);
  if (t->row->cut < LISTS && t->row->options.block_size == 0) EXPECT_MSG(v->shared == could, "%s", v->reason);
  if (test_nprocs() == 1 || t->row->verdict == DEPENDS) return;
  const live_verdict got = !v->shared ? MOVED : v->ao ? LISTED : SHARED;
  EXPECT_MSG(got == t->row->verdict, "verdict %d, not %d: %s", (int)got, (int)t->row->verdict, v->reason);
  if (t->row->reason) EXPECT_MSG(test_contains(v->reason, t->row->reason), "reason: %s", v->reason);
}

/* ---- PETSc's side -------------------------------------------------------------------------------- */

/* Each element of a shared vector is at its own address. */
static void check_addresses(const trial *t)
{
  const dap_petsc_vector *v = &t->view;
  const PetscScalar *memory;
  PetscInt start, end, count = 0;
  EXPECT(!VecGetOwnershipRange(v->vec, &start, &end) && !VecGetArrayRead(v->vec, &memory));
  for (int64_t i = 0; i < dap_array_count(&t->a.array); i++) {
    const live_place p = live_look(&t->a, i);
    const PetscInt element = (PetscInt)number_of(&t->a, &p);
    PetscInt entry = element;
    if (!p.owned) continue;
    if (v->ao) EXPECT(!AOApplicationToPetsc(v->ao, 1, &entry));
    EXPECT_MSG(entry >= start && entry < end && (const char *)(memory + (entry - start)) == p.at,
               "element %d is entry %d of %d .. %d, elsewhere", (int)element, (int)entry, (int)start,
               (int)end);
    count++;
  }
  EXPECT_INT(end - start, count);
  EXPECT(!VecRestoreArrayRead(v->vec, &memory));
}

/* A moved one axis lies as PETSC_DECIDE has it. */
static void check_spread(const trial *t)
{
  PetscInt count = PETSC_DECIDE, all = 0, block = 0, local = 0;
  EXPECT(!VecGetBlockSize(t->view.vec, &block) && !VecGetLocalSize(t->view.vec, &local));
  EXPECT(!VecGetSize(t->view.vec, &all));
  EXPECT_INT(all, dap_layout_count(t->a.layout));
  EXPECT_INT(block, t->row->options.block_size ? t->row->options.block_size : 1);
  EXPECT_INT(local % block, 0);
  if (t->view.shared || t->row->ndim != 1) return;
  EXPECT(!PetscSplitOwnershipBlock(MPI_COMM_WORLD, block, &count, &all));
  EXPECT_INT(local, count);
}

/* Every process's bytes together: each element once. */
static void check_moved(const trial *t)
{
  int64_t all = t->view.moved_bytes;
  if (t->view.shared) EXPECT_INT(all, 0);
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  const bool moves = !t->view.shared && (t->access & DAP_READ);
  EXPECT_INT(all, moves ? dap_layout_count(t->a.layout) * (int64_t)sizeof(PetscScalar) : 0);
}

/* ---- one trial ----------------------------------------------------------------------------------- */

static dap_status get(const trial *t, dap_access access, dap_sharing sharing, dap_petsc_vector *view,
                      dap_error *err)
{
  dap_petsc_vector_options options = t->row->options;
  options.sharing = sharing;
  return dap_petsc_vector_get(MPI_COMM_WORLD, (dap_darray){t->a.layout, &t->a.array}, access, &options, view,
                              err);
}

/* Where the vector cannot be shared, a demand to share it is refused for the same reason. */
static void check_demand(const trial *t)
{
  dap_petsc_vector view;
  dap_error err;
  if (t->row->options.sharing != DAP_SHARE_IF_POSSIBLE) return;
  const dap_status s = get(t, DAP_READ, DAP_SHARE_OR_FAIL, &view, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, t->view.shared ? DAP_OK : DAP_ERR_SHARE, t->view.reason);
  EXPECT((s == DAP_OK) == (view.handle.view != NULL));
  EXPECT_OK(dap_petsc_vector_restore(&view, &err), &err);
}

static void check_in(const trial *t)
{
  PetscReal norm = -1;
  check_verdict(t);
  check_moved(t);
  check_spread(t);
  if (t->view.shared) check_addresses(t);
  if (t->access & DAP_READ) vector_visit(&t->a, &t->view, CHECK, BEFORE);
  if (t->access & DAP_READ) vector_check_norm(&t->view);
  if (!t->view.shared && t->access == DAP_WRITE) EXPECT(!VecNorm(t->view.vec, NORM_1, &norm) && norm == 0);
  check_demand(t);
}

static void try_vector(trial *t)
{
  dap_error err;
  const vector_row *row = t->row;
  const live_bytes bytes = !row->swapped ? NATIVE : test_nprocs() > 1 ? SWAPPED_ON_ODD : SWAPPED;
  const dap_petsc_field_options options = {.order = row->options.order};
  live_make(&t->a, vector_layout(row), row->form, bytes, &options);
  t->a.array.readonly = t->access == DAP_READ;
  if (EXPECT_OK(get(t, t->access, row->options.sharing, &t->view, &err), &err)) {
    check_in(t);
    const int64_t in = t->view.moved_bytes;
    const bool shared = t->view.shared;
    if (t->access & DAP_WRITE) vector_visit(&t->a, &t->view, WRITE, AFTER);
    EXPECT_OK(dap_petsc_vector_restore(&t->view, &err), &err);
    EXPECT(!t->view.vec && !t->view.ao && !t->view.handle.view && t->view.shared == shared);
    if (shared || t->access == DAP_READ) EXPECT_INT(t->view.moved_bytes, in);
    EXPECT_OK(dap_petsc_vector_restore(&t->view, &err), &err);
    const int64_t shift = t->access == DAP_READ ? BEFORE : AFTER;
    live_check(&t->a, shift, shift, shift, t->access == DAP_READ ? PADDING_POISON : PADDING_FILLED);
  }
  live_free(&t->a);
}

void check_vector_row(const vector_row *row)
{
  for (int access = DAP_READ; access <= DAP_READ_WRITE; access++) {
    trial t = {.row = row, .access = (dap_access)access};
    TEST_CASE("%s; access %d", row->why, access);
    try_vector(&t);
    SETTLE();
  }
}
