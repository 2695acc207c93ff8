/* Checks arguments on one process: those that it sees itself, and those that must be the same on every
 * process. */
#include "linalg_impl.h"

#include <inttypes.h>
#include <string.h>

static bool is_left_out(const dap_linalg_argument *given)
{
  return given->optional && !given->operand.layout && !given->operand.local;
}

static dap_status check_type(const dap_linalg_call *call, const dap_linalg_argument *given)
{
  const dap_dtype dtype = given->operand.local->dtype, wide = call->lib->real == DAP_F4 ? DAP_C8 : DAP_C16;
  const dap_dtype expected = given->complex ? wide : given->real ? call->lib->real : call->lib->dtype;
  if (given->integer)
    DAP_REQUIRE(dtype == DAP_I4 || dtype == DAP_I8, call->err, DAP_ERR_BUFFER,
                "%s: elements are %s, not int32 or int64", given->name, dap_dtype_name(dtype));
  else
    DAP_REQUIRE(dtype == expected, call->err, DAP_ERR_BUFFER,
                "%s: elements are %s, with %s's they must be %s", given->name, dap_dtype_name(dtype),
                call->arguments.operands[0].name, dap_dtype_name(expected));
  return DAP_OK;
}

/* Adds the name of the operand to an error. */
static dap_status named(const dap_linalg_argument *given, dap_status status, const dap_error *own,
                        dap_error *err)
{
  return status ? dap_fail(err, status, "%s: %s", given->name, own->text) : DAP_OK;
}

/* The padding is left out, because it may lie over another operand. */
dap_array dap_linalg_owned_part(const dap_linalg_call *call, const dap_linalg_argument *given)
{
  dap_array part = *given->operand.local;
  int coords[DAP_MAX_NDIM];
  dap_layout_coords(given->operand.layout, call->rank, coords);
  for (int k = 0; k < part.ndim && dap_array_count(given->operand.local) > 0; k++) {
    int64_t halo[2];
    dap_layout_halo(given->operand.layout, k, coords[k], halo);
    part.shape[k] -= halo[0] + halo[1];
    part.data = (char *)part.data + halo[0] * part.strides[k];
  }
  return part;
}

static dap_status check_writable(const dap_linalg_call *call, const dap_linalg_argument *given,
                                 dap_error *err)
{
  const dap_array *array = given->operand.local;
  if (given->role != DAP_LINALG_RESULT && given->role != DAP_LINALG_UPDATE) return DAP_OK;
  DAP_REQUIRE(!array->readonly, err, DAP_ERR_BUFFER, "%s is written and its buffer is read-only",
              given->name);
  for (int k = 0; k < array->ndim && dap_array_count(array) > 0; k++) {
    DAP_REQUIRE(array->strides[k] != 0 || array->shape[k] <= 1, err, DAP_ERR_BUFFER,
                "%s is written and axis %d of its buffer has stride 0", given->name, k);
  }
  if (given->in_place && dap_linalg_is_same_buffer(given, &call->arguments.operands[0])) return DAP_OK;
  const dap_array part = dap_linalg_owned_part(call, given);
  DAP_REQUIRE(!dap_array_overlaps(&part, &part), err, DAP_ERR_BUFFER,
              "%s is written and elements of its buffer overlap", given->name);
  return DAP_OK;
}

static dap_status check_operand(const dap_linalg_call *call, const dap_linalg_argument *given, dap_error *err)
{
  const dap_layout *layout = given->operand.layout;
  dap_error own;
  DAP_REQUIRE(layout, err, DAP_ERR_ARG, "%s: layout must not be NULL", given->name);
  DAP_TRY(named(given, dap_layout_check(layout, &own), &own, err));
  DAP_REQUIRE(given->operand.local, err, DAP_ERR_ARG, "%s: array must not be NULL", given->name);
  const int ndim = dap_layout_ndim(layout);
  const bool is_either = given->shape[1] == '[';
  DAP_REQUIRE(is_either ? ndim == 1 || ndim == 2 : ndim == (int)strlen(given->shape), err, DAP_ERR_ARG,
              "%s has %d axes, it must have %s", given->name, ndim,
              is_either         ? "1 or 2"
              : given->shape[1] ? "2"
                                : "1");
  DAP_REQUIRE(dap_layout_nprocs(layout) == call->nprocs, err, DAP_ERR_ARG,
              "%s: its layout has %d processes, comm has %d", given->name, dap_layout_nprocs(layout),
              call->nprocs);
  DAP_TRY(named(given, dap_array_match(given->operand, call->rank, &own), &own, err));
  return check_writable(call, given, err);
}

bool dap_linalg_is_same_buffer(const dap_linalg_argument *a, const dap_linalg_argument *b)
{
  const dap_array *x = a->operand.local, *y = b->operand.local;
  return x->data == y->data && dap_array_count(x) > 0 && dap_array_count(y) > 0;
}

/* Operands may only share memory if none of them is written to. */
static dap_status check_apart(const dap_linalg_call *call, int i, dap_error *err)
{
  const dap_linalg_argument *given = call->arguments.operands;
  for (int j = 0; j < i; j++) {
    if (is_left_out(&given[j])) continue;
    if (given[i].role == DAP_LINALG_INPUT && given[j].role == DAP_LINALG_INPUT) continue;
    if (given[i].in_place && j == 0 && dap_linalg_is_same_buffer(&given[i], &given[j])) continue;
    const dap_array one = dap_linalg_owned_part(call, &given[j]),
                    other = dap_linalg_owned_part(call, &given[i]);
    DAP_REQUIRE(!dap_array_overlaps(&one, &other), err, DAP_ERR_ARG, "%s and %s overlap in memory",
                given[j].name, given[i].name);
  }
  return DAP_OK;
}

