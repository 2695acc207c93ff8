/* Declares the lists of a 'u' axis, for the files that make and keep them. */
#ifndef DAP_LISTS_IMPL_H
#define DAP_LISTS_IMPL_H

#include "model_impl.h"

/* The indices at one coordinate of a 'u' axis, in the order of its buffer. */
typedef struct dap_list {
  bool is_known;        /* on this process; else the other members are empty */
  dap_packed indices;   /* [held] */
  unsigned char *owned; /* [held] bits, lowest first; NULL: all or none */
} dap_list;

/* The owner of each global index of [first, first + count), and its position there. */
typedef struct dap_directory {
  int64_t first, count;
  dap_packed owner;    /* [count] coordinate + 1; 0: nobody */
  dap_packed position; /* [count] in the owner's buffer */
  int64_t twice;       /* lowest index that two coordinates claimed; INT64_MAX: none */
} dap_directory;

typedef struct dap_lists {
  atomic_int references;   /* copies of the map share the lists, which do not change once they are made */
  int64_t *held;           /* [procs] indices in the list, the extent of the buffer */
  int64_t *owned;          /* [procs] indices of these that are owned */
  dap_list *list;          /* [procs] */
  dap_directory directory; /* of all indices, or of this process's slice */
  uint64_t digest;         /* of all lists; the same on every process */
  bool in_order;           /* each list ascends or descends; the same on every process */
} dap_lists;

/* lists.c */
/* Allocates all but the lists and the directory. map->axis has size and procs. */
dap_status dap_lists_start(int axis, bool one_to_one, dap_map *map, dap_error *err);
/* Copies a list that has passed its checks, and sets lists->held[coord] to its length. */
dap_status dap_lists_set(int axis, dap_map *map, int coord, const dap_dim *dim, dap_error *err);
/* Checks that lists->held adds up to the size or more; if it is one to one and owners are given, to no
 * more. */
dap_status dap_lists_count(int axis, const dap_map *map, bool *has_duplicates, dap_error *err);
/* Makes flags that say that `coord` owns nothing. */
dap_status dap_lists_disown(int axis, dap_map *map, int coord, dap_error *err);
/* Counts and flags an index as owned. */
void dap_lists_own(dap_map *map, int coord, int64_t local);
/* Gives `coord` the indices of its list for which is_owned[held] is true; if that is NULL, the first
 * `first`. */
dap_status dap_lists_give(int axis, dap_map *map, int coord, int64_t first, const bool *is_owned,
                          dap_error *err);
bool dap_lists_is_owned(const dap_map *map, int coord, int64_t local); /* of a known list */
/* Returns a fingerprint of a known list and the owners of its indices. */
uint64_t dap_list_digest(const dap_map *map, int coord);
bool dap_lists_equal(const dap_map *a, const dap_map *b);
void dap_lists_release(dap_map *map);

/* unstructured.c: makes the directory, and gives indices to the lowest holders unless owners are given. All
 * lists are known. */
dap_status dap_unstructured_settle(int axis, dap_map *map, dap_error *err);

/* directory.c */
dap_status dap_directory_create(int axis, const dap_map *map, int64_t first, int64_t count,
                                dap_directory *directory, dap_error *err);
void dap_directory_release(dap_directory *directory);
/* Enters a coordinate that holds an index of the slice or, if owners are given, owns it. The lowest one
 * stays. */
void dap_directory_claim(dap_map *map, int64_t global, int coord, int64_t position);
int64_t dap_directory_gap(const dap_map *map); /* lowest index of the slice without owner; INT64_MAX: none */
/* Makes an error of the lowest gap of all slices, or of the lowest index that is held twice, by `owner` and
 * others. */
dap_status dap_directory_verdict(int axis, const dap_map *map, int64_t gap, int64_t twice, int owner,
                                 dap_error *err);
/* If each coordinate keeps one slice: the length of a slice, and the coordinate that keeps `global`. */
int64_t dap_directory_slice(const dap_map *map);
int dap_directory_host(const dap_map *map, int64_t global);

#endif
