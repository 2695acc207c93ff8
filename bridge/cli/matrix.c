/* Prints whether ScaLAPACK works in an array's buffers or on a copy, by dapbridge/matrix.h. */
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
  int ndim, axes[2]; /* of the array; axes[1] is -1 if it has only one */
  json_t *verdicts;  /* the list that verdicts are appended to; NULL: they are printed */
  dap_layout *layout;
  int *ranks;        /* [nprocs of the array] the array's ranks of the layout's processes */
  dap_array *arrays; /* [nprocs of the layout] windows of the buffers; NULL: there are no buffers */
  dap_matrix_needs needs;
} matrix;

/* ---- made ---------------------------------------------------------------------------------------------- */

static dap_status take_layout(const dap_layout *layout, matrix *m, dap_error *err)
{
  m->ndim = dap_layout_ndim(layout);
  DAP_REQUIRE(m->ndim > 0, err, DAP_ERR_UNSUPPORTED, "an array without axes is not a matrix");
  m->axes[0] = m->ndim > 2 ? m->ndim - 2 : 0;
  m->axes[1] = m->ndim == 1 ? -1 : m->axes[0] + 1;
  m->ranks = calloc((size_t)dap_layout_nprocs(layout), sizeof *m->ranks);
  DAP_REQUIRE(m->ranks, err, DAP_ERR_NOMEM, "no memory for a matrix");
  return dap_layout_part(layout, &(dap_part){.naxes = 2, .axes = m->axes}, &m->layout, m->ranks, err);
}

