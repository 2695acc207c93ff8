/* Checks the array of one process on its own. */
#include "model_impl.h"

#include <inttypes.h>

dap_status dap_local_check_form(const dap_array *array, dap_error *err)
{
  DAP_REQUIRE(array, err, DAP_ERR_ARG, "array must not be NULL");
  DAP_REQUIRE(array->abi == DAP_ARRAY_ABI, err, DAP_ERR_ARG, "abi %" PRId32 " is not %d", array->abi,
              DAP_ARRAY_ABI);
  DAP_REQUIRE(array->ndim >= 0 && array->ndim <= DAP_MAX_NDIM, err, DAP_ERR_BUFFER,
              "the buffer's number of axes, ndim %" PRId32 ", is outside 0 .. %d", array->ndim, DAP_MAX_NDIM);
  DAP_REQUIRE(array->dim_count >= 0 && array->dim_count <= DAP_MAX_NDIM, err, DAP_ERR_BUFFER,
              "dim_data has %" PRId32 " dictionaries, outside 0 .. %d", array->dim_count, DAP_MAX_NDIM);
  return DAP_OK;
}

static dap_status check_count(const dap_array *array, dap_error *err)
{
  DAP_RULE(4, array->dim_count == array->ndim, err, DAP_ERR_BUFFER,
           "dim_data has %" PRId32 " dictionaries, but the buffer has %" PRId32 " axes", array->dim_count,
           array->ndim);
  return DAP_OK;
}

static dap_status check_type(const dap_array *array, dap_error *err)
{
  DAP_RULE(20, dap_dtype_size(array->dtype) > 0, err, DAP_ERR_BUFFER, "dtype %d is not an element type",
           (int)array->dtype);
  return DAP_OK;
}

static dap_status check_buffer(const dap_array *array, dap_error *err)
{
  const int64_t itemsize = dap_dtype_size(array->dtype);
  int64_t count = 1, span;
  for (int k = 0; k < array->ndim; k++) {
    DAP_REQUIRE(array->shape[k] >= 0, err, DAP_ERR_BUFFER,
                "axis %d: the buffer's extent %" PRId64 " is negative", k, array->shape[k]);
    if (array->shape[k] == 0) count = 0;
  }
  for (int k = 0; k < array->ndim; k++)
    DAP_REQUIRE(dap_multiply(count, array->shape[k], &count), err, DAP_ERR_RANGE,
                "axis %d: the buffer exceeds 2^63 - 1 elements", k);
  DAP_REQUIRE(dap_multiply(count, itemsize, &span) &&
                  dap_span(array->ndim, array->shape, array->strides, itemsize, &span),
              err, DAP_ERR_RANGE, "the buffer exceeds 2^63 - 1 bytes");
  DAP_REQUIRE(array->data || count == 0, err, DAP_ERR_BUFFER,
              "data is NULL, but the buffer has %" PRId64 " elements", count);
  return DAP_OK;
}

/* Returns true if nothing is wrong with the buffer. */
static bool check_all_of_buffer(const dap_array *array, dap_findings *findings)
{
  static dap_status (*const checks[])(const dap_array *, dap_error *) = {check_count, check_type,
                                                                         check_buffer};
  bool clean = true;
  for (size_t i = 0; i < sizeof checks / sizeof checks[0] && !findings->is_over; i++) {
    dap_error error = {0};
    clean = dap_found(findings, checks[i](array, &error), &error) && clean;
  }
  return clean;
}

bool dap_local_check(const dap_array *array, const char *rules, bool without_buffer,
                     const dap_dialect **dialect, dap_findings *findings)
{
  dap_error error = {0};
  dap_status s = dap_local_check_form(array, &error);
  if (!s) s = dap_dialect_choose(array->version, rules, dialect, &error);
  if (!dap_found(findings, s, &error)) return false;
  bool clean = without_buffer || check_all_of_buffer(array, findings);
  const bool has_extents = !without_buffer && array->dim_count == array->ndim;
  for (int k = 0; k < array->dim_count && !findings->is_over; k++) {
    const int64_t extent = has_extents ? array->shape[k] : DAP_ABSENT;
    const dap_dim dim = dap_dim_normal(*dialect, &array->dims[k], extent);
    const dap_case c = {.dialect = *dialect, .axis = k, .dim = &dim, .extent = extent};
    clean = dap_dim_check(&c, &array->dims[k], findings) && clean;
  }
  return clean;
}

void dap_local_dims(const dap_array *array, const dap_dialect *dialect, bool without_buffer, dap_dim dims[])
{
  for (int k = 0; k < array->dim_count; k++)
    dims[k] = dap_dim_normal(dialect, &array->dims[k], without_buffer ? DAP_ABSENT : array->shape[k]);
}

dap_status dap_array_check(const dap_array *array, dap_error *err)
{
  const dap_dialect *dialect = NULL;
  dap_dim dims[DAP_MAX_NDIM];
  dap_findings findings = {.rank = -1, .err = err};
  if (!dap_local_check(array, NULL, false, &dialect, &findings)) return findings.status;
  dap_local_dims(array, dialect, false, dims);
  (void)dap_local_alone(dialect, array->dim_count, dims, &findings);
  return findings.status;
}
