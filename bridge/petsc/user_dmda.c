/* A DMDA of the caller's: has it the array's points, and which process has which? */
#include "import_impl.h"

#include <inttypes.h>
#include <stdlib.h>

/* The axis of the array that direction d of the DMDA runs along. */
static int axis_along(const dap_kit *kit, int d)
{
  return kit->grid.order == DAP_ORDER_C ? kit->array.grid_ndim - 1 - d : d;
}

/* ---- the same on every process ---------------------------------------------------------------------- */

static dap_status check_sizes(const dap_facts *f, const dap_kit *kit, dap_error *err)
{
  for (int d = 0; d < f->ndim; d++) {
    const int k = axis_along(kit, d);
    DAP_REQUIRE(f->size[d] == kit->array.axis[k].size, err, DAP_ERR_ARG,
                "options: dm has %" PRId64 " points in direction %c, dim %d of the array %" PRId64,
                (int64_t)f->size[d], "xyz"[d], k, kit -> array.axis[k].size);
  }
  return DAP_OK;
}

static const char *boundary_name(DMBoundaryType type)
{
  return DMBoundaryTypes[type];
}

/* What lies outside an axis is as the DMDA has it, also where it knows nothing of the array's period; but boundary
 * padding that is ghost points must be what it has. */
static dap_status take_boundary(const dap_facts *f, int d, dap_kit *kit, dap_error *err)
{
  const int k = axis_along(kit, d);
  dap_box_axis *axis = &kit->array.axis[k];
  DAP_REQUIRE(f->outer[d] != DM_BOUNDARY_MIRROR && f->outer[d] != DM_BOUNDARY_TWIST, err, DAP_ERR_UNSUPPORTED,
              "options: dm's boundary in direction %c is DM_BOUNDARY_%s, which no padding of an array is",
              "xyz"[d], boundary_name(f->outer[d]));
  const bool stripped = axis->margin[0] > 0 || axis->margin[1] > 0;
  if (axis->outer == DM_BOUNDARY_NONE || (axis->outer == DM_BOUNDARY_PERIODIC && !stripped))
    axis->outer = f->outer[d];
  DAP_REQUIRE(
      axis->outer == f->outer[d], err, DAP_ERR_ARG,
      "options: dm's boundary in direction %c is DM_BOUNDARY_%s, that of dim %d of the array DM_BOUNDARY_%s",
      "xyz"[d], boundary_name(f->outer[d]), k, boundary_name(axis->outer));
  return DAP_OK;
}

static dap_status take_facts(const dap_facts *f, const dap_petsc_field_options *o, dap_kit *kit,
                             dap_error *err)
{
  const int64_t dof = dap_box_dof(&kit->array);
  DAP_REQUIRE(f->ndim == kit->array.grid_ndim && f->dof == dof, err, DAP_ERR_ARG,
              "options: dm has %d directions and %" PRId64 " degrees of freedom, the array %d and %" PRId64,
              (int)f->ndim, (int64_t)f->dof, kit->array.grid_ndim, dof);
  DAP_REQUIRE(o->width == 0 || o->width == f->width, err, DAP_ERR_ARG,
              "options: width is %" PRId64 ", dm's %" PRId64, o->width, (int64_t)f->width);
  DAP_REQUIRE(!o->star || f->stencil == DMDA_STENCIL_STAR, err, DAP_ERR_ARG,
              "options: star is asked for, but dm has a box stencil");
  DAP_TRY(check_sizes(f, kit, err));
  for (int d = 0; d < f->ndim; d++) DAP_TRY(take_boundary(f, d, kit, err));
  kit->grid.width = f->width;
  kit->grid.star = f->stencil == DMDA_STENCIL_STAR;
  return DAP_OK;
}

static dap_status check_same(MPI_Comm comm, const dap_facts *f, dap_error *err)
{
  static const char *const names[] = {
      "options: dm's sizes",      "options: dm's sizes",      "options: dm's sizes",
      "options: dm's procs",      "options: dm's procs",      "options: dm's procs",
      "options: dm's boundaries", "options: dm's boundaries", "options: dm's boundaries",
      "options: dm's width",      "options: dm's dof",        "options: dm's directions",
      "options: dm's stencil"};
  uint64_t words[13] = {0};
  for (int d = 0; d < DAP_GRID_MAX; d++) {
    words[d] = (uint64_t)f->size[d];
    words[3 + d] = (uint64_t)f->procs[d];
    words[6 + d] = (uint64_t)f->outer[d];
  }
  words[9] = (uint64_t)f->width;
  words[10] = (uint64_t)f->dof;
  words[11] = (uint64_t)f->ndim;
  words[12] = (uint64_t)f->stencil;
  return dap_agree_words(comm, words, names, 13, err);
}

