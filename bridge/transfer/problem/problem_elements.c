/* Checks how the elements of a plan change: their sizes, types and transformation. */
#include "problem_impl.h"

#include <inttypes.h>
#include <limits.h>

static dap_status check_combine(const dap_side *from, const dap_side *to, const dap_plan_options *o,
                                const dap_problem *problem, dap_error *err)
{
  DAP_REQUIRE((unsigned)o->combine <= DAP_COMBINE_MIN, err, DAP_ERR_ARG, "combine %d is not of dap_combine",
              (int)o->combine);
  DAP_REQUIRE((unsigned)o->padding <= DAP_PADDING_REFRESH, err, DAP_ERR_ARG,
              "padding %d is not of dap_padding", (int)o->padding);
  DAP_REQUIRE(!o->combine || from->dtype != DAP_NONE, err, DAP_ERR_ARG,
              "combine needs the dtypes of both sides");
  DAP_REQUIRE(!problem->sums || from->dtype != DAP_NONE, err, DAP_ERR_ARG,
              "from is partial: adding up needs the dtypes of both sides");
  if (o->combine <= DAP_COMBINE_SUM) return DAP_OK;
  const dap_dtype dtype = dap_dtype_is_complex(from->dtype) ? from->dtype : to->dtype;
  DAP_REQUIRE(!dap_dtype_is_complex(dtype), err, DAP_ERR_ARG, "%s has no largest and no smallest value",
              dap_dtype_name(dtype));
  DAP_REQUIRE(!o->alpha && !o->beta, err, DAP_ERR_ARG, "alpha and beta go with sums, not with %s",
              o->combine == DAP_COMBINE_MAX ? "the largest" : "the smallest");
  return DAP_OK;
}

dap_status dap_problem_elements(const dap_side *from, const dap_side *to, int64_t itemsize,
                                const dap_plan_options *o, dap_problem *problem, dap_error *err)
{
  const int64_t a = dap_dtype_size(from->dtype), b = dap_dtype_size(to->dtype);
  DAP_REQUIRE((a > 0 || from->dtype == DAP_NONE) && (b > 0 || to->dtype == DAP_NONE), err, DAP_ERR_ARG,
              "dtypes %d and %d are not both of dap_dtype", (int)from->dtype, (int)to->dtype);
  DAP_REQUIRE((a > 0) == (b > 0), err, DAP_ERR_ARG, "%s has a dtype, %s has none", a > 0 ? "from" : "to",
              a > 0 ? "to" : "from");
  DAP_REQUIRE(itemsize >= (a > 0 ? 0 : 1), err, DAP_ERR_ARG, "itemsize %" PRId64 " is less than 1", itemsize);
  DAP_REQUIRE(itemsize <= INT_MAX, err, DAP_ERR_ARG, "itemsize %" PRId64 " is more than %d", itemsize,
              INT_MAX);
  DAP_REQUIRE(a == 0 || itemsize == 0 || itemsize == a, err, DAP_ERR_ARG,
              "itemsize %" PRId64 " is not that of from's %s, %" PRId64, itemsize,
              dap_dtype_name(from->dtype), a);
  DAP_REQUIRE(a > 0 || (!o->conjugate && !o->alpha && !o->beta), err, DAP_ERR_ARG,
              "%s needs the dtypes of both sides",
              o->conjugate ? "conjugate"
              : o->alpha   ? "alpha"
                           : "beta");
  DAP_REQUIRE(a > 0 || (!from->swapped && !to->swapped), err, DAP_ERR_ARG,
              "%s is swapped: that needs the dtypes of both sides", from->swapped ? "from" : "to");
  problem->from.item = a > 0 ? a : itemsize;
  problem->to.item = a > 0 ? b : itemsize;
  DAP_TRY(check_combine(from, to, o, problem, err));
  problem->transform = (dap_transform){.alpha = {1, 0}};
  problem->combine = o->combine;
  if (a == 0) return DAP_OK;
  DAP_RULE(20, o->lossy || dap_dtype_holds(to->dtype, from->dtype), err, DAP_ERR_ARG,
           "a cast from %s to %s can lose something; options.lossy allows it", dap_dtype_name(from->dtype),
           dap_dtype_name(to->dtype));
  const bool complex_to = dap_dtype_is_complex(to->dtype);
  DAP_REQUIRE(complex_to || dap_dtype_is_complex(from->dtype) || !o->alpha || o->alpha[1] == 0, err,
              DAP_ERR_ARG, "alpha has an imaginary part, %g, but the elements of both sides are real",
              o->alpha[1]);
  DAP_REQUIRE(complex_to || !o->beta || o->beta[1] == 0, err, DAP_ERR_ARG,
              "beta has an imaginary part, %g, but the elements of to are real", o->beta[1]);
  problem->transform = (dap_transform){.from = from->dtype,
                                       .to = to->dtype,
                                       .conjugate = o->conjugate,
                                       .alpha = {o->alpha ? o->alpha[0] : 1, o->alpha ? o->alpha[1] : 0},
                                       .beta = {o->beta ? o->beta[0] : 0, o->beta ? o->beta[1] : 0}};
  problem->transforms = !dap_transform_is_copy(&problem->transform);
  return DAP_OK;
}
