/* dapbridge/matrix_op.h: the op with which all processes see an array as a matrix, for adapters: who gets a matrix of
 * scalapack.h is told it. Needs neither MPI nor ScaLAPACK; nothing here is collective. */
#ifndef DAPBRIDGE_MATRIX_OP_H
#define DAPBRIDGE_MATRIX_OP_H

#include <dapbridge/matrix.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a process says of its buffer: the bits that all processes set count. */
enum {
  DAP_MATRIX_CAN_N = 1, /* dap_matrix_place() with 'N' succeeds */
  DAP_MATRIX_CAN_T = 2, /* ... with 'T' */
  DAP_MATRIX_NOT_F = 4, /* its strides are not those of F order */
  DAP_MATRIX_NOT_C = 8  /* ... of C order */
};
DAP_API unsigned dap_matrix_vote(const dap_layout *layout, int rank, const dap_array *array);

/* The op for the bits that all processes have set: the one that can be shared; if both can (vectors), or none,
 * 'N' if some process has F order and none C order, else 'T'. */
DAP_API char dap_matrix_choose_op(unsigned votes);

#ifdef __cplusplus
}
#endif

#endif
