/* Keeps facts about a DMDA with it. */
#include "field_impl.h"
#include "petsc_versions.h"

#include <stdlib.h>

static const char memo_name[] = "dapbridge: memo";

static PetscErrorCode find_memo(DM dm, dap_dm_memo **memo)
{
  PetscContainer container = NULL;
  *memo = NULL;
  PetscCall(PetscObjectQuery((PetscObject)dm, memo_name, (PetscObject *)&container));
  return container ? PetscContainerGetPointer(container, (void **)memo) : 0;
}

/* Marks the memo when the DMDA ends. */
static PetscErrorCode end_memo(dap_context_arg arg)
{
  dap_dm_memo *memo = dap_context_of(arg);
  memo->is_over = true;
  dap_dm_forget(memo);
  return 0;
}

static PetscErrorCode make_memo(DM dm, dap_dm_memo **memo)
{
  PetscContainer container = NULL;
  PetscCall(PetscContainerCreate(PETSC_COMM_SELF, &container));
  *memo = calloc(1, sizeof **memo);
  if (*memo) (*memo)->users = 1;
  PetscErrorCode code = PetscContainerSetPointer(container, *memo);
  if (!code && *memo) code = PetscContainerSetCtxDestroy(container, end_memo);
  if (!code && *memo) code = PetscObjectCompose((PetscObject)dm, memo_name, (PetscObject)container);
  PetscCall(PetscContainerDestroy(&container)); /* the DMDA has a reference */
  PetscCheck(*memo, PETSC_COMM_SELF, PETSC_ERR_MEM, "What is remembered of a DMDA");
  return code;
}

PetscErrorCode dap_dm_get_order(DM dm, dap_order *order)
{
  dap_dm_memo *memo = NULL;
  PetscCall(find_memo(dm, &memo));
  *order = memo ? memo->order : (dap_order)0;
  return 0;
}

static PetscErrorCode have_memo(DM dm, dap_dm_memo **memo)
{
  PetscCall(find_memo(dm, memo));
  return *memo ? 0 : make_memo(dm, memo);
}

PetscErrorCode dap_dm_get_matrix(DM dm, dap_stencil *stencil)
{
  dap_dm_memo *memo = NULL;
  PetscCall(find_memo(dm, &memo));
  *stencil = memo ? memo->matrix : (dap_stencil){0};
  return 0;
}

PetscErrorCode dap_dm_remember_matrix(DM dm, const dap_stencil *stencil)
{
  dap_dm_memo *memo = NULL;
  PetscCall(have_memo(dm, &memo));
  memo->matrix = *stencil;
  return 0;
}

PetscErrorCode dap_dm_remember(DM dm, dap_order order, dap_dm_memo **memo)
{
  dap_dm_memo *found = NULL;
  PetscCall(have_memo(dm, &found));
  found->order = order;
  if (*memo) return 0;
  *memo = found;
  found->users++;
  return 0;
}

void dap_dm_forget(dap_dm_memo *memo)
{
  if (memo && --memo->users == 0) free(memo);
}
