/* Private memory that a plan can be run on before its user's buffers are known: as large as they are, with
 * their strides. */
#include "transfer_impl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Of one side's buffer of one array. */
typedef struct room {
  int64_t bytes;  /* in whole lines of the cache; 0: this process has no elements there */
  int64_t before; /* element (0, ..., 0), as strides can be negative */
} room;

static bool find_room(const dap_problem *problem, bool of_from, room *r)
{
  const int64_t *extents = of_from ? problem->from_extents : problem->to_extents;
  const int64_t *strides = of_from ? problem->from_strides : problem->to_strides;
  *r = (room){0};
  if (of_from ? !problem->holds_from : !problem->holds_to) return true;
  if (!dap_span(problem->ndim, extents, strides, of_from ? problem->from_item : problem->to_item,
                &r->bytes) ||
      r->bytes > INT64_MAX - DAP_LINE)
    return false;
  for (int k = 0; k < problem->ndim; k++)
    if (strides[k] < 0 && extents[k] > 1) r->before -= strides[k] * (extents[k] - 1);
  r->bytes = (r->bytes + DAP_LINE - 1) / DAP_LINE * DAP_LINE;
  return true;
}

static void place(const dap_plan *plan, const room rooms[], bool is_one, dap_scratch *scratch)
{
  char *at = scratch->memory;
  for (int64_t a = 0; a < plan->problem.arrays; a++) {
    scratch->to[a] = rooms[1].bytes ? at + rooms[1].before : NULL;
    at += rooms[1].bytes;
    scratch->from[a] = is_one ? scratch->to[a] : rooms[0].bytes ? at + rooms[0].before : NULL;
    at += rooms[0].bytes;
  }
}

dap_status dap_scratch_create(const dap_plan *plan, bool is_one, dap_scratch *scratch, dap_error *err)
{
  room rooms[2];
  int64_t each = 0, bytes = 0;
  const size_t arrays = (size_t)plan->problem.arrays;
  bool fits = find_room(&plan->problem, true, &rooms[0]) && find_room(&plan->problem, false, &rooms[1]);
  if (is_one) rooms[0].bytes = 0;
  fits = fits && dap_add(rooms[0].bytes, rooms[1].bytes, &each) &&
         dap_multiply(each, plan->problem.arrays, &bytes) && bytes < INT64_MAX && (uint64_t)bytes < SIZE_MAX;
  *scratch = (dap_scratch){0};
  if (fits) {
    scratch->from = malloc(arrays * sizeof *scratch->from);
    scratch->to = malloc(arrays * sizeof *scratch->to);
    scratch->memory = malloc((size_t)bytes + 1);
  }
  DAP_REQUIRE(scratch->memory && scratch->from && scratch->to, err, DAP_ERR_NOMEM,
              "no memory to run the plan on, of as many bytes as its buffers have: options.effort needs it");
  memset(scratch->memory, 0, (size_t)bytes); /* all of it is touched */
  place(plan, rooms, is_one, scratch);
  return DAP_OK;
}

void dap_scratch_release(dap_scratch *scratch)
{
  free(scratch->memory);
  free(scratch->from);
  free(scratch->to);
  *scratch = (dap_scratch){0};
}
