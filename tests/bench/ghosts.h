/* The nodes of a mesh with ghosts on several processes, and the ways to update them that bench_ghosts
 * compares. */
#ifndef DAP_BENCH_GHOSTS_H
#define DAP_BENCH_GHOSTS_H

#include "turns.h"

#include <dapbridge/array.h>
#include <dapbridge/layout.h>
#include <mpi.h>
#include <stdio.h>

/* ---- ghosts_mesh.c: n x n x n nodes, cubes cut in tetrahedra, so that each has 14 neighbours --- */

typedef enum ghosts_cut { GHOSTS_STRIPS, GHOSTS_BLOBS, GHOSTS_RANDOM, GHOSTS_CUTS } ghosts_cut;
typedef enum ghosts_order { GHOSTS_GROUPED, GHOSTS_MIXED, GHOSTS_ORDERS } ghosts_order;

/* This process's part: the nodes it owns, ascending, and behind them the neighbours of these that others own:
 * ascending, or grouped by owner and within that ascending. */
typedef struct ghosts_mesh {
  MPI_Comm comm;
  int rank, nprocs;
  int64_t n, nodes;
  ghosts_cut cut;
  ghosts_order order;
  int64_t owned, count; /* nodes: owned; with ghosts */
  int64_t *list;        /* [count] global numbers */
  unsigned char *owner; /* [nodes] */
  int32_t *position;    /* [nodes] among its owner's */
  int64_t *owned_by;    /* [nprocs] */
  dap_layout *layout;   /* nodes x components */
  int components;
  bool reverse; /* what is measured: ghosts are added to their owners, and stay as they are */
} ghosts_mesh;

/* What the cuts, and the orders of ghosts, are called, and NULL. */
extern const char *const ghosts_cut_names[GHOSTS_CUTS + 1], *const ghosts_order_names[GHOSTS_ORDERS + 1];

void ghosts_mesh_make(MPI_Comm comm, int64_t n, ghosts_cut cut, ghosts_order order, int components,
                      ghosts_mesh *mesh);
void ghosts_mesh_free(ghosts_mesh *mesh);

/* Those of the node, in neighbours[14]; how many. */
int ghosts_neighbours(const ghosts_mesh *mesh, int64_t node, int64_t neighbours[]);

/* data [count][components]: each element is its own number; those of ghosts too where they are added, else no
 * element's. Then, how many are wrong. */
void ghosts_fill_owned(const ghosts_mesh *mesh, double *data);
void ghosts_fill_ghosts(const ghosts_mesh *mesh, double *data);
int64_t ghosts_count_wrong(const ghosts_mesh *mesh, const double *data);

/* ---- ghosts_methods.c and method_ghosts_*.c ------------------------------------------------------------ */

/* A method at work. */
typedef struct ghosts_job {
  const ghosts_mesh *mesh;
  double *data; /* [count][components]; of the method */
  void *state;
} ghosts_job;

/* Everything is collective, and ends the program when it fails. */
typedef struct ghosts_method {
  const char *name, *about;
  bool is_peer;
  bool (*applies)(void);           /* NULL: always */
  void (*create)(ghosts_job *job); /* sets data, too */
  void (*run)(ghosts_job *job);    /* what is timed */
  void (*destroy)(ghosts_job *job);
} ghosts_method;

extern const ghosts_method ghosts_methods[];
extern const int ghosts_methods_count;

void ghosts_halo_create(ghosts_job *job);
void ghosts_halo_shared_create(ghosts_job *job);
void ghosts_halo_run(ghosts_job *job);
void ghosts_halo_destroy(ghosts_job *job);

void ghosts_hand_create(ghosts_job *job);
void ghosts_hand_run(ghosts_job *job); /* either way, as all are */
void ghosts_hand_destroy(ghosts_job *job);

void ghosts_petsc_start(void);
void ghosts_petsc_stop(void);
bool ghosts_vec_applies(void);
void ghosts_vec_create(ghosts_job *job);
void ghosts_vec_run(ghosts_job *job);
void ghosts_vec_destroy(ghosts_job *job);

/* ---- ghosts_measure.c ---------------------------------------------------------------------- */

/* times[ghosts_methods_count], of those methods that are listed. Collective. */
void ghosts_measure(const ghosts_mesh *mesh, const char *methods, int reps, bench_time times[]);
void ghosts_report(FILE *file, const ghosts_mesh *mesh, int64_t most_ghosts, const bench_time times[]);

#endif
