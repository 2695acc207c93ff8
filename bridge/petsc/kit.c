/* What the fields of one form on one DMDA share: the grid, the verdicts and the plans, so that who gets a field again and
 * again pays for them once. The DMDA keeps them as long as it lives. */
#include "petsc_impl.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

enum { KITS_MAX = 8 /* that one DMDA keeps */ };

static const char name[] = "dapbridge";

/* ---- those that a DMDA keeps ------------------------------------------------------------------------ */

typedef struct shelf {
  dap_kit *first; /* the newest */
} shelf;

/* When the DMDA is destroyed. */
static PetscErrorCode clear(void *memory)
{
  shelf *s = memory;
  for (dap_kit *kit = s ? s->first : NULL, *next; kit; kit = next) {
    next = kit->next;
    kit->kept = false;
    dap_kit_release(kit);
  }
  free(s);
  return 0;
}

static PetscErrorCode find_shelf(DM dm, shelf **s)
{
  PetscContainer container = NULL;
  *s = NULL;
  PetscCall(PetscObjectQuery((PetscObject)dm, name, (PetscObject *)&container));
  if (container) PetscCall(PetscContainerGetPointer(container, (void **)s));
  return 0;
}

/* The shelf is the DMDA's once nothing can fail any more; before, its place there is empty. */
static PetscErrorCode put_shelf(DM dm, shelf *s)
{
  PetscContainer made = NULL;
  PetscCall(PetscContainerCreate(PETSC_COMM_SELF, &made));
  PetscContainer place = made;
  const PetscErrorCode put = PetscObjectCompose((PetscObject)dm, name, (PetscObject)place);
  PetscCall(PetscContainerDestroy(&made)); /* the DMDA has a reference */
  PetscCall(put);
  PetscCall(PetscContainerSetUserDestroy(place, clear));
  return PetscContainerSetPointer(place, s);
}

/* Drops the oldest kit that no view uses. Collective, as all have got the same ones. */
static void make_room(shelf *s)
{
  int count = 0;
  dap_kit **oldest = NULL;
  for (dap_kit **kit = &s->first; *kit; kit = &(*kit)->next, count++)
    if ((*kit)->users == 1) oldest = kit;
  if (count < KITS_MAX || !oldest) return;
  dap_kit *old = *oldest;
  *oldest = old->next;
  old->kept = false;
  dap_kit_release(old);
}

/* The DMDA's shelf, a new one if it has none. Not collective, and not agreed: *shelf counts if all have one. */
static dap_status provide(DM dm, shelf **shelf_of_dm, dap_error *err)
{
  dap_catch caught;
  dap_catch_begin(&caught);
  const PetscErrorCode code = find_shelf(dm, shelf_of_dm);
  DAP_TRY(dap_catch_end(&caught, code, "asking the DMDA for its plans", err));
  if (*shelf_of_dm) return DAP_OK;
  shelf *made = calloc(1, sizeof *made);
  DAP_REQUIRE(made, err, DAP_ERR_NOMEM, "no memory for a field");
  dap_catch_begin(&caught);
  const dap_status s = dap_catch_end(&caught, put_shelf(dm, made), "giving the DMDA its plans", err);
  if (s) free(made);
  if (!s) *shelf_of_dm = made;
  return s;
}

/* Collective on the kit's communicator; agreed before a kit has to make room for it, which needs all processes. */
static dap_status keep(dap_kit *kit, dap_error *err)
{
  shelf *s = NULL;
  DAP_TRY(dap_agree(kit->comm, provide(kit->dm, &s, err), err));
  make_room(s);
  kit->next = s->first;
  s->first = kit;
  kit->kept = true;
  kit->users++;
  return DAP_OK;
}

/* ---- which one -------------------------------------------------------------------------------------- */

static dap_form form_of(const struct dap_petsc_state *state)
{
  const dap_petsc_field_options *o = &state->options;
  const dap_array *array = &state->work.array;
  dap_form form = {.words = {(uint64_t)state->access, (uint64_t)o->sharing, o->vectors, (uint64_t)o->width,
                             o->star, (uint64_t)o->dof_axes, (uint64_t)o->boundary, o->strip_periodic,
                             dap_layout_hash(state->layout), (uint64_t)state->rank, state->work.is_copy,
                             (uintptr_t)array->data % alignof(PetscScalar), array->data == NULL,
                             (uint64_t)state->work.origin.dtype, (uint64_t)o->order}};
  for (int k = 0; k < array->ndim; k++) form.strides[k] = array->strides[k];
  return form;
}

dap_kit *dap_kit_newest(DM dm)
{
  PetscBool up = PETSC_FALSE, over = PETSC_TRUE;
  shelf *s = NULL;
  if (!dm || PetscInitialized(&up) || PetscFinalized(&over) || !up || over) return NULL;
  dap_catch caught;
  dap_catch_begin(&caught);
  const dap_status found = dap_catch_end(&caught, find_shelf(dm, &s), "asking the DMDA for its plans", NULL);
  return found || !s ? NULL : s->first;
}

dap_kit *dap_kit_find(const struct dap_petsc_state *state)
{
  const dap_form form = form_of(state);
  for (dap_kit *kit = dap_kit_newest(state->options.dm); kit; kit = kit->next)
    if (memcmp(&kit->form, &form, sizeof form) == 0) return kit;
  return NULL;
}

