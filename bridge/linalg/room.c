/* Bounds workspace, in 64 bits, and memory that ScaLAPACK takes while it computes. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS; NOLINT(bugprone-reserved-identifier) */
#include "room_impl.h"

#include <inttypes.h>
#include <sys/mman.h>

/* Returns the product, at most 2^60, so sums of a few do not overflow. */
static int64_t times(int64_t a, int64_t b)
{
  const int64_t most = INT64_C(1) << 60;
  return b > 0 && a > most / b ? most : a * b;
}

/* Returns the most rows (axis 0) or columns that a process has of any part of the matrix. */
static int64_t lines(const dap_scalapack_matrix *a, int axis)
{
  int64_t extents[2];
  dap_linalg_local(a, extents);
  return dap_room_smaller(extents[axis] + a->desc[DAP_MB + axis], axis == 0 ? a->m : a->n);
}

/* larfb takes NB * (lines + NB). If NB is small, the other routines take some elements for each line. */
int64_t dap_room_panels(int64_t block, const dap_scalapack_matrix *a)
{
  const int64_t both = lines(a, 0) + lines(a, 1);
  return times(block, both + block + 3) + 3 * both;
}

/* larfb transposes row reflectors from the left and column reflectors from the right. Then lines of A and C
 * count once more. */
int64_t dap_room_product(bool lq, char side, const dap_scalapack_matrix *a, const dap_scalapack_matrix *c)
{
  const int along = side == 'L' ? 0 : 1;
  const int64_t block = a->desc[lq ? DAP_MB : DAP_NB],
                turned = lines(a, 1 - along) + lines(c, along) + 2 * block;
  return dap_room_panels(block, c) + (lq == (side == 'L') ? times(block, turned) : 0);
}

int64_t dap_room_gels(const dap_scalapack_matrix *a, const dap_scalapack_matrix *b)
{
  const bool lq = a->m < a->n;
  const int axis = lq ? 0 : 1;
  return lines(a, axis) +
         dap_room_larger(dap_room_panels(a->desc[DAP_MB + axis], a), dap_room_product(lq, 'L', a, b));
}

/* Returns the most of `count` lines that a process has if all processes share them in blocks of `block`. */
static int64_t dealt(const dap_scalapack_matrix *a, int64_t block, int64_t count)
{
  dap_scalapack_int rows, cols, row, col;
  Cblacs_gridinfo(a->desc[DAP_CTXT], &rows, &cols, &row, &col);
  return dap_room_smaller(count / ((int64_t)rows * cols) + block, count);
}

/* Each process has some rows of the vectors, whose length is the shorter extent. */
int64_t dap_room_vectors(int sides, const dap_scalapack_matrix *a)
{
  const int64_t longer = dap_room_larger(a->m, a->n), shorter = dap_room_smaller(a->m, a->n);
  const int64_t block = dap_room_larger(a->desc[DAP_MB], a->desc[DAP_NB]);
  const int64_t vectors = dealt(a, block, longer) + (sides == 2 ? dealt(a, block, shorter) : 0);
  return 1 + 10 * longer + times(shorter, vectors) + dap_room_panels(block, a);
}

/* ---- memory that ScaLAPACK takes while it computes ---------------------------------------------------- */

/* PBLAS and BLACS allocate panels of a matrix for their messages, and end the program if they cannot. So the
 * library asks the system for as much first, and gives it back at once. */

/* PBLAS works with 32 lines at a time (PBLAS/SRC/PTOOLS/pilaenv.f), rounded up to blocks of the operands. It
 * cuts larger blocks. An operand has one panel to send and one to receive. LIBRARIES: bytes for buffers of
 * MPI and BLAS. BLIS packs 8 MiB of a factor. */
enum { FEWEST = 64, MOST = 256, PANELS = 2, LIBRARIES = 20 << 20 };

static int64_t panel_lines(const dap_scalapack_matrix *a, int axis)
{
  const int64_t lines = dap_room_larger(dap_room_smaller(a->desc[DAP_MB + axis], MOST), FEWEST);
  return dap_room_smaller(lines, axis == 0 ? a->m : a->n);
}

static int64_t bytes_of_panels(const dap_linalg_call *call, const dap_scalapack_matrix *a)
{
  dap_scalapack_int rows, cols, row, col;
  int64_t extents[2], elements = 0;
  Cblacs_gridinfo(a->desc[DAP_CTXT], &rows, &cols, &row, &col);
  if (rows < 1) return 0; /* this process is outside the grid */
  dap_linalg_local(a, extents);
  for (int k = 0; k < 2; k++) elements += times(extents[k], panel_lines(a, 1 - k));
  return times(elements, PANELS * dap_dtype_size(call->lib->dtype));
}

void dap_linalg_headroom_count(dap_linalg_call *call, const dap_scalapack_matrix *view)
{
  if (call->headroom == 0) call->headroom = LIBRARIES;
  call->headroom += bytes_of_panels(call, view);
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
