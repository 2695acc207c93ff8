#include "vectors.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Every element of an array, and where it was found, twice. */
typedef struct search {
  int ndim;
  int64_t count;
  int64_t *global;   /* [count][ndim] */
  int64_t *local[2]; /* [count][ndim] */
  int *rank[2];      /* [count] */
} search;

static dap_status search_init(search *all, const dap_layout *layout, dap_error *err)
{
  int64_t at[DAP_MAX_NDIM] = {0};
  *all = (search){.ndim = dap_layout_ndim(layout), .count = dap_layout_count(layout)};
  const size_t count = (size_t)all->count, words = count * (size_t)all->ndim;
  bool has_memory = (all->global = calloc(words + 1, sizeof *all->global)) != NULL;
  for (int i = 0; i < 2; i++) {
    has_memory = (all->local[i] = calloc(words + 1, sizeof *all->local[i])) && has_memory;
    has_memory = (all->rank[i] = calloc(count + 1, sizeof *all->rank[i])) && has_memory;
  }
  if (!has_memory) return dap_fail(err, DAP_ERR_NOMEM, "no memory for %zu elements", count);
  for (int64_t i = 0; i < all->count; i++) {
    memcpy(&all->global[i * all->ndim], at, (size_t)all->ndim * sizeof *at);
    for (int k = all->ndim - 1; k >= 0 && ++at[k] == dap_layout_size(layout, k); k--) at[k] = 0;
  }
  return DAP_OK;
}

static void search_release(search *all)
{
  free(all->global);
  for (int i = 0; i < 2; i++) {
    free(all->local[i]);
    free(all->rank[i]);
  }
}

/* The document has element i at that position of that process, if it lists positions. */
static dap_status compare_place(const json_t *vector, const search *all, int64_t i, dap_error *err)
{
  const int rank = all->rank[0][i];
  const json_t *part = json_array_get(json_object_get(vector, "ranks"), (size_t)rank);
  const json_t *available = json_object_get(part, "available");
  for (int k = 0; k < all->ndim && available; k++) {
    const json_t *list = json_array_get(available, (size_t)k);
    const int64_t local = all->local[0][i * all->ndim + k], global = all->global[i * all->ndim + k];
    if (local < 0 || json_integer_value(json_array_get(list, (size_t)local)) != global)
      return dap_fail(err, DAP_ERR_ARG,
                      "axis %d: index %" PRId64 " is found on process %d at position %" PRId64
                      ", where the document has another",
                      k, global, rank, local);
  }
  return DAP_OK;
}

static dap_status compare(const json_t *vector, const search *all, dap_error *err)
{
  for (int64_t i = 0; i < all->count; i++) {
    const size_t at = (size_t)(i * all->ndim), bytes = (size_t)all->ndim * sizeof *all->global;
    if (all->rank[0][i] != all->rank[1][i] || memcmp(&all->local[0][at], &all->local[1][at], bytes) != 0)
      return dap_fail(err, DAP_ERR_ARG, "element %" PRId64 " is on process %d by lookup, on %d when joined",
                      i, all->rank[0][i], all->rank[1][i]);
    const dap_status s = compare_place(vector, all, i, err);
    if (s) return s;
  }
  return DAP_OK;
}

dap_status find_all(const json_t *vector, MPI_Comm comm, const dap_layout *assembled,
                    const dap_layout *joined, dap_error *err)
{
  search all;
  dap_status s = dap_agree(comm, search_init(&all, assembled, err), err);
  if (!s) s = dap_layout_lookup(comm, assembled, all.count, all.global, all.rank[0], all.local[0], err);
  if (!s) s = dap_layout_locate_all(joined, all.count, all.global, all.rank[1], all.local[1], err);
  if (!s) s = compare(vector, &all, err);
  search_release(&all);
  return dap_agree(comm, s, err);
}
