/* Contiguous distribution, 'b': each process owns one range of any length. Communication padding lies towards
 * neighbours, and boundary padding at the outer edges of the grid. */
#include "model_impl.h"

#include <inttypes.h>
#include <stdlib.h>

static int64_t owned(const dap_map *map, int coord)
{
  return map->bounds[coord + 1] - map->bounds[coord];
}

/* ---- making ---------------------------------------------------------------------------------------- */

dap_status dap_block_allocate(int axis, dap_map *map, dap_error *err)
{
  const size_t procs = (size_t)map->axis.procs;
  map->bounds = calloc(procs + 1, sizeof *map->bounds);
  map->halo = calloc(procs, sizeof *map->halo);
  DAP_REQUIRE(map->bounds && map->halo, err, DAP_ERR_NOMEM, "axis %d: no memory for %zu processes", axis,
              procs);
  return DAP_OK;
}

/* Checks that extents of buffers, and indices of padding that wraps round, fit into 63 bits. */
static dap_status check_extents(int axis, const dap_map *map, dap_status status, dap_error *err)
{
  (void)status;
  for (int c = 0; c < map->axis.procs; c++) {
    int64_t sum = 0;
    DAP_REQUIRE(dap_add(owned(map, c), map->halo[c][0], &sum) && dap_add(sum, map->halo[c][1], &sum) &&
                    dap_add(map->axis.size, map->halo[c][1], &sum),
                err, DAP_ERR_RANGE, "axis %d: size and padding of proc_grid_rank %d exceed 2^63 - 1", axis,
                c);
  }
  return DAP_OK;
}

/* Checks that neighbours have the same padding between them. */
static dap_status check_agreement(int axis, const dap_map *map, dap_error *err)
{
  for (int c = 0; c < map->axis.procs - 1; c++)
    DAP_RULE(10, map->halo[c][1] == map->halo[c + 1][0], err, DAP_ERR_LAYOUT,
             "axis %d: padding[1] %" PRId64 " of proc_grid_rank %d differs from padding[0] %" PRId64
             " of its neighbour %d",
             axis, map->halo[c][1], c, map->halo[c + 1][0], c + 1);
  return DAP_OK;
}

/* Checks that neighbours own all elements that are padding of each other. */
static dap_status check_halos(int axis, const dap_map *map, dap_status status, dap_error *err)
{
  for (int c = 0; c < map->axis.procs - 1; c++) {
    const int64_t width = map->halo[c][1], owners = dap_smaller(owned(map, c), owned(map, c + 1));
    DAP_RULE(10, width <= owners, err, status,
             "axis %d: communication padding %" PRId64
             " between proc_grid_ranks %d and %d exceeds the %" PRId64 " elements that one of them owns",
             axis, width, c, c + 1, owners);
  }
  return DAP_OK;
}

/* Checks that the process at the other end owns all elements of padding that wraps round. */
static dap_status check_wrap(int axis, const dap_map *map, dap_status status, dap_error *err)
{
  const int last = map->axis.procs - 1;
  const int64_t width[2] = {map->halo[0][0], map->halo[last][1]};
  for (int side = 0; side < 2; side++) {
    const int here = side == 0 ? 0 : last, there = last - here;
    DAP_RULE(9, width[side] <= owned(map, there), err, status,
             "axis %d: padding[%d] %" PRId64 " of proc_grid_rank %d wraps round and exceeds the %" PRId64
             " elements that proc_grid_rank %d owns",
             axis, side, width[side], here, owned(map, there), there);
    DAP_RULE(9, width[side] == 0 || owned(map, here) > 0, err, status,
             "axis %d: proc_grid_rank %d owns nothing, but has padding[%d] %" PRId64 " that wraps round",
             axis, here, side, width[side]);
  }
  return DAP_OK;
}

static dap_status check_boundary(int axis, const dap_map *map, dap_status status, dap_error *err)
{
  const int last = map->axis.procs - 1;
  const int64_t *width = map->axis.boundary;
  for (int side = 0; side < 2; side++) {
    const int edge = side == 0 ? 0 : last;
    const int64_t room = owned(map, edge) - (last == 0 && side == 1 ? width[0] : 0);
    DAP_RULE(10, width[side] <= room, err, status,
             "axis %d: boundary padding (%" PRId64 ", %" PRId64 ") exceeds the %" PRId64
             " elements that proc_grid_rank %d owns",
             axis, width[0], width[1], owned(map, edge), edge);
  }
  return DAP_OK;
}

