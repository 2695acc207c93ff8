/* Eigenvalues by another library, which gets the operands as they are.
 *
 * It finds the k smallest, with k up to the last one that is wanted, so that Z can be the caller's where the
 * range begins with the smallest. Else all k vectors go to an array of rows, whose columns first .. are then
 * moved to Z. Eigenvalues go to an array that every process has whole. */
#include "eigh_impl.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

dap_status dap_linalg_backend_check(const dap_linalg_call *call, dap_error *err)
{
  const dap_eigh_options *o = &call->options.eigh;
  DAP_REQUIRE(o->solver != DAP_EIGH_BACKEND || o->backend, err, DAP_ERR_ARG,
              "options: eigh.solver is DAP_EIGH_BACKEND, and eigh.backend is NULL");
  DAP_REQUIRE(!o->backend || o->backend->version == DAP_EIGH_BACKEND_VERSION, err, DAP_ERR_ARG,
              "options: eigh.backend is of version %d, not %d", o->backend->version,
              DAP_EIGH_BACKEND_VERSION);
  return DAP_OK;
}

dap_status dap_linalg_backend_can(const dap_linalg_call *call, dap_error *why)
{
  const dap_eigh_backend *backend = call->options.eigh.backend;
  dap_error own = {.rank = -1};
  dap_status status = backend->can(backend, call->lib->dtype, &own);
  if (status) status = dap_fail(why, status, "%s: %s", backend->name, own.text);
  return dap_agree(call->comm, status, why);
}

/* ---- arrays of the call's own ------------------------------------------------------------------------- */

typedef struct place {
  dap_layout *layout;
  dap_array array;
} place;

static void leave(place *p)
{
  dap_array_release(&p->array);
  dap_layout_destroy(&p->layout);
}

static dap_status make_layout(dap_linalg_call *call, int ndim, const dap_dist dists[], place *p)
{
  return dap_agree(call->comm, dap_layout_create(ndim, dists, &p->layout, call->err), call->err);
}

static dap_status put(dap_linalg_call *call, dap_dtype dtype, void *data, place *p)
{
  const dap_status status =
      dap_array_init(&p->array, p->layout, call->rank, dtype, DAP_ORDER_F, data, call->err);
  return dap_agree(call->comm, status, call->err);
}

/* All k eigenvalues, on every process; the work space has n. */
static dap_status place_values(dap_linalg_call *call, const dap_eigh_problem *p, int64_t k, place *w)
{
  const dap_dist dist = dap_dist_replicated(k, call->nprocs);
  DAP_TRY(make_layout(call, 1, &dist, w));
  return put(call, call->lib->real, p->w, w);
}

/* n rows that are cut evenly, in Fortran order, so that columns of it are an array, too. */
static dap_status lay_rows(dap_linalg_call *call, int64_t n, int64_t columns, place *z)
{
  const dap_dist dists[2] = {dap_dist_even(n, call->nprocs), dap_dist_local(columns)};
  return make_layout(call, 2, dists, z);
}

/* ---- vectors ------------------------------------------------------------------------------------------ */

static dap_status move(dap_linalg_call *call, const place *from)
{
  const dap_darray *z = &call->arguments.operands[DAP_EIGH_Z].operand;
  const dap_side source = dap_side_of((dap_darray){from->layout, &from->array}), target = dap_side_of(*z);
  dap_plan *plan = NULL;
  DAP_TRY(dap_plan_create(call->comm, &source, &target, 0, NULL, &plan, call->err));
  const dap_status status =
      dap_agree(call->comm, dap_plan_run(plan, from->array.data, z->local->data, call->err), call->err);
  dap_plan_destroy(&plan);
  return status;
}

/* The columns that are wanted, and zeros where there is room for more: `data` has room for them. */
static dap_status store_vectors(dap_linalg_call *call, const dap_eigh_problem *p, char *data)
{
  place wanted = {0};
  dap_status status = lay_rows(call, p->n, p->room, &wanted);
  if (!status) {
    const int64_t rows = dap_layout_owned(wanted.layout, 0, call->rank);
    const int64_t column = rows * dap_dtype_size(call->lib->dtype);
    char *first = data + p->first * column;
    memset(first + p->count * column, 0, (size_t)((p->room - p->count) * column));
    status = put(call, call->lib->dtype, first, &wanted);
  }
  if (!status) status = move(call, &wanted);
  leave(&wanted);
  return status;
}

