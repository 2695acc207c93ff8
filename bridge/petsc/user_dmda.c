/* Checks that the caller's DMDA has the array's points, and finds the processes that have them. */
#include "field_impl.h"
#include "import_impl.h"

#include <inttypes.h>
#include <stdlib.h>

static int axis_along(const dap_field_form *form, int d)
{
  return dap_axis_along(form->grid.order, form->array.grid_ndim, d);
}

static dap_status check_sizes(const dap_facts *f, const dap_field_form *form, dap_error *err)
{
  for (int d = 0; d < f->ndim; d++) {
    const int k = axis_along(form, d);
    DAP_REQUIRE(f->size[d] == form->array.axis[k].size, err, DAP_ERR_ARG,
                "options: dm has %" PRId64 " points in direction %c, dim %d of the array %" PRId64,
                (int64_t)f->size[d], "xyz"[d], k, form -> array.axis[k].size);
  }
  return DAP_OK;
}

/* Takes the boundary of an axis from the DMDA, even if that does not know the array's period. Boundary
 * padding that is ghost points must agree with it. */
static dap_status take_boundary(const dap_facts *f, int d, dap_field_form *form, dap_error *err)
{
  const int k = axis_along(form, d);
  dap_box_axis *axis = &form->array.axis[k];
  DAP_REQUIRE(f->outer[d] != DM_BOUNDARY_MIRROR && f->outer[d] != DM_BOUNDARY_TWIST, err, DAP_ERR_UNSUPPORTED,
              "options: dm's boundary in direction %c is DM_BOUNDARY_%s, which no padding of an array is",
              "xyz"[d], DMBoundaryTypes[f->outer[d]]);
  const bool stripped = axis->margin[0] > 0 || axis->margin[1] > 0;
  if (axis->outer == DM_BOUNDARY_NONE || (axis->outer == DM_BOUNDARY_PERIODIC && !stripped))
    axis->outer = f->outer[d];
  DAP_REQUIRE(
      axis->outer == f->outer[d], err, DAP_ERR_ARG,
      "options: dm's boundary in direction %c is DM_BOUNDARY_%s, that of dim %d of the array DM_BOUNDARY_%s",
      "xyz"[d], DMBoundaryTypes[f->outer[d]], k, DMBoundaryTypes[axis->outer]);
  return DAP_OK;
}

/* Takes the stencil of the DMDA's matrices, which an earlier field chose when it made the DMDA. */
static dap_status take_matrix(const dap_stencil *matrix, const dap_petsc_field_options *o, dap_grid *grid,
                              dap_error *err)
{
  const int64_t width = matrix->width > 0 ? matrix->width : grid->width;
  const bool star = matrix->width > 0 ? matrix->star : grid->star;
  DAP_REQUIRE(o->matrix_width == 0 || o->matrix_width == width, err, DAP_ERR_ARG,
              "options: matrix_width is %" PRId64 ", that of dm's matrices %" PRId64, o->matrix_width, width);
  DAP_REQUIRE(!o->matrix_star || star, err, DAP_ERR_ARG,
              "options: matrix_star is asked for, but dm's matrices have a box stencil");
  grid->matrix = *matrix;
  return DAP_OK;
}

static dap_status take_facts(const dap_facts *f, const dap_petsc_field_options *o, dap_field_form *form,
                             dap_error *err)
{
  const int64_t dof = dap_box_dof(&form->array);
  DAP_REQUIRE(f->ndim == form->array.grid_ndim && f->dof == dof, err, DAP_ERR_ARG,
              "options: dm has %d directions and %" PRId64 " degrees of freedom, the array %d and %" PRId64,
              (int)f->ndim, (int64_t)f->dof, form->array.grid_ndim, dof);
  DAP_REQUIRE(o->width == 0 || o->width == f->width, err, DAP_ERR_ARG,
              "options: width is %" PRId64 ", dm's %" PRId64, o->width, (int64_t)f->width);
  DAP_REQUIRE(!o->star || f->stencil == DMDA_STENCIL_STAR, err, DAP_ERR_ARG,
              "options: star is asked for, but dm has a box stencil");
  DAP_TRY(check_sizes(f, form, err));
  for (int d = 0; d < f->ndim; d++) DAP_TRY(take_boundary(f, d, form, err));
  form->grid.width = f->width;
  form->grid.star = f->stencil == DMDA_STENCIL_STAR;
  return take_matrix(&f->matrix, o, &form->grid, err);
}