/* The least of all ids and the least of all their complements are each other's complements iff all are equal. */
dap_status dap_kit_meet(MPI_Comm comm, const dap_kit *kit, dap_vote vote, uint64_t choice, bool *all,
                        dap_error *err)
{
  const bool votes = vote != DAP_VOTE_NONE;
  const uint64_t id = kit ? kit->id : 0;
  const uint64_t here[] = {
      votes ? id : UINT64_MAX, votes ? ~id : UINT64_MAX, votes, vote != DAP_VOTE_ALL, choice, ~choice};
  uint64_t least[6] = {0};
  *all = false;
  DAP_TRY(dap_petsc_mpi(MPI_Allreduce(here, least, 6, MPI_UINT64_T, MPI_MIN, comm), "MPI_Allreduce", err));
  *all = least[0] != 0 && least[0] == ~least[1] && (least[2] || least[3]) && least[4] == ~least[5];
  return DAP_OK;
}

/* An address of rank 0's that no other living kit has. */
static dap_status name_it(dap_kit *kit, dap_error *err)
{
  kit->id = (uint64_t)(uintptr_t)kit;
  return dap_petsc_mpi(MPI_Bcast(&kit->id, 1, MPI_UINT64_T, 0, kit->comm), "MPI_Bcast", err);
}

/* ---- making ----------------------------------------------------------------------------------------- */

/* Plans all that get and restore move. */
static dap_status plan_moves(dap_kit *kit, const struct dap_petsc_state *state, dap_error *err)
{
  const dap_end array = {&kit->array, DAP_MEMORY_ARRAY};
  const dap_end local = {&kit->grid.local, DAP_MEMORY_LOCAL};
  const dap_end global = {&kit->grid.global, DAP_MEMORY_GLOBAL};
  const unsigned vectors = state->options.vectors;
  const bool copy_local = vectors & DAP_PETSC_LOCAL && !kit->shared_local;
  const bool copy_global = vectors & DAP_PETSC_GLOBAL && !kit->shared_global;
  if (state->access & DAP_READ && copy_local)
    DAP_TRY(dap_steps_copy(&kit->in, kit->comm, &array, &local, DAP_EXTENT_GHOSTS, err));
  if (state->access & DAP_READ && copy_global)
    DAP_TRY(dap_steps_copy(&kit->in, kit->comm, &array, &global, DAP_EXTENT_POINTS, err));
  if (!(state->access & DAP_WRITE)) return DAP_OK;
  if (copy_local && vectors & DAP_PETSC_GLOBAL)
    DAP_TRY(dap_steps_edges(&kit->out, kit->comm, &local, &array, err));
  else if (copy_local)
    DAP_TRY(dap_steps_copy(&kit->out, kit->comm, &local, &array, DAP_EXTENT_EDGES, err));
  if (copy_global) DAP_TRY(dap_steps_copy(&kit->out, kit->comm, &global, &array, DAP_EXTENT_POINTS, err));
  DAP_TRY(dap_steps_wrap(&kit->pad, kit->comm, &array, err));
  return dap_steps_halo(&kit->pad, kit->comm, &array, err);
}

static dap_status build(MPI_Comm comm, const struct dap_petsc_state *state, dap_kit *kit, dap_error *err)
{
  const dap_petsc_field_options *o = &state->options;
  const uint64_t given = o->dm != NULL;
  dap_ownership ownership = {0};
  dap_status s = dap_box_init(state->layout, o, state->rank, state->work.array.strides, &kit->array, err);
  DAP_TRY(dap_agree(comm, s, err));
  DAP_TRY(dap_agree_words(comm, &given, (const char *[]){"options: dm is given"}, 1, err));
  DAP_TRY(dap_agree(comm, dap_petsc_comm(comm, &kit->comm, err), err));
  DAP_TRY(dap_agree(comm, name_it(kit, err), err));
  if (given) s = dap_petsc_start(comm, err);
  if (given && !s) s = dap_user_dmda_take(comm, o->dm, o, kit, &ownership, err);
  if (!s) s = dap_agree(comm, dap_kit_width(kit, o, err), err);
  if (!s) s = dap_decide(state, given ? &ownership : NULL, kit, err);
  dap_ownership_release(&ownership);
  DAP_TRY(s);
  kit->dm = o->dm;
  if (!given) s = dap_petsc_start(comm, err); /* not for what is refused */
  if (!given && !s) s = dap_dm_create(comm, &kit->grid, &kit->dm, err);
  if (!s) s = plan_moves(kit, state, err);
  return s ? s : keep(kit, err);
}

static dap_status destroy(DM *dm)
{
  dap_catch caught;
  dap_catch_begin(&caught);
  return dap_catch_end(&caught, DMDestroy(dm), "destroying the DMDA", NULL);
}

dap_status dap_kit_create(MPI_Comm comm, const struct dap_petsc_state *state, dap_kit **kit, DM *dm,
                          dap_error *err)
{
  dap_kit *made = calloc(1, sizeof *made);
  *dm = NULL;
  dap_status s = made ? DAP_OK : dap_fail(err, DAP_ERR_NOMEM, "no memory for a field");
  s = dap_agree(comm, s, err);
  if (!made || s) {
    free(made);
    return s;
  }
  made->users = 1;
  made->comm = MPI_COMM_NULL;
  made->form = form_of(state);
  s = build(comm, state, made, err);
  DM own = state->options.dm ? NULL : made->dm;
  if (s && own) (void)destroy(&own);
  if (s) dap_kit_release(made);
  if (s) return s;
  *kit = made;
  *dm = own;
  return DAP_OK;
}

/* Without MPI what communicators held is lost, and the plans stay. */
void dap_kit_release(dap_kit *kit)
{
  if (!kit || --kit->users > 0) return;
  if (dap_petsc_has_mpi()) {
    dap_steps_release(&kit->in);
    dap_steps_release(&kit->out);
    dap_steps_release(&kit->pad);
    if (kit->comm != MPI_COMM_NULL) (void)MPI_Comm_free(&kit->comm);
  }
  dap_box_release(&kit->array);
  dap_box_release(&kit->grid.local);
  dap_box_release(&kit->grid.global);
  free(kit);
}