dap_status dap_linalg_check(const dap_linalg_call *call, dap_error *err)
{
  const dap_linalg_arguments *arguments = &call->arguments;
  for (int i = 0; i < DAP_LINALG_CHOICES && arguments->choices[i].name; i++) {
    const dap_linalg_choice *choice = &arguments->choices[i];
    DAP_REQUIRE(choice->value && strchr(choice->allowed, choice->value), err, DAP_ERR_ARG,
                "%s is '%c', it must be one of \"%s\"", choice->name, choice->value ? choice->value : '0',
                choice->allowed);
  }
  DAP_REQUIRE(!arguments->null, err, DAP_ERR_ARG, "%s must not be NULL", arguments->null);
  DAP_REQUIRE(call->options.sharing >= DAP_SHARE_IF_POSSIBLE && call->options.sharing <= DAP_SHARE_NEVER, err,
              DAP_ERR_ARG, "options: sharing %d is not one of dap_sharing", (int)call->options.sharing);
  DAP_REQUIRE(call->options.block_size >= 0, err, DAP_ERR_ARG, "options: block_size %" PRId64 " is below 0",
              call->options.block_size);
  for (int i = 0; i < DAP_LINALG_USES && arguments->operands[i].name; i++) {
    const dap_linalg_argument *given = &arguments->operands[i];
    if (is_left_out(given)) continue;
    DAP_TRY(check_operand(call, given, err));
    DAP_TRY(check_apart(call, i, err));
  }
  return DAP_OK;
}

dap_status dap_linalg_check_types(dap_linalg_call *call)
{
  const dap_linalg_argument *given = call->arguments.operands;
  const dap_dtype dtype = given[0].operand.local->dtype;
  call->lib = dap_linalg_routines_of(dtype);
  DAP_REQUIRE(call->lib, call->err, DAP_ERR_BUFFER,
              "%s: elements are %s, not float32, float64, complex64 or complex128", given[0].name,
              dap_dtype_name(dtype));
  for (int i = 0; i < DAP_LINALG_USES && given[i].name; i++)
    if (!is_left_out(&given[i])) DAP_TRY(check_type(call, &given[i]));
  for (int i = 0; i < DAP_LINALG_SCALARS && call->arguments.scalars[i].name; i++) {
    const dap_linalg_scalar *s = &call->arguments.scalars[i];
    DAP_REQUIRE(dap_linalg_is_complex(call) || s->parts[1] == 0, call->err, DAP_ERR_ARG,
                "%s[1] is %g, with real matrices it must be 0", s->name, s->parts[1]);
  }
  return DAP_OK;
}

/* ---- shapes -------------------------------------------------------------------------------------------- */

static int64_t extent(const dap_linalg_call *call, int i, int axis)
{
  if (!call->given[i]) return 0;
  const dap_layout *layout = call->arguments.operands[i].operand.layout;
  return axis < dap_layout_ndim(layout) ? dap_layout_size(layout, axis) : 1;
}

int64_t dap_linalg_rows(const dap_linalg_call *call, int i)
{
  return extent(call, i, 0);
}

int64_t dap_linalg_cols(const dap_linalg_call *call, int i)
{
  return extent(call, i, 1);
}

dap_status dap_linalg_fits(dap_linalg_call *call, int i, int64_t rows, int64_t cols)
{
  const int64_t has_rows = dap_linalg_rows(call, i), has_cols = dap_linalg_cols(call, i);
  DAP_REQUIRE(!call->given[i] || (has_rows == rows && has_cols == cols), call->err, DAP_ERR_ARG,
              "%s must be %" PRId64 " x %" PRId64 ", it is %" PRId64 " x %" PRId64,
              call->arguments.operands[i].name, rows, cols, has_rows, has_cols);
  return DAP_OK;
}

enum { LETTERS = 128, UNKNOWN = -1 };

/* Checks operand `i`, and sets extents of letters that are not known yet. */
static dap_status check_shape(dap_linalg_call *call, int i, int64_t extents[LETTERS])
{
  const char *shape = call->arguments.operands[i].shape;
  const int letters[2] = {shape[0],
                          shape[1] == '[' ? shape[2] : shape[1]}; /* the second one of a vector is 0 */
  const int64_t has[2] = {dap_linalg_rows(call, i), dap_linalg_cols(call, i)};
  const bool is_square = letters[0] == letters[1] && letters[0] != '*';
  if (!call->given[i]) return DAP_OK;
  DAP_REQUIRE(!is_square || extents[letters[0]] != UNKNOWN || has[0] == has[1], call->err, DAP_ERR_ARG,
              "%s must be square, it is %" PRId64 " x %" PRId64, call->arguments.operands[i].name, has[0],
              has[1]);
  for (int k = 0; k < 2; k++)
    if (letters[k] == '*' || extents[letters[k]] == UNKNOWN) extents[letters[k]] = has[k];
  return letters[0] == '*' ? DAP_OK : dap_linalg_fits(call, i, extents[letters[0]], extents[letters[1]]);
}

dap_status dap_linalg_check_shapes(dap_linalg_call *call)
{
  const int64_t rows = dap_linalg_rows(call, 0), cols = dap_linalg_cols(call, 0);
  int64_t extents[LETTERS];
  for (int k = 0; k < LETTERS; k++) extents[k] = UNKNOWN;
  extents[0] = 1;
  extents['s'] = rows < cols ? rows : cols;
  for (int i = 0; i < call->report->count; i++) DAP_TRY(check_shape(call, i, extents));
  return DAP_OK;
}
