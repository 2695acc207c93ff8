/* Merges the two groups of an intercommunicator. MPI's reductions on it differ from those on other
 * communicators, so the groups work together on one communicator of both. */
#include "comm_impl.h"

#include <dapbridge/version.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- one communicator of both -------------------------------------------------------------------------- */

/* A number that holds a format and its release. Such numbers have the order of their formats. */
enum { FORMAT_SHIFT = 40, PART_SHIFT = 12, PART = (1 << PART_SHIFT) - 1 };

static int64_t code_of(int format)
{
  const int64_t release =
      ((int64_t)DAPBRIDGE_VERSION_MAJOR << 2 * PART_SHIFT) + (DAPBRIDGE_VERSION_MINOR << PART_SHIFT);
  return ((int64_t)format << FORMAT_SHIFT) + release + DAPBRIDGE_VERSION_PATCH;
}

static void name_release(int64_t code, char text[], size_t capacity)
{
  (void)snprintf(text, capacity, "%d.%d.%d (format %d)", (int)(code >> 2 * PART_SHIFT & PART),
                 (int)(code >> PART_SHIFT & PART), (int)(code & PART), (int)(code >> FORMAT_SHIFT));
}

dap_status dap_groups_compare(MPI_Comm both, int format, dap_error *err)
{
  const int64_t code = code_of(format);
  int64_t ends[2] = {code, -code};
  char least[64], most[64];
  DAP_TRY(dap_allreduce(both, ends, 2, MPI_INT64_T, MPI_MIN, err));
  if (ends[0] >> FORMAT_SHIFT == -ends[1] >> FORMAT_SHIFT) return DAP_OK;
  name_release(ends[0], least, sizeof least);
  name_release(-ends[1], most, sizeof most);
  (void)dap_fail(err, DAP_ERR_UNSUPPORTED,
                 "the two groups have releases of dapbridge that cannot be coupled: %s and %s", least, most);
  if (err) err->rank = 0;
  return DAP_ERR_UNSUPPORTED;
}

/* MPI chooses the group that comes first. The groups are compared even after an error, because no other data
 * may go between them before. */
dap_status dap_groups_merge(MPI_Comm inter, MPI_Comm *both, dap_error *err)
{
  *both = MPI_COMM_NULL;
  DAP_TRY(dap_mpi_check(MPI_Intercomm_merge(inter, 0, both), "MPI_Intercomm_merge", err));
  const int code = MPI_Comm_set_errhandler(*both, MPI_ERRORS_RETURN);
  const dap_status s = dap_groups_compare(*both, DAP_WIRE_FORMAT, err);
  if (!s) return dap_mpi_check(code, "MPI_Comm_set_errhandler", err);
  (void)MPI_Comm_free(both);
  return s;
}

/* ---- the members of the groups ------------------------------------------------------------------------- */

/* The group of a process, and its rank there. */
typedef struct member {
  int group, rank;
} member;

static dap_status start(MPI_Comm inter, MPI_Comm both, dap_groups *groups, member **members, dap_error *err)
{
  bool is_first = false;
  int sizes[2] = {0, 0}; /* of this process's group, and of the other */
  DAP_TRY(dap_mpi_check(MPI_Comm_size(inter, &sizes[0]), "MPI_Comm_size", err));
  DAP_TRY(dap_mpi_check(MPI_Comm_remote_size(inter, &sizes[1]), "MPI_Comm_remote_size", err));
  DAP_TRY(dap_comm_has_first(both, inter, &is_first, err));
  groups->own = !is_first;
  for (int g = 0; g < 2; g++) {
    groups->size[g] = sizes[g != groups->own];
    groups->ranks[g] = malloc((size_t)groups->size[g] * sizeof *groups->ranks[g]);
  }
  *members = calloc((size_t)sizes[0] + (size_t)sizes[1], sizeof **members);
  DAP_REQUIRE(groups->ranks[0] && groups->ranks[1] && *members, err, DAP_ERR_NOMEM,
              "no memory for two groups of %d and %d processes", groups->size[0], groups->size[1]);
  return DAP_OK;
}

static dap_status exchange(MPI_Comm inter, MPI_Comm both, const dap_groups *groups, member members[],
                           dap_error *err)
{
  member mine = {.group = groups->own};
  dap_status s = dap_mpi_check(MPI_Comm_rank(inter, &mine.rank), "MPI_Comm_rank", err);
  const dap_status t = dap_allgather(both, &mine, members, 2, MPI_INT, s ? NULL : err);
  if (!s) s = t;
  for (int r = 0; r < groups->size[0] + groups->size[1] && !s; r++)
    groups->ranks[members[r].group][members[r].rank] = r;
  return s;
}

dap_status dap_groups_create(MPI_Comm inter, MPI_Comm both, dap_groups *groups, dap_error *err)
{
  member *members = NULL;
  *groups = (dap_groups){0};
  dap_status s = dap_agree(both, start(inter, both, groups, &members, err), err);
  if (!s) s = dap_agree(both, exchange(inter, both, groups, members, err), err);
  free(members);
  if (s) dap_groups_release(groups);
  return s;
}

void dap_groups_release(dap_groups *groups)
{
  for (int g = 0; g < 2; g++) free(groups->ranks[g]);
  *groups = (dap_groups){0};
}
