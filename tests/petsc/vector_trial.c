/* One array as one vector: the verdict, by a predicate of the tests' own, and what goes in and out. */
#include "variants.h"
#include "vector_test.h"

/* Elements are numbered as the entries of a vector in natural order. Their values are shifted, so that those
 * before a write differ from those after. */
enum { BEFORE = 0, AFTER = 100000 };

typedef struct trial {
  const vector_row *row;
  dap_access access;
  dap_layout *layout;
  test_buffer buffer;
  dap_array array;
  dap_petsc_vector view;
} trial;

/* ---- the array's side ---------------------------------------------------------------------------- */

static int64_t entry_of(const vector_row *row, const int64_t global[])
{
  int64_t entry = 0;
  for (int i = 0; i < row->ndim; i++) {
    const int k = row->options.order == DAP_ORDER_F ? row->ndim - 1 - i : i;
    entry = entry * row->size[k] + global[k];
  }
  return entry;
}

/* Position `i` of this process's buffer: its address, whether it is owned, and its element. */
static char *element_at(const trial *t, int64_t i, bool *owned, int64_t *element)
{
  int64_t local[4] = {0}, global[4] = {0};
  char *at = t->array.data;
  for (int k = t->row->ndim - 1; k >= 0; k--) {
    local[k] = i % t->array.shape[k];
    i /= t->array.shape[k];
    at += local[k] * t->array.strides[k];
  }
  EXPECT_OK(dap_layout_globalize(t->layout, test_rank(), local, global, owned, NULL), NULL);
  *element = entry_of(t->row, global);
  return at;
}

/* CHECK wants poison where an element is not owned, CHECK_PADDED its value. */
typedef enum deed { FILL, POISON, CHECK, CHECK_PADDED } deed;

/* Poison may be no number. */
static bool same_bytes(const void *a, const void *b)
{
  return memcmp(a, b, sizeof(PetscScalar)) == 0;
}

static void visit_array(const trial *t, deed work, int64_t shift)
{
  dap_array array = t->array;
  if (t->array.swapped) variant_swap(&array);
  for (int64_t i = 0; i < dap_array_count(&t->array); i++) {
    bool owned = false;
    int64_t element = 0;
    PetscScalar want, found;
    char *at = element_at(t, i, &owned, &element);
    owned = owned || (dap_layout_ndim(t->layout) == 1 && dap_layout_axis(t->layout, 0).replicated);
    want = scalar_of(element + shift);
    if (work == POISON || (!owned && work != CHECK_PADDED)) memset(&want, TEST_POISON, sizeof want);
    if (work == FILL || work == POISON) memcpy(at, &want, sizeof want);
    memcpy(&found, at, sizeof found);
    EXPECT_MSG(same_bytes(&found, &want), "element %d, owned %d: %g, not %g", (int)element, owned,
               (double)PetscRealPart(found), (double)PetscRealPart(want));
  }
  if (t->array.swapped) variant_swap(&array);
}

static void make_array(trial *t)
{
  test_random random = test_random_init(7);
  const int rank = test_rank();
  t->buffer = test_buffer_make(t->layout, rank, sizeof(PetscScalar), t->row->form, &random);
  t->array = test_buffer_array(&t->buffer, scalar_type());
  t->array.readonly = t->access == DAP_READ;
  visit_array(t, t->access == DAP_WRITE ? POISON : FILL, BEFORE);
  if (t->row->swapped && (rank == 0 || rank % 2)) variant_swap(&t->array);
}

/* ---- the test's own predicate -------------------------------------------------------------------- */

/* True iff the elements of this process are a range of entries that lie in its buffer one after the other. */
static bool lies_there(const trial *t)
{
  int64_t low = INT64_MAX, high = -1, count = 0;
  char *first = NULL;
  bool there = true, owned = false;
  for (int round = 0; round < 2; round++)
    for (int64_t i = 0; i < dap_array_count(&t->array); i++) {
      int64_t element = 0;
      char *at = element_at(t, i, &owned, &element);
      if (!owned) continue;
      if (round == 1) there = there && at - first == (element - low) * (int64_t)sizeof(PetscScalar);
      if (round == 1) continue;
      if (element < low) first = at, low = element;
      if (element > high) high = element;
      count++;
    }
  return count == 0 || (there && high - low + 1 == count && !t->array.swapped);
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
  const bool could = everywhere(lies_there(t)) && t->row->options.sharing != DAP_SHARE_NEVER;
  if (v->shared && !v->ao) EXPECT_MSG(could, "shared: %s", v->reason);
  if (t->row->cut < LISTS && t->row->options.block_size == 0) EXPECT_MSG(v->shared == could, "%s", v->reason);
  if (test_nprocs() == 1 || t->row->verdict == DEPENDS) return;
  const vector_verdict got = !v->shared ? MOVED : v->ao ? LISTED : SHARED;
  EXPECT_MSG(got == t->row->verdict, "verdict %d, not %d: %s", (int)got, (int)t->row->verdict, v->reason);
  if (t->row->reason) EXPECT_MSG(strstr(v->reason, t->row->reason), "reason: %s", v->reason);
}

/* ---- PETSc's side -------------------------------------------------------------------------------- */

/* Each entry has the value of its element, or zero. */
static void check_entries(const trial *t, bool zero)
{
  const dap_petsc_vector *v = &t->view;
  PetscInt start = 0, end = 0, all = 0;
  EXPECT(!VecGetOwnershipRange(v->vec, &start, &end) && !VecGetSize(v->vec, &all));
  EXPECT_INT(all, dap_layout_count(t->layout));
  for (PetscInt entry = start; entry < end; entry++) {
    PetscInt element = entry;
    PetscScalar found;
    EXPECT(!VecGetValues(v->vec, 1, &entry, &found));
    if (v->ao) EXPECT(!AOPetscToApplication(v->ao, 1, &element));
    EXPECT_MSG(found == (zero ? (PetscScalar)0 : scalar_of(element + BEFORE)), "entry %d, element %d: %g",
               (int)entry, (int)element, (double)PetscRealPart(found));
  }
}

