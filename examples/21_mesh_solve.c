/* Solves -laplace(u) + u = f with finite elements on a square of triangles. A partitioner has dealt the
 * nodes to the processes. The array has one value for each node, and ghosts after the nodes that the
 * process owns. It becomes a ghosted PETSc vector in its own buffer. The program adds elements by
 * positions in the process's list, and KSP solves. u is known, so every process compares its nodes,
 * including ghosts. Runs on up to 900 processes. */
#include "log.h"

#include <dapbridge/petsc_vector.h>
#include <petscksp.h>
#include <string.h>
#define CHECK(call) PetscCheck((call) == DAP_OK, PETSC_COMM_SELF, PETSC_ERR_LIB, "%s", err.text)
enum { SIDE = 30, NODES = SIDE * SIDE, ELEMENTS = 2 * (SIDE - 1) * (SIDE - 1) };
static dap_error err;

/* ---- the mesh, the same on every process ------------------------------------------------------------ */

/* Finds the corners; the first has the right angle. */
static void corners_of(int element, int corners[3])
{
  const int square = element / 2, low = square / (SIDE - 1) * SIDE + square % (SIDE - 1);
  corners[0] = element % 2 ? low + SIDE + 1 : low;
  corners[1] = low + 1;
  corners[2] = low + SIDE;
}

static int random_below(int limit)
{
  static uint64_t state = 2026;
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (int)((state >> 33) % (uint64_t)limit);
}

/* Makes parts. Each begins with one node, and grows at random places of its border. */
static void partition(int parts, int owner[])
{
  for (int node = 0; node < NODES; node++) owner[node] = -1;
  for (int part = 0; part < parts; part++) owner[(int64_t)part * NODES / parts] = part;
  for (int left = NODES - parts; left > 0;) {
    int corners[3];
    corners_of(random_below(ELEMENTS), corners);
    const int first = random_below(3), from = corners[first], to = corners[(first + 1) % 3];
    if (owner[from] < 0 || owner[to] >= 0) continue;
    owner[to] = owner[from];
    left--;
  }
}

static double solution(int node)
{
  const int row = node / SIDE, column = node % SIDE;
  const double h = 1.0 / (SIDE - 1);
  return cos(PETSC_PI * h * row) * cos(PETSC_PI * h * column);
}

/* ---- this process's part ---------------------------------------------------------------------------- */

typedef struct mesh_part {
  int count;
  int32_t nodes[NODES];           /* [count] first those owned, then the ghosts */
  bool is_owned[NODES];           /* [count] */
  PetscInt position[NODES];       /* of a node in the list; -1: it is not here */
  PetscInt elements[ELEMENTS][3]; /* [element_count] corners, by their positions */
  int element_count;
} mesh_part;

static PetscInt add_node(mesh_part *part, int node, bool is_owned)
{
  if (part->position[node] >= 0) return part->position[node];
  part->nodes[part->count] = node;
  part->is_owned[part->count] = is_owned;
  return part->position[node] = part->count++;
}

/* The owner of an element's first corner has the element. */
static void make_part(const int owner[], int rank, mesh_part *part)
{
  for (int node = 0; node < NODES; node++) part->position[node] = -1;
  for (int node = 0; node < NODES; node++)
    if (owner[node] == rank) (void)add_node(part, node, true);
  for (int e = 0; e < ELEMENTS; e++) {
    int corners[3];
    corners_of(e, corners);
    if (owner[corners[0]] != rank) continue;
    for (int i = 0; i < 3; i++) part->elements[part->element_count][i] = add_node(part, corners[i], false);
    part->element_count++;
  }
}

/* ---- the system ------------------------------------------------------------------------------------- */

/* Computes stiffness and mass of a linear element with legs of length h. */
static void element_matrix(PetscScalar a[3][3])
{
  static const double stiff[3][3] = {{1, -0.5, -0.5}, {-0.5, 0.5, 0}, {-0.5, 0, 0.5}};
  const double h = 1.0 / (SIDE - 1);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) a[i][j] = stiff[i][j] + h * h / 24 * (i == j ? 2 : 1);
}

/* Adds to the caller's array, ghosts too: the right-hand side whose solution is u. */
static void add_loads(const mesh_part *part, PetscScalar loads[])
{
  PetscScalar a[3][3];
  element_matrix(a);
  for (int e = 0; e < part->element_count; e++)
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        loads[part->elements[e][i]] += a[i][j] * solution(part->nodes[part->elements[e][j]]);
}

