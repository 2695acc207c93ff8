#include "ghosts.h"

#include "fail.h"

#include <dapbridge/comm.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

const char *const ghosts_cut_names[GHOSTS_CUTS + 1] = {"strips", "blobs", "random", NULL};
const char *const ghosts_order_names[GHOSTS_ORDERS + 1] = {"grouped", "mixed", NULL};

/* ---- places of nodes -------------------------------------------------------------------------------- */

/* Mixes bits by SplitMix64's finalizer. Results look random, and are the same on all processes. */
static uint64_t mix(uint64_t x)
{
  x += UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  return x ^ (x >> 31);
}

/* Draws a number of 0 .. below - 1. */
static int64_t draw(uint64_t key, int64_t below)
{
  return (int64_t)(mix(key) % (uint64_t)below);
}

static void place_of(const ghosts_mesh *mesh, int64_t node, int64_t at[3])
{
  at[0] = node / (mesh->n * mesh->n);
  at[1] = node / mesh->n % mesh->n;
  at[2] = node % mesh->n;
}

int ghosts_neighbours(const ghosts_mesh *mesh, int64_t node, int64_t neighbours[])
{
  const int64_t n = mesh->n;
  int64_t at[3];
  int count = 0;
  place_of(mesh, node, at);
  for (int step = -1; step <= 1; step += 2) /* backwards, forwards */
    for (int bits = 1; bits < 8; bits++) {  /* along these axes */
      bool is_inside = true;
      int64_t there = 0;
      for (int k = 0; k < 3; k++) {
        const int64_t x = at[k] + (bits >> k & 1) * step;
        is_inside = is_inside && x >= 0 && x < n;
        there = there * n + x;
      }
      if (is_inside) neighbours[count++] = there;
    }
  return count;
}

/* ---- owners ---------------------------------------------------------------------------------------- */

/* Returns the owner in strips along the first axis. Borders are up to a node away from a straight line, in
 * stretches, so ghosts come in runs. */
static int strip_of(const ghosts_mesh *mesh, const int64_t at[])
{
  enum { STRETCH = 8 };
  const int64_t stretch = at[1] * mesh->n + at[2] / STRETCH;
  const int64_t x = at[0] + draw((uint64_t)stretch, 3) - 1;
  const int64_t strip = x * mesh->nprocs / mesh->n;
  return strip < 0 ? 0 : strip >= mesh->nprocs ? mesh->nprocs - 1 : (int)strip;
}

/* Returns the owner of the nearest centre. Each process has three blobs. */
static int blob_of(const ghosts_mesh *mesh, const int64_t at[])
{
  enum { EACH = 3 };
  const int64_t n = mesh->n;
  int64_t best = INT64_MAX;
  int owner = 0;
  for (int blob = 0; blob < EACH * mesh->nprocs; blob++) {
    int64_t distance = 0;
    for (int k = 0; k < 3; k++) {
      const int64_t d = at[k] - draw(((uint64_t)blob + 1) * 1000003 + (uint64_t)k, n);
      distance += d * d;
    }
    if (distance >= best) continue;
    best = distance;
    owner = blob % mesh->nprocs;
  }
  return owner;
}

static int owner_of(const ghosts_mesh *mesh, int64_t node)
{
  int64_t at[3];
  place_of(mesh, node, at);
  if (mesh->cut == GHOSTS_STRIPS) return strip_of(mesh, at);
  if (mesh->cut == GHOSTS_RANDOM) return (int)draw((uint64_t)node, mesh->nprocs);
  /* Borders between blobs are rough: some nodes belong to the owner of a neighbour's place. */
  for (int k = 0; k < 3; k++) {
    at[k] += draw((uint64_t)(3 * node + k), 3) - 1;
    at[k] = at[k] < 0 ? 0 : at[k] >= mesh->n ? mesh->n - 1 : at[k];
  }
  return blob_of(mesh, at);
}

static void set_owners(ghosts_mesh *mesh)
{
  mesh->owner = bench_alloc(mesh->nodes);
  mesh->position = bench_alloc(mesh->nodes * (int64_t)sizeof *mesh->position);
  mesh->owned_by = bench_alloc(mesh->nprocs * (int64_t)sizeof *mesh->owned_by);
  memset(mesh->owned_by, 0, (size_t)mesh->nprocs * sizeof *mesh->owned_by);
  for (int64_t node = 0; node < mesh->nodes; node++) {
    const int owner = owner_of(mesh, node);
    mesh->owner[node] = (unsigned char)owner;
    mesh->position[node] = (int32_t)mesh->owned_by[owner]++;
  }
  mesh->owned = mesh->owned_by[mesh->rank];
}

/* ---- this process's list ----------------------------------------------------------------------------- */

static unsigned char *find_ghosts(const ghosts_mesh *mesh)
{
  int64_t neighbours[14];
  unsigned char *is_ghost = bench_alloc(mesh->nodes);
  memset(is_ghost, 0, (size_t)mesh->nodes);
  for (int64_t node = 0; node < mesh->nodes; node++) {
    if (mesh->owner[node] != mesh->rank) continue;
    for (int i = ghosts_neighbours(mesh, node, neighbours) - 1; i >= 0; i--)
      is_ghost[neighbours[i]] = mesh->owner[neighbours[i]] != mesh->rank;
  }
  return is_ghost;
}