/* ---- whose points ----------------------------------------------------------------------------------- */

/* Place in the array's process grid of the DMDA's rank, which runs along x first. */
static int place_of(const dap_facts *f, const dap_kit *kit, int rank)
{
  int coords[DAP_GRID_MAX] = {0}, place = 0;
  for (int d = 0; d < f->ndim; d++) {
    coords[axis_along(kit, d)] = rank % (int)f->procs[d];
    rank /= (int)f->procs[d];
  }
  for (int k = 0; k < kit->array.grid_ndim; k++)
    for (int d = 0; d < f->ndim; d++)
      if (axis_along(kit, d) == k) place = place * (int)f->procs[d] + coords[k];
  return place;
}

static dap_status take_ownership(const dap_facts *f, const dap_kit *kit, int nprocs, dap_ownership *ownership,
                                 dap_error *err)
{
  *ownership = (dap_ownership){.ndim = (int)f->ndim};
  for (int d = 0; d < f->ndim; d++) ownership->procs[axis_along(kit, d)] = (int)f->procs[d];
  DAP_TRY(dap_ownership_init(ownership, err));
  for (int d = 0; d < f->ndim; d++)
    for (int c = 0; c < f->procs[d]; c++) ownership->points[axis_along(kit, d)][c] = f->ranges[d][c];
  ownership->ranks = calloc((size_t)nprocs, sizeof *ownership->ranks);
  DAP_REQUIRE(ownership->ranks, err, DAP_ERR_NOMEM, "no memory for %d processes", nprocs);
  return DAP_OK;
}

/* Who on `comm` is which rank of the DMDA's. Collective. */
static dap_status seat(MPI_Comm comm, const dap_facts *f, const dap_kit *kit, int nprocs,
                       dap_ownership *ownership, dap_error *err)
{
  int mine = 0;
  dap_status s =
      dap_petsc_mpi(MPI_Comm_rank(PetscObjectComm((PetscObject)f->dm), &mine), "MPI_Comm_rank", err);
  int *all = s ? NULL : calloc((size_t)nprocs, sizeof *all);
  if (!s && !all) s = dap_fail(err, DAP_ERR_NOMEM, "no memory for %d processes", nprocs);
  s = dap_agree(comm, s, err);
  if (!s) s = dap_petsc_mpi(MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, comm), "MPI_Allgather", err);
  for (int rank = 0; rank < nprocs && !s; rank++) ownership->ranks[place_of(f, kit, all[rank])] = rank;
  free(all);
  return dap_agree(comm, s, err);
}

/* Its x stays the axis that it was for the field before. */
static dap_status find_order(MPI_Comm comm, DM dm, dap_order wanted, dap_kit *kit, dap_error *err)
{
  const dap_kit *earlier = dap_kit_newest(dm);
  if (!wanted && earlier) wanted = earlier->grid.order;
  return dap_find_order(comm, &kit->array, NULL, wanted, &kit->grid.order, err);
}

static dap_status check_comm(MPI_Comm comm, DM dm, dap_error *err)
{
  int same = MPI_UNEQUAL;
  DAP_TRY(dap_petsc_mpi(MPI_Comm_compare(comm, PetscObjectComm((PetscObject)dm), &same), "MPI_Comm_compare",
                        err));
  DAP_REQUIRE(same != MPI_UNEQUAL, err, DAP_ERR_ARG, "options: dm lives on other processes than the array");
  return DAP_OK;
}

dap_status dap_user_dmda_take(MPI_Comm comm, DM dm, const dap_petsc_field_options *options, dap_kit *kit,
                              dap_ownership *ownership, dap_error *err)
{
  dap_facts f;
  const int nprocs = dap_layout_nprocs(kit->array.layout);
  DAP_TRY(dap_agree(comm, dap_facts_of(dm, &f, err), err));
  DAP_TRY(dap_agree(comm, check_comm(comm, dm, err), err));
  DAP_TRY(check_same(comm, &f, err));
  DAP_TRY(dap_agree(comm, find_order(comm, dm, options->order, kit, err), err));
  dap_status s = take_facts(&f, options, kit, err);
  if (!s) s = take_ownership(&f, kit, nprocs, ownership, err);
  s = dap_agree(comm, s, err);
  return s ? s : seat(comm, &f, kit, nprocs, ownership, err);
}