static dap_status take_buffers(const document_parts *parts, const dap_layout *layout, matrix *m,
                               dap_error *err)
{
  const int nprocs = dap_layout_nprocs(m->layout);
  if (!parts->doc->has_strides) return DAP_OK;
  m->arrays = calloc((size_t)nprocs, sizeof *m->arrays);
  DAP_REQUIRE(m->arrays, err, DAP_ERR_NOMEM, "no memory for a matrix");
  const dap_part part = {.naxes = 2, .axes = m->axes};
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

/* The verdict: ScaLAPACK shares the array or moves it. */
typedef struct verdict {
  const dap_matrix_form *form; /* of a shared matrix; NULL: it is moved */
  char op;                     /* 0: not known */
  const char *condition;       /* order of buffers that this holds for: "C", "F" or "any"; NULL: their own */
  int64_t bytes;               /* bytes to move; -1: not known */
  char why[DAP_ERROR_TEXT];
  char speed[DAP_ERROR_TEXT]; /* why factorisations move it although it can be shared; or empty */
} verdict;

/* ---- as text ---------------------------------------------------------------------------------------- */

static const char *in_words(const char *condition)
{
  if (!condition) return "";
  if (!strcmp(condition, "any")) return ", whatever the buffers";
  return *condition == 'C' ? ", if in C order" : ", if in F order";
}

enum { LINE = 256 /* bytes of a verdict */ };

static void write_verdict(const verdict *v, char text[LINE])
{
  char size[64] = "", op[16] = "";
  if (v->form)
    (void)snprintf(size, sizeof size, " as a %" PRId64 " x %" PRId64 " matrix", v->form->size[0],
                   v->form->size[1]);
  else if (v->bytes == INT64_MAX)
    (void)snprintf(size, sizeof size, ", more than 2^63 - 1 bytes");
  else if (v->bytes >= 0)
    (void)snprintf(size, sizeof size, ", %" PRId64 " bytes", v->bytes);
  if (v->op) (void)snprintf(op, sizeof op, ", op '%c'", v->op);
  (void)snprintf(text, LINE, "%s%s%s%s", v->form ? "shared" : "moved", size, op, in_words(v->condition));
}

static void print_text(const matrix *m, const verdict *v)
{
  char axes[64] = "", verdict_text[LINE], text[2 * LINE];
  if (m->ndim > 2)
    (void)snprintf(axes, sizeof axes, ", axes %d and %d (others at index 0)", m->axes[0], m->axes[1]);
  write_verdict(v, verdict_text);
  (void)snprintf(text, sizeof text, "ScaLAPACK%s%.60s%s: %s", m->routine ? ", " : "",
                 m->routine ? m->routine : "", axes, verdict_text);
  cli_print_wrapped(2, 6, text);
  cli_print_wrapped(4, 4, v->why);
  if (!v->speed[0]) return;
  const char *colon = strstr(v->speed, ": "); /* behind "moved for speed" */
  printf("  ScaLAPACK, functions that factorise: moved for speed\n");
  cli_print_wrapped(4, 4, colon ? colon + 2 : v->speed);
}

/* ---- as JSON ---------------------------------------------------------------------------------------- */

static json_t *pack_form(const dap_matrix_form *f)
{
  return json_pack("{s[II] s[II] s[ii] s[ii]}", "size", (json_int_t)f->size[0], (json_int_t)f->size[1],
                   "block", (json_int_t)f->block[0], (json_int_t)f->block[1], "grid", (int)f->procs[0],
                   (int)f->procs[1], "source", (int)f->source[0], (int)f->source[1]);
}

static json_t *pack(const matrix *m, const verdict *v)
{
  const char op[2] = {v->op, '\0'};
  json_t *json = json_pack("{ss so ss* ss*}", "verdict", v->form ? "shared" : "moved", "reason",
                           cli_json_string(v->why), "op", v->op ? op : NULL, "if_order", v->condition);
  if (v->bytes >= 0) json = cli_json_join(json, json_pack("{sI}", "bytes", (json_int_t)v->bytes));
  if (m->ndim > 2) json = cli_json_join(json, json_pack("{s[ii]}", "axes", m->axes[0], m->axes[1]));
  if (v->form) json = cli_json_join(json, pack_form(v->form));
  if (v->speed[0]) json = cli_json_join(json, json_pack("{so}", "factorisations", cli_json_string(v->speed)));
  return json;
}

/* ---- reported ----------------------------------------------------------------------------------------- */

static dap_status report(const matrix *m, const verdict *v, dap_error *err)
{
  if (!m->verdicts)
    print_text(m, v);
  else
    DAP_REQUIRE(json_array_append_new(m->verdicts, pack(m, v)) == 0, err, DAP_ERR_NOMEM,
                "no memory for a verdict");
  return DAP_OK;
}

/* Writes why factorisations move a matrix that can be shared. */
static void write_speed(const dap_matrix_form *form, char text[DAP_ERROR_TEXT])
{
  const int *procs = form->procs;
  const int64_t block[2] = {procs[0] == 1 ? 0 : form->block[0], procs[1] == 1 ? 0 : form->block[1]};
  dap_error slow = {0};
  (void)dap_matrix_check_speed(form->size, block, procs[0] * procs[1], &slow);
  memcpy(text, slow.text, sizeof slow.text);
}

static dap_status report_shared(const matrix *m, const dap_matrix_form *form, const char *condition,
                                dap_error *err)
{
  verdict v = {.form = form, .op = form->op, .condition = condition, .bytes = -1};
  (void)dap_matrix_describe(form, v.why, sizeof v.why);
  write_speed(form, v.speed);
  return report(m, &v, err);
}

/* A copy has every element once, even if the buffers hold more. */
static dap_status report_moved(const matrix *m, char op, const char *condition, const char *why,
                               dap_error *err)
{
  verdict v = {.op = op, .condition = condition, .bytes = -1};
  (void)snprintf(v.why, sizeof v.why, "%s", why);
  if (m->arrays) {
    const int64_t count = dap_layout_count(m->layout), item = dap_dtype_size(m->arrays[0].dtype);
    v.bytes = count > INT64_MAX / item ? INT64_MAX : count * item;
  }
  return report(m, &v, err);
}

static dap_status report_verdict(const matrix *m, dap_error *err)
{
  dap_matrix_form form;
  dap_error why = {0};
  DAP_TRY(check_dtype(m->arrays[0].dtype, err));
  const char op = choose_op(m);
  dap_status s = fit(m, op, &form, &why);
  if (!s) s = place_all(m, op, &why);
  DAP_REQUIRE(s == DAP_OK || s == DAP_ERR_SHARE, err, s, "%s", why.text);
  return s ? report_moved(m, op, NULL, why.text, err) : report_shared(m, &form, NULL, err);
}

/* Reports a verdict for each order that buffers could have. */
static dap_status report_conditions(const matrix *m, dap_error *err)
{
  static const struct {
    char op;
    const char *condition;
  } orders[] = {{'T', "C"}, {'N', "F"}};
  dap_matrix_form forms[2];
  dap_error whys[2] = {{0}, {0}};
  dap_status s[2];
  for (int i = 0; i < 2; i++) s[i] = fit(m, orders[i].op, &forms[i], &whys[i]);
  if (s[0] && s[1] && !strcmp(whys[0].text, whys[1].text))
    return report_moved(m, 0, "any", whys[0].text, err);
  for (int i = 0; i < 2; i++)
    DAP_TRY(s[i] ? report_moved(m, 0, orders[i].condition, whys[i].text, err)
                 : report_shared(m, &forms[i], orders[i].condition, err));
  return DAP_OK;
}

dap_status cli_matrix(const cli_case *c, const document_parts *parts, const dap_layout *layout,
                      json_t *verdicts, dap_error *err)
{
  matrix m = {.routine = c->options->routine, .verdicts = verdicts};
  if (m.routine) DAP_TRY(dap_matrix_needs_for(m.routine, true, &m.needs, err));
  dap_status s = take_layout(layout, &m, err);
  if (!s) s = take_buffers(parts, layout, &m, err);
  if (!s && m.routine) s = check_needs(&m, err);
  if (!s && m.arrays) s = report_verdict(&m, err);
  if (!s && !m.arrays) {
    s = report_conditions(&m, err);
    if (!verdicts)
      printf("  The document has no buffers, so verdicts are for the orders that they can have.\n");
  }
  release(&m);
  return s;
}
