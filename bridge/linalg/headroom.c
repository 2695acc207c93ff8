/* Memory that ScaLAPACK takes while it computes.
 *
 * PBLAS and BLACS allocate panels of a matrix for their messages, and end the program if they cannot. So the
 * library first asks the system for as much, and gives it back at once. If that fails, it is an error. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS; NOLINT(bugprone-reserved-identifier) */
#include "room_impl.h"

#include <inttypes.h>
#include <sys/mman.h>

/* Lines of a panel: PBLAS works with 32 at a time (PBLAS/SRC/PTOOLS/pilaenv.f), rounded up to blocks of the
 * operands. It cuts larger blocks. PANELS: that an operand has at a time, one to send and one to receive.
 * LIBRARIES: bytes for the buffers of MPI and BLAS; BLIS packs 8 MiB of a factor. */
enum { FEWEST = 64, MOST = 256, PANELS = 2, LIBRARIES = 20 << 20 };

static int64_t lines_of(const dap_room_matrix *a, int axis)
{
  const int64_t block = a->block[axis] < MOST ? a->block[axis] : MOST;
  const int64_t lines = dap_room_larger(block, FEWEST);
  return lines < a->size[axis] ? lines : a->size[axis];
}

static int64_t panels(const dap_linalg_call *call, const dap_scalapack_matrix *view)
{
  const dap_room_matrix a = dap_room_of(view);
  int64_t elements = 0;
  if (a.procs[0] < 1) return 0; /* this process is outside the grid */
  for (int k = 0; k < 2; k++) elements += dap_room_times(dap_room_local(&a, k), lines_of(&a, 1 - k));
  return dap_room_times(elements, PANELS * dap_dtype_size(call->lib->dtype));
}

void dap_linalg_headroom_count(dap_linalg_call *call, const dap_scalapack_matrix *view)
{
  if (call->headroom == 0) call->headroom = LIBRARIES;
  call->headroom += panels(call, view);
}

dap_status dap_linalg_headroom_check(const dap_linalg_call *call, dap_error *err)
{
  if (call->headroom == 0) return DAP_OK;
  void *at = mmap(NULL, (size_t)call->headroom, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  DAP_REQUIRE(at != MAP_FAILED, err, DAP_ERR_NOMEM,
              "no memory for the %" PRId64 " bytes that ScaLAPACK may take while it computes",
              call->headroom);
  (void)munmap(at, (size_t)call->headroom);
  return DAP_OK;
}

dap_status dap_linalg_headroom(dap_linalg_call *call)
{
  return dap_agree(call->comm, dap_linalg_headroom_check(call, call->err), call->err);
}
