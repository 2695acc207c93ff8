/* Finds the processes of a communicator that share memory with this one. */
#include "comm_impl.h"

#include <limits.h>
#include <stdlib.h>

/* ---- hosts that tests pretend ---------------------------------------------------------------------- */

enum { NO_HOST = -1 };

/* The attribute is the number itself. NOLINTBEGIN(performance-no-int-to-ptr) */
bool dap_node_pretend(MPI_Comm comm, int host)
{
  const int key = dap_self_make_key(DAP_KEY_HOST, MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN);
  return key != MPI_KEYVAL_INVALID && MPI_Comm_set_attr(comm, key, (void *)(intptr_t)host) == MPI_SUCCESS;
}
/* NOLINTEND(performance-no-int-to-ptr) */

/* Finds the host that is pretended. NO_HOST: there is none, on any process. */
static dap_status find_host(MPI_Comm comm, int *host, dap_error *err)
{
  const int key = dap_self_key(DAP_KEY_HOST);
  void *attribute = NULL;
  int found = 0;
  if (key != MPI_KEYVAL_INVALID)
    DAP_TRY(dap_mpi_check(MPI_Comm_get_attr(comm, key, &attribute, &found), "MPI_Comm_get_attr", err));
  *host = found ? (int)(intptr_t)attribute : NO_HOST;
  return DAP_OK;
}

dap_status dap_node_pretend_alike(MPI_Comm from, MPI_Comm to, dap_error *err)
{
  int host;
  DAP_TRY(find_host(from, &host, err));
  DAP_REQUIRE(host == NO_HOST || dap_node_pretend(to, host), err, DAP_ERR_NOMEM,
              "no memory to pretend a host");
  return DAP_OK;
}

/* ---- nodes ------------------------------------------------------------------------------------------- */

/* Finds whether this process was started together with rank 0 of `comm`. */
static dap_status find_first(MPI_Comm comm, uint64_t *knows_first, dap_error *err)
{
  MPI_Group all = MPI_GROUP_NULL, others = MPI_GROUP_NULL;
  const int first = 0;
  int there = MPI_UNDEFINED;
  dap_status s = dap_mpi_check(MPI_Comm_group(comm, &all), "MPI_Comm_group", err);
  if (!s) s = dap_mpi_check(MPI_Comm_group(MPI_COMM_WORLD, &others), "MPI_Comm_group", err);
  if (!s)
    s = dap_mpi_check(MPI_Group_translate_ranks(all, 1, &first, others, &there), "MPI_Group_translate_ranks",
                      err);
  *knows_first = !s && there != MPI_UNDEFINED;
  if (all != MPI_GROUP_NULL) (void)MPI_Group_free(&all);
  if (others != MPI_GROUP_NULL) (void)MPI_Group_free(&others);
  return s;
}

/* Asks MPI before the others rely on this process. */
static dap_status query_comm(MPI_Comm comm, int *nprocs, int *rank, int *host, uint64_t *knows_first,
                             dap_error *err)
{
  DAP_TRY(dap_mpi_check(MPI_Comm_size(comm, nprocs), "MPI_Comm_size", err));
  DAP_TRY(dap_mpi_check(MPI_Comm_rank(comm, rank), "MPI_Comm_rank", err));
  DAP_TRY(find_first(comm, knows_first, err));
  return find_host(comm, host, err);
}

/* Splits processes by the name of their machine, and by the host that they pretend. MPI does not always know
 * which processes are here if it has not started them together. If two machines have the same name, or parts
 * of a machine are closed to each other, there is no shared memory later, and plans send messages. */
static dap_status split_machines(MPI_Comm comm, int rank, int host, dap_node *node, dap_error *err)
{
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  if (MPI_Get_processor_name(name, &length) != MPI_SUCCESS) length = 0; /* the others split */
  const int machine = (int)(dap_hash((uint64_t)host, name, (size_t)length) & INT_MAX);
  return dap_mpi_check(MPI_Comm_split(comm, machine, rank, &node->comm), "MPI_Comm_split", err);
}

