/* Brings one dimension dictionary into its normal form, and checks it on its own. */
#include "model_impl.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

/* The empty dictionary and 'n' mean that one process has the whole dimension (rule 12). */
dap_dim dap_dim_normal(const dap_dialect *dialect, const dap_dim *dim, int64_t extent)
{
  if (dim->dist_type == '\0' && dialect->has_empty)
    return (dap_dim){.dist_type = 'b', .size = extent, .proc_grid_size = 1, .stop = extent};
  const dap_dist_name *type = dap_dialect_name(dialect, dim);
  dap_dim normal = *dim;
  if (dim->dist_type == 'n' && type) {
    normal = (dap_dim){.dist_type = 'b', .size = dim->size, .proc_grid_size = 1};
    normal.stop = dim->size == DAP_ABSENT ? 0 : dim->size;
    normal.periodic = dim->periodic;
    for (int side = 0; side < 2; side++) normal.padding[side] = type->has_padding ? dim->padding[side] : 0;
  }
  if (normal.block_size == DAP_ABSENT) normal.block_size = 1;
  return normal;
}

/* ---- keys of every dictionary -------------------------------------------------------------------- */

static dap_status grid_rank_lies_inside(const dap_case *c, dap_error *err)
{
  const int64_t rank = c->dim->proc_grid_rank, size = c->dim->proc_grid_size;
  DAP_RULE(6, rank >= 0 && rank < size, err, DAP_ERR_DIM,
           "axis %d: proc_grid_rank %" PRId64 " is outside 0 .. proc_grid_size - 1 = %" PRId64, c->axis, rank,
           size - 1);
  return DAP_OK;
}

static const dap_required required[] = {{"size", offsetof(dap_dim, size), 0, 1},
                                        {"proc_grid_size", offsetof(dap_dim, proc_grid_size), 1, 6},
                                        {"proc_grid_rank", offsetof(dap_dim, proc_grid_rank), INT64_MIN, 0},
                                        {0}};

static const dap_check common[] = {{2, grid_rank_lies_inside}, {0}};

/* ---- all checks ---------------------------------------------------------------------------------- */

static dap_status check_type(const dap_case *c, const dap_dim *dim, dap_error *err)
{
  const char type = dim->dist_type, *version = c->dialect->versions;
  const bool is_empty = type == '\0' && c->dialect->has_empty;
  DAP_RULE(12, !is_empty || c->extent != DAP_ABSENT, err, DAP_ERR_DIM,
           "axis %d: the empty dictionary takes its size from the buffer, and there is none", c->axis);
  if (is_empty || dap_dialect_name(c->dialect, dim)) return DAP_OK;
  DAP_RULE(1, !isprint((unsigned char)type), err, DAP_ERR_DIM,
           "axis %d: dist_type '%c' is not in protocol %s", c->axis, type, version);
  return dap_fail_rule(err, 1, DAP_ERR_DIM, "axis %d: dist_type (byte %d) is not in protocol %s", c->axis,
                       type, version);
}

static int64_t value_of(const dap_required *key, const dap_dim *dim)
{
  int64_t value;
  memcpy(&value, (const char *)dim + key->member, sizeof value);
  return value;
}

/* Returns true if all keys are there that must be. */
static bool check_keys(const dap_required *keys, const dap_case *c, dap_findings *findings)
{
  bool clean = true;
  for (; keys->key && !findings->is_over; keys++) {
    dap_error error = {0};
    if (value_of(keys, c->dim) != DAP_ABSENT) continue;
    const dap_status s =
        dap_fail_rule(&error, 1, DAP_ERR_DIM, "axis %d: required key %s is absent", c->axis, keys->key);
    clean = dap_found(findings, s, &error);
  }
  return clean;
}

/* Returns true if no value lies below its bound. */
static bool check_bounds(const dap_required *keys, const dap_case *c, dap_findings *findings)
{
  bool clean = true;
  for (; keys->key && !findings->is_over; keys++) {
    const int64_t value = value_of(keys, c->dim);
    dap_error error = {0};
    if (value >= keys->least) continue;
    const dap_status s =
        dap_fail_rule(&error, keys->rule, DAP_ERR_DIM, "axis %d: %s %" PRId64 " is %s", c->axis, keys->key,
                      value, keys->least == 0 ? "negative" : "less than 1");
    clean = dap_found(findings, s, &error);
  }
  return clean;
}

/* Returns true if all checks of a level pass. Bounds belong to level 1. */
static bool check_level(const dap_required *keys, const dap_check *checks, int level, const dap_case *c,
                        dap_findings *findings)
{
  bool clean = level > 1 || check_bounds(keys, c, findings);
  for (; checks->check && !findings->is_over; checks++) {
    dap_error error = {0};
    if (checks->level == level) clean = dap_found(findings, checks->check(c, &error), &error) && clean;
  }
  return clean;
}

bool dap_dim_check(const dap_case *c, const dap_dim *dim, dap_findings *findings)
{
  enum { LEVELS = 5 };
  dap_error error = {0};
  if (!dap_found(findings, check_type(c, dim, &error), &error)) return false;
  const dap_dist_ops *ops = dap_dist_ops_find(c->dim->dist_type);
  bool clean = check_keys(required, c, findings);
  clean = check_keys(ops->required, c, findings) && clean;
  for (int level = 1; level < LEVELS && clean; level++) {
    clean = check_level(required, common, level, c, findings);
    clean = check_level(ops->required, ops->checks, level, c, findings) && clean;
  }
  return clean;
}
