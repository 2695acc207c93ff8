/* What hangs on a communicator: the BLACS grids made on it. They are kept after the last view and freed with the
 * communicator, or when MPI ends. */
#include "scalapack_impl.h"
#include <dapbridge/scalapack_calls.h>

#include <stdlib.h>

/* MPI finds attributes only by keys that are made at run time, so the library must remember them, and which sets
 * there are, while there is any. Not guarded: callers keep BLACS to one thread at a time. */
static struct {
  int key;     /* of the sets */
  int end_key; /* of an attribute of MPI_COMM_SELF, which MPI_Finalize() takes off while MPI still works */
  dap_blacs_set *first;
  bool has_keys;
} registry;

static void unlink_set(dap_blacs_set *set)
{
  dap_blacs_set **link = &registry.first;
  while (*link && *link != set) link = &(*link)->next;
  if (*link) *link = set->next;
}

/* Ends a set without views. Collective, as freeing a communicator is. */
static dap_status end(dap_blacs_set *set, dap_error *err)
{
  unlink_set(set);
  for (dap_blacs_grid *grid = set->first, *next; grid; grid = next) {
    next = grid->next;
    dap_blacs_grid_end(grid);
  }
  dap_status status = DAP_OK;
  if (set->comm != MPI_COMM_NULL && MPI_Comm_free(&set->comm) != MPI_SUCCESS)
    status = dap_fail(err, DAP_ERR_LIBRARY, "MPI_Comm_free failed");
  free(set);
  return status;
}

/* The caller frees the communicator. Live views keep the set, and find that its owner is gone. */
static int owner_goes(MPI_Comm comm, int key, void *attribute, void *extra)
{
  (void)comm, (void)key, (void)extra;
  dap_blacs_set *set = attribute;
  set->owner = MPI_COMM_NULL;
  return set->views > 0 || end(set, NULL) == DAP_OK ? MPI_SUCCESS : MPI_ERR_OTHER;
}

/* Whether BLACS still has a grid of the library's here: after Cblacs_exit() there is none. */
static bool blacs_lives(void)
{
  dap_scalapack_int extent[2] = {-1, -1}, place[2] = {-1, -1};
  for (const dap_blacs_set *set = registry.first; set; set = set->next)
    for (const dap_blacs_grid *grid = set->first; grid; grid = grid->next) {
      if (grid->context < 0) continue;
      Cblacs_gridinfo(grid->context, &extent[0], &extent[1], &place[0], &place[1]);
      if (extent[0] > 0) return true;
    }
  return false;
}

/* MPI ends: all sets that nobody uses, in the order in which they were made, which is the same for all processes
 * that two of them have in common. */
static int mpi_ends(MPI_Comm comm, int key, void *attribute, void *extra)
{
  (void)comm, (void)key, (void)attribute, (void)extra;
  int code = MPI_SUCCESS;
  /* Of all contexts: messages not asked after keep their communicators. Not in a Cblacs_exit() that ends MPI, as it has
   * freed the buffers and not yet forgotten them (BLACS/SRC/blacs_exit_.c). */
  if (blacs_lives()) Cblacs_freebuff(0, 1);
  for (dap_blacs_set *set = registry.first, *next; set; set = next) {
    next = set->next;
    if (set->owner == MPI_COMM_NULL) continue;
    const int result = MPI_Comm_delete_attr(set->owner, registry.key); /* ends it */
    if (result != MPI_SUCCESS) code = result;
  }
  registry.has_keys = false;
  if (MPI_Comm_free_keyval(&registry.key) != MPI_SUCCESS) code = MPI_ERR_OTHER;
  if (MPI_Comm_free_keyval(&registry.end_key) != MPI_SUCCESS) code = MPI_ERR_OTHER;
  return code;
}

static dap_status make_keys(dap_error *err)
{
  if (registry.has_keys) return DAP_OK;
  DAP_REQUIRE(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, owner_goes, &registry.key, NULL) == MPI_SUCCESS &&
                  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, mpi_ends, &registry.end_key, NULL) ==
                      MPI_SUCCESS &&
                  MPI_Comm_set_attr(MPI_COMM_SELF, registry.end_key, &registry) == MPI_SUCCESS,
              err, DAP_ERR_LIBRARY, "MPI attributes cannot be made");
  registry.has_keys = true;
  return DAP_OK;
}

/* *set is NULL when the communicator has none. Not collective. */
static dap_status find(MPI_Comm comm, dap_blacs_set **set, dap_error *err)
{
  *set = NULL;
  if (!registry.has_keys) return DAP_OK;
  void *attribute = NULL;
  int found = 0;
  DAP_REQUIRE(MPI_Comm_get_attr(comm, registry.key, &attribute, &found) == MPI_SUCCESS, err, DAP_ERR_LIBRARY,
              "MPI_Comm_get_attr failed");
  if (found) *set = attribute;
  return DAP_OK;
}

static dap_status start(MPI_Comm comm, dap_blacs_set *set, dap_error *err)
{
  DAP_REQUIRE(MPI_Comm_dup(comm, &set->comm) == MPI_SUCCESS, err, DAP_ERR_LIBRARY, "MPI_Comm_dup failed");
  DAP_REQUIRE(MPI_Comm_rank(comm, &set->rank) == MPI_SUCCESS, err, DAP_ERR_LIBRARY, "MPI_Comm_rank failed");
  DAP_REQUIRE(MPI_Comm_set_attr(comm, registry.key, set) == MPI_SUCCESS, err, DAP_ERR_LIBRARY,
              "MPI_Comm_set_attr failed");
  set->owner = comm;
  return DAP_OK;
}

dap_status dap_blacs_set_get(MPI_Comm comm, dap_blacs_set **set, dap_error *err)
{
  dap_status status = find(comm, set, err);
  if (!status && *set) { /* on every process: sets come collectively */
    (*set)->views++;
    return DAP_OK;
  }
  *set = NULL;
  dap_blacs_set *fresh = calloc(1, sizeof *fresh);
  if (!status && !fresh) status = dap_fail(err, DAP_ERR_NOMEM, "no memory for a set of BLACS grids");
  if (!status) status = make_keys(err);
  status = dap_agree(comm, status, err);
  if (status) {
    free(fresh);
    return status;
  }
  *fresh = (dap_blacs_set){.comm = MPI_COMM_NULL, .owner = MPI_COMM_NULL, .views = 1};
  dap_blacs_set **last = &registry.first;
  while (*last) last = &(*last)->next;
  *last = fresh;
  status = dap_agree(comm, start(comm, fresh, err), err);
  if (!status) {
    *set = fresh;
    return DAP_OK;
  }
  fresh->views = 0;
  if (fresh->owner != MPI_COMM_NULL)
    (void)MPI_Comm_delete_attr(comm, registry.key); /* ends it */
  else
    (void)end(fresh, NULL);
  return status;
}

dap_status dap_blacs_set_drop(dap_blacs_set *set, dap_error *err)
{
  if (--set->views > 0 || set->owner != MPI_COMM_NULL) return DAP_OK;
  return end(set, err);
}
