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
    const int *desc = matrix->desc;
    const dap_blacs_map *map = &matrix->state->grid->map;
    length = snprintf(text, capacity,
                      "%d x %d matrix, op '%c', %d x %d blocks on a %d x %d grid, leading dimension %d; "
                      "%s, %" PRId64 " bytes moved: %s",
                      desc[2], desc[3], matrix->op, desc[4], desc[5], map->nprow, map->npcol, desc[8],
                      matrix->shared ? "shared" : "moved", matrix->moved_bytes, matrix->reason);
  }
  return length > 0 ? (size_t)length : 0;
}
