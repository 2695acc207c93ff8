/* Caches are attributes of the communicators that BLACS made for its contexts, and go with them; those of contexts that
 * a program never exits go when MPI ends. */
#include "gemr2d_impl.h"

/* MPI finds attributes only by a key that is made at run time, and what is left at the end must be found: so the
 * library remembers both, as long as it hangs on MPI_COMM_SELF. Not guarded: BLACS is not for several threads. */
static struct {
  bool has_key, ends_with_mpi;
  int key;
  dap_gemr2d_cache *first;
} ring;

/* Called when BLACS frees a communicator, on all its processes. */
static int forget(MPI_Comm comm, int key, void *attribute, void *extra)
{
  (void)comm, (void)key, (void)extra;
  dap_gemr2d_cache *cache = attribute, **link = &ring.first;
  while (*link != cache) link = &(*link)->next;
  *link = cache->next;
  dap_gemr2d_cache_release(cache);
  return MPI_SUCCESS;
}

/* Called by MPI_Finalize while MPI still works. The oldest goes first: processes have their common ones in the order in
 * which they made them together. */
static int forget_all(MPI_Comm comm, int key, void *attribute, void *extra)
{
  (void)comm, (void)key, (void)attribute, (void)extra;
  int code = MPI_SUCCESS;
  while (ring.first && code == MPI_SUCCESS) code = MPI_Comm_delete_attr(ring.first->owner, ring.key);
  if (ring.has_key && code == MPI_SUCCESS) code = MPI_Comm_free_keyval(&ring.key);
  ring.has_key = ring.ends_with_mpi = false;
  return code;
}

static bool end_with_mpi(void)
{
  int key = MPI_KEYVAL_INVALID;
  if (ring.ends_with_mpi) return true;
  if (MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_all, &key, NULL) != MPI_SUCCESS) return false;
  ring.ends_with_mpi = MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL) == MPI_SUCCESS;
  return MPI_Comm_free_keyval(&key) == MPI_SUCCESS && ring.ends_with_mpi; /* freed when the attribute ends */
}

dap_status dap_gemr2d_hang(dap_gemr2d_cache *cache, dap_error *err)
{
  if (!ring.has_key)
    ring.has_key = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &ring.key, NULL) == MPI_SUCCESS;
  DAP_REQUIRE(end_with_mpi(), err, DAP_ERR_LIBRARY, "nothing can be hung on MPI_COMM_SELF");
  DAP_REQUIRE(ring.has_key, err, DAP_ERR_LIBRARY, "MPI_Comm_create_keyval failed");
  DAP_REQUIRE(MPI_Comm_set_attr(cache->owner, ring.key, cache) == MPI_SUCCESS, err, DAP_ERR_LIBRARY,
              "MPI_Comm_set_attr failed");
  dap_gemr2d_cache **link = &ring.first;
  while (*link) link = &(*link)->next;
  *link = cache;
  return DAP_OK;
}

void dap_gemr2d_unhang(dap_gemr2d_cache *cache)
{
  (void)MPI_Comm_delete_attr(cache->owner, ring.key); /* calls forget() */
}

dap_status dap_gemr2d_find(MPI_Comm comm, dap_gemr2d_cache **cache, dap_error *err)
{
  *cache = NULL;
  if (!ring.has_key) return DAP_OK;
  void *attribute = NULL;
  int found = 0;
  DAP_REQUIRE(MPI_Comm_get_attr(comm, ring.key, &attribute, &found) == MPI_SUCCESS, err, DAP_ERR_LIBRARY,
              "MPI_Comm_get_attr failed");
  if (found) *cache = attribute;
  return DAP_OK;
}
