/* Calls that have been made, and plans for them. All processes of a communicator make the same calls in the
 * same order, so they have the same plans in the same order. Which of them a call is, each can only say for
 * its own arguments, so all are asked. The communicator's context keeps them, so they go with the
 * communicators that BLACS made for its contexts, or with MPI. */
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

/* Bit i: the call is entry i, whose plan is not broken. Two may be alike on one process, never on all: of
 * those made for one call, all but the last are broken, and some process knows it. */
static uint64_t compare(const dap_gemr2d_cache *cache, const dap_gemr2d_call *call)
{
  uint64_t alike = 0;
  for (int i = 0; i < cache->count; i++)
    if (memcmp(&cache->entries[i].call, call, sizeof *call) == 0 &&
        !(cache->entries[i].plan && dap_plan_is_broken(cache->entries[i].plan)))
      alike |= UINT64_C(1) << i;
  return alike;
}

static dap_gemr2d_entry *add(dap_gemr2d_cache *cache, const dap_gemr2d_call *call)
{
  if (cache->count == DAP_GEMR2D_PLANS) dap_plan_destroy(&cache->entries[--cache->count].plan);
  cache->entries[cache->count] = (dap_gemr2d_entry){.call = *call};
  use(cache, cache->count++);
  return &cache->entries[0];
}

dap_status dap_gemr2d_cache_find(dap_context *context, const dap_gemr2d_call *call, dap_gemr2d_entry **entry,
                                 bool *is_new, dap_error *err)
{
  static const dap_kept_kind kind = {sizeof(dap_gemr2d_cache), destroy};
  dap_gemr2d_cache *cache = dap_context_keep(context, &kind);
  uint64_t alike = cache ? compare(cache, call) : 0;
  const dap_status s = cache ? DAP_OK : dap_fail(err, DAP_ERR_NOMEM, "no memory for a cache of plans");
  *entry = NULL;
  DAP_TRY(dap_agree_bits(dap_context_comm(context), DAP_GEMR2D_FUNCTION, s, &alike, err));
  for (int i = 0; i < cache->count && !*entry; i++) {
    if (!(alike >> i & 1)) continue;
    use(cache, i);
    *entry = &cache->entries[0];
  }
  *is_new = !*entry;
  if (*is_new) *entry = add(cache, call);
  return DAP_OK;
}
