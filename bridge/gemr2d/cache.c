/* Plans that have been made. All processes of a communicator make the same calls in the same order, so they have the
 * same plans in the same order; which of them a call is, each can only say for its own arguments, so all are asked. */
#include "gemr2d_impl.h"

#include <stdlib.h>
#include <string.h>

/* Takes the cache over: it hangs on the communicator, or is gone. */
static dap_status start(MPI_Comm comm, dap_gemr2d_cache *cache, dap_error *err)
{
  *cache = (dap_gemr2d_cache){.owner = comm, .comm = MPI_COMM_NULL};
  dap_status status = DAP_OK;
  if (MPI_Comm_dup(comm, &cache->comm) != MPI_SUCCESS)
    status = dap_fail(err, DAP_ERR_LIBRARY, "MPI_Comm_dup failed");
  if (!status && MPI_Comm_set_errhandler(cache->comm, MPI_ERRORS_RETURN) != MPI_SUCCESS)
    status = dap_fail(err, DAP_ERR_LIBRARY, "MPI_Comm_set_errhandler failed");
  if (!status) status = dap_gemr2d_hang(cache, err);
  const bool hangs = !status; /* here; perhaps not on another process */
  status = dap_agree(comm, status, err);
  if (status && hangs)
    dap_gemr2d_unhang(cache);
  else if (status)
    dap_gemr2d_cache_release(cache);
  return status;
}

dap_status dap_gemr2d_cache_get(MPI_Comm comm, dap_gemr2d_cache **cache, dap_error *err)
{
  DAP_TRY(dap_gemr2d_find(comm, cache, err));
  if (*cache) return DAP_OK; /* on every process: they are made together */
  dap_gemr2d_cache *fresh = calloc(1, sizeof *fresh);
  const dap_status status =
      dap_agree(comm, fresh ? DAP_OK : dap_fail(err, DAP_ERR_NOMEM, "no memory for a cache of plans"), err);
  if (status || !fresh) {
    free(fresh);
    return status;
  }
  DAP_TRY(start(comm, fresh, err));
  *cache = fresh;
  return DAP_OK;
}

/* Moves an entry to the front. */
static void use(dap_gemr2d_cache *cache, int i)
{
  const dap_gemr2d_call call = cache->entries[i].call;
  dap_plan *plan = cache->entries[i].plan;
  memmove(&cache->entries[1], &cache->entries[0], (size_t)i * sizeof *cache->entries);
  cache->entries[0].call = call;
  cache->entries[0].plan = plan;
}

/* The call that was done without a plan is forgotten: it gets one. */
static bool take_seen(dap_gemr2d_cache *cache, uint64_t alike)
{
  for (int i = 0; i < cache->seen_count; i++) {
    if (!(alike >> (DAP_GEMR2D_PLANS + i) & 1)) continue;
    cache->seen_count--;
    memmove(&cache->seen[i], &cache->seen[i + 1], (size_t)(cache->seen_count - i) * sizeof *cache->seen);
    return true;
  }
  return false;
}

/* Bit i: the call is plan i; behind the plans' bits those of the calls without one. Two may be alike on one process,
 * never on all. */
static uint64_t compare(const dap_gemr2d_cache *cache, const dap_gemr2d_call *call)
{
  uint64_t alike = 0;
  for (int i = 0; i < cache->count; i++)
    if (memcmp(&cache->entries[i].call, call, sizeof *call) == 0) alike |= UINT64_C(1) << i;
  for (int i = 0; i < cache->seen_count; i++)
    if (memcmp(&cache->seen[i], call, sizeof *call) == 0) alike |= UINT64_C(1) << (DAP_GEMR2D_PLANS + i);
  return alike;
}

dap_status dap_gemr2d_cache_find(dap_gemr2d_cache *cache, const dap_gemr2d_call *call, dap_plan **plan,
                                 bool *is_seen, dap_error *err)
{
  *plan = NULL;
  *is_seen = false;
  if (cache->count + cache->seen_count == 0) return DAP_OK;
  uint64_t alike = compare(cache, call);
  DAP_REQUIRE(MPI_Allreduce(MPI_IN_PLACE, &alike, 1, MPI_UINT64_T, MPI_BAND, cache->comm) == MPI_SUCCESS, err,
              DAP_ERR_LIBRARY, "MPI_Allreduce failed");
  for (int i = 0; i < cache->count; i++) {
    if (!(alike >> i & 1)) continue;
    use(cache, i);
    *plan = cache->entries[0].plan;
    return DAP_OK;
  }
  *is_seen = take_seen(cache, alike);
  return DAP_OK;
}

void dap_gemr2d_cache_add(dap_gemr2d_cache *cache, const dap_gemr2d_call *call, dap_plan *plan)
{
  if (cache->count == DAP_GEMR2D_PLANS) dap_plan_destroy(&cache->entries[--cache->count].plan);
  cache->entries[cache->count].call = *call;
  cache->entries[cache->count].plan = plan;
  use(cache, cache->count++);
}

void dap_gemr2d_cache_see(dap_gemr2d_cache *cache, const dap_gemr2d_call *call)
{
  if (cache->seen_count == DAP_GEMR2D_PLANS) cache->seen_count--;
  memmove(&cache->seen[1], &cache->seen[0], (size_t)cache->seen_count++ * sizeof *cache->seen);
  cache->seen[0] = *call;
}

void dap_gemr2d_cache_release(dap_gemr2d_cache *cache)
{
  for (int i = 0; i < cache->count; i++) dap_plan_destroy(&cache->entries[i].plan);
  if (cache->comm != MPI_COMM_NULL) (void)MPI_Comm_free(&cache->comm);
  free(cache);
}