/* Each element of a shared vector is at its own address. */
static void check_addresses(const trial *t)
{
  const dap_petsc_vector *v = &t->view;
  const PetscScalar *memory;
  PetscInt start, end, count = 0;
  EXPECT(!VecGetOwnershipRange(v->vec, &start, &end) && !VecGetArrayRead(v->vec, &memory));
  for (int64_t i = 0; i < dap_array_count(&t->array); i++) {
    bool owned = false;
    int64_t element = 0;
    const char *at = element_at(t, i, &owned, &element);
    PetscInt entry = (PetscInt)element;
    if (!owned) continue;
    if (v->ao) EXPECT(!AOApplicationToPetsc(v->ao, 1, &entry));
    EXPECT_MSG(entry >= start && entry < end && (const char *)(memory + (entry - start)) == at,
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
  PetscInt count = PETSC_DECIDE, all = (PetscInt)dap_layout_count(t->layout), block = 0, local = 0;
  EXPECT(!VecGetBlockSize(t->view.vec, &block) && !VecGetLocalSize(t->view.vec, &local));
  EXPECT_INT(block, t->row->options.block_size ? t->row->options.block_size : 1);
  EXPECT_INT(local % block, 0);
  if (t->view.shared || t->row->ndim != 1) return;
  EXPECT(!PetscSplitOwnershipBlock(MPI_COMM_WORLD, block, &count, &all));
  EXPECT_INT(local, count);
}

static void check_norm(const trial *t)
{
  PetscReal norm = -1, want = 0;
  for (int64_t i = 0; i < dap_layout_count(t->layout); i++) want += PetscAbsScalar(scalar_of(i + BEFORE));
  EXPECT(!VecNorm(t->view.vec, NORM_1, &norm));
  EXPECT_MSG(PetscAbsReal(norm - want) <= 1e-6 * want, "norm %g, not %g", (double)norm, (double)want);
}

/* Every process's bytes together: each element once. */
static void check_moved(const trial *t, int64_t bytes)
{
  int64_t all = bytes;
  if (t->view.shared) EXPECT_INT(bytes, 0);
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  const bool moves = !t->view.shared && (t->access & DAP_READ);
  EXPECT_INT(all, moves ? dap_layout_count(t->layout) * (int64_t)sizeof(PetscScalar) : 0);
}

/* The caller's solve: by entries, from anywhere. */
static void write_entries(const trial *t)
{
  PetscInt all;
  EXPECT(!VecGetSize(t->view.vec, &all));
  for (PetscInt entry = test_rank(); entry < all; entry += test_nprocs()) {
    PetscInt element = entry;
    if (t->view.ao) EXPECT(!AOPetscToApplication(t->view.ao, 1, &element));
    const PetscScalar value = scalar_of(element + AFTER);
    EXPECT(!VecSetValues(t->view.vec, 1, &entry, &value, INSERT_VALUES));
  }
  EXPECT(!VecAssemblyBegin(t->view.vec) && !VecAssemblyEnd(t->view.vec));
}

/* ---- one trial ----------------------------------------------------------------------------------- */

/* Where the vector cannot be shared, a demand to share it is refused for the same reason. */
static void check_demand(const trial *t)
{
  dap_petsc_vector_options options = t->row->options;
  dap_petsc_vector view;
  dap_error err;
  if (options.sharing != DAP_SHARE_IF_POSSIBLE) return;
  options.sharing = DAP_SHARE_OR_FAIL;
  const dap_status s = dap_petsc_vector_get(MPI_COMM_WORLD, (dap_darray){t->layout, &t->array}, DAP_READ,
                                            &options, &view, &err);
  if (t->view.shared)
    EXPECT_OK(s, &err);
  else
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_SHARE, t->view.reason);
  EXPECT((s == DAP_OK) == (view.handle.view != NULL));
  EXPECT_OK(dap_petsc_vector_restore(&view, &err), &err);
}

static void try_vector(trial *t)
{
  dap_error err;
  t->layout = vector_layout(t->row);
  make_array(t);
  const dap_status s = dap_petsc_vector_get(MPI_COMM_WORLD, (dap_darray){t->layout, &t->array}, t->access,
                                            &t->row->options, &t->view, &err);
  if (EXPECT_OK(s, &err)) {
    check_verdict(t);
    check_moved(t, t->view.moved_bytes);
    check_spread(t);
    if (t->view.shared) check_addresses(t);
    if (!t->view.shared || t->access != DAP_WRITE) check_entries(t, t->access == DAP_WRITE);
    if (t->access != DAP_WRITE) check_norm(t);
    check_demand(t);
    const int64_t in = t->view.moved_bytes;
    const bool shared = t->view.shared;
    if (t->access & DAP_WRITE) write_entries(t);
    EXPECT_OK(dap_petsc_vector_restore(&t->view, &err), &err);
    EXPECT(!t->view.vec && !t->view.ao && !t->view.handle.view && t->view.shared == shared);
    if (shared || t->access == DAP_READ) EXPECT_INT(t->view.moved_bytes, in);
    EXPECT_OK(dap_petsc_vector_restore(&t->view, &err), &err);
    visit_array(t, t->access == DAP_READ ? CHECK : CHECK_PADDED, t->access == DAP_READ ? BEFORE : AFTER);
    EXPECT(check_gaps(&t->buffer));
  }
  test_buffer_free(&t->buffer);
  dap_layout_destroy(&t->layout);
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
