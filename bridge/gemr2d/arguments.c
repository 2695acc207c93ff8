/* Reads the arguments of a call on this process. */
#include "gemr2d_impl.h"

#include <stdlib.h>
#include <string.h>

/* Entries of a descriptor (ScaLAPACK Users' Guide, chapter 4). Like the reference, this does not read
 * DTYPE. */
enum { CTXT = 1, FIRST_COMMON = 2, LLD = 8 };

static dap_gemr2d_matrix read_matrix(const dap_scalapack_int start[2], const dap_scalapack_int desc[9])
{
  dap_scalapack_int nprow, npcol, row, column;
  Cblacs_gridinfo(desc[CTXT], &nprow, &npcol, &row, &column);
  if (row < 0 || row >= nprow || column < 0 || column >= npcol) return (dap_gemr2d_matrix){0};
  dap_gemr2d_matrix matrix = {.is_here = 1, .row = row, .column = column, .ld = desc[LLD]};
  matrix.words[DAP_GEMR2D_NPROW] = nprow;
  matrix.words[DAP_GEMR2D_NPCOL] = npcol;
  for (int w = DAP_GEMR2D_M; w <= DAP_GEMR2D_CSRC; w++)
    matrix.words[w] = desc[FIRST_COMMON + w - DAP_GEMR2D_M];
  matrix.words[DAP_GEMR2D_I] = start[0];
  matrix.words[DAP_GEMR2D_J] = start[1];
  return matrix;
}

dap_gemr2d_call dap_gemr2d_read(const dap_gemr2d_arguments *arguments)
{
  dap_gemr2d_call call = {.size = {arguments->m, arguments->n}, .itemsize = arguments->itemsize};
  const void *const elements[] = {arguments->a, arguments->b};
  for (int k = 0; k < 2; k++) {
    dap_gemr2d_matrix *matrix = &call.matrices[k];
    *matrix = read_matrix(arguments->start[k], arguments->descs[k]);
    matrix->is_null = matrix->is_here && !elements[k] && dap_gemr2d_may_have(matrix, call.size);
  }
  return call;
}

/* A context's own communicator has only the processes of its grid. BLACS's number for it is not freed,
 * because other callers have the same one. */
MPI_Comm dap_gemr2d_comm(const dap_gemr2d_arguments *arguments)
{
  enum { DEFAULT = 0, OF_CONTEXT = 10 };
  dap_scalapack_int handle, nprow, npcol, row, column;
  if (!arguments->has_context) {
    Cblacs_get(-1, DEFAULT, &handle);
    return Cblacs2sys_handle(handle);
  }
  Cblacs_gridinfo(arguments->context, &nprow, &npcol, &row, &column);
  if (row < 0 || column < 0) return MPI_COMM_NULL;
  int size = 0;
  Cblacs_get(arguments->context, OF_CONTEXT, &handle);
  MPI_Comm comm = Cblacs2sys_handle(handle);
  if (MPI_Comm_size(comm, &size) != MPI_SUCCESS || size != nprow * npcol) return MPI_COMM_NULL;
  return comm;
}

bool dap_gemr2d_takes_plans_only(void)
{
  const char *word = getenv("DAPBRIDGE_GEMR2D");
  return word && strcmp(word, "plans") == 0;
}

/* PXERBLA prints one line and returns; a program may have its own. ScaLAPACK's p?gemr2d ends the program with
 * these codes. */
void dap_gemr2d_report(const dap_gemr2d_arguments *arguments, int fault)
{
  const dap_scalapack_int info = fault % 100 ? fault : fault / 100;
  enum { WRONG = 1, NO_MEMORY = 2 };
  pxerbla_(&arguments->context, arguments->routine, &info, strlen(arguments->routine));
  if (!dap_gemr2d_takes_plans_only()) exit(fault == DAP_GEMR2D_FAILED ? NO_MEMORY : WRONG);
}