static void list_nodes(ghosts_mesh *mesh)
{
  unsigned char *is_ghost = find_ghosts(mesh);
  mesh->count = mesh->owned;
  for (int64_t node = 0; node < mesh->nodes; node++) mesh->count += is_ghost[node];
  mesh->list = bench_alloc(mesh->count * (int64_t)sizeof *mesh->list);
  int64_t *next = mesh->list;
  for (int64_t node = 0; node < mesh->nodes; node++)
    if (mesh->owner[node] == mesh->rank) *next++ = node;
  const int groups = mesh->order == GHOSTS_GROUPED ? mesh->nprocs : 1;
  for (int group = 0; group < groups; group++)
    for (int64_t node = 0; node < mesh->nodes; node++)
      if (is_ghost[node] && (groups == 1 || mesh->owner[node] == group)) *next++ = node;
  free(is_ghost);
}

static void assemble(ghosts_mesh *mesh)
{
  bool *is_owned = bench_alloc(mesh->count);
  dap_error err;
  for (int64_t i = 0; i < mesh->count; i++) is_owned[i] = i < mesh->owned;
  /* With one component the array has one axis. */
  const dap_array array = {.abi = DAP_ARRAY_ABI,
                           .version = "0.10.0",
                           .dim_count = mesh->components > 1 ? 2 : 1,
                           .ndim = mesh->components > 1 ? 2 : 1,
                           .dtype = DAP_F8,
                           .dims = {{.dist_type = 'u',
                                     .indices_dtype = DAP_I8,
                                     .size = mesh->nodes,
                                     .proc_grid_size = mesh->nprocs,
                                     .proc_grid_rank = mesh->rank,
                                     .index_count = mesh->count,
                                     .indices = mesh->list}},
                           .shape = {mesh->count, mesh->components},
                           .strides = {mesh->components * (int64_t)sizeof(double), sizeof(double)},
                           .data = mesh->list /* never read */};
  bench_require(dap_layout_assemble_ghosted(mesh->comm, NULL, &array, (const bool *const[]){is_owned, NULL},
                                            &mesh->layout, &err),
                &err);
  free(is_owned);
}

void ghosts_mesh_make(MPI_Comm comm, int64_t n, ghosts_cut cut, ghosts_order order, int components,
                      ghosts_mesh *mesh)
{
  *mesh = (ghosts_mesh){
      .comm = comm, .n = n, .nodes = n * n * n, .cut = cut, .order = order, .components = components};
  MPI_Comm_rank(comm, &mesh->rank);
  MPI_Comm_size(comm, &mesh->nprocs);
  if (mesh->nprocs > UCHAR_MAX || mesh->nodes > INT32_MAX) bench_fail("too many processes or nodes");
  set_owners(mesh);
  list_nodes(mesh);
  assemble(mesh);
}

void ghosts_mesh_free(ghosts_mesh *mesh)
{
  free(mesh->list);
  free(mesh->owner);
  free(mesh->position);
  free(mesh->owned_by);
  dap_layout_destroy(&mesh->layout);
}

/* ---- elements --------------------------------------------------------------------------------------- */

void ghosts_fill_owned(const ghosts_mesh *mesh, double *data)
{
  for (int64_t i = 0; i < mesh->owned; i++)
    for (int k = 0; k < mesh->components; k++)
      data[i * mesh->components + k] = (double)(mesh->list[i] * mesh->components + k);
}

void ghosts_fill_ghosts(const ghosts_mesh *mesh, double *data)
{
  for (int64_t i = mesh->owned; i < mesh->count; i++)
    for (int k = 0; k < mesh->components; k++)
      data[i * mesh->components + k] =
          mesh->reverse ? (double)(mesh->list[i] * mesh->components + k) : (double)-1;
}

/* Returns how many processes have the node: its owner, and the owners of its neighbours. */
static int count_holders(const ghosts_mesh *mesh, int64_t node)
{
  int64_t neighbours[14];
  unsigned char seen[256] = {0};
  int holders = 1;
  seen[mesh->owner[node]] = 1;
  for (int k = ghosts_neighbours(mesh, node, neighbours) - 1; k >= 0; k--) {
    const int other = mesh->owner[neighbours[k]];
    holders += !seen[other];
    seen[other] = 1;
  }
  return holders;
}

int64_t ghosts_count_wrong(const ghosts_mesh *mesh, const double *data)
{
  int64_t wrong = 0;
  for (int64_t i = 0; i < mesh->count; i++) {
    const int times = mesh->reverse && i < mesh->owned ? count_holders(mesh, mesh->list[i]) : 1;
    for (int k = 0; k < mesh->components; k++)
      wrong += data[i * mesh->components + k] != (double)(times * (mesh->list[i] * mesh->components + k));
  }
  return wrong;
}
