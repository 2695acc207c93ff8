/* The elements moved by plans; after every move they must be what the document says. */
#include "vectors.h"

#include <stdlib.h>
#include <string.h>

/* What all moves need. */
typedef struct stage {
  const json_t *vector;
  MPI_Comm comm;
  int rank;
  const dap_layout *layout;
  int64_t itemsize;
  const dap_array *source; /* the elements in this machine's byte order: the document's buffer, or a copy */
  const dap_array *target; /* one that can be written: the document's buffer, or the copy */
  places here;             /* this process's positions */
} stage;

static dap_side side_of(const stage *s, const dap_array *array)
{
  return (dap_side){.layout = s->layout, .strides = array->strides};
}

static bool is_writable(const dap_array *array)
{
  bool has_zero = false;
  for (int k = 0; k < array->ndim; k++)
    has_zero = has_zero || (array->strides[k] == 0 && array->shape[k] > 1);
  return !array->readonly && !array->swapped && !has_zero;
}

/* All elements, and the padding too, hold the right values. Collective. */
static dap_status compare(const stage *s, const char *what, dap_error *err)
{
  return dap_agree(s->comm, places_compare(&s->here, s->vector, s->target, false, what, err), err);
}

/* ---- gather and scatter ------------------------------------------------------------------------ */

static dap_status compare_whole(const stage *s, const unsigned char *whole, dap_error *err)
{
  for (int64_t i = 0; i < dap_layout_count(s->layout); i++) {
    unsigned char want[VECTOR_ELEMENT];
    if (!expected_element(s->vector, s->source->dtype, i, want))
      return dap_fail(err, DAP_ERR_LIBRARY, "the document is broken: it does not say element %lld",
                      (long long)i);
    if (!element_equals(s->source->dtype, whole + i * s->itemsize, want))
      return dap_fail(err, DAP_ERR_BUFFER, "gather: element %lld differs", (long long)i);
  }
  return DAP_OK;
}

static dap_status gather(const stage *s, unsigned char *whole, dap_error *err)
{
  dap_plan *plan = NULL;
  const dap_side from = side_of(s, s->source);
  dap_status status = dap_plan_create_gather(s->comm, &from, 0, s->itemsize, NULL, &plan, err);
  if (!status) status = dap_plan_run(plan, s->source->data, whole, err);
  if (!status && whole) status = compare_whole(s, whole, err);
  dap_plan_destroy(&plan);
  return dap_agree(s->comm, status, err);
}

static dap_status scatter(const stage *s, const unsigned char *whole, dap_error *err)
{
  dap_plan *plan = NULL;
  const dap_side to = side_of(s, s->target);
  const dap_plan_options options = {.fill_halos = true};
  places_wipe(&s->here, s->target, false);
  dap_status status = dap_plan_create_scatter(s->comm, 0, &to, s->itemsize, &options, &plan, err);
  if (!status) status = dap_plan_run(plan, whole, s->target->data, err);
  dap_plan_destroy(&plan);
  return status ? status : compare(s, "scatter", err);
}

/* ---- halo -------------------------------------------------------------------------------------- */

static dap_status update(const stage *s, dap_error *err)
{
  dap_plan *plan = NULL;
  const dap_side side = side_of(s, s->target);
  const dap_plan_options options = {.allow_empty = true}; /* of any producer's array */
  places_wipe(&s->here, s->target, true);
  dap_status status = dap_plan_create_halo(s->comm, &side, s->itemsize, &options, &plan, err);
  if (!status) status = dap_plan_run(plan, s->target->data, s->target->data, err);
  dap_plan_destroy(&plan);
  return status ? status : compare(s, "halo update", err);
}

/* ---- to another layout and back ---------------------------------------------------------------- */

/* Even blocks of rows over all processes of the document. */
static dap_status create_rows(const stage *s, dap_layout **rows, dap_error *err)
{
  dap_dist dists[DAP_MAX_NDIM];
  const int ndim = dap_layout_ndim(s->layout);
  for (int k = 0; k < ndim; k++)
    dists[k] = dap_dist_even(dap_layout_size(s->layout, k), k == 0 ? dap_layout_nprocs(s->layout) : 1);
  return dap_layout_create(ndim, dists, rows, err);
}

static dap_status run(const stage *s, const dap_side *from, const void *source, const dap_side *to,
                      void *target, dap_error *err)
{
  dap_plan *plan = NULL;
  const dap_plan_options options = {.fill_halos = true};
  dap_status status = dap_plan_create(s->comm, from, to, s->itemsize, &options, &plan, err);
  if (!status) status = dap_plan_run(plan, source, target, err);
  dap_plan_destroy(&plan);
  return status;
}

static dap_status compare_rows(const stage *s, const dap_layout *rows, const dap_array *array, dap_error *err)
{
  places there = {0};
  dap_status status = places_init(&there, rows, s->rank, err);
  if (!status) status = places_compare(&there, s->vector, array, false, "rows", err);
  places_release(&there);
  return dap_agree(s->comm, status, err);
}

static dap_status there_and_back(const stage *s, dap_error *err)
{
  dap_layout *rows = NULL;
  dap_array array = {0};
  dap_status status = create_rows(s, &rows, err);
  if (!status) status = dap_array_init(&array, rows, s->rank, s->source->dtype, DAP_ORDER_F, NULL, err);
  status = dap_agree(s->comm, status, err);
  const dap_side here = side_of(s, s->source), there = {.layout = rows, .strides = array.strides};
  const dap_side back = side_of(s, s->target);
  if (!status) status = run(s, &here, s->source->data, &there, array.data, err);
  if (!status) status = compare_rows(s, rows, &array, err);
  if (!status) {
    places_wipe(&s->here, s->target, false);
    status = run(s, &there, array.data, &back, s->target->data, err);
  }
  if (!status) status = compare(s, "from rows", err);
  dap_array_release(&array);
  dap_layout_destroy(&rows);
  return status;
}

/* ---- all of them ------------------------------------------------------------------------------- */

static dap_status run_all(const stage *s, dap_error *err)
{
  const size_t bytes = (size_t)(dap_layout_count(s->layout) * s->itemsize);
  unsigned char *whole = s->rank == 0 ? malloc(bytes + 1) : NULL;
  dap_status status = DAP_OK;
  if (s->rank == 0 && !whole) status = dap_fail(err, DAP_ERR_NOMEM, "no memory for the whole array");
  status = dap_agree(s->comm, status, err);
  if (!status) status = gather(s, whole, err);
  if (!status) status = update(s, err);
  if (!status) status = there_and_back(s, err);
  if (!status) status = scatter(s, whole, err);
  free(whole);
  return status;
}

dap_status moves_compare(const json_t *vector, MPI_Comm comm, const dap_layout *layout,
                         const dap_array *given, dap_error *err)
{
  stage s = {.vector = vector, .comm = comm, .layout = layout, .itemsize = dap_dtype_size(given->dtype)};
  dap_array copy = {0};
  MPI_Comm_rank(comm, &s.rank);
  dap_status status = places_init(&s.here, layout, s.rank, err);
  if (!status) status = dap_array_init(&copy, layout, s.rank, given->dtype, DAP_ORDER_C, NULL, err);
  if (!status) status = dap_array_copy(given, &copy, err);
  if (!status) status = places_compare(&s.here, vector, &copy, true, "copy", err);
  s.source = given->swapped ? &copy : given;
  s.target = is_writable(given) ? given : &copy;
  status = dap_agree(comm, status, err);
  if (!status) status = run_all(&s, err);
  places_release(&s.here);
  dap_array_release(&copy);
  return status;
}
