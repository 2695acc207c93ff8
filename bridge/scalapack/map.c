/* Which process sits where on a BLACS grid. */
#include "scalapack_impl.h"

#include <stdlib.h>
#include <string.h>

dap_status dap_blacs_map_make(dap_blacs_map *map, int nprow, int npcol, dap_error *err)
{
  *map = (dap_blacs_map){.nprow = nprow, .npcol = npcol};
  map->ranks = calloc((size_t)nprow * (size_t)npcol, sizeof *map->ranks);
  DAP_REQUIRE(map->ranks, err, DAP_ERR_NOMEM, "no memory for a %d x %d process grid", nprow, npcol);
  return DAP_OK;
}

dap_status dap_blacs_map_of(dap_blacs_map *map, const int procs[2], const int ranks[], char op,
                            const int first[2], dap_error *err)
{
  const int row = dap_scalapack_swap(op, 0), col = dap_scalapack_swap(op, 1);
  DAP_TRY(dap_blacs_map_make(map, procs[row], procs[col], err));
  int *next = map->ranks;
  for (int q = 0; q < map->npcol; q++) {
    for (int p = 0; p < map->nprow; p++) {
      int at[2];
      at[row] = (int)(((int64_t)p + first[0]) % map->nprow);
      at[col] = (int)(((int64_t)q + first[1]) % map->npcol);
      *next++ = ranks[at[0] * procs[1] + at[1]];
    }
  }
  return DAP_OK;
}

dap_status dap_blacs_map_copy(dap_blacs_map *map, const dap_blacs_map *from, dap_error *err)
{
  DAP_TRY(dap_blacs_map_make(map, from->nprow, from->npcol, err));
  memcpy(map->ranks, from->ranks, (size_t)map->nprow * (size_t)map->npcol * sizeof *map->ranks);
  return DAP_OK;
}

bool dap_blacs_map_equal(const dap_blacs_map *a, const dap_blacs_map *b)
{
  return a->nprow == b->nprow && a->npcol == b->npcol &&
         !memcmp(a->ranks, b->ranks, (size_t)a->nprow * (size_t)a->npcol * sizeof *a->ranks);
}

int dap_blacs_map_rank(const dap_blacs_map *map, int row, int col)
{
  return map->ranks[col * map->nprow + row];
}

bool dap_blacs_map_find(const dap_blacs_map *map, int rank, int place[2])
{
  for (int i = 0; i < map->nprow * map->npcol; i++) {
    if (map->ranks[i] != rank) continue;
    place[0] = i % map->nprow;
    place[1] = i / map->nprow;
    return true;
  }
  return false;
}

void dap_blacs_map_free(dap_blacs_map *map)
{
  free(map->ranks);
  *map = (dap_blacs_map){0};
}
