/* Checks that the caller's DMDA has the array's points, and finds the processes that have them. */
#include "field_impl.h"
#include "hash.h"
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
                "options: dm has %" PRId64 " points in direction %c, axis %d of the array %" PRId64,
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
      "options: dm's boundary in direction %c is DM_BOUNDARY_%s, that of axis %d of the array DM_BOUNDARY_%s",
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
  static const char *const names[] = {"options: dm's sizes",      "options: dm's procs",
                                      "options: dm's boundaries", "options: dm's width",
                                      "options: dm's dof",        "options: dm's directions",
                                      "options: dm's stencil",    "options: dm's matrices"};
  dap_facts received = *f;
  if (view->is_apart)
    DAP_TRY(dap_petsc_mpi(MPI_Bcast(&received, (int)sizeof received, MPI_BYTE, view->ranks[0], view->comm),
                          "MPI_Bcast", err));
  if (view->member < 0) *f = received;
  const uint64_t words[] = {dap_hash(0, f->size, sizeof f->size),
                            dap_hash(0, f->procs, sizeof f->procs),
                            dap_hash(0, f->outer, sizeof f->outer),
                            (uint64_t)f->width,
                            (uint64_t)f->dof,
                            (uint64_t)f->ndim,
                            (uint64_t)f->stencil,
                            (uint64_t)f->matrix.width << 1 | f->matrix.star};
  return dap_agree_words(view->comm, words, names, (int)(sizeof words / sizeof words[0]), err);
}

/* ---- owners of points ---------------------------------------------------------------------------------- */

/* A process in the DMDA. */
typedef struct seat {
  int rank; /* in the DMDA's communicator; ranks run along x first */
  PetscInt length[DAP_GRID_MAX];
} seat;

static dap_status find_seat(const dap_view *view, const dap_facts *f, seat *own, dap_error *err)
{
  if (view->member < 0) return DAP_OK;
  for (int d = 0; d < DAP_GRID_MAX; d++) own->length[d] = f->length[d];
  return dap_petsc_mpi(MPI_Comm_rank(PetscObjectComm((PetscObject)f->dm), &own->rank), "MPI_Comm_rank", err);
}

/* Finds the seats of all processes. The caller frees them. Collective. */
static dap_status gather_seats(const dap_view *view, const dap_facts *f, seat **seats, dap_error *err)
{
  seat own = {.rank = 0};
  int size = 0;
  dap_status s = dap_petsc_mpi(MPI_Comm_size(view->comm, &size), "MPI_Comm_size", err);
  if (!s) s = find_seat(view, f, &own, err);
  *seats = s ? NULL : calloc((size_t)size, sizeof own);
  if (!s && !*seats) s = dap_fail(err, DAP_ERR_NOMEM, "no memory for %d processes", size);
  DAP_TRY(dap_agree(view->comm, s, err));
  return dap_petsc_mpi(
      MPI_Allgather(&own, (int)sizeof own, MPI_BYTE, *seats, (int)sizeof own, MPI_BYTE, view->comm),
      "MPI_Allgather", err);
}

/* Sets the lengths of the ranges along each axis, and the part's process at each place of the array's process
 * grid. */
static void sit_down(const dap_view *view, const int procs[], const seat seats[], int64_t *lengths,
                     int ranks[])
{
  const dap_field_form *form = view->form;
  const int ndim = form->array.grid_ndim;
  for (int i = 0; i < view->nprocs; i++) {
    const seat *its = &seats[view->ranks[i]];
    int coords[DAP_GRID_MAX] = {0}, place = 0, rest = its->rank;
    for (int d = 0; d < ndim; d++) {
      coords[axis_along(form, d)] = rest % procs[axis_along(form, d)];
      rest /= procs[axis_along(form, d)];
    }
    int64_t *first = lengths;
    for (int k = 0; k < ndim; k++) {
      place = place * procs[k] + coords[k];
      first[coords[k]] = its->length[axis_along(form, k)]; /* the direction of axis k */
      first += procs[k];
    }
    ranks[place] = i;
  }
}

static dap_status lay_points(const dap_view *view, const dap_facts *f, const seat seats[],
                             dap_layout **points, dap_error *err)
{
  const dap_field_form *form = view->form;
  int procs[DAP_GRID_MAX] = {1, 1, 1};
  size_t lines = 0;
  for (int d = 0; d < f->ndim; d++) {
    procs[axis_along(form, d)] = (int)f->procs[d];
    lines += (size_t)f->procs[d];
  }
  int64_t *lengths = calloc(lines + 1, sizeof *lengths);
  int *ranks = calloc((size_t)view->nprocs, sizeof *ranks);
  dap_status s =
      lengths && ranks ? DAP_OK : dap_fail(err, DAP_ERR_NOMEM, "no memory for %d processes", view->nprocs);
  if (!s) sit_down(view, procs, seats, lengths, ranks);
  if (!s) s = dap_points_create(&form->array, procs, lengths, ranks, points, err);
  free(lengths);
  free(ranks);
  return s;
}

/* Finds the layout of the DMDA's points on all processes. Collective; agreed. */
static dap_status find_points(const dap_view *view, const dap_facts *f, dap_layout **points, dap_error *err)
{
  seat *seats = NULL;
  dap_status s = gather_seats(view, f, &seats, err);
  if (!s) s = lay_points(view, f, seats, points, err);
  free(seats);
  return dap_agree(view->comm, s, err);
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

static dap_status query(const dap_view *view, dap_facts *f, dap_error *err)
{
  DM dm = dap_field_own_dm(view);
  dap_dm_memo *memo = NULL;
  int same = MPI_UNEQUAL;
  if (view->member < 0) return DAP_OK;
  DAP_TRY(dap_facts_of(dm, f, err));
  DAP_TRY(DAP_CATCH(dap_dm_memo_of(dm, &memo), "asking the DMDA for its matrices' stencil", err));
  f->matrix = memo->matrix;
  MPI_Comm comm = view->is_apart ? view->part : view->comm;
  DAP_TRY(dap_petsc_mpi(MPI_Comm_compare(comm, PetscObjectComm((PetscObject)dm), &same), "MPI_Comm_compare",
                        err));
  DAP_REQUIRE(same != MPI_UNEQUAL, err, DAP_ERR_ARG, "options: dm lives on other processes than the array");
  return DAP_OK;
}

dap_status dap_user_dmda_inspect(dap_view *view, dap_layout **points, dap_error *err)
{
  dap_facts f = {.dm = NULL};
  DAP_TRY(dap_agree(view->comm, query(view, &f, err), err));
  DAP_TRY(share_facts(view, &f, err));
  DAP_TRY(dap_agree(view->comm, take_facts(&f, view->options, view->form, err), err));
  return find_points(view, &f, points, err);
}
