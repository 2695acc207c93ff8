/* Finds whether ScaLAPACK works in an array's buffers or on a copy, by the predicate of
 * dapbridge/matrix.h. */
#include "check.h"
#include "cli_impl.h"

#include <dapbridge/matrix.h>
#include <dapbridge/matrix_op.h>
#include <dapbridge/part.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The matrix of an array: the two axes that the adapter takes by default. */
typedef struct matrix {
  const char *routine;
  int axes[2]; /* of an array that has more than two; else zeros */
  json_t *verdicts;
  dap_layout *layout;
  int *ranks;        /* [nprocs of the array] the array's ranks of the layout's processes */
  dap_array *arrays; /* [nprocs of the layout] windows of the buffers; NULL: there are no buffers */
  dap_matrix_needs needs;
} matrix;

/* ---- made ---------------------------------------------------------------------------------------------- */

static dap_status take_layout(const dap_layout *layout, int axes[2], matrix *m, dap_error *err)
{
  const int ndim = dap_layout_ndim(layout);
  DAP_REQUIRE(ndim > 0, err, DAP_ERR_UNSUPPORTED, "an array without axes is no matrix");
  axes[0] = ndim > 2 ? ndim - 2 : 0;
  axes[1] = ndim == 1 ? -1 : axes[0] + 1;
  if (ndim > 2) memcpy(m->axes, axes, sizeof m->axes);
  m->ranks = calloc((size_t)dap_layout_nprocs(layout), sizeof *m->ranks);
  DAP_REQUIRE(m->ranks, err, DAP_ERR_NOMEM, "no memory for a matrix");
  return dap_layout_part(layout, &(dap_part){.naxes = 2, .axes = axes}, &m->layout, m->ranks, err);
}

static dap_status take_buffers(const document_parts *parts, const dap_layout *layout, const int axes[2],
                               matrix *m, dap_error *err)
{
  const int nprocs = dap_layout_nprocs(m->layout);
  if (!parts->doc->has_strides) return DAP_OK;
  m->arrays = calloc((size_t)nprocs, sizeof *m->arrays);
  DAP_REQUIRE(m->arrays, err, DAP_ERR_NOMEM, "no memory for a matrix");
  const dap_part part = {.naxes = 2, .axes = axes};
  for (int p = 0; p < nprocs; p++) {
    const int rank = m->ranks[p];
    const dap_darray array = {layout, &parts->arrays[rank]};
    DAP_TRY(dap_array_part(array, rank, &part, &m->arrays[p], err));
  }
  return DAP_OK;
}

static void release(matrix *m)
{
  for (int p = 0; m->arrays && p < dap_layout_nprocs(m->layout); p++) dap_array_release(&m->arrays[p]);
  free(m->arrays);
  free(m->ranks);
  dap_layout_destroy(&m->layout);
}

/* ---- checked ------------------------------------------------------------------------------------------- */

/* Checks that ScaLAPACK has matrices of the type, by a matrix of one element. */
static dap_status check_dtype(dap_dtype dtype, dap_error *why)
{
  const dap_dist single[] = {dap_dist_local(1), dap_dist_local(1)};
  dap_layout *layout = NULL;
  dap_array element = {0};
  void *data;
  int64_t lld;
  DAP_TRY(dap_layout_create(2, single, &layout, why));
  dap_status s = dap_array_init(&element, layout, 0, dtype, DAP_ORDER_C, NULL, why);
  if (!s) s = dap_matrix_local((dap_darray){layout, &element}, 0, 'T', &data, &lld, why);
  dap_array_release(&element);
  dap_layout_destroy(&layout);
  return s == DAP_ERR_SHARE ? DAP_ERR_BUFFER : s;
}

/* Checks that the routine takes the array. The type of elements is known only with buffers. */
static dap_status check_needs(const matrix *m, dap_error *err)
{
  const int64_t size[2] = {dap_layout_size(m->layout, 0), dap_layout_size(m->layout, 1)};
  dap_matrix_needs needs = m->needs;
  if (!m->arrays) needs.dtypes = 0;
  return dap_matrix_check(&needs, m->arrays ? m->arrays[0].dtype : DAP_NONE, size, err);
}

static dap_status fit(const matrix *m, char op, dap_matrix_form *form, dap_error *why)
{
  static const int64_t wish[2] = {0, 0}; /* the adapter's */
  return dap_matrix_fit(m->layout, op, &m->needs, wish, form, why);
}

