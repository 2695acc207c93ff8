/* Adds to lists of stretches. */
#include "picture_impl.h"

#include <stdlib.h>

dap_status dap_picture_list_add(dap_picture_list *list, dap_picture_stretch stretch, dap_error *err)
{
  dap_picture_stretch *last = list->count > 0 ? &list->at[list->count - 1] : NULL;
  if (last && last->end == stretch.begin && last->coord == stretch.coord) {
    last->end = stretch.end;
    return DAP_OK;
  }
  if (list->count == list->capacity) {
    const int capacity = 2 * list->capacity + 8;
    dap_picture_stretch *at = realloc(list->at, (size_t)capacity * sizeof *at);
    DAP_REQUIRE(at, err, DAP_ERR_NOMEM, "no memory for a picture");
    list->at = at;
    list->capacity = capacity;
  }
  list->at[list->count++] = stretch;
  return DAP_OK;
}
