/* Layouts that know only what one process knows of a 'u' axis. */
#ifndef DAP_TEST_FORGET_H
#define DAP_TEST_FORGET_H

#include <lists_impl.h>
#include <stdlib.h>

/* Makes of a layout that knows all lists of `axis`, each its own, one as the process at `coord` has it after
 * dap_layout_assemble(): with its own list and its slice of the directory. */
static inline void forget(dap_layout *layout, int axis, int coord)
{
  const dap_map *map = &layout->maps[axis];
  for (int c = 0; c < map->axis.procs; c++) {
    dap_list *list = &map->lists->list[c];
    if (c == coord) continue;
    dap_packed_release(&list->indices);
    free(list->owned);
    *list = (dap_list){0};
  }
  const int64_t each = dap_directory_slice(map);
  const int64_t first = dap_smaller(coord * each, map->axis.size);
  dap_directory slice = {0}, *whole = &map->lists->directory;
  if (dap_directory_create(axis, map, first, dap_smaller(each, map->axis.size - first), &slice, NULL)) return;
  for (int64_t i = 0; i < slice.count; i++) {
    dap_packed_set(&slice.owner, i, dap_packed_get(&whole->owner, first + i));
    dap_packed_set(&slice.position, i, dap_packed_get(&whole->position, first + i));
  }
  dap_directory_release(whole);
  *whole = slice;
}

#endif
