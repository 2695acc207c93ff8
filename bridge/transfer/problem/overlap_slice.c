/* Makes overlaps from parts of others, and overlaps that are in place. */
#include "problem_impl.h"

/* Appends elements [lo, hi), one strided run after the other. */
static dap_status append_elements(const dap_overlap *whole, int64_t lo, int64_t hi, dap_overlap *slice,
                                  dap_error *err)
{
  dap_pieces pieces = dap_pieces_of(whole, lo, hi);
  for (dap_strided_run piece; dap_pieces_next(&pieces, &piece);)
    DAP_TRY(dap_overlap_append(slice, &piece, err));
  return DAP_OK;
}

/* Appends repetitions [first, end): their elements once, with a count. */
static dap_status append_repetitions(const dap_overlap *whole, int64_t begin, int64_t first, int64_t end,
                                     dap_overlap *slice, dap_error *err)
{
  const int64_t elements = whole->repeated->elements, lo = begin + first * elements;
  const int64_t runs = slice->size, before = slice->elements;
  DAP_TRY(append_elements(whole, lo, lo + elements, slice, err));
  const bool points = dap_overlap_is_points(slice);
  DAP_TRY(dap_overlap_set_repeated(slice, whole->repeated, err));
  slice->repeated->first = points ? before : runs;
  slice->repeated->count = slice->size - slice->repeated->first;
  slice->repeated->repeats = end - first;
  slice->elements += (end - first - 1) * elements;
  return DAP_OK;
}

dap_status dap_overlap_slice(const dap_overlap *whole, int64_t lo, int64_t hi, dap_overlap *slice,
                             dap_error *err)
{
  const dap_repeated *r = whole->repeated;
  *slice = (dap_overlap){0};
  if (r) {
    const int64_t begin = dap_overlap_is_points(whole) ? r->first : whole->runs[r->first].before;
    const int64_t first = lo <= begin ? 0 : (lo - begin + r->elements - 1) / r->elements;
    const int64_t end = hi <= begin ? 0 : dap_smaller((hi - begin) / r->elements, r->repeats);
    if (end - first > 1) {
      DAP_TRY(append_elements(whole, lo, begin + first * r->elements, slice, err));
      DAP_TRY(append_repetitions(whole, begin, first, end, slice, err));
      lo = begin + end * r->elements;
    }
  }
  DAP_TRY(append_elements(whole, lo, hi, slice, err));
  return dap_overlap_finish(slice, err);
}

dap_status dap_overlap_mirror(const dap_overlap *overlap, dap_overlap *mirror, dap_error *err)
{
  dap_overlap own = *overlap;
  own.from = own.to;
  DAP_TRY(dap_overlap_copy(&own, mirror, err));
  for (int64_t i = 0; i < mirror->size && !dap_overlap_is_points(mirror); i++) {
    mirror->runs[i].from = mirror->runs[i].to;
    mirror->runs[i].from_step = mirror->runs[i].to_step;
  }
  if (mirror->repeated) mirror->repeated->from = mirror->repeated->to;
  return DAP_OK;
}

dap_status dap_overlap_create_own(const dap_problem *problem, int axis, bool is_owned, dap_overlap *overlap,
                                  dap_error *err)
{
  const dap_map *map = dap_problem_to_map(problem, axis);
  const int coord = problem->to.coords[axis];
  *overlap = (dap_overlap){0};
  for (int64_t i = 0; i < map->ops->extent(map, coord); i++) {
    const int64_t index = map->ops->globalize(map, coord, i) - problem->to.start[axis];
    const bool moves = index >= 0 && index < problem->shape[axis];
    if (moves && (map->axis.replicated || map->ops->is_owned(map, coord, i)) == is_owned)
      DAP_TRY(dap_overlap_add(overlap, i, i, 1, err));
  }
  return DAP_OK;
}
