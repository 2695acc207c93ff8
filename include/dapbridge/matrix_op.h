/**
 * @file
 * How all processes choose the same op for an array.
 *
 * Authors of adapters need this header. Other programs find the op in the matrix of scalapack.h. The
 * functions need neither MPI nor ScaLAPACK, and none of them is collective.
 */
#ifndef DAPBRIDGE_MATRIX_OP_H
#define DAPBRIDGE_MATRIX_OP_H

#include <dapbridge/matrix.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What dap_matrix_vote() says about the buffer of one process, one bit each. */
enum {
  DAP_MATRIX_CAN_N = 1, /**< dap_matrix_local() with 'N' succeeds */
  DAP_MATRIX_CAN_T = 2, /**< dap_matrix_local() with 'T' succeeds */
  DAP_MATRIX_NOT_F = 4, /**< its strides are not those of F order */
  DAP_MATRIX_NOT_C = 8  /**< its strides are not those of C order */
};

/**
 * Finds out which ops allow one process to share its buffer.
 *
 * The processes then combine their results by bitwise AND. Not collective.
 *
 * @param array  an array of 2 axes; array.local is the buffer of process `rank`; neither may be NULL
 * @param rank   a process of the layout
 * @return a sum of the bits above
 * @see dap_matrix_choose_op()
 */
DAP_API unsigned dap_matrix_vote(dap_darray array, int rank);

/**
 * Chooses the op from the combined votes of all processes.
 *
 * It is the op that allows sharing. If both do, as for vectors, or neither, it is 'N' if some process has F
 * order and none has C order, else 'T'. Not collective.
 *
 * @param votes  the bitwise AND of the results of dap_matrix_vote()
 * @return 'N' or 'T'
 */
DAP_API char dap_matrix_choose_op(unsigned votes);

#ifdef __cplusplus
}
#endif

#endif
