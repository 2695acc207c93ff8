/**
 * @file
 * Functions that choose one op ('N' or 'T', see matrix.h) for all processes of an array, and check whether a
 * matrix meets a routine's requirements.
 *
 * Authors of adapters need this header. Other programs read the op from a dap_scalapack_matrix (scalapack.h).
 * The functions need neither MPI nor ScaLAPACK, and none of them is collective.
 */
#ifndef DAPBRIDGE_MATRIX_OP_H
#define DAPBRIDGE_MATRIX_OP_H

#include <dapbridge/matrix.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The bits that dap_matrix_vote() returns for the buffer of one process. */
enum {
  DAP_MATRIX_CAN_N = 1, /**< dap_matrix_local() with 'N' succeeds */
  DAP_MATRIX_CAN_T = 2, /**< dap_matrix_local() with 'T' succeeds */
  DAP_MATRIX_NOT_F = 4, /**< the buffer's strides are not those of F order */
  DAP_MATRIX_NOT_C = 8  /**< the buffer's strides are not those of C order */
};

/**
 * Finds out which ops allow one process to share its buffer.
 *
 * The caller must combine the results of all processes with a bitwise AND. Not collective.
 *
 * @param array  an array with 2 axes, where array.local is process `rank`'s buffer; no pointer may be NULL
 * @param rank   rank of a process of the layout
 * @return bitwise OR of the DAP_MATRIX_* flags that apply
 * @see dap_matrix_choose_op()
 */
DAP_API unsigned dap_matrix_vote(dap_darray array, int rank);

/**
 * Checks that a block-cyclic matrix meets the requirements of a routine.
 *
 * Not collective.
 *
 * @param needs  the routine's requirements
 * @param form   the matrix; `op` and `source` are not read
 * @param why    receives the first condition that is not met; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_SHARE: a condition is not met
 * @see dap_matrix_fit()
 */
DAP_API dap_status dap_matrix_check_form(const dap_matrix_needs *needs, const dap_matrix_form *form,
                                         dap_error *why);

/**
 * Chooses the op from the combined votes of all processes.
 *
 * If only one op allows sharing, the function returns that op. Otherwise it returns 'N' if at least one
 * buffer has F order and none has C order, and 'T' in all other cases. Not collective.
 *
 * @param votes  the bitwise AND of the results of dap_matrix_vote()
 * @return 'N' or 'T'
 */
DAP_API char dap_matrix_choose_op(unsigned votes);

#ifdef __cplusplus
}
#endif

#endif
