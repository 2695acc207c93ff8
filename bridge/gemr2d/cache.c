/* Keeps plans of earlier calls, the same ones in the same order on all processes of a communicator. A process
 * can compare only its own arguments with those of earlier calls, so the processes agree. The communicator's
 * context keeps the plans until BLACS frees the communicator of its grid, or until MPI ends. */
#include "gemr2d_impl.h"

#include <string.h>

static void destroy(void *object, bool mpi_ends)
{
  (void)mpi_ends;
  dap_gemr2d_cache *cache = object;
  for (int i = 0; i < cache->count; i++) dap_plan_destroy(&cache->entries[i].plan);
}

/* Moves an entry to the front. */
static void use(dap_gemr2d_cache *cache, int i)
{
  const dap_gemr2d_entry entry = cache->entries[i];
  memmove(&cache->entries[1], &cache->entries[0], (size_t)i * sizeof *cache->entries);
  cache->entries[0] = entry;
}

/* Returns bit i if the call is entry i and its plan is not broken. Two entries may be alike on one process,
 * never on all. If several were made for one call, all but the last are broken, and some process knows
 * it. */
static uint64_t compare(const dap_gemr2d_cache *cache, const dap_gemr2d_call *call)
{
  uint64_t alike = 0;
  for (int i = 0; i < cache->count; i++)
    if (memcmp(&cache->entries[i].call, call, sizeof *call) == 0 &&
        !dap_plan_is_broken(cache->entries[i].plan))
      alike |= UINT64_C(1) << i;
  return alike;
}

void dap_gemr2d_cache_add(dap_gemr2d_cache *cache, const dap_gemr2d_call *call, dap_plan *plan)
{
  if (cache->count == DAP_GEMR2D_PLANS) dap_plan_destroy(&cache->entries[--cache->count].plan);
  cache->entries[cache->count] = (dap_gemr2d_entry){*call, plan};
  use(cache, cache->count++);
}

dap_gemr2d_cache *dap_gemr2d_cache_of(dap_context *context)
{
  static const dap_kept_kind kind = {sizeof(dap_gemr2d_cache), destroy};
  return dap_context_keep(context, &kind);
}

/* Agrees on the bits of plans, and above them the bits of earlier calls. */
dap_status dap_gemr2d_cache_find(dap_gemr2d_cache *cache, MPI_Comm comm, const dap_gemr2d_call *call,
                                 uint32_t *earlier, dap_plan **plan, dap_error *err)
{
  uint64_t alike = (uint64_t)*earlier << DAP_GEMR2D_PLANS | (cache ? compare(cache, call) : 0);
  const dap_status s = cache ? DAP_OK : dap_fail(err, DAP_ERR_NOMEM, "no memory for a cache of plans");
  *plan = NULL;
  DAP_TRY(dap_agree_bits(comm, DAP_GEMR2D_FUNCTION, s, &alike, err));
  *earlier = (uint32_t)(alike >> DAP_GEMR2D_PLANS);
  for (int i = 0; i < cache->count && !*plan; i++) {
    if (!(alike >> i & 1)) continue;
    use(cache, i);
    *plan = cache->entries[0].plan;
  }
  return DAP_OK;
}
