/* Keeps facts about a DMDA with it. */
#include "field_impl.h"
#include "petsc_versions.h"

#include <stdlib.h>

static const char memo_name[] = "dapbridge: memo";

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

PetscErrorCode dap_dm_memo_of(DM dm, dap_dm_memo **memo)
{
  PetscContainer container = NULL;
  PetscCall(PetscObjectQuery((PetscObject)dm, memo_name, (PetscObject *)&container));
  return container ? PetscContainerGetPointer(container, (void **)memo) : make_memo(dm, memo);
}

void dap_dm_forget(dap_dm_memo *memo)
{
  if (memo && --memo->users == 0) free(memo);
}