/* The rows and columns have the vector's distribution, and its numbering of nodes and ghosts. */
static PetscErrorCode assemble(const mesh_part *part, Vec like, Mat *matrix)
{
  PetscInt owned;
  PetscScalar a[3][3];
  ISLocalToGlobalMapping numbers;
  PetscCall(VecGetLocalSize(like, &owned));
  PetscCall(VecGetLocalToGlobalMapping(like, &numbers));
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, owned, owned, NODES, NODES, 7, NULL, 6, NULL, matrix));
  PetscCall(MatSetLocalToGlobalMapping(*matrix, numbers, numbers));
  element_matrix(a);
  for (int e = 0; e < part->element_count; e++)
    PetscCall(MatSetValuesLocal(*matrix, 3, part->elements[e], 3, part->elements[e], &a[0][0], ADD_VALUES));
  PetscCall(MatAssemblyBegin(*matrix, MAT_FINAL_ASSEMBLY));
  return MatAssemblyEnd(*matrix, MAT_FINAL_ASSEMBLY);
}

static PetscErrorCode solve(Mat matrix, Vec loads, Vec u)
{
  KSP ksp;
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, matrix, matrix));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPSetTolerances(ksp, 1e-12, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSolve(ksp, loads, u));
  return KSPDestroy(&ksp);
}

/* ---- all of it -------------------------------------------------------------------------------------- */

/* Describes one value for each node by the protocol. The owners of nodes are passed separately. */
static dap_array describe(const mesh_part *part, PetscScalar values[])
{
  return (dap_array){.abi = DAP_ARRAY_ABI,
                     .dim_count = 1,
                     .version = "0.10.0",
                     .dims = {{.dist_type = 'u',
                               .indices_dtype = DAP_I4,
                               .size = NODES,
                               .proc_grid_size = PetscGlobalSize,
                               .proc_grid_rank = PetscGlobalRank,
                               .index_count = part->count,
                               .indices = part->nodes}},
                     .dtype = PetscDefined(USE_COMPLEX) ? DAP_C16 : DAP_F8,
                     .ndim = 1,
                     .shape = {part->count},
                     .strides = {sizeof(PetscScalar)},
                     .data = values};
}

int main(int argc, char **argv)
{
  static int owner[NODES];
  static mesh_part part;
  static PetscScalar u[NODES], loads[NODES];
  int wrong = 0;
  dap_layout *layout;
  dap_petsc_vector u_view, loads_view;
  Mat matrix;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  log_if_wanted();
  partition(PetscGlobalSize, owner);
  make_part(owner, PetscGlobalRank, &part);
  add_loads(&part, loads);

  const dap_array u_array = describe(&part, u), loads_array = describe(&part, loads);
  const bool *const is_owned[] = {part.is_owned};
  CHECK(dap_layout_assemble_ghosted(PETSC_COMM_WORLD, NULL, &u_array, is_owned, &layout, &err));
  const dap_darray u_all = {layout, &u_array}, loads_all = {layout, &loads_array};
  CHECK(dap_petsc_vector_get(PETSC_COMM_WORLD, u_all, DAP_WRITE, NULL, &u_view, &err));
  CHECK(dap_petsc_vector_get(PETSC_COMM_WORLD, loads_all, DAP_READ_WRITE, NULL, &loads_view, &err));
  /* adds the contributions of this process's elements to the nodes of other owners */
  CHECK(dap_petsc_vector_halo_reverse(&loads_view, DAP_COMBINE_SUM, DAP_PADDING_CLEAR, &err));
  PetscCall(assemble(&part, loads_view.vec, &matrix));
  PetscCall(solve(matrix, loads_view.vec, u_view.vec));
  PetscCall(MatDestroy(&matrix));
  const bool shared = u_view.shared && loads_view.shared;
  CHECK(dap_petsc_vector_discard(&loads_view, &err));
  CHECK(dap_petsc_vector_restore(&u_view, &err)); /* fills the ghosts */

  for (int i = 0; i < part.count; i++) wrong += !(PetscAbsScalar(u[i] - solution(part.nodes[i])) < 1e-8);
  int64_t ghosts = part.count - dap_layout_owned(layout, 0, PetscGlobalRank);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, PETSC_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &ghosts, 1, MPI_INT64_T, MPI_SUM, PETSC_COMM_WORLD);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%d nodes in %d parts, %d ghosts; vectors %s; %d values wrong\n",
                        NODES, PetscGlobalSize, (int)ghosts, shared ? "shared" : "moved", wrong));
  dap_layout_destroy(&layout);
  return PetscFinalize() || wrong > 0;
}