/* ---- the whole ---------------------------------------------------------------------------------------- */

/* Takes over the backend's report about the operands, by their names. The caller speaks of W. */
static void take_report(dap_linalg_call *call, const dap_linalg_report *theirs)
{
  dap_linalg_report *report = call->report;
  report->info = theirs->info;
  memcpy(report->method, theirs->method, sizeof report->method);
  for (int i = 0; i < theirs->count; i++)
    for (int k = 0; k < report->count; k++)
      if (k != DAP_EIGH_W && strcmp(theirs->uses[i].name, report->uses[k].name) == 0)
        report->uses[k] = theirs->uses[i];
}

static dap_status call_backend(dap_linalg_call *call, const place *w, dap_darray z)
{
  const dap_eigh_backend *backend = call->options.eigh.backend;
  const dap_darray a = call->arguments.operands[DAP_EIGH_A].operand,
                   b = call->arguments.operands[DAP_EIGH_B].operand;
  dap_linalg_report theirs = {0};
  dap_linalg_options options = call->options;
  options.report = &theirs;
  const dap_status status = backend->solve(backend, call->comm, call->arguments.choices[0].value, a, b,
                                           (dap_darray){w->layout, &w->array}, z, &options, call->err);
  take_report(call, &theirs);
  return status;
}

static dap_status find(dap_linalg_call *call, dap_eigh_problem *p, int64_t k, dap_darray z)
{
  place w = {0};
  dap_status status = place_values(call, p, k, &w);
  if (!status) status = call_backend(call, &w, z);
  leave(&w);
  DAP_TRY(status);
  DAP_TRY(dap_linalg_eigh_choose(call, p));
  return dap_linalg_finite_values(call, p->first + p->count, p->w, "eigenvalue");
}

/* Finds the k vectors into `z`, an array of the call's own, with room for zeros after them. */
static dap_status find_in(dap_linalg_call *call, dap_eigh_problem *p, int64_t k, place *z, void **data)
{
  const int64_t zeros = p->wanted.range == DAP_EIGH_BY_VALUE ? p->room : 0;
  DAP_TRY(lay_rows(call, p->n, k, z));
  const int64_t rows = dap_layout_owned(z->layout, 0, call->rank);
  DAP_TRY(dap_linalg_work(call, rows * (k + zeros), call->lib->dtype, data));
  DAP_TRY(put(call, call->lib->dtype, *data, z));
  return find(call, p, k, (dap_darray){z->layout, &z->array});
}

static dap_status find_and_move(dap_linalg_call *call, dap_eigh_problem *p, int64_t k)
{
  place z = {0};
  void *data = NULL;
  DAP_REQUIRE(call->options.sharing != DAP_SHARE_OR_FAIL, call->err, DAP_ERR_SHARE,
              "Z must be moved: %s computes vectors from the smallest eigenvalue on",
              call->options.eigh.backend->name);
  const dap_status status = find_in(call, p, k, &z, &data);
  leave(&z);
  DAP_TRY(status);
  DAP_TRY(store_vectors(call, p, data));
  call->report->uses[DAP_EIGH_Z].shared = false;
  dap_linalg_note(call, DAP_EIGH_Z, dap_array_bytes(call->arguments.operands[DAP_EIGH_Z].operand.local),
                  "vectors are computed from the smallest eigenvalue on");
  return DAP_OK;
}

dap_status dap_linalg_backend_solve(dap_linalg_call *call, dap_eigh_problem *p)
{
  const bool by_index = p->wanted.range == DAP_EIGH_BY_INDEX;
  const int64_t k = by_index ? p->wanted.stop : p->n;
  const bool begins = by_index ? p->wanted.start == 0 : p->wanted.range == DAP_EIGH_ALL;
  DAP_TRY(dap_linalg_work(call, p->n, call->lib->real, &p->w));
  if (!call->given[DAP_EIGH_Z]) return find(call, p, k, (dap_darray){0});
  if (!begins) return find_and_move(call, p, k);
  return find(call, p, k, call->arguments.operands[DAP_EIGH_Z].operand);
}