/* Returns a hint if the ranges tile the axis in the other sense of start and stop: without communication
 * padding in 0.10, as distarray's global interface once exported them, or with it in 0.9. */
static const char *hint_of(const dap_dialect *dialect, const dap_dim dims[], int procs)
{
  dap_dialect other = *dialect;
  other.padding_inside = !dialect->padding_inside;
  bool padded = false;
  if (dims[0].size > INT64_MAX / 4) return ""; /* sums might overflow */
  for (int c = 0; c < procs; c++) {
    const dap_block_part p = dap_block_part_of(&other, &dims[c]);
    padded = padded || p.halo[0] > 0 || p.halo[1] > 0;
    if (c > 0 && p.start != dap_block_part_of(&other, &dims[c - 1]).stop) return "";
  }
  if (!padded) return "";
  return dialect->padding_inside ? " (start and stop look like they exclude the communication padding)"
                                 : " (start and stop look like they include the communication padding)";
}

/* Checks that owned ranges follow each other from 0 to size, and sets bounds. An empty range may lie
 * anywhere. */
static dap_status tile(const dap_dialect *dialect, int axis, const dap_dim dims[], dap_map *map,
                       dap_error *err)
{
  const int procs = map->axis.procs;
  const char *hint = hint_of(dialect, dims, procs);
  int64_t end = 0;
  for (int c = 0; c < procs; c++) {
    const dap_block_part p = dap_block_part_of(dialect, &dims[c]);
    DAP_RULE(8, p.start >= p.stop || p.start <= end, err, DAP_ERR_LAYOUT,
             "axis %d: no process owns %" PRId64 " .. %" PRId64 ", before the start of proc_grid_rank %d%s",
             axis, end, p.start - 1, c, hint);
    DAP_RULE(8, p.start >= p.stop || p.start == end, err, DAP_ERR_LAYOUT,
             "axis %d: proc_grid_rank %d owns from %" PRId64 ", which lies before %" PRId64
             ", the end of the one before it%s",
             axis, c, p.start, end, hint);
    if (p.stop > p.start) end = p.stop;
    map->bounds[c + 1] = end;
  }
  DAP_RULE(8, end == map->axis.size, err, DAP_ERR_LAYOUT,
           "axis %d: no process owns %" PRId64 " .. %" PRId64 ", the end of size %" PRId64 "%s", axis, end,
           map->axis.size - 1, map->axis.size, hint);
  return DAP_OK;
}

/* Checks the widths, once owners are known. Errors have `status`. */
static bool check_widths(int axis, const dap_map *map, dap_status status, dap_findings *findings)
{
  static dap_status (*const checks[])(int, const dap_map *, dap_status,
                                      dap_error *) = {check_extents, check_halos, check_wrap, check_boundary};
  bool clean = true;
  for (size_t i = 0; i < sizeof checks / sizeof checks[0] && !findings->is_over; i++) {
    dap_error error = {0};
    clean = dap_found(findings, checks[i](axis, map, status, &error), &error) && clean;
  }
  return clean;
}

static void take_parts(const dap_dialect *dialect, const dap_dim dims[], dap_map *map)
{
  const int last = map->axis.procs - 1;
  map->axis.periodic = dims[0].periodic;
  map->axis.boundary[0] = dap_block_part_of(dialect, &dims[0]).boundary[0];
  map->axis.boundary[1] = dap_block_part_of(dialect, &dims[last]).boundary[1];
  for (int c = 0; c <= last; c++) {
    const dap_block_part p = dap_block_part_of(dialect, &dims[c]);
    map->halo[c][0] = p.halo[0];
    map->halo[c][1] = p.halo[1];
  }
}

static bool assemble(const dap_dialect *dialect, int axis, const dap_dim dims[], dap_map *map,
                     dap_findings *findings)
{
  dap_error error = {0};
  if (!dap_found(findings, dap_block_allocate(axis, map, &error), &error)) return false;
  take_parts(dialect, dims, map);
  const bool is_tiled = dap_found(findings, tile(dialect, axis, dims, map, &error), &error);
  if (findings->is_over) return false;
  const bool agrees = dap_found(findings, check_agreement(axis, map, &error), &error);
  return is_tiled && agrees && check_widths(axis, map, DAP_ERR_LAYOUT, findings);
}

