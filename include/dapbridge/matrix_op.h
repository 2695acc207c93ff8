/* dapbridge/matrix_op.h: for adapters: how all processes choose the same op for an array. (A matrix of
 * scalapack.h has it as a member.) Needs neither MPI nor ScaLAPACK; nothing here is collective. */
#ifndef DAPBRIDGE_MATRIX_OP_H
#define DAPBRIDGE_MATRIX_OP_H

#include <dapbridge/matrix.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The properties of `array.local`, the buffer of process `rank`, as a sum of these bits. The processes
 * combine theirs by bitwise AND. */
enum {
  DAP_MATRIX_CAN_N = 1, /* dap_matrix_local() with 'N' succeeds */
  DAP_MATRIX_CAN_T = 2, /* ... with 'T' */
  DAP_MATRIX_NOT_F = 4, /* its strides are not those of F order */
  DAP_MATRIX_NOT_C = 8  /* ... of C order */
};
DAP_API unsigned dap_matrix_vote(dap_darray array, int rank);

/* The op for the combined bits: the one that allows sharing; if both do (vectors), or neither does, 'N' if
 * some process has F order and none has C order, else 'T'. */
DAP_API char dap_matrix_choose_op(unsigned votes);

#ifdef __cplusplus
}
#endif

#endif
