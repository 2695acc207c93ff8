/* Nodes with ghosts as a vector: what PETSc says of it and does to it, against the model. */
#include "ghosts_test.h"

/* ---- the buffer ------------------------------------------------------------------------------------- */

static int64_t held(const ghost_trial *t)
{
  return t->coord < 0 ? 0 : t->model.lengths[t->coord];
}

/* Poison may be no number. */
static bool same_bytes(const void *a, const void *b)
{
  return memcmp(a, b, sizeof(PetscScalar)) == 0;
}

bool ghosts_has(const ghost_trial *t, int64_t node)
{
  return node >= t->row->from && node < t->row->from + t->nodes;
}

void ghosts_check_buffer(const ghost_trial *t, test_padding ghosts)
{
  const ghost_model *m = &t->model;
  for (int64_t p = 0; p < held(t); p++)
    for (int64_t j = 0; j < t->inner; j++) {
      const bool owned = m->flags[t->coord][p];
      const int64_t node = m->lists[t->coord][p];
      PetscScalar want = m->want[node * t->inner + j], found;
      if (!ghosts_has(t, node) || (!owned && ghosts == PADDING_ANY)) continue;
      if (!owned && ghosts == PADDING_POISON) memset(&want, TEST_POISON, sizeof want);
      memcpy(&found, t->first + p * t->step + j * t->within, sizeof found);
      EXPECT_MSG(same_bytes(&found, &want), "%s node %d, component %d: %g, not %g", owned ? "own" : "ghost",
                 (int)node, (int)j, (double)PetscRealPart(found), (double)PetscRealPart(want));
    }
}

/* ---- the vector ------------------------------------------------------------------------------------- */

bool ghosts_are_there(const ghost_trial *t, const dap_petsc_vector *v)
{
  return v->shared && t->model.procs > 1 && (t->row->want == GHOSTED || t->row->want == GHOSTED_IN_ORDER);
}

static bool has_local_form(Vec vec)
{
  Vec local = NULL;
  EXPECT(!VecGhostGetLocalForm(vec, &local));
  const bool is_ghosted = local && local != vec;
  EXPECT(!VecGhostRestoreLocalForm(vec, &local));
  return is_ghosted;
}

void ghosts_check_verdict(const ghost_trial *t, const dap_petsc_vector *v)
{
  char told[DAP_ERROR_TEXT + 1] = {0};
  (void)snprintf(told, sizeof told, "%d%s", v->shared, v->reason);
  MPI_Bcast(told, (int)sizeof told, MPI_CHAR, 0, MPI_COMM_WORLD);
  EXPECT_MSG(told[0] - '0' == v->shared && !strcmp(told + 1, v->reason), "'%s', not '%s'", v->reason, told);
  EXPECT((v->vec != NULL) == (t->coord >= 0));
  if (t->model.procs == 1) return;
  EXPECT_MSG(v->shared == (t->row->want != COPIED), "shared %d: %s", v->shared, v->reason);
  if (t->row->reason) EXPECT_MSG(test_contains(v->reason, t->row->reason), "reason: %s", v->reason);
  if (v->shared) EXPECT_INT(v->moved_bytes, 0);
  if (!v->vec) return;
  EXPECT((v->ao != NULL) == (t->row->want == GHOSTED || t->row->want == UNGHOSTED));
  EXPECT(has_local_form(v->vec) == ghosts_are_there(t, v));
}

/* The number of an element in the model, by that in the order asked for. */
static int64_t element_of(const ghost_trial *t, int64_t number)
{
  const bool nodes_are_slower = t->row->fortran == (t->options.order == DAP_ORDER_F);
  if (nodes_are_slower) return number + t->row->from * t->inner;
  return number % t->nodes * t->inner + number / t->nodes;
}

void ghosts_check_entries(const ghost_trial *t, const dap_petsc_vector *v)
{
  PetscInt begin = 0, end = 0, all = 0, block = 0;
  EXPECT(!VecGetOwnershipRange(v->vec, &begin, &end) && !VecGetSize(v->vec, &all));
  EXPECT(!VecGetBlockSize(v->vec, &block));
  EXPECT_INT(all, t->nodes * t->inner);
  EXPECT_INT(block, t->options.block_size ? t->options.block_size : 1);
  if (v->shared) EXPECT_INT(end - begin, t->model.owned[t->coord] * t->inner);
  for (PetscInt entry = begin; entry < end; entry++) {
    PetscInt number = entry;
    PetscScalar found = -1;
    EXPECT(!VecGetValues(v->vec, 1, &entry, &found));
    if (v->ao) EXPECT(!AOPetscToApplication(v->ao, 1, &number));
    const int64_t element = element_of(t, number), node = element / t->inner;
    EXPECT_MSG(found == t->model.want[element], "entry %d, element %d: %g", (int)entry, (int)element,
               (double)PetscRealPart(found));
    if (v->shared && v->ao) EXPECT_INT(entry, t->model.entry[node] * t->inner + element % t->inner);
  }
}

/* The local form is the list in the buffer. */
static void check_local_form(const ghost_trial *t, Vec vec)
{
  Vec local = NULL;
  PetscInt count = 0;
  const PetscScalar *memory = NULL;
  EXPECT(!VecGhostGetLocalForm(vec, &local));
  EXPECT(!VecGetLocalSize(local, &count) && !VecGetArrayRead(local, &memory));
  EXPECT_INT(count, held(t) * t->inner);
  if (count > 0) EXPECT((const char *)memory == t->first);
  EXPECT(!VecRestoreArrayRead(local, &memory) && !VecGhostRestoreLocalForm(vec, &local));
}