/* Returns the elements of process c. EVEN: the first `size % procs` processes have one more than the others.
 * CEIL: each has ceil(size / procs) until nothing is left, as with HPF's BLOCK. */
static int64_t cut_length(const dap_dist *dist, int c, int64_t left)
{
  const int64_t each = dist->size / dist->procs, rest = dist->size % dist->procs;
  if (dist->kind == DAP_DIST_LENGTHS) return dist->lengths[c];
  if (dist->kind == DAP_DIST_CEIL) return dap_smaller(left, each + (rest > 0));
  return each + (c < rest);
}

static dap_status check_dist(int axis, const dap_dist *dist, dap_error *err)
{
  DAP_REQUIRE(dist->kind != DAP_DIST_LENGTHS || dist->lengths, err, DAP_ERR_ARG, "axis %d: lengths is NULL",
              axis);
  DAP_REQUIRE(dist->halo >= 0 && dist->boundary[0] >= 0 && dist->boundary[1] >= 0, err, DAP_ERR_DIM,
              "axis %d: halo %" PRId64 " or boundary (%" PRId64 ", %" PRId64 ") is negative", axis,
              dist->halo, dist->boundary[0], dist->boundary[1]);
  DAP_REQUIRE(dist->boundary[0] <= dist->size && dist->boundary[1] <= dist->size, err, DAP_ERR_DIM,
              "axis %d: boundary (%" PRId64 ", %" PRId64 ") exceeds size %" PRId64, axis, dist->boundary[0],
              dist->boundary[1], dist->size);
  DAP_REQUIRE(!dist->wraps || dist->periodic, err, DAP_ERR_DIM,
              "axis %d: the halo wraps round, but the axis is not periodic", axis);
  DAP_REQUIRE(!dist->wraps || (dist->boundary[0] == 0 && dist->boundary[1] == 0), err, DAP_ERR_DIM,
              "axis %d: the halo wraps round, which leaves no edge for boundary (%" PRId64 ", %" PRId64 ")",
              axis, dist->boundary[0], dist->boundary[1]);
  return DAP_OK;
}

static dap_status create(int axis, const dap_dist *dist, dap_map *map, dap_error *err)
{
  DAP_TRY(check_dist(axis, dist, err));
  DAP_TRY(dap_block_allocate(axis, map, err));
  map->axis.periodic = dist->periodic;
  const int last = dist->procs - 1;
  for (int c = 0; c <= last; c++) {
    const int64_t left = dist->size - map->bounds[c], length = cut_length(dist, c, left);
    DAP_REQUIRE(length >= 0 && length <= left, err, DAP_ERR_DIM,
                "axis %d: lengths[%d] %" PRId64 " is negative or exceeds the %" PRId64
                " elements left of size %" PRId64,
                axis, c, length, left, dist->size);
    map->bounds[c + 1] = map->bounds[c] + length;
    map->halo[c][0] = c > 0 || dist->wraps ? dist->halo : 0;
    map->halo[c][1] = c < last || dist->wraps ? dist->halo : 0;
  }
  DAP_REQUIRE(map->bounds[last + 1] == dist->size, err, DAP_ERR_DIM,
              "axis %d: lengths add up to %" PRId64 ", not to size %" PRId64, axis, map->bounds[last + 1],
              dist->size);
  map->axis.boundary[0] = dist->boundary[0];
  map->axis.boundary[1] = dist->boundary[1];
  dap_findings findings = {.rank = -1, .err = err};
  (void)check_widths(axis, map, DAP_ERR_DIM, &findings);
  return findings.status;
}

dap_status dap_block_widen(int axis, dap_map *map, const int64_t inner[], bool is_one, const int64_t outer[2],
                           dap_error *err)
{
  const int last = map->axis.procs - 1;
  for (int c = 0; c < last && inner; c++) map->halo[c][1] = map->halo[c + 1][0] = inner[is_one ? 0 : c];
  map->halo[0][0] = outer[0];
  map->halo[last][1] = outer[1];
  dap_findings findings = {.rank = -1, .err = err};
  (void)check_widths(axis, map, DAP_ERR_DIM, &findings);
  return findings.status;
}

