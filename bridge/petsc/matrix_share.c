/* The one place that decides whether a matrix of PETSc's can lie in the array's buffer. */
#include "matrix_impl.h"

#include <inttypes.h>
#include <stdalign.h>
#include <stdlib.h>

typedef struct dap_petsc_matrix_state dap_state;

/* ---- the layout: the same on every process --------------------------------------------------------- */

/* DAP_OK iff `cut` is in ranges, one for each process, and the other axis whole on each. */
static dap_status check_cut(const dap_layout *layout, int cut, dap_error *why)
{
  const dap_axis along = dap_layout_axis(layout, cut), whole = dap_layout_axis(layout, 1 - cut);
  DAP_REQUIRE(along.dist_type != 'u', why, DAP_ERR_SHARE, "dim %d is unstructured", cut);
  DAP_REQUIRE(whole.dist_type != 'u', why, DAP_ERR_SHARE, "dim %d is unstructured", 1 - cut);
  DAP_REQUIRE(whole.procs == 1, why, DAP_ERR_SHARE,
              "dim %d is spread over %d processes; a matrix with ranges of %s has it whole on each", 1 - cut,
              whole.procs, cut == 0 ? "rows" : "columns");
  int64_t *ranges = calloc((size_t)along.procs + 1, sizeof *ranges);
  DAP_REQUIRE(ranges, why, DAP_ERR_NOMEM, "no memory for %d processes", along.procs);
  const dap_status s = dap_layout_ranges(layout, cut, ranges, NULL);
  free(ranges);
  DAP_REQUIRE(!s, why, DAP_ERR_SHARE, "dim %d is cyclic; a matrix of PETSc's has one range a process", cut);
  return DAP_OK;
}

/* ---- the buffer: this process' own ----------------------------------------------------------------- */

static int64_t owned(const dap_state *state, int axis)
{
  return dap_layout_owned(state->layout, axis, state->coords[axis]);
}

/* Elements from one line of contiguous ones to the next; where there is but one line, its length. */
static int64_t lead_of(const dap_state *state, int inner)
{
  const int64_t length = owned(state, inner), item = (int64_t)sizeof(PetscScalar);
  const int64_t stride = state->work.array.strides[1 - inner];
  if (owned(state, 1 - inner) > 1 && length > 0) return stride % item == 0 ? stride / item : 0;
  return length > 1 ? length : 1;
}

static void *first_owned(const dap_state *state)
{
  static PetscScalar nothing; /* what a matrix without elements points at; NULL would make PETSc allocate */
  if (owned(state, 0) == 0 || owned(state, 1) == 0) return &nothing;
  char *data = state->work.array.data;
  for (int k = 0; k < 2; k++) {
    int64_t halo[2] = {0};
    dap_layout_halo(state->layout, k, state->coords[k], halo);
    data += halo[0] * state->work.array.strides[k];
  }
  return data;
}

static dap_status check_buffer(const dap_state *state, int inner, dap_error *why)
{
  const dap_array *array = &state->work.array;
  const int outer = 1 - inner;
  const int64_t length = owned(state, inner), lines = owned(state, outer), lead = lead_of(state, inner);
  DAP_TRY(dap_work_shares(&state->work, why));
  DAP_REQUIRE(length < 2 || lines == 0 || array->strides[inner] == (int64_t)sizeof(PetscScalar), why,
              DAP_ERR_SHARE, "dim %d is not contiguous, with %" PRId64 " bytes from one element to the next",
              inner, array->strides[inner]);
  DAP_REQUIRE(lead >= length && lead > 0, why, DAP_ERR_SHARE,
              "dim %d: %" PRId64 " bytes from one line of %" PRId64
              " elements to the next make no leading dimension",
              outer, array->strides[outer], length);
  DAP_REQUIRE((uintptr_t)first_owned(state) % alignof(PetscScalar) == 0, why, DAP_ERR_SHARE,
              "the buffer is not aligned to %zu bytes", alignof(PetscScalar));
  /* PETSc multiplies the two, and would find out on this process alone. */
  DAP_REQUIRE(lead <= DAP_BLAS_MAX && lines <= DAP_BLAS_MAX && lines <= PETSC_MAX_INT / lead, why,
              DAP_ERR_SHARE, "%" PRId64 " lines with leading dimension %" PRId64 " exceed PetscInt", lines,
              lead);
  return DAP_OK;
}

