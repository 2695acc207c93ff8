/* What a call reports of its operands. */
#include "harness.h"

#include <inttypes.h>

/* The report must be the same on all processes, but for the bytes. */
static void expect_agreed(const dap_linalg_use *use)
{
  dap_linalg_use root = *use;
  MPI_Bcast(&root, (int)sizeof root, MPI_BYTE, 0, MPI_COMM_WORLD);
  EXPECT_MSG(use->shared == root.shared, "%s is shared here and not there", use->name);
  EXPECT_MSG(!strcmp(use->reason, root.reason), "%s: \"%s\" here, \"%s\" on rank 0", use->name, use->reason,
             root.reason);
}

bool expect_use(const dap_linalg_report *report, int index, const char *name, const matrix *m, int wanted)
{
  if (!EXPECT_MSG(index < report->count && report->count <= DAP_LINALG_USES, "%s: %d uses are reported", name,
                  report->count))
    return false;
  const dap_linalg_use *use = &report->uses[index];
  int64_t moved = use->moved_bytes;
  expect_agreed(use);
  MPI_Allreduce(MPI_IN_PLACE, &moved, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  bool good = EXPECT_MSG(!strcmp(use->name, name), "use %d is of %s, not %s", index, use->name, name);
  good = EXPECT_MSG(use->reason[0], "%s: no reason", name) && good;
  good = EXPECT_MSG(wanted < 0 || use->shared == wanted, "%s is %s: %s", name,
                    use->shared ? "shared" : "moved", use->reason) &&
         good;
  if (use->shared)
    good = EXPECT_MSG(moved == 0, "%s is shared, but %" PRId64 " bytes moved", name, moved) && good;
  if (!use->shared && m && m->size[0] * m->size[1] > 0)
    good = EXPECT_MSG(moved > 0, "%s is moved, but no bytes were: %s", name, use->reason) && good;
  if (m) good = EXPECT_MSG(m->array.data == m->buffer.data, "%s is in another buffer now", name) && good;
  return good;
}

bool expect_work(const matrix *m, const dap_linalg_use *use, bool kept, bool changes)
{
  if (kept || !use->shared) return expect_same(m);
  const bool changed = matrix_changed(m), large = m->size[0] >= 2 && m->size[1] >= 2;
  return EXPECT_MSG(!changes || !large || changed, "%s is shared, but the caller's buffer was not worked in",
                    use->name);
}
