/* Describes the nodes of a mesh with ghosts on several processes, and the methods to update them that
 * `bench ghosts` compares. */
#ifndef DAP_BENCH_GHOSTS_H
#define DAP_BENCH_GHOSTS_H

#include "turns.h"

#include <dapbridge/array.h>
#include <dapbridge/layout.h>
#include <mpi.h>
#include <stdio.h>

/* ---- ghosts_mesh.c: n x n x n nodes; cubes cut into tetrahedra give each node 14 neighbours ---- */

typedef enum ghosts_cut { GHOSTS_STRIPS, GHOSTS_BLOBS, GHOSTS_RANDOM, GHOSTS_CUTS } ghosts_cut;
typedef enum ghosts_order { GHOSTS_GROUPED, GHOSTS_MIXED, GHOSTS_ORDERS } ghosts_order;

/* This process's part. Its own nodes come first, in ascending order. Neighbours of these that other
 * processes own follow, in ascending order, or grouped by owner and ascending within a group. */
typedef struct ghosts_mesh {
  MPI_Comm comm;
  int rank, nprocs;
  int64_t n, nodes;
  ghosts_cut cut;
  ghosts_order order;
  int64_t owned, count; /* owned nodes; nodes with ghosts */
  int64_t *list;        /* [count] global numbers */
  unsigned char *owner; /* [nodes] */
  int32_t *position;    /* [nodes] position among the owner's nodes */
  int64_t *owned_by;    /* [nprocs] */
  dap_layout *layout;   /* nodes x components */
  int components;
  bool reverse; /* whether ghosts are added to their owners; they do not change */
} ghosts_mesh;

/* Names of the cuts, and of the orders of ghosts; both end with NULL. */
extern const char *const ghosts_cut_names[GHOSTS_CUTS + 1], *const ghosts_order_names[GHOSTS_ORDERS + 1];

void ghosts_mesh_make(MPI_Comm comm, int64_t n, ghosts_cut cut, ghosts_order order, int components,
                      ghosts_mesh *mesh);
void ghosts_mesh_free(ghosts_mesh *mesh);

/* Writes the node's neighbours to neighbours[14]. Returns their number. */
int ghosts_neighbours(const ghosts_mesh *mesh, int64_t node, int64_t neighbours[]);

/* Fill and check data [count][components]. Each element is its own number. Ghosts have their numbers if
 * they are added, and otherwise values of no element. The check returns the number of wrong elements. */
void ghosts_fill_owned(const ghosts_mesh *mesh, double *data);
void ghosts_fill_ghosts(const ghosts_mesh *mesh, double *data);
int64_t ghosts_count_wrong(const ghosts_mesh *mesh, const double *data);

/* ---- ghosts_methods.c and method_ghosts_*.c ------------------------------------------------------------ */

/* State of a method. */
typedef struct ghosts_job {
  const ghosts_mesh *mesh;
  double *data; /* [count][components]; belongs to the method */
  void *state;
} ghosts_job;

/* Functions of a method, which are collective and end the program on errors. */
typedef struct ghosts_method {
  const char *name, *about;
  bool is_peer;
  bool (*applies)(void);           /* NULL: always */
  void (*create)(ghosts_job *job); /* also sets data */
  void (*run)(ghosts_job *job);    /* timed */
  void (*destroy)(ghosts_job *job);
} ghosts_method;

extern const ghosts_method *const ghosts_methods[];
extern const int ghosts_methods_count;

/* method_ghosts_*.c */
extern const ghosts_method ghosts_halo, ghosts_halo_shared, ghosts_hand, ghosts_vec;

/* ---- ghosts_measure.c ---------------------------------------------------------------------- */

/* Measures the listed methods into times[ghosts_methods_count]. Collective. */
void ghosts_measure(const ghosts_mesh *mesh, const char *methods, int reps, bench_time times[]);
void ghosts_report(FILE *file, const ghosts_mesh *mesh, int64_t most_ghosts, const bench_time times[]);

#endif
