/* Hermitian matrices as ELPA wants them: finite, and both triangles. All on the memory of a view, whose
 * element (i, j) is the array's (j, i) with op 'T'. */
#include "elpa_elements.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

char dap_elpa_triangle(const dap_elpa_call *call, int i)
{
  if (call->uplo == 'A') return 'A';
  return (call->uplo == 'L') == (call->views[i].matrix.op == 'N') ? 'L' : 'U';
}

/* ---- finite ------------------------------------------------------------------------------------------ */

static bool within(char triangle, int64_t i, int64_t j)
{
  return triangle == 'A' || (triangle == 'L' ? i >= j : i <= j);
}

static dap_status check(const dap_elpa_call *call, int operand, dap_error *err)
{
  const dap_elpa_part p = dap_elpa_part_of(call, operand);
  const char triangle = dap_elpa_triangle(call, operand);
  for (int64_t col = 0; col < p.extents[1]; col++)
    for (int64_t row = 0; row < p.extents[0]; row++) {
      const void *at = dap_elpa_element(&p, p.view->matrix.data, row, col);
      if (isfinite(dap_elpa_component(&p, at, 0)) && isfinite(dap_elpa_component(&p, at, p.components - 1)))
        continue;
      const int64_t i = dap_elpa_global(&p, 0, row), j = dap_elpa_global(&p, 1, col);
      const bool flip = p.view->matrix.op == 'T';
      DAP_REQUIRE(!within(triangle, i, j), err, DAP_ERR_NUMERIC,
                  "%s has an element that is not finite, at (%" PRId64 ", %" PRId64 ")",
                  call->operands[operand].name, flip ? j : i, flip ? i : j);
    }
  return DAP_OK;
}

dap_status dap_elpa_finite(dap_elpa_call *call, int i)
{
  return dap_agree(call->comm, check(call, i, call->err), call->err);
}

/* ---- neither tiny nor huge --------------------------------------------------------------------------- */

static double largest(const dap_elpa_part *p)
{
  double most = 0;
  for (int64_t col = 0; col < p->extents[1]; col++)
    for (int64_t row = 0; row < p->extents[0]; row++)
      for (int c = 0; c < p->components; c++)
        most =
            fmax(most, fabs(dap_elpa_component(p, dap_elpa_element(p, p->view->matrix.data, row, col), c)));
  return most;
}

/* ELPA compares some quantities with absolute bounds: elements around 1e-27 give wrong eigenvalues (2022.11).
 * */
dap_status dap_elpa_scale(dap_elpa_call *call)
{
  enum { USUAL = 16 };
  const dap_elpa_part p = dap_elpa_part_of(call, DAP_ELPA_A);
  double most = largest(&p);
  const int code = MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, call->comm);
  DAP_TRY(dap_agree(call->comm, code ? dap_fail(call->err, DAP_ERR_LIBRARY, "MPI_Allreduce failed") : DAP_OK,
                    call->err));
  (void)frexp(most, &call->exponent);
  if (most == 0 || (call->exponent >= -USUAL && call->exponent <= USUAL)) call->exponent = 0;
  for (int64_t col = 0; col < p.extents[1] && call->exponent; col++)
    for (int64_t row = 0; row < p.extents[0]; row++)
      for (int c = 0; c < p.components; c++) {
        void *at = dap_elpa_element(&p, p.view->matrix.data, row, col);
        dap_elpa_set(&p, at, c, scalbn(dap_elpa_component(&p, at, c), -call->exponent));
      }
  return DAP_OK;
}

/* ---- both triangles ---------------------------------------------------------------------------------- */