static dap_status split(MPI_Comm comm, int rank, int host, dap_node *node, dap_error *err)
{
  DAP_TRY(dap_barrier(comm, err));
  DAP_TRY(
      node->is_joined || host != NO_HOST
          ? split_machines(comm, rank, host, node, err)
          : dap_mpi_check(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node->comm),
                          "MPI_Comm_split_type", err));
  node->size = 1; /* dap_node_release() then frees node->comm */
  DAP_TRY(
      dap_mpi_check(MPI_Comm_set_errhandler(node->comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler", err));
  DAP_TRY(dap_limit_share(dap_limit_of(comm), node->comm, err));
  DAP_TRY(dap_mpi_check(MPI_Comm_rank(node->comm, &node->rank), "MPI_Comm_rank", err));
  return dap_mpi_check(MPI_Comm_size(node->comm, &node->size), "MPI_Comm_size", err);
}

/* A process of the node: its identity, and its rank in the whole communicator. */
typedef struct identity {
  uint64_t id, rank;
} identity;

static dap_status allocate(int nprocs, dap_node *node, identity **all, dap_error *err)
{
  *all = malloc((size_t)node->size * sizeof **all);
  node->node_ranks = malloc((size_t)nprocs * sizeof *node->node_ranks);
  node->ids = malloc((size_t)node->size * sizeof *node->ids);
  DAP_REQUIRE(*all && node->node_ranks && node->ids, err, DAP_ERR_NOMEM,
              "no memory for the node ranks of %d processes", nprocs);
  DAP_REQUIRE(dap_process_id(), err, DAP_ERR_NOMEM, "no memory for what the process keeps");
  return DAP_OK;
}

static dap_status exchange_identities(int nprocs, identity all[], dap_node *node, dap_error *err)
{
  const identity mine = {dap_process_id(), (uint64_t)node->whole_rank};
  DAP_TRY(dap_allgather(node->comm, &mine, all, 2, MPI_UINT64_T, err));
  for (int rank = 0; rank < nprocs; rank++) node->node_ranks[rank] = -1;
  for (int node_rank = 0; node_rank < node->size; node_rank++) {
    node->ids[node_rank] = all[node_rank].id;
    node->node_ranks[all[node_rank].rank] = node_rank;
  }
  return DAP_OK;
}

static dap_status create(MPI_Comm comm, dap_node *node, dap_error *err)
{
  int nprocs = 0, rank = 0, host = NO_HOST;
  enum { KNOWS_FIRST };
  dap_agreement a = {0};
  a.status = query_comm(comm, &nprocs, &rank, &host, &a.bits[KNOWS_FIRST], err);
  DAP_TRY(dap_agree_all(comm, &a, err));
  node->is_joined = !a.bits[KNOWS_FIRST];
  node->whole_rank = rank;
  DAP_TRY(dap_agree(comm, split(comm, rank, host, node, err), err));
  identity *all = NULL;
  dap_status s = dap_agree(comm, allocate(nprocs, node, &all, err), err);
  if (!s) s = dap_agree(comm, exchange_identities(nprocs, all, node, err), err);
  free(all);
  return s;
}

dap_status dap_node_create(MPI_Comm comm, dap_node *node, dap_error *err)
{
  dap_error own = {0};
  *node = (dap_node){.comm = MPI_COMM_NULL};
  const dap_status s = create(comm, node, err ? err : &own);
  if (s) dap_node_release(node);
  return s;
}

dap_status dap_node_agree(const dap_node *node, dap_status status, dap_error *err)
{
  if (status) dap_agree_name_rank(node->whole_rank, err);
  return dap_agree(node->comm, status, err);
}

void dap_node_release(dap_node *node)
{
  if (node->size > 0 && node->comm != MPI_COMM_NULL) dap_limit_free_comm(&node->comm);
  free(node->node_ranks);
  free(node->ids);
  *node = (dap_node){.comm = MPI_COMM_NULL};
}