void ghosts_check_mapping(const ghost_trial *t, const dap_petsc_vector *v)
{
  const ghost_model *m = &t->model;
  ISLocalToGlobalMapping mapping = NULL;
  PetscInt count = 0;
  EXPECT(!VecGetLocalToGlobalMapping(v->vec, &mapping));
  if (!mapping) {
    EXPECT(!v->ao && !ghosts_are_there(t, v));
    return;
  }
  EXPECT(!ISLocalToGlobalMappingGetSize(mapping, &count));
  EXPECT_INT(count, held(t) * t->inner);
  for (PetscInt i = 0; i < count; i++) {
    PetscInt entry = -1;
    EXPECT(!ISLocalToGlobalMappingApply(mapping, 1, &i, &entry));
    const int64_t node = m->lists[t->coord][i / t->inner];
    EXPECT_MSG(entry == m->entry[node] * t->inner + i % t->inner, "position %d of node %d: entry %d", (int)i,
               (int)node, (int)entry);
  }
  if (ghosts_are_there(t, v)) check_local_form(t, v->vec);
}

void ghosts_check_norm(const ghost_trial *t, const dap_petsc_vector *v)
{
  PetscReal norm = -1, want = 0;
  if (!v->vec) return;
  for (int64_t i = 0; i < t->nodes * t->inner; i++)
    want += PetscAbsScalar(t->model.want[t->row->from * t->inner + i]);
  EXPECT(!VecNorm(v->vec, NORM_1, &norm));
  EXPECT_MSG(PetscAbsReal(norm - want) <= 1e-6 * want, "norm %g, not %g", (double)norm, (double)want);
}

/* ---- PETSc's updates -------------------------------------------------------------------------------- */

void ghosts_check_scatter(const ghost_trial *t, const dap_petsc_vector *v)
{
  PetscInt elements[GHOST_NODES * GHOST_INNER], count = (PetscInt)(held(t) * t->inner);
  const PetscScalar *memory = NULL;
  IS wanted;
  Vec fetched;
  VecScatter scatter;
  for (PetscInt i = 0; i < count; i++)
    elements[i] = (PetscInt)(t->model.lists[t->coord][i / t->inner] * t->inner) + i % (PetscInt)t->inner;
  if (v->ao) EXPECT(!AOApplicationToPetsc(v->ao, count, elements));
  EXPECT(!ISCreateGeneral(PETSC_COMM_SELF, count, elements, PETSC_COPY_VALUES, &wanted));
  EXPECT(!VecCreateSeq(PETSC_COMM_SELF, count, &fetched));
  EXPECT(!VecScatterCreate(v->vec, wanted, fetched, NULL, &scatter));
  EXPECT(!VecScatterBegin(scatter, v->vec, fetched, INSERT_VALUES, SCATTER_FORWARD));
  EXPECT(!VecScatterEnd(scatter, v->vec, fetched, INSERT_VALUES, SCATTER_FORWARD));
  EXPECT(!VecGetArrayRead(fetched, &memory));
  for (PetscInt i = 0; i < count; i++) {
    const char *at = t->first + i / t->inner * t->step + i % t->inner * t->within;
    EXPECT_MSG(same_bytes(at, &memory[i]), "position %d: not what is fetched, %g", (int)i,
               (double)PetscRealPart(memory[i]));
  }
  EXPECT(!VecRestoreArrayRead(fetched, &memory));
  EXPECT(!VecScatterDestroy(&scatter) && !VecDestroy(&fetched) && !ISDestroy(&wanted));
}

void ghosts_update(const dap_petsc_vector *v, InsertMode mode, ScatterMode direction)
{
  EXPECT(!VecGhostUpdateBegin(v->vec, mode, direction) && !VecGhostUpdateEnd(v->vec, mode, direction));
}

/* Each process's number goes to what it has, or to its ghosts alone. */
static void add_in_model(ghost_trial *t, int least, bool ghosts_only)
{
  ghost_model *m = &t->model;
  for (int c = 0; c < m->procs; c++)
    for (int64_t p = 0; p < m->lengths[c]; p++)
      for (int64_t j = 0; j < t->inner; j++)
        if (!ghosts_only || !m->flags[c][p]) m->want[m->lists[c][p] * t->inner + j] += least + c;
}

void ghosts_add_by_position(ghost_trial *t, const dap_petsc_vector *v)
{
  PetscInt positions[GHOST_NODES * GHOST_INNER], count = (PetscInt)(held(t) * t->inner);
  PetscScalar values[GHOST_NODES * GHOST_INNER];
  for (PetscInt i = 0; i < count; i++) {
    positions[i] = i;
    values[i] = 1 + t->coord;
  }
  EXPECT(!VecSetValuesLocal(v->vec, count, positions, values, ADD_VALUES));
  EXPECT(!VecAssemblyBegin(v->vec) && !VecAssemblyEnd(v->vec));
  add_in_model(t, 1, false);
}

void ghosts_add_in_ghosts(ghost_trial *t)
{
  const PetscScalar value = 2 + t->coord;
  for (int64_t p = 0; p < held(t); p++)
    for (int64_t j = 0; j < t->inner; j++)
      if (!t->model.flags[t->coord][p]) memcpy(t->first + p * t->step + j * t->within, &value, sizeof value);
  add_in_model(t, 2, true);
}
