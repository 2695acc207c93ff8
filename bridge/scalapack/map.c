/* Makes and searches maps, which have the rank at each place of a BLACS grid. */
#include "scalapack_impl.h"

#include <stdlib.h>
#include <string.h>

dap_status dap_blacs_map_make(dap_blacs_map *map, int nprow, int npcol, dap_error *err)
{
  *map = (dap_blacs_map){.procs = {nprow, npcol}};
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
  for (int q = 0; q < map->procs[1]; q++) {
    for (int p = 0; p < map->procs[0]; p++) {
      int at[2];
      at[row] = (int)(((int64_t)p + first[0]) % map->procs[0]);
      at[col] = (int)(((int64_t)q + first[1]) % map->procs[1]);
      *next++ = ranks[at[0] * procs[1] + at[1]];
    }
  }
  return DAP_OK;
}

dap_status dap_blacs_map_copy(dap_blacs_map *map, const dap_blacs_map *from, dap_error *err)
{
  DAP_TRY(dap_blacs_map_make(map, from->procs[0], from->procs[1], err));
  memcpy(map->ranks, from->ranks, (size_t)map->procs[0] * (size_t)map->procs[1] * sizeof *map->ranks);
  return DAP_OK;
}

bool dap_blacs_map_equal(const dap_blacs_map *a, const dap_blacs_map *b)
{
  return a->procs[0] == b->procs[0] && a->procs[1] == b->procs[1] &&
         !memcmp(a->ranks, b->ranks, (size_t)a->procs[0] * (size_t)a->procs[1] * sizeof *a->ranks);
}

int dap_blacs_map_rank(const dap_blacs_map *map, int row, int col)
{
  return map->ranks[col * map->procs[0] + row];
}

bool dap_blacs_map_find(const dap_blacs_map *map, int rank, int place[2])
{
  for (int i = 0; i < map->procs[0] * map->procs[1]; i++) {
    if (map->ranks[i] != rank) continue;
    place[0] = i % map->procs[0];
    place[1] = i / map->procs[0];
    return true;
  }
  return false;
}

void dap_blacs_map_free(dap_blacs_map *map)
{
  free(map->ranks);
  *map = (dap_blacs_map){0};
}
