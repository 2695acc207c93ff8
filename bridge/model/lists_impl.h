/* The parts of a 'u' map, for the files that make and keep one. */
#ifndef DAP_LISTS_IMPL_H
#define DAP_LISTS_IMPL_H

#include "model_impl.h"

/* lists.c */
/* Sets ops and allocates all but the lists and the directory; map->axis has size and procs. */
dap_status dap_lists_start(int axis, bool one_to_one, dap_map *map, dap_error *err);
/* Takes a copy of a list that has passed its checks; lists->held[coord] is its length. */
dap_status dap_lists_set(int axis, dap_map *map, int coord, const dap_dim *dim, dap_error *err);
/* The lists hold at least as many indices as there are, and no more if one to one. lists->held is set. */
dap_status dap_lists_count(int axis, const dap_map *map, bool *has_duplicates, dap_error *err);
/* Flags that say that nothing at `coord` is owned; dap_lists_own() counts and flags what is. */
dap_status dap_lists_disown(int axis, dap_map *map, int coord, dap_error *err);
void dap_lists_own(dap_map *map, int coord, int64_t local);
/* Sets which of a list's indices `coord` owns: those with is_owned[held], or the first `first` if that is
 * NULL. */
dap_status dap_lists_give(int axis, dap_map *map, int coord, int64_t first, const bool *is_owned,
                          dap_error *err);
bool dap_lists_is_owned(const dap_map *map, int coord, int64_t local); /* of a known list */
uint64_t dap_list_digest(const dap_map *map,
                         int coord); /* of a known list whose owners are known; the sum over its indices */
dap_status dap_lists_copy(int axis, const dap_map *map, dap_map *copy, dap_error *err);
bool dap_lists_equal(const dap_map *a, const dap_map *b);
void dap_lists_release(dap_map *map);

/* directory.c */
dap_status dap_directory_create(int axis, const dap_map *map, int64_t first, int64_t count,
                                dap_directory *directory, dap_error *err);
void dap_directory_release(dap_directory *directory);
/* Enters who holds an index of the slice, or owns it where owners are given; the lowest coordinate stays. */
void dap_directory_claim(dap_map *map, int64_t global, int coord, int64_t position);
int64_t dap_directory_gap(const dap_map *map); /* lowest index of the slice without owner; INT64_MAX: none */
/* Makes an error of the lowest gap, or of the lowest index held twice, of all slices. `owner` has the
 * latter. */
dap_status dap_directory_verdict(int axis, const dap_map *map, int64_t gap, int64_t twice, int owner,
                                 dap_error *err);
int64_t dap_directory_slice(const dap_map *map); /* length of a slice, when each coordinate keeps one */
/* The coordinate that keeps the slice with `global`, when each keeps one. */
int dap_directory_host(const dap_map *map, int64_t global);

#endif