/* Checks that all processes can share their buffers. The error names the lowest that cannot. */
static dap_status place_all(const matrix *m, char op, dap_error *why)
{
  dap_error error = {0};
  void *data;
  int64_t lld;
  for (int p = 0; p < dap_layout_nprocs(m->layout); p++) {
    const dap_status s = dap_matrix_local((dap_darray){m->layout, &m->arrays[p]}, p, op, &data, &lld, &error);
    DAP_REQUIRE(!s, why, s, "rank %d: %s", m->ranks[p], error.text);
  }
  return DAP_OK;
}

static char choose_op(const matrix *m)
{
  unsigned votes = ~0U;
  for (int p = 0; p < dap_layout_nprocs(m->layout); p++)
    votes &= dap_matrix_vote((dap_darray){m->layout, &m->arrays[p]}, p);
  return dap_matrix_choose_op(votes);
}

/* ---- printed ------------------------------------------------------------------------------------------- */

static cli_verdict start(const matrix *m, const char *condition)
{
  return (cli_verdict){
      .routine = m->routine, .axes = {m->axes[0], m->axes[1]}, .condition = condition, .bytes = -1};
}

static dap_status print_shared(const matrix *m, const dap_matrix_form *form, const char *condition,
                               dap_error *err)
{
  cli_verdict v = start(m, condition);
  v.form = form;
  v.op = form->op;
  (void)dap_matrix_describe(form, v.why, sizeof v.why);
  dap_error slow = {0};
  if (dap_matrix_check_speed(form->size, form->block, form->procs[0] * form->procs[1], &slow))
    memcpy(v.speed, slow.text, sizeof v.speed);
  return cli_print_verdict(&v, m->verdicts, err);
}

/* A copy has every element once, even if the buffers hold more. */
static dap_status print_moved(const matrix *m, char op, const char *condition, const char *why,
                              dap_error *err)
{
  cli_verdict v = start(m, condition);
  v.op = op;
  (void)snprintf(v.why, sizeof v.why, "%s", why);
  if (m->arrays) {
    const int64_t count = dap_layout_count(m->layout), item = dap_dtype_size(m->arrays[0].dtype);
    v.bytes = count > INT64_MAX / item ? INT64_MAX : count * item;
  }
  return cli_print_verdict(&v, m->verdicts, err);
}

static dap_status print_verdict(const matrix *m, dap_error *err)
{
  dap_matrix_form form;
  dap_error why = {0};
  DAP_TRY(check_dtype(m->arrays[0].dtype, err));
  const char op = choose_op(m);
  dap_status s = fit(m, op, &form, &why);
  if (!s) s = place_all(m, op, &why);
  DAP_REQUIRE(s == DAP_OK || s == DAP_ERR_SHARE, err, s, "%s", why.text);
  return s ? print_moved(m, op, NULL, why.text, err) : print_shared(m, &form, NULL, err);
}

/* Prints a verdict for each order that buffers could have. */
static dap_status print_conditions(const matrix *m, dap_error *err)
{
  static const struct {
    char op;
    const char *condition;
  } orders[] = {{'T', "C"}, {'N', "F"}};
  dap_matrix_form forms[2];
  dap_error whys[2] = {{0}, {0}};
  dap_status s[2];
  for (int i = 0; i < 2; i++) s[i] = fit(m, orders[i].op, &forms[i], &whys[i]);
  if (s[0] && s[1] && !strcmp(whys[0].text, whys[1].text)) return print_moved(m, 0, "any", whys[0].text, err);
  for (int i = 0; i < 2; i++)
    DAP_TRY(s[i] ? print_moved(m, 0, orders[i].condition, whys[i].text, err)
                 : print_shared(m, &forms[i], orders[i].condition, err));
  return DAP_OK;
}

dap_status cli_matrix(const cli_case *c, const document_parts *parts, const dap_layout *layout,
                      json_t *verdicts, dap_error *err)
{
  matrix m = {.routine = c->options->routine, .verdicts = verdicts};
  int axes[2] = {0, 0};
  if (m.routine) DAP_TRY(dap_matrix_needs_for(m.routine, true, &m.needs, err));
  dap_status s = take_layout(layout, axes, &m, err);
  if (!s) s = take_buffers(parts, layout, axes, &m, err);
  if (!s && m.routine) s = check_needs(&m, err);
  if (!s && m.arrays) s = print_verdict(&m, err);
  if (!s && !m.arrays) {
    s = print_conditions(&m, err);
    if (!verdicts) printf("  ScaLAPACK: the document has no buffers: only the layout is looked at\n");
  }
  release(&m);
  return s;
}
