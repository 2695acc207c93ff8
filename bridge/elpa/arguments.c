/* Checks the arguments of a function before anything is done. */
#include "elpa_impl.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

/* ---- on this process --------------------------------------------------------------------------------- */

static dap_status check_operand(const dap_elpa_call *call, int i, dap_error *err)
{
  const dap_elpa_operand *o = &call->operands[i];
  const dap_darray *array = &o->array;
  const bool is_result = i == DAP_ELPA_W || i == DAP_ELPA_Z;
  if (!o->given) return DAP_OK;
  DAP_REQUIRE(array->layout && array->local, err, DAP_ERR_ARG, "%s has no %s", o->name,
              array->layout ? "local array" : "layout");
  DAP_TRY(dap_layout_check(array->layout, err));
  DAP_REQUIRE(call->rank < dap_layout_nprocs(array->layout), err, DAP_ERR_ARG,
              "%s: its layout has %d processes, fewer than the communicator", o->name,
              dap_layout_nprocs(array->layout));
  const int ndim = dap_layout_ndim(array->layout), wanted = i == DAP_ELPA_W ? 1 : 2;
  DAP_REQUIRE(ndim == wanted, err, DAP_ERR_ARG, "%s has %d axes, not %d", o->name, ndim, wanted);
  DAP_TRY(dap_array_match(*array, call->rank, err));
  DAP_REQUIRE(!is_result || !array->local->readonly, err, DAP_ERR_BUFFER, "%s is read-only", o->name);
  for (int k = 0; k < i; k++)
    DAP_REQUIRE(!call->operands[k].given || !dap_array_overlaps(call->operands[k].array.local, array->local),
                err, DAP_ERR_ARG, "%s and %s share memory", call->operands[k].name, o->name);
  return DAP_OK;
}

static dap_status check_types(const dap_elpa_call *call, dap_error *err)
{
  const dap_dtype type = call->operands[DAP_ELPA_A].array.local->dtype;
  const dap_elpa_routines *lib = dap_elpa_routines_of(type);
  DAP_REQUIRE(lib, err, DAP_ERR_BUFFER, "A: ELPA has no matrices of %s", dap_dtype_name(type));
  DAP_TRY(dap_elpa_can(type, err));
  for (int i = DAP_ELPA_B; i < DAP_ELPA_USES; i++) {
    const dap_elpa_operand *o = &call->operands[i];
    const dap_dtype wanted = i == DAP_ELPA_W ? lib->real : type;
    DAP_REQUIRE(!o->given || o->array.local->dtype == wanted, err, DAP_ERR_BUFFER, "%s is of %s, not %s",
                o->name, dap_dtype_name(o->array.local->dtype), dap_dtype_name(wanted));
  }
  return DAP_OK;
}

static dap_status fits(const dap_elpa_call *call, int i, int64_t rows, int64_t cols, dap_error *err)
{
  const dap_elpa_operand *o = &call->operands[i];
  if (!o->given) return DAP_OK;
  const int64_t size[2] = {dap_layout_size(o->array.layout, 0), dap_layout_size(o->array.layout, 1)};
  DAP_REQUIRE(size[0] == rows && size[1] == cols, err, DAP_ERR_ARG,
              "%s must be %" PRId64 " x %" PRId64 ", and is %" PRId64 " x %" PRId64, o->name, rows, cols,
              size[0], size[1]);
  return DAP_OK;
}

static dap_status check_shapes(const dap_elpa_call *call, dap_error *err)
{
  const int64_t n = dap_layout_size(call->operands[DAP_ELPA_A].array.layout, 0);
  const int64_t k = dap_layout_size(call->operands[DAP_ELPA_W].array.layout, 0);
  DAP_TRY(fits(call, DAP_ELPA_A, n, n, err));
  DAP_TRY(fits(call, DAP_ELPA_B, n, n, err));
  DAP_REQUIRE(k <= n && (k > 0 || n == 0), err, DAP_ERR_ARG,
              "W has %" PRId64 " elements, not 1 .. %" PRId64 ", and that is how many eigenvalues are wanted",
              k, n);
  DAP_REQUIRE(n <= INT_MAX, err, DAP_ERR_RANGE, "%" PRId64 " rows exceed ELPA's 32-bit integers", n);
  return fits(call, DAP_ELPA_Z, n, k, err);
}

