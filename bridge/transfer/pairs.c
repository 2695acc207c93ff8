/* Counts the elements that go from each process to each other one. */
#include "relabel_impl.h"

/* Whether q reads a source with copies from p: it reads its own copy, else the first one. */
static bool is_nearest(const dap_layout *from, int p, int q)
{
  int of_p[DAP_MAX_NDIM] = {0}, of_q[DAP_MAX_NDIM] = {0};
  bool is_first = true, has_own = q < from->nprocs;
  if (p == q) return true;
  dap_layout_coords(from, p, of_p);
  if (has_own) dap_layout_coords(from, q, of_q);
  for (int k = 0; k < from->ndim; k++) {
    if (from->maps[k].axis.replicated)
      is_first = is_first && of_p[k] == 0;
    else
      has_own = has_own && of_p[k] == of_q[k];
  }
  return is_first && !has_own;
}

static void count_pairs(const dap_volumes *volumes, int64_t elements[])
{
  const int columns = volumes->to->nprocs;
  for (int p = 0; p < volumes->from->nprocs; p++)
    for (int q = 0; q < columns; q++)
      elements[(int64_t)p * columns + q] = is_nearest(volumes->from, p, q) ? dap_volume(volumes, p, q) : 0;
}

dap_status dap_plan_volumes(const dap_layout *from, const dap_layout *to, int64_t elements[], dap_error *err)
{
  dap_volumes volumes;
  DAP_REQUIRE(elements, err, DAP_ERR_ARG, "elements must not be NULL");
  DAP_TRY(dap_volumes_check(from, to, err));
  const dap_status s = dap_volumes_create(from, to, &volumes, err);
  if (!s) count_pairs(&volumes, elements);
  dap_volumes_release(&volumes);
  return s;
}