/* Gives the facts to processes without a part, from the first process that has one. All others must have
 * found the same. Collective; agreed. */
static dap_status share_facts(const dap_view *view, dap_facts *f, dap_error *err)
{
  static const char *const names[] = {
      "options: dm's sizes",      "options: dm's sizes",      "options: dm's sizes",
      "options: dm's procs",      "options: dm's procs",      "options: dm's procs",
      "options: dm's boundaries", "options: dm's boundaries", "options: dm's boundaries",
      "options: dm's width",      "options: dm's dof",        "options: dm's directions",
      "options: dm's stencil",    "options: dm's matrices",   "options: dm's matrices"};
  dap_facts received = *f;
  if (view->is_apart)
    DAP_TRY(dap_petsc_mpi(MPI_Bcast(&received, (int)sizeof received, MPI_BYTE, view->ranks[0], view->comm),
                          "MPI_Bcast", err));
  if (view->member < 0) {
    *f = received;
    f->dm = NULL; /* this and the ranges are another process's */
    for (int d = 0; d < DAP_GRID_MAX; d++) f->ranges[d] = NULL;
  }
  uint64_t words[15] = {[9] = (uint64_t)f->width, (uint64_t)f->dof,          (uint64_t)f->ndim,
                        (uint64_t)f->stencil,     (uint64_t)f->matrix.width, f->matrix.star};
  for (int d = 0; d < DAP_GRID_MAX; d++) {
    words[d] = (uint64_t)f->size[d];
    words[3 + d] = (uint64_t)f->procs[d];
    words[6 + d] = (uint64_t)f->outer[d];
  }
  return dap_agree_words(view->comm, words, names, 15, err);
}

/* Returns the place in the array's process grid of a rank of the DMDA. Ranks run along x first. */
static int place_of(const dap_facts *f, const dap_field_form *form, int rank)
{
  int coords[DAP_GRID_MAX] = {0}, place = 0;
  for (int d = 0; d < f->ndim; d++) {
    coords[axis_along(form, d)] = rank % (int)f->procs[d];
    rank /= (int)f->procs[d];
  }
  for (int k = 0; k < form->array.grid_ndim; k++)
    for (int d = 0; d < f->ndim; d++)
      if (axis_along(form, d) == k) place = place * (int)f->procs[d] + coords[k];
  return place;
}

static dap_status take_ownership(const dap_view *view, const dap_facts *f, dap_ownership *ownership,
                                 dap_error *err)
{
  const dap_field_form *form = view->form;
  *ownership = (dap_ownership){.ndim = (int)f->ndim};
  for (int d = 0; d < f->ndim; d++) ownership->procs[axis_along(form, d)] = (int)f->procs[d];
  DAP_TRY(dap_ownership_init(ownership, err));
  for (int d = 0; d < f->ndim && view->member >= 0; d++)
    for (int c = 0; c < f->procs[d]; c++) ownership->points[axis_along(form, d)][c] = f->ranges[d][c];
  ownership->ranks = calloc((size_t)view->nprocs, sizeof *ownership->ranks);
  DAP_REQUIRE(ownership->ranks, err, DAP_ERR_NOMEM, "no memory for %d processes", view->nprocs);
  return DAP_OK;
}

static dap_status share_ranges(const dap_view *view, const dap_ownership *ownership, dap_error *err)
{
  for (int k = 0; k < ownership->ndim && view->is_apart; k++)
    DAP_TRY(dap_petsc_mpi(
        MPI_Bcast(ownership->points[k], ownership->procs[k], MPI_INT64_T, view->ranks[0], view->comm),
        "MPI_Bcast", err));
  return DAP_OK;
}