/* ---- the verdict ------------------------------------------------------------------------------------- */

/* What all buffers have in common, by the axis that is to be contiguous: whether it is, and has no gaps. */
typedef struct votes {
  int contiguous[2], gapless[2];
} votes;

static dap_status vote(const dap_state *state, votes *all, dap_error *err)
{
  votes here;
  for (int k = 0; k < 2; k++) {
    const int64_t length = owned(state, k);
    here.contiguous[k] = check_buffer(state, k, NULL) == DAP_OK;
    here.gapless[k] = lead_of(state, k) == (length > 0 ? length : 1);
  }
  const int code = MPI_Allreduce(&here, all, 4, MPI_INT, MPI_MIN, state->comm);
  return dap_petsc_mpi(code, "MPI_Allreduce", err);
}

static void fill(const dap_state *state, int cut, int inner, const votes *all, dap_fit *fit)
{
  fit->cut = cut;
  fit->inner = inner;
  fit->place = state->coords[cut];
  fit->owned = owned(state, cut);
  fit->lead = lead_of(state, inner);
  fit->gaps = !all->gapless[inner];
  fit->data = first_owned(state);
  fit->in_order = true;
  for (int c = 0, coords[2] = {0}; c < dap_layout_procs(state->layout, cut); c++) {
    coords[cut] = c;
    if (dap_layout_rank(state->layout, coords) != c) fit->in_order = false;
  }
}

/* Which axes can be the cut one; DAP_ERR_SHARE if none that serves. Collective. */
static dap_status find_cuts(const dap_state *state, bool cuts[2], dap_error *why)
{
  dap_error columns = {.rank = -1};
  const dap_status rows = check_cut(state->layout, 0, why), other = check_cut(state->layout, 1, &columns);
  const bool short_of_memory = rows == DAP_ERR_NOMEM || other == DAP_ERR_NOMEM;
  if (other == DAP_ERR_NOMEM) *why = columns;
  DAP_TRY(dap_agree(state->comm, short_of_memory ? DAP_ERR_NOMEM : DAP_OK, why));
  cuts[0] = rows == DAP_OK;
  cuts[1] = other == DAP_OK && state->options.form != DAP_PETSC_DENSE;
  if (cuts[0] || cuts[1]) return DAP_OK;
  const bool columns_spread =
      dap_layout_procs(state->layout, 0) == 1; /* then their reason is the telling one */
  if (columns_spread && other && state->options.form != DAP_PETSC_DENSE) *why = columns;
  return DAP_ERR_SHARE;
}

/* MATDENSE before its transposed view before a shell. On one process either axis can be the cut one. */
dap_status dap_fit_find(const dap_state *state, dap_fit *fit, dap_error *why)
{
  static const int choices[][2] = {{0, 0}, {1, 1}, {0, 1}, {1, 0}}; /* cut, inner */
  const bool dense = state->options.form == DAP_PETSC_DENSE;
  bool cuts[2];
  votes all = {{0}, {0}};
  DAP_TRY(find_cuts(state, cuts, why));
  DAP_TRY(dap_agree(state->comm, vote(state, &all, why), why));
  for (int i = 0; i < (dense ? 1 : 4); i++) {
    const int cut = choices[i][0], inner = choices[i][1];
    if (!cuts[cut] || !all.contiguous[inner]) continue;
    fill(state, cut, inner, &all, fit);
    return DAP_OK;
  }
  /* The axis with the shorter stride says best what is in the way. */
  const int64_t *strides = state->work.array.strides;
  const int inner = dense || llabs(strides[0]) < llabs(strides[1]) ? 0 : 1;
  DAP_TRY(dap_agree(state->comm, check_buffer(state, inner, why), why));
  return dap_fail(why, DAP_ERR_SHARE, "no dimension is contiguous on every process");
}
