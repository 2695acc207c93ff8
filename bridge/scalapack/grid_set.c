/* Keeps the BLACS grids of a communicator. Its context keeps them after the last view, until the
 * communicator is freed or MPI ends. Views that live longer keep them themselves. */
#include "scalapack_impl.h"
#include <dapbridge/scalapack_calls.h>

#include <stdlib.h>

/* The object that the context keeps. */
typedef struct keeper {
  dap_blacs_set *set;
} keeper;

static void end_grids(dap_blacs_set *set)
{
  for (dap_blacs_grid *grid = set->first, *next; grid; grid = next) {
    next = grid->next;
    dap_blacs_grid_end(grid);
  }
  set->first = NULL;
}

/* Returns whether BLACS has any grid on this process. After Cblacs_exit() it has none. BLACS numbers its
 * contexts from 0 on, and gives numbers again. */
static bool blacs_lives(void)
{
  enum { MOST_CONTEXTS = 1024 };
  dap_scalapack_int extent[2], place[2];
  for (dap_scalapack_int context = 0; context < MOST_CONTEXTS; context++) {
    Cblacs_gridinfo(context, &extent[0], &extent[1], &place[0], &place[1]);
    if (extent[0] > 0) return true;
  }
  return false;
}

/* Is called as the context ends. Live views keep the set, but as MPI ends they do not keep its grids. */
static void on_delete(void *object, bool mpi_ends)
{
  dap_blacs_set *set = ((const keeper *)object)->set;
  if (!set) return;
  /* Messages that are not waited for keep the communicators of their contexts, so their buffers are freed. If
   * Cblacs_exit() ends MPI, it has freed the buffers and still refers to them (BLACS/SRC/blacs_exit_.c). */
  if (mpi_ends && blacs_lives()) Cblacs_freebuff(0, 1);
  set->owner = MPI_COMM_NULL;
  for (dap_blacs_grid *grid = set->first; grid && mpi_ends; grid = grid->next) dap_blacs_grid_exit(grid);
  if (set->users > 0) return;
  end_grids(set);
  free(set);
}

static const dap_kept_kind kind = {sizeof(keeper), on_delete};

static dap_status start(MPI_Comm comm, dap_context *context, dap_blacs_set **set, dap_error *err)
{
  keeper *kept = dap_context_keep(context, &kind);
  *set = kept ? calloc(1, sizeof **set) : NULL;
  DAP_REQUIRE(*set, err, DAP_ERR_NOMEM, "no memory for a set of BLACS grids");
  **set = (dap_blacs_set){.owner = comm, .context = context};
  DAP_REQUIRE(MPI_Comm_rank(comm, &(*set)->rank) == MPI_SUCCESS, err, DAP_ERR_LIBRARY,
              "MPI_Comm_rank failed");
  return DAP_OK;
}

dap_status dap_blacs_set_get(MPI_Comm comm, dap_blacs_set **set, dap_error *err)
{
  dap_context *context;
  *set = NULL;
  DAP_TRY(dap_context_get(comm, NULL, &context, err));
  const keeper *kept = dap_context_keep(context, &kind);
  if (kept && kept->set) { /* the same on every process, as sets are made collectively */
    *set = kept->set;
  } else {
    dap_blacs_set *fresh;
    const dap_status status = dap_agree(comm, start(comm, context, &fresh, err), err);
    if (status) {
      free(fresh);
      dap_context_release(&context);
      return status;
    }
    *set = ((keeper *)dap_context_keep(context, &kind))->set = fresh;
  }
  if ((*set)->users++ > 0) dap_context_release(&context);
  return DAP_OK;
}

void dap_blacs_set_drop(dap_blacs_set *set)
{
  dap_context *context = set->context;
  if (--set->users > 0) return;
  if (set->owner == MPI_COMM_NULL) {
    end_grids(set);
    free(set);
  }
  dap_context_release(&context);
}