/* Finds the process of each rank of the DMDA. Collective. */
static dap_status seat(const dap_view *view, const dap_facts *f, const dap_ownership *ownership,
                       dap_error *err)
{
  int mine = 0, size = 0;
  dap_status s = dap_petsc_mpi(MPI_Comm_size(view->comm, &size), "MPI_Comm_size", err);
  if (!s && view->member >= 0)
    s = dap_petsc_mpi(MPI_Comm_rank(PetscObjectComm((PetscObject)f->dm), &mine), "MPI_Comm_rank", err);
  int *all = s ? NULL : calloc((size_t)size, sizeof *all);
  if (!s && !all) s = dap_fail(err, DAP_ERR_NOMEM, "no memory for %d processes", size);
  s = dap_agree(view->comm, s, err);
  if (!s)
    s = dap_petsc_mpi(MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, view->comm), "MPI_Allgather", err);
  for (int i = 0; i < view->nprocs && !s; i++)
    ownership->ranks[place_of(f, view->form, all[view->ranks[i]])] = i;
  free(all);
  return dap_agree(view->comm, s, err);
}

static dap_status check_comm(const dap_view *view, DM dm, dap_error *err)
{
  int same = MPI_UNEQUAL;
  MPI_Comm comm = view->is_apart ? view->part : view->comm;
  DAP_TRY(dap_petsc_mpi(MPI_Comm_compare(comm, PetscObjectComm((PetscObject)dm), &same), "MPI_Comm_compare",
                        err));
  DAP_REQUIRE(same != MPI_UNEQUAL, err, DAP_ERR_ARG, "options: dm lives on other processes than the array");
  return DAP_OK;
}

static dap_status ask_order(const dap_view *view, int *order, dap_error *err)
{
  const dap_petsc_field_options *o = view->options;
  dap_order last = (dap_order)0;
  if (view->member < 0) return DAP_OK;
  DAP_TRY(DAP_CATCH(dap_dm_get_order(o->dm, &last), "asking the DMDA for its order", err));
  *order = (int)last;
  return DAP_OK;
}

/* Keeps x the axis that it was for the last field. All processes take one order, whatever each remembers.
 * Collective. */
static dap_status find_order(dap_view *view, dap_error *err)
{
  const dap_petsc_field_options *o = view->options;
  dap_field_form *form = view->form;
  int here = 0, last = 0;
  DAP_TRY(dap_agree(view->comm, ask_order(view, &here, err), err));
  DAP_TRY(dap_petsc_mpi(MPI_Allreduce(&here, &last, 1, MPI_INT, MPI_MAX, view->comm), "MPI_Allreduce", err));
  form->grid.order = dap_field_order(view, o->order ? o->order : (dap_order)last);
  return DAP_OK;
}

static dap_status query_user_dmda(const dap_view *view, dap_facts *f, dap_error *err)
{
  const dap_petsc_field_options *o = view->options;
  if (view->member < 0) return DAP_OK;
  DAP_TRY(dap_facts_of(o->dm, f, err));
  return DAP_CATCH(dap_dm_get_matrix(o->dm, &f->matrix), "asking the DMDA for its matrices' stencil", err);
}

dap_status dap_user_dmda_inspect(dap_view *view, dap_ownership *ownership, dap_error *err)
{
  const dap_petsc_field_options *o = view->options;
  dap_facts f = {.dm = NULL};
  DAP_TRY(dap_agree(view->comm, query_user_dmda(view, &f, err), err));
  DAP_TRY(dap_agree(view->comm, view->member < 0 ? DAP_OK : check_comm(view, o->dm, err), err));
  DAP_TRY(share_facts(view, &f, err));
  DAP_TRY(dap_agree(view->comm, find_order(view, err), err));
  dap_status s = take_facts(&f, o, view->form, err);
  if (!s) s = take_ownership(view, &f, ownership, err);
  DAP_TRY(dap_agree(view->comm, s, err));
  DAP_TRY(dap_agree(view->comm, share_ranges(view, ownership, err), err));
  return seat(view, &f, ownership, err);
}
