/* Smooths values on a mesh of triangles whose nodes a partitioner has dealt to the processes. Each process
 * has the nodes that it owns and, after them, ghosts: the other corners of its elements, which other
 * processes own. Before each step, a halo plan copies the owners' values to the ghosts. Every process
 * compares its nodes with those of the whole mesh, which it smooths without plans. Runs on any number of
 * processes up to 1600. */
#include "log.h"

#include <dapbridge.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SIDE = 40, NODES = SIDE * SIDE, ELEMENTS = 2 * (SIDE - 1) * (SIDE - 1), COMPONENTS = 3, STEPS = 20 };

typedef struct triangle {
  int corners[3]; /* nodes */
} triangle;

typedef double values[NODES][COMPONENTS];

static void check(dap_status status, const dap_error *err)
{
  if (status == DAP_OK) return;
  fprintf(stderr, "%s\n", err->text);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Returns the same numbers on every process. */
static int random_below(int limit)
{
  static uint64_t state = 2023;
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (int)((state >> 33) % (uint64_t)limit);
}

/* ---- the mesh ------------------------------------------------------------------------------------- */

/* Makes a square of squares, each cut into two triangles. The nodes are numbered at random, as if the mesh
 * had been refined in many places. */
static void make_mesh(triangle mesh[])
{
  static int number[NODES];
  int count = 0;
  for (int i = 0; i < NODES; i++) {
    const int other = random_below(i + 1);
    number[i] = number[other];
    number[other] = i;
  }
  for (int i = 0; i < NODES - SIDE; i++) {
    if (i % SIDE == SIDE - 1) continue;
    const int *low = &number[i], *high = &number[i + SIDE];
    mesh[count++] = (triangle){{low[0], low[1], high[1]}};
    mesh[count++] = (triangle){{low[0], high[1], high[0]}};
  }
}

/* Sets owner[NODES]. Each part begins with one node, and grows at random places of its border. */
static void partition(const triangle mesh[], int parts, int owner[])
{
  for (int node = 0; node < NODES; node++) owner[node] = node < parts ? node : -1;
  for (int left = NODES - parts; left > 0;) {
    const int *corners = mesh[random_below(ELEMENTS)].corners, first = random_below(3);
    const int from = corners[first], to = corners[(first + 1) % 3];
    if (owner[from] < 0 || owner[to] >= 0) continue;
    owner[to] = owner[from];
    left--;
  }
}

/* ---- this process's part ---------------------------------------------------------------------------- */

typedef struct mesh_part {
  int64_t count;
  int32_t nodes[NODES];        /* [count] global numbers: first those owned, then the ghosts */
  bool is_owned[NODES];        /* [count] */
  int position[NODES];         /* of a node by its global number; -1: it is not here */
  triangle elements[ELEMENTS]; /* [element_count] corners by their positions here */
  int element_count;
} mesh_part;

static void add_node(mesh_part *part, int node, bool is_owned)
{
  if (part->position[node] >= 0) return;
  part->position[node] = (int)part->count;
  part->is_owned[part->count] = is_owned;
  part->nodes[part->count++] = node;
}

/* Takes all elements around the nodes that the process owns. */
static void make_part(const triangle mesh[], const int owner[], int rank, mesh_part *part)
{
  for (int node = 0; node < NODES; node++) part->position[node] = -1;
  for (int node = 0; node < NODES; node++)
    if (owner[node] == rank) add_node(part, node, true);
  for (int e = 0; e < ELEMENTS; e++) {
    const int *corners = mesh[e].corners;
    if (owner[corners[0]] != rank && owner[corners[1]] != rank && owner[corners[2]] != rank) continue;
    for (int i = 0; i < 3; i++) {
      add_node(part, corners[i], false);
      part->elements[part->element_count].corners[i] = part->position[corners[i]];
    }
    part->element_count++;
  }
}

/* ---- smoothing ------------------------------------------------------------------------------------- */

/* Sets every node to the mean over the corners of the elements around it. For ghosts, the result is wrong,
 * because some of their elements are on other processes. */
static void smooth(const triangle elements[], int element_count, int64_t count, values u)
{
  static values sums;
  static int terms[NODES];
  memset(sums, 0, sizeof sums);
  memset(terms, 0, sizeof terms);
  for (int e = 0; e < element_count; e++) {
    const int *corners = elements[e].corners;
    for (int i = 0; i < 3; i++) {
      terms[corners[i]] += 3;
      for (int j = 0; j < 3; j++)
        for (int k = 0; k < COMPONENTS; k++) sums[corners[i]][k] += u[corners[j]][k];
    }
  }
  for (int64_t i = 0; i < count; i++)
    for (int k = 0; k < COMPONENTS; k++) u[i][k] = sums[i][k] / terms[i];
}

/* Returns rough values, which depend on a node's global number. */
static double start_value(int64_t node, int component)
{
  return sin((double)(node * (component + 1)));
}

int main(int argc, char **argv)
{
  static triangle mesh[ELEMENTS];
  static int owner[NODES];
  static mesh_part part;
  static values u, whole;
  int rank, nprocs, wrong = 0;
  MPI_Init(&argc, &argv);
  log_if_wanted();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  make_mesh(mesh);
  partition(mesh, nprocs, owner);
  make_part(mesh, owner, rank, &part);

  /* The axes are nodes and components. The owners are passed in addition to the dictionaries. By the
   * protocol, the lowest process that has a node would own it, even if the node is a ghost there. */
  const dap_array field = {.abi = DAP_ARRAY_ABI,
                           .dim_count = 2,
                           .version = "0.10.0",
                           .dims = {{.dist_type = 'u',
                                     .indices_dtype = DAP_I4,
                                     .size = NODES,
                                     .proc_grid_size = nprocs,
                                     .proc_grid_rank = rank,
                                     .index_count = part.count,
                                     .indices = part.nodes}},
                           .dtype = DAP_F8,
                           .ndim = 2,
                           .shape = {part.count, COMPONENTS},
                           .strides = {sizeof u[0], sizeof u[0][0]},
                           .data = u};
  const bool *const is_owned[] = {part.is_owned, NULL};
  dap_error err;
  dap_layout *layout;
  dap_plan *halo;
  check(dap_layout_assemble_ghosted(MPI_COMM_WORLD, NULL, &field, is_owned, &layout, &err), &err);
  const dap_darray distributed = {layout, &field};
  const dap_side side = dap_side_of(distributed);
  check(dap_plan_create_halo(MPI_COMM_WORLD, &side, 0, NULL, &halo, &err), &err);

  for (int64_t i = 0; i < part.count; i++)
    for (int k = 0; k < COMPONENTS; k++) u[i][k] = part.is_owned[i] ? start_value(part.nodes[i], k) : NAN;
  for (int step = 0; step < STEPS; step++) {
    check(dap_plan_run(halo, u, u, &err), &err);
    smooth(part.elements, part.element_count, part.count, u);
  }
  check(dap_plan_run(halo, u, u, &err), &err); /* also fills the result's ghosts */

  for (int node = 0; node < NODES; node++)
    for (int k = 0; k < COMPONENTS; k++) whole[node][k] = start_value(node, k);
  for (int step = 0; step < STEPS; step++) smooth(mesh, ELEMENTS, NODES, whole);
  for (int64_t i = 0; i < part.count; i++)
    for (int k = 0; k < COMPONENTS; k++) wrong += !(fabs(u[i][k] - whole[part.nodes[i]][k]) < 1e-12);
  int64_t ghosts = part.count - dap_layout_owned(layout, 0, rank);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &ghosts, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%d nodes in %d parts, %" PRId64 " ghosts; %d steps, %d values wrong\n", NODES, nprocs, ghosts,
           STEPS, wrong);
  dap_plan_destroy(&halo);
  dap_layout_destroy(&layout);
  MPI_Finalize();
  return wrong != 0;
}
