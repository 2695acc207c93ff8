/* Uses the nodes of a mesh as a PETSc vector in the processes' own memory. A partitioner has dealt the
 * nodes to the processes. The vector's entries are in the order of the processes' lists. The AO maps nodes
 * to entries, here for a VecScatter. A process sets its own nodes by their positions in its list. Runs on
 * any number of processes. */
#include "log.h"

#include <dapbridge/comm.h>
#include <dapbridge/petsc_vector.h>
#define CHECK(call) PetscCheck((call) == DAP_OK, PETSC_COMM_SELF, PETSC_ERR_LIB, "%s", err.text)
enum { NODES = 1000, WANTED = 50 };
static dap_error err;
/* Fetches the values of some nodes, and counts the values that are not `factor` times the node. */
static PetscErrorCode fetch(const dap_petsc_vector *mesh, const PetscInt nodes[], PetscReal factor,
                            int *wrong)
{
  PetscInt entries[WANTED];
  IS from;
  Vec fetched;
  VecScatter scatter;
  const PetscScalar *value;
  PetscCall(PetscArraycpy(entries, nodes, WANTED));
  PetscCall(AOApplicationToPetsc(mesh->ao, WANTED, entries));
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, WANTED, entries, PETSC_USE_POINTER, &from));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, WANTED, &fetched));
  PetscCall(VecScatterCreate(mesh->vec, from, fetched, NULL, &scatter));
  PetscCall(VecScatterBegin(scatter, mesh->vec, fetched, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterEnd(scatter, mesh->vec, fetched, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecGetArrayRead(fetched, &value));
  for (int i = 0; i < WANTED; i++) *wrong += value[i] != factor * (PetscReal)nodes[i];
  PetscCall(VecRestoreArrayRead(fetched, &value));
  PetscCall(VecScatterDestroy(&scatter));
  PetscCall(VecDestroy(&fetched));
  return ISDestroy(&from);
}

int main(int argc, char **argv)
{
  int32_t nodes[NODES];
  PetscScalar values[NODES];
  PetscInt count = 0, wanted[WANTED];
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  log_if_wanted();
  /* In descending order, so that PETSc's entries differ from the mesh's numbers. */
  for (int32_t node = NODES - 1; node >= 0; node--) {
    if (node / 3 % PetscGlobalSize != PetscGlobalRank) continue;
    values[count] = node;
    nodes[count] = node;
    count++;
  }
  for (PetscInt i = 0; i < WANTED; i++)
    wanted[i] = (i * i * 7 + PetscGlobalRank * 333) % NODES; /* some twice */
  const dap_array mesh = {.abi = DAP_ARRAY_ABI,
                          .dim_count = 1,
                          .version = "0.10.0",
                          .dims = {{.dist_type = 'u',
                                    .one_to_one = true,
                                    .indices_dtype = DAP_I4,
                                    .size = NODES,
                                    .proc_grid_size = PetscGlobalSize,
                                    .proc_grid_rank = PetscGlobalRank,
                                    .index_count = count,
                                    .indices = nodes}},
                          .dtype = PetscDefined(USE_COMPLEX) ? DAP_C16 : DAP_F8,
                          .ndim = 1,
                          .shape = {count},
                          .strides = {sizeof(PetscScalar)},
                          .data = values};
  dap_layout *layout;
  dap_petsc_vector vector;
  int wrong[3] = {0};
  CHECK(dap_layout_assemble(PETSC_COMM_WORLD, &mesh, &layout, &err));
  const dap_darray distributed = {layout, &mesh};
  CHECK(dap_petsc_vector_get(PETSC_COMM_WORLD, distributed, DAP_READ_WRITE, NULL, &vector, &err));
  PetscCall(fetch(&vector, wanted, 1, &wrong[0]));
  for (PetscInt i = 0; i < count; i++) /* i is a position in this process's list */
    PetscCall(VecSetValueLocal(vector.vec, i, 2 * nodes[i], INSERT_VALUES));
  PetscCall(VecAssemblyBegin(vector.vec));
  PetscCall(VecAssemblyEnd(vector.vec));
  PetscCall(fetch(&vector, wanted, 2, &wrong[1]));
  CHECK(dap_petsc_vector_restore(&vector, &err));
  for (PetscInt i = 0; i < count; i++) wrong[2] += values[i] != 2. * nodes[i];
  MPI_Allreduce(MPI_IN_PLACE, wrong, 3, MPI_INT, MPI_SUM, PETSC_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &vector.moved_bytes, 1, MPI_INT64_T, MPI_SUM, PETSC_COMM_WORLD);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "vector %s: %s; %lld bytes moved\n",
                        vector.shared ? "shared" : "moved", vector.reason, (long long)vector.moved_bytes));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%d fetched by each process: %d wrong\n", WANTED, wrong[0]));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "all doubled, fetched again: %d wrong; in the array: %d wrong\n",
                        wrong[1], wrong[2]));
  dap_layout_destroy(&layout);
  return PetscFinalize() || wrong[0] || wrong[1] || wrong[2] || !vector.shared;
}