/* The other triangle from `mirrored`, and real numbers on the diagonal, as LAPACK takes them to be. */
static void fill(const dap_elpa_part *p, char triangle, void *mirrored)
{
  const int64_t item = p->components * (p->single ? 4 : 8);
  for (int64_t col = 0; col < p->extents[1]; col++) {
    const int64_t j = dap_elpa_global(p, 1, col);
    for (int64_t row = 0; row < p->extents[0]; row++) {
      const int64_t i = dap_elpa_global(p, 0, row);
      char *to = dap_elpa_element(p, p->view->matrix.data, row, col);
      const char *from = dap_elpa_element(p, mirrored, row, col);
      if (i == j && p->components == 2) dap_elpa_set(p, to, 1, 0);
      for (int64_t b = 0; b < item && !within(triangle, i, j); b++) to[b] = from[b];
    }
  }
}

/* mirrored (i, j) = conj(matrix (j, i)), on the grid, whose processes are in the order of a layout's. */
static dap_status transpose_here(const dap_elpa_part *p, dap_dtype dtype, void *mirrored, dap_error *err)
{
  static const int swapped[2] = {1, 0};
  const dap_elpa_matrix *m = p->view;
  const int64_t item = dap_dtype_size(dtype), strides[2] = {item, item * m->local_nrows};
  const dap_dist dists[2] = {dap_dist_cyclic(m->size, m->grid[0], m->block_size),
                             dap_dist_cyclic(m->size, m->grid[1], m->block_size)};
  dap_layout *layout = NULL;
  dap_plan *plan = NULL;
  dap_status status = dap_agree(m->comm, dap_layout_create(2, dists, &layout, err), err);
  const dap_side to = {.layout = layout, .strides = strides, .dtype = dtype};
  dap_side from = to;
  from.part = (dap_part){.naxes = 2, .axes = swapped};
  if (!status)
    status = dap_plan_create(m->comm, &from, &to, 0, &(dap_plan_options){.conjugate = p->components == 2},
                             &plan, err);
  if (!status) status = dap_plan_run(plan, m->matrix.data, mirrored, err);
  dap_plan_destroy(&plan);
  dap_layout_destroy(&layout);
  return status;
}

/* Collective. */
static dap_status transpose(dap_elpa_call *call, const dap_elpa_part *p, void *mirrored)
{
  const bool inside = p->view->matrix.data;
  return dap_agree(call->comm, inside ? transpose_here(p, call->lib->dtype, mirrored, call->err) : DAP_OK,
                   call->err);
}

/* A matrix of the call's kind that may be overwritten: the vectors', if they are wanted. */
static dap_status find_scratch(dap_elpa_call *call, void **scratch)
{
  const dap_elpa_matrix *leader = &call->views[call->order[0]];
  const size_t item = (size_t)dap_dtype_size(call->lib->dtype);
  dap_status status = DAP_OK;
  if (call->operands[DAP_ELPA_Z].given) {
    *scratch = call->views[DAP_ELPA_Z].matrix.data;
    return DAP_OK;
  }
  if (!call->scratch && leader->matrix.data) {
    call->scratch = calloc((size_t)leader->local_nrows * (size_t)leader->local_ncols, item);
    if (!call->scratch) status = dap_fail(call->err, DAP_ERR_NOMEM, "no memory for a matrix");
  }
  *scratch = call->scratch;
  return dap_agree(call->comm, status, call->err);
}

dap_status dap_elpa_mirror(dap_elpa_call *call, int i)
{
  const dap_elpa_part p = dap_elpa_part_of(call, i);
  void *mirrored;
  if (call->uplo == 'A') return DAP_OK;
  DAP_TRY(find_scratch(call, &mirrored));
  DAP_TRY(transpose(call, &p, mirrored));
  fill(&p, dap_elpa_triangle(call, i), mirrored);
  return DAP_OK;
}

void dap_elpa_conjugate(const dap_elpa_call *call, int i)
{
  const dap_elpa_part p = dap_elpa_part_of(call, i);
  for (int64_t col = 0; col < p.extents[1] && p.components == 2; col++)
    for (int64_t row = 0; row < p.extents[0]; row++) {
      void *at = dap_elpa_element(&p, p.view->matrix.data, row, col);
      dap_elpa_set(&p, at, 1, -dap_elpa_component(&p, at, 1));
    }
}