static dap_status check_options(const dap_elpa_call *call, dap_error *err)
{
  const dap_elpa_solve_options *o = &call->options;
  DAP_REQUIRE(call->uplo == 'L' || call->uplo == 'U' || call->uplo == 'A', err, DAP_ERR_ARG,
              "uplo is character %d, not 'L', 'U' or 'A'", (int)call->uplo);
  DAP_REQUIRE(o->stages >= 0 && o->stages <= 2, err, DAP_ERR_ARG, "options: stages is %d, not 1, 2 or 0",
              o->stages);
  DAP_REQUIRE(o->block_size >= 0 && o->block_size <= INT_MAX, err, DAP_ERR_ARG,
              "options: block_size is %" PRId64 ", not within 0 .. %d", o->block_size, INT_MAX);
  DAP_REQUIRE((unsigned)o->sharing <= DAP_SHARE_NEVER, err, DAP_ERR_ARG,
              "options: sharing is %d, none of its values", (int)o->sharing);
  return DAP_OK;
}

static dap_status check_here(dap_elpa_call *call, dap_error *err)
{
  DAP_REQUIRE(MPI_Comm_rank(call->comm, &call->rank) == MPI_SUCCESS, err, DAP_ERR_LIBRARY,
              "MPI_Comm_rank failed");
  DAP_TRY(check_options(call, err));
  for (int i = 0; i < DAP_ELPA_USES; i++) DAP_TRY(check_operand(call, i, err));
  DAP_TRY(check_types(call, err));
  return check_shapes(call, err);
}

/* ---- on all ------------------------------------------------------------------------------------------ */

static dap_status compare(const dap_elpa_call *call)
{
  enum { EACH = 2, MOST = 5 + EACH * DAP_ELPA_USES };
  const dap_elpa_solve_options *o = &call->options;
  const char *names[MOST] = {"uplo", "options: sharing", "options: keep", "options: stages",
                             "options: block_size"};
  uint64_t words[MOST] = {(uint64_t)call->uplo, (uint64_t)o->sharing, o->keep, (uint64_t)o->stages,
                          (uint64_t)o->block_size};
  char texts[EACH * DAP_ELPA_USES][24];
  int n = MOST - EACH * DAP_ELPA_USES;
  for (int i = 0; i < DAP_ELPA_USES; i++) {
    static const char *const whats[EACH] = {"type", "layout"};
    const dap_elpa_operand *operand = &call->operands[i];
    const uint64_t each[EACH] = {operand->given ? (uint64_t)operand->array.local->dtype : 0,
                                 operand->given ? dap_layout_hash(operand->array.layout) : 0};
    for (int k = 0; k < EACH; k++, n++) {
      char *text = texts[EACH * i + k];
      (void)snprintf(text, sizeof texts[0], "%s: its %s", operand->name ? operand->name : "", whats[k]);
      names[n] = text;
      words[n] = each[k];
    }
  }
  return dap_agree_words(call->comm, words, names, n, call->err);
}

dap_status dap_elpa_check_call(dap_elpa_call *call, const char *function)
{
  const int workspaces[2] = {DAP_ELPA_A, DAP_ELPA_B};
  uint64_t writable = 0;
  DAP_TRY(
      dap_agree_call(call->comm, function, DAP_OK, call->err)); /* whether there is a communicator at all */
  const dap_status status = check_here(call, call->err);
  for (int k = 0; k < 2 && !status; k++) {
    const dap_elpa_operand *o = &call->operands[workspaces[k]];
    if (!o->given || !o->array.local->readonly) writable |= UINT64_C(1) << k;
  }
  DAP_TRY(dap_agree_bits(call->comm, function, status, &writable, call->err));
  DAP_TRY(compare(call));
  for (int k = 0; k < 2; k++) call->operands[workspaces[k]].kept = call->options.keep || !(writable >> k & 1);
  call->lib = dap_elpa_routines_of(call->operands[DAP_ELPA_A].array.local->dtype);
  call->size = dap_layout_size(call->operands[DAP_ELPA_A].array.layout, 0);
  call->wanted = dap_layout_size(call->operands[DAP_ELPA_W].array.layout, 0);
  return DAP_OK;
}