/* ---- the kind of cut ---------------------------------------------------------------------------------- */

static bool is_cut(const dap_map *map, dap_dist_kind kind)
{
  const dap_dist dist = {.kind = kind, .procs = map->axis.procs, .size = map->axis.size};
  for (int c = 0; c < map->axis.procs; c++)
    if (owned(map, c) != cut_length(&dist, c, map->axis.size - map->bounds[c])) return false;
  return true;
}

dap_dist_kind dap_block_cut(const dap_map *map)
{
  if (is_cut(map, DAP_DIST_EVEN)) return DAP_DIST_EVEN;
  return is_cut(map, DAP_DIST_CEIL) ? DAP_DIST_CEIL : DAP_DIST_LENGTHS;
}

/* ---- queries --------------------------------------------------------------------------------------- */

static int64_t extent(const dap_map *map, int coord)
{
  return owned(map, coord) + map->halo[coord][0] + map->halo[coord][1];
}

static int64_t run_count(const dap_map *map, int coord)
{
  return owned(map, coord) > 0;
}

static dap_run run(const dap_map *map, int coord, int64_t index)
{
  (void)index;
  return (dap_run){map->bounds[coord], map->halo[coord][0], owned(map, coord)};
}

static int64_t run_after(const dap_map *map, int coord, int64_t global)
{
  return owned(map, coord) > 0 && global >= map->bounds[coord + 1];
}

/* Finds the first process whose range ends behind `global`. */
static bool locate(const dap_map *map, int64_t global, int *coord, int64_t *local)
{
  int low = 0, high = map->axis.procs - 1;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (map->bounds[middle + 1] > global)
      high = middle;
    else
      low = middle + 1;
  }
  *coord = low;
  *local = global - map->bounds[low] + map->halo[low][0];
  return true;
}

static int64_t globalize(const dap_map *map, int coord, int64_t local)
{
  const int64_t size = map->axis.size, global = map->bounds[coord] - map->halo[coord][0] + local;
  if (global < 0) return global + size;
  return global < size ? global : global - size;
}

static bool is_owned(const dap_map *map, int coord, int64_t local)
{
  const int64_t first = map->halo[coord][0];
  return local >= first && local < first + owned(map, coord);
}

static dap_status export(const dap_map *map, const dap_dialect *dialect, int axis, int coord, dap_dim *dim,
                         dap_error *err)
{
  const int last = map->axis.procs - 1;
  const int64_t *halo = map->halo[coord], *boundary = map->axis.boundary;
  const bool wraps = map->halo[0][0] > 0 || map->halo[last][1] > 0;
  DAP_RULE(9, !wraps || dialect->periodic_wraps, err, DAP_ERR_UNSUPPORTED,
           "axis %d: protocol %s cannot say that the padding (%" PRId64 ", %" PRId64 ") wraps round", axis,
           dialect->versions, map->halo[0][0], map->halo[last][1]);
  DAP_RULE(9, !map->axis.periodic || (boundary[0] == 0 && boundary[1] == 0) || !dialect->periodic_wraps, err,
           DAP_ERR_UNSUPPORTED,
           "axis %d: protocol %s cannot say that a periodic axis owns its boundary padding (%" PRId64
           ", %" PRId64 ")",
           axis, dialect->versions, boundary[0], boundary[1]);
  const bool inside = dialect->padding_inside;
  dim->start = map->bounds[coord] - (inside ? halo[0] : 0);
  dim->stop = map->bounds[coord + 1] + (inside ? halo[1] : 0);
  dim->padding[0] = coord == 0 ? halo[0] + boundary[0] : halo[0];
  dim->padding[1] = coord == last ? halo[1] + boundary[1] : halo[1];
  dim->periodic = map->axis.periodic;
  return DAP_OK;
}

const dap_dist_ops dap_block_ops = {
    .dist_type = 'b',
    .name = "block",
    .required = dap_block_required,
    .checks = dap_block_checks,
    .create = create,
    .assemble = assemble,
    .owned = owned,
    .extent = extent,
    .locate = locate,
    .globalize = globalize,
    .is_owned = is_owned,
    .export = export,
    .run_count = run_count,
    .run = run,
    .run_after = run_after,
};
