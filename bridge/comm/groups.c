/* Merges the two groups of an intercommunicator. MPI's reductions on it differ from those on other
 * communicators, so the groups work together on one communicator of both. */
#include "comm_impl.h"

#include <dapbridge/version.h>
#include <stdio.h>

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

/* MPI_Intercomm_merge() puts one group behind the other. The standard does not say so if no group asks to be
 * first, but all implementations do. */
dap_status dap_groups_find(MPI_Comm inter, MPI_Comm both, dap_groups *groups, dap_error *err)
{
  int in_group = 0, in_both = 0, own = 0, other = 0;
  DAP_TRY(dap_mpi_check(MPI_Comm_size(inter, &own), "MPI_Comm_size", err));
  DAP_TRY(dap_mpi_check(MPI_Comm_remote_size(inter, &other), "MPI_Comm_remote_size", err));
  DAP_TRY(dap_mpi_check(MPI_Comm_rank(inter, &in_group), "MPI_Comm_rank", err));
  DAP_TRY(dap_mpi_check(MPI_Comm_rank(both, &in_both), "MPI_Comm_rank", err));
  DAP_REQUIRE(in_both == in_group || in_both == in_group + other, err, DAP_ERR_LIBRARY,
              "MPI_Intercomm_merge has mixed two groups of %d and %d processes", own, other);
  const bool is_first = in_both == in_group;
  *groups = (dap_groups){.own = !is_first, .size = {is_first ? own : other, is_first ? other : own}};
  return DAP_OK;
}
