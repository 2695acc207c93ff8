/* A view in words. */
#include "scalapack_impl.h"

#include <inttypes.h>
#include <stdio.h>

size_t dap_scalapack_describe(const dap_scalapack_matrix *matrix, char *text, size_t capacity)
{
  int length;
  if (!matrix || !matrix->state) {
    length = snprintf(text, capacity, "no live view");
  } else {
    const dap_scalapack_int *desc = matrix->desc;
    const dap_blacs_map *map = &matrix->state->grid->map;
    length =
        snprintf(text, capacity,
                 "%lld x %lld matrix, op '%c', %lld x %lld blocks on a %d x %d grid, leading dimension %lld; "
                 "%s, %" PRId64 " bytes moved: %s",
                 (long long)matrix->m, (long long)matrix->n, matrix->op, (long long)desc[4],
                 (long long)desc[5], map->nprow, map->npcol, (long long)desc[8],
                 matrix->shared ? "shared" : "moved", matrix->moved_bytes, matrix->reason);
  }
  return length > 0 ? (size_t)length : 0;
}
